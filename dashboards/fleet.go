package dashboards

import (
	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/rules"
)

// All returns the dashboards of the bundle.
func All() []Dashboard {
	own := pages{fleet, cards}
	return append(own, backendPage(own))
}

// fleet is the page that a person opens first: one screen that says whether the fleet is fine
// and, if it is not, where; below it the reasons.
var fleet = Dashboard{
	UID:   rules.DashboardUID,
	Title: "LLM fleet — capacity and reuse",
	About: "Is the fleet serving, is it slow, is it full, is the cache reused, is the drafter alive, and who gets told. " +
		"Every number is a series of docs/series.md; dashed lines are where an alert decides.",
	Tags: []string{"llmfleet", "llm"},
	Links: []Link{
		{Title: "One model server", About: "A server in depth.", UID: rules.BackendDashboardUID},
		{Title: "Cards and links", About: "The machines under the models.", UID: rules.CardsDashboardUID},
	},
	Variables: []Variable{
		{Name: "datasource", Title: "Data source", About: "The Prometheus that scrapes llmfleet_exporter."},
		{
			Name: "instance", Title: "Exporter", Label: "instance", About: "One exporter per host or rack.",
			Query: `label_values(llm_backend_info, instance)`,
		},
		{
			Name: "backend", Title: "Backend", Label: catalog.LabelBackend, About: "Name in the exporter's configuration.",
			Query: `label_values(llm_backend_info{instance=~"$instance"}, backend)`,
		},
		{
			Name: "model", Title: "Model", Label: catalog.LabelModel, About: "Served name. Routers have none and stay on the page.",
			Query: `label_values(llm_model_info{instance=~"$instance", backend=~"$backend"}, model)`,
		},
	},
	Notes: serverNotes,
	Rows:  []Row{glance, serving, latency, objectives, capacity, reuse, speculation, router, firing, watching, blind},
}
