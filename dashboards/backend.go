package dashboards

import (
	"fmt"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/rules"
)

// backendPage is one model server in depth. Where another page asks the same, it repeats that
// page's panel instead of its text.
func backendPage(others pages) Dashboard {
	return Dashboard{
		UID:   rules.BackendDashboardUID,
		Title: fleetTitle + "one model server",
		About: "One model server in depth: does it serve, how loaded and how slow is it, is its cache reused, is its drafter alive, when did it restart, " +
			"and what do its cards and its router say? Dashed lines are where an alert decides.",
		Variables: []Variable{
			chooseSource, chooseInstance, chooseEngine,
			{
				Name: "backend", Title: "Backend", Label: catalog.LabelBackend, About: "Name in the exporter's configuration. Several are shown side by side; heatmaps add them up.",
				Query: `label_values(llm_backend_info{instance=~"$instance", engine=~"$engine"}, backend)`, First: true,
			},
			chooseModel,
		},
		Notes: []Annotation{},
		Rows:  []Row{backendState(others), backendLoad(others)},
	}
}

// pages are dashboards whose panels another page may repeat.
type pages []Dashboard

// repeat is a panel of another page under a key and in a width of its own. A key that no page
// has is a mistake of this package.
func (d pages) repeat(key, as string, width int) Panel {
	for _, page := range d {
		for _, r := range page.Rows {
			for _, p := range r.Panels {
				if p.Key == key {
					p.Key, p.Repeats, p.Width = as, key, width
					return p
				}
			}
		}
	}
	panic(fmt.Sprintf("dashboards: panel %s: repeats %q, which no page has", as, key))
}
