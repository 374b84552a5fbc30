package dashboards

import "github.com/llmfleet/llmfleet/exporter/catalog"

var firingRow = Row{
	Key: "alerts", Title: "Alerts firing",
	Panels: []Panel{
		{
			Key: "alerts/firing", Title: "Alerts pending and firing now", Unit: catalog.None, Kind: Table, Width: 24, Height: 8,
			About: "Each alert leads to its runbook: what it means, how to make sure, what to do. The watchdog is left out: it always fires.",
			Queries: []Query{{
				Expr: `max by (alertname, alertstate, severity, instance, backend, model, target, gpu) (ALERTS{alertname=~"Llm.*", alertname!="LlmWatchdog", backend=~"$backend|"}` + ofChosen + `)`,
			}},
			Columns: []Column{
				{Field: "alertname", Title: "Alert", Width: 210, Runbook: true},
				{Field: "alertstate", Title: "State", Width: 110},
				{Field: "severity", Title: "Severity", Width: 110},
				{Field: catalog.LabelBackend, Title: "Backend"},
				{Field: catalog.LabelModel, Title: "Model"},
				{Field: catalog.LabelTarget, Title: "Worker"},
				{Field: catalog.LabelGPU, Title: "Card"},
				{Field: "instance", Title: "Exporter"},
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
