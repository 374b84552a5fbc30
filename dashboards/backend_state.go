package dashboards

// backendState says whether the server serves, and who it is.
func backendState(others pages) Row {
	return Row{
		Key: "state", Title: "Does it serve, and if not, why?",
		Panels: []Panel{
			others.repeat("glance/backends", "backend/state", 24),
		},
	}
}
