package dashboards

import (
	"fmt"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/rules"
)

// Recordings that the cases of this page are read on, besides fleetIncidents.
const (
	overload    = "vllm-0.32.0/overload-long"           // six run and four wait from 240 to 1125
	modelRouter = "llamacpp-0.7.0-b11669/router"        // models come and go; one second is played as 15
	noHistogram = "llamacpp-0.7.0-b11669/overload-long" // 12 clients on 4 slots from 180 to 1140
)

// backendPage is one model server in depth. Where another page asks the same, it repeats that
// page's panel instead of its text.
func backendPage(others pages) Dashboard {
	one := chooseBackend
	one.About, one.First = one.About+" Several are shown side by side; heatmaps add them up.", true
	return Dashboard{
		UID:   rules.BackendDashboardUID,
		Title: fleetTitle + "one model server",
		About: "One model server in depth: does it serve, how loaded and how slow is it, is its cache reused, is its drafter alive, when did it restart, " +
			"and what do its cards and its router say? Dashed lines are where an alert decides.",
		Variables: []Variable{chooseSource, chooseInstance, chooseEngine, one, chooseModel},
		Notes:     []Annotation{alertsAboutIt, restarted, modelChanged},
		Rows: []Row{
			backendState(others), backendLoad(others), backendLatency(others), backendTokens(others), backendCache(others),
			backendSpeculation(others), backendHistory(others), backendCards, backendRouter,
		},
	}
}

// pages are dashboards whose panels another page may repeat.
type pages []Dashboard

// repeat is a panel of another page under a key and in a width of its own. A key that no page
// has is a mistake of this package.
func (d pages) repeat(key, as string, width int) Panel {
	_, p, ok := d.find(key)
	if !ok {
		panic(fmt.Sprintf("dashboards: panel %s: repeats %q, which no page has", as, key))
	}
	p.Key, p.Repeats, p.Width, p.Height = as, key, width, 0
	return p
}

// find looks for a panel, and says on which page it is.
func (d pages) find(key string) (uid string, p Panel, ok bool) {
	for _, page := range d {
		for _, r := range page.Rows {
			for _, p := range r.Panels {
				if p.Key == key {
					return page.UID, p, true
				}
			}
		}
	}
	return "", Panel{}, false
}

// figure is a column of another page's table, by its letter, as a big number for each backend.
func (d pages) figure(key, column, as, title string, width int) Panel {
	table := d.repeat(key, as, width)
	out := Panel{Key: as, Title: title, Unit: catalog.None, Kind: Stat, Width: width, About: table.About, Blank: table.Blank}
	out.Queries = []Query{{Expr: table.Queries[column[0]-'A'].Expr, Legend: "{{backend}}"}}
	for _, c := range table.Columns {
		if c.Field == column {
			out.Words, out.Colors = c.Words, c.Colors
			if c.Unit != "" {
				out.Unit = c.Unit
			}
		}
	}
	for _, c := range table.Cases {
		if c.Query == column {
			out.Cases = append(out.Cases, c.of(""))
		}
	}
	return out
}
