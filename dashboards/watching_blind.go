package dashboards

import (
	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/rules"
)

var blindRow = Row{
	Key: "blind", Title: "What cannot be seen, or is seen twice?",
	Panels: []Panel{
		{
			Key: "blind/unsupported", Title: "What do these engines not export?", Unit: catalog.None, Kind: Table, Width: 16, Height: 8,
			About: "Series that panels and alerts stand on and that this engine in this version cannot give. Those panels are blank for it, and those alerts blind.",
			Queries: []Query{{
				Expr: `max by (instance, backend, engine, series) (llm_series_supported{instance=~"$instance", backend=~"$backend", engine=~"$engine"}) == 0`,
			}},
			Columns: []Column{
				{Field: "instance", Title: "Exporter"},
				{Field: catalog.LabelBackend, Title: "Backend"},
				{Field: catalog.LabelEngine, Title: "Engine"},
				{Field: catalog.LabelSeries, Title: "Series", Width: 330},
			},
			Sort: "instance,backend",
			Cases: []Case{
				at(fleetIncidents, 690, `{backend="medium-a", engine="vllm", series="llm_engine_max_concurrency"} 0`).chosen("medium-a").because("vLLM does not export --max-num-seqs"),
			},
			Blank: "every engine here exports all that the panels stand on",
		},
		{
			Key: "blind/missing", Title: "Names that are missing", Unit: catalog.Count, Kind: Bars, Width: 8, Height: 8, Threshold: "missing_series",
			About: "Names that the engine's version should export and did not send. Above 0 after an upgrade means that something was renamed.",
			Queries: []Query{{
				Expr:   `max by (instance, backend) (llm_scrape_missing_series{instance=~"$instance", backend=~"$backend"}` + ofEngine + `)`,
				Legend: "{{backend}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 690, `{backend="medium-a"} 0`, `{backend="router"} 0`, `{backend="small"} 0`),
			},
			Blank: "no exporter answers",
		},
		{
			Key: "watching/dropped", Title: "Share of samples that cannot be used", Unit: catalog.Ratio, Width: 8, Max: 1, Threshold: "dropped_share",
			About: "Lines that cannot be read, NaN, infinities, values out of range. A few are normal for some programs.",
			Queries: []Query{{
				Expr: `backend:llm_scrape_dropped:ratio{instance=~"$instance", backend=~"$backend"}` + ofEngine, Legend: "{{backend}}",
			}},
			Cases: []Case{
				at("haproxy-2.6.12/failover", 450, `{backend="haproxy"} 0.0274`).because("10 of 354 samples are NaN in every scrape"),
			},
			Blank: "no exporter answers, or the rules are not loaded",
		},
		{
			Key: "watching/folded", Title: "Series added up as other, within ${watching_window}", Unit: catalog.Count, Width: 8,
			About: "Label values beyond the backend's label_value_limit have no rows and no alerts of their own.",
			Queries: []Query{{
				Expr: `increase(llm_scrape_folded_series_total{instance=~"$instance", backend=~"$backend"}[${watching_window}])` + ofEngine, Legend: "{{backend}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 690, `{backend="medium-a"} 0`, `{backend="medium-b"} 0`, `{backend="router"} 0`, `{backend="small"} 0`),
			},
			Blank: "no exporter answers",
		},
		{
			Key: "watching/twice", Title: "Which servers are read twice?", Unit: catalog.Count, Kind: Table, Width: 8, Height: 8,
			About: "The same address under two names or by two exporters. Sums count it double. Loopback addresses are left out: they are another server on each host.",
			Queries: []Query{{
				Expr: `count by (url) (max without (engine, version) (llm_backend_info{` + rules.NotLoopback + `})) > 1`,
			}},
			Columns: []Column{
				{Field: catalog.LabelURL, Title: "Address"},
				{Field: "A", Title: "Read by", Unit: catalog.Count, Width: 110},
			},
			Cases: []Case{
				at(fleetIncidents, 690).because("four servers, four addresses"),
			},
			Blank: "none",
		},
	},
}
