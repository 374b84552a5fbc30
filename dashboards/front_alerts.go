package dashboards

import (
	"fmt"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// bySeverity is 3 for alerts that page, 2 for tickets, 1 for what is only to be seen: a table is
// sorted by that, and not by the alphabet. matchers and chosen say which alerts.
func bySeverity(labels, matchers, chosen string) string {
	alerts := func(severity string) string {
		return fmt.Sprintf(`ALERTS{severity="%s", %s}`, severity, matchers)
	}
	return fmt.Sprintf("max by (%s) (\n  (3 * %s\n    or 2 * %s\n    or %s)%s\n)", labels, alerts("critical"), alerts("warning"), alerts("info"), chosen)
}

// severity is the column of it.
var severity = Column{Field: "A", Title: "Severity", Width: 110, Words: []Word{{3, "✕ critical", bad}, {2, "! warning", "orange"}, {1, "info", dull}}}

var firingRow = Row{
	Key: "alerts", Title: "Alerts firing",
	Panels: []Panel{
		{
			Key: "alerts/firing", Title: "Alerts pending and firing now", Unit: catalog.None, Kind: Table, Width: 24, Height: 8,
			About: "Each alert leads to its runbook: what it means, how to make sure, what to do. The watchdog is left out: it always fires.",
			Queries: []Query{{
				Expr:  bySeverity("alertname, alertstate, instance, backend, model, target, gpu", `alertname=~"Llm.*", backend=~"$backend|"`, ofChosen),
				Lacks: []string{catalog.LabelBackend, catalog.LabelGPU},
			}},
			Columns: []Column{
				{Field: "alertname", Title: "Alert", Width: 210, Runbook: true},
				{Field: "alertstate", Title: "State", Width: 110},
				severity,
				{Field: catalog.LabelBackend, Title: "Backend"},
				{Field: catalog.LabelModel, Title: "Model"},
				{Field: catalog.LabelTarget, Title: "Worker"},
				{Field: catalog.LabelGPU, Title: "Card"},
				{Field: "instance", Title: "Exporter"},
			},
			Sort: "alertstate,A",
			Cases: []Case{
				at(fleetIncidents, 525, `{alertname="LlmBackendDown", alertstate="pending", backend="medium-b"} 3`, `{alertname="LlmRouterTargetOut", alertstate="pending", backend="router", target="http://127.0.0.1:19302"} 2`),
				at(fleetIncidents, 690, `{alertname="LlmBackendDown", alertstate="firing", backend="medium-b"} 3`, `{alertname="LlmRouterTargetOut", alertstate="firing", backend="router", target="http://127.0.0.1:19302"} 2`),
			},
			Blank: "nothing is pending or firing",
		},
	},
}
