package dashboards

// backendLoad is what the server works on and what waits for it.
func backendLoad(others pages) Row {
	return Row{
		Key: "load", Title: "Is it loaded?",
		Panels: []Panel{
			others.repeat("capacity/running", "backend/running", 24),
		},
	}
}
