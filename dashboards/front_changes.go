package dashboards

import (
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

var changesRow = Row{
	Key: "changes", Title: "What changed?",
	Panels: []Panel{
		{
			Key: "glance/alerts", Title: "Which alerts fired, and when?", Unit: catalog.Count, Kind: Steps, Width: 12,
			About: "One step for each alert firing, the watchdog left out.",
			Queries: []Query{{
				Expr:   `max by (alertname, instance, backend, target, gpu) (ALERTS{alertname=~"Llm.*", alertname!="LlmWatchdog", alertstate="firing", backend=~"$backend|"}` + ofChosen + `)`,
				Legend: "{{alertname}} {{backend}} {{target}} {{gpu}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 690, `{alertname="LlmBackendDown", backend="medium-b"} 1`, `{alertname="LlmRouterTargetOut", backend="router", target="http://127.0.0.1:19302"} 1`),
			},
			Blank: "none fired",
		},
		{
			Key: "glance/missing", Title: "Who gave no numbers, and why?", Unit: catalog.Count, Kind: Steps, Width: 12,
			About: "One step for each backend whose numbers are missing, named with the reason: " + reasons() + ".",
			Queries: []Query{{
				Expr: `max by (instance, backend, reason) (llm_scrape_failed{instance=~"$instance", backend=~"$backend"} == 1` + ofEngine + `)`, Legend: "{{backend}}: {{reason}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 465),
				at(fleetIncidents, 690, `{backend="medium-b", reason="refused"} 1`),
			},
			Blank: "all gave numbers, or none is watched",
		},
		{
			Key: "glance/changes", Title: "What began anew, and with which model?", Unit: catalog.Count, Kind: Steps, Width: 24,
			About: "One step for each restart and for each model that was loaded or left memory, of a minute each: the marks on the graphs of all pages. A new version shows as a restart.",
			Queries: []Query{
				{Expr: restarted.Expr, Legend: restarted.Format},
				{Expr: modelChanged.Expr, Legend: modelChanged.Format},
			},
			Cases: []Case{
				at(fleetIncidents, 690, `{backend="small"} 1`).because("it was started at 643, and first seen again at 645"),
				at(modelRouter, 60, `{backend="llamacpp", model="small-random-llama", change="loaded"} 1`, `{backend="llamacpp", model="tiny-random-llama", change="loaded"} 1`).of("B"),
			},
			Blank: "nothing restarted, no model changed",
		},
	},
}

// reasons lists why numbers can be missing.
func reasons() string {
	var names []string
	for _, r := range catalog.Reasons() {
		names = append(names, string(r))
	}
	return strings.Join(names, ", ")
}
