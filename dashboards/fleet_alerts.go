package dashboards

import (
	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/rules"
)

var firing = Row{
	Key: "alerts", Title: "Alerts firing",
	Panels: []Panel{
		{
			Key: "alerts/firing", Title: "Alerts pending and firing now", Unit: catalog.None, Kind: Table, Width: 24, Height: 8,
			About: "Each alert leads to its runbook: what it means, how to make sure, what to do. The watchdog is left out: it always fires.",
			Queries: []Query{{
				Expr: `max by (alertname, alertstate, severity, backend, model, target, gpu) (ALERTS{alertname=~"Llm.*", alertname!="LlmWatchdog", backend=~"$backend|"})`,
			}},
			Columns: []Column{
				{Field: "alertname", Title: "Alert", Width: 210, Link: runbooks + "/README.md#${__data.fields.alertname}"},
				{Field: "alertstate", Title: "State", Width: 110},
				{Field: "severity", Title: "Severity", Width: 110},
				{Field: catalog.LabelBackend, Title: "Backend"},
				{Field: catalog.LabelModel, Title: "Model"},
				{Field: catalog.LabelTarget, Title: "Worker"},
				{Field: catalog.LabelGPU, Title: "Card", Link: "/d/" + rules.CardsDashboardUID + "?var-gpu=${__data.fields.gpu}&${datasource:queryparam}&${__url_time_range}"},
			},
			Sort: "alertstate,severity",
			Cases: []Case{
				at(fleetIncidents, 525, `{alertname="LlmBackendDown", alertstate="pending", backend="medium-b", severity="critical"} 1`, `{alertname="LlmRouterTargetOut", alertstate="pending", backend="router", severity="warning", target="http://127.0.0.1:19302"} 1`),
				at(fleetIncidents, 690, `{alertname="LlmBackendDown", alertstate="firing", backend="medium-b", severity="critical"} 1`, `{alertname="LlmRouterTargetOut", alertstate="firing", backend="router", severity="warning", target="http://127.0.0.1:19302"} 1`),
			},
			Blank: "nothing is pending or firing",
		},
	},
}

var blind = Row{
	Key: "blind", Title: "What cannot be seen here",
	Panels: []Panel{
		{
			Key: "blind/unsupported", Title: "What do these engines not export?", Unit: catalog.None, Kind: Table, Width: 16, Height: 8,
			About: "Series that panels and alerts stand on and that this engine in this version cannot give. Those panels are blank for it, and those alerts blind.",
			Queries: []Query{{
				Expr: `max by (backend, engine, series) (llm_series_supported{instance=~"$instance", backend=~"$backend"}) == 0`,
			}},
			Columns: []Column{
				{Field: catalog.LabelBackend, Title: "Backend"},
				{Field: catalog.LabelEngine, Title: "Engine"},
				{Field: catalog.LabelSeries, Title: "Series", Width: 330},
			},
			Sort: catalog.LabelBackend,
			Cases: []Case{
				at(fleetIncidents, 690, `{backend="medium-a", engine="vllm", series="llm_engine_max_concurrency"} 0`).chosen("medium-a").because("vLLM does not export --max-num-seqs"),
			},
			Blank: "every engine here exports all that the panels stand on",
		},
		{
			Key: "blind/missing", Title: "Names that are missing", Unit: catalog.Count, Kind: Bars, Width: 8, Height: 8, Threshold: "missing_series",
			About: "Names that the engine's version should export and did not send. Above 0 after an upgrade means that something was renamed.",
			Queries: []Query{{
				Expr:   `max by (backend) (llm_scrape_missing_series{instance=~"$instance", backend=~"$backend"})`,
				Legend: "{{backend}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 690, `{backend="medium-a"} 0`, `{backend="router"} 0`, `{backend="small"} 0`),
			},
			Blank: "no exporter answers",
		},
	},
}

// runbooks is replaced by the address of the runbooks from the settings.
const runbooks = "{runbooks}"
