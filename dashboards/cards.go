package dashboards

import (
	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/rules"
)

// cards is the page about the machines under the models.
var cards = Dashboard{
	UID:   rules.CardsDashboardUID,
	Title: fleetTitle + "cards and links",
	About: "Is every card there, what runs on it, how full and how busy is it, what does its link carry and what limits it, and does the machine have memory left? " +
		"Cards are named by their PCI address; dashed lines are where an alert decides.",
	Variables: []Variable{
		chooseSource,
		{
			Name: "instance", Title: "Machine", Label: "instance", About: "One exporter reads the machine that it runs on.",
			Query: `label_values(llm_host_gpus, instance)`,
		},
		{
			Name: "gpu", Title: "Card", Label: catalog.LabelGPU, About: "PCI address of a card.",
			Query: `label_values(llm_gpu_info{instance=~"$instance"}, gpu)`,
		},
	},
	Notes: []Annotation{
		{
			Key: "alerts", Title: "Alerts firing", Color: "red", Tags: "severity,gpu", Format: "{{alertname}} {{gpu}} {{device}} {{source}}",
			Expr: `max by (alertname, severity, instance, gpu, device, source) (ALERTS{alertname=~"` + hardwareAlerts + `", alertstate="firing", instance=~"$instance", gpu=~"$gpu|"})`,
		},
	},
	Rows: []Row{cardsRow, hardwareFiring, linksRow, hopsRow, heatRow, machineRow},
}

// hardwareAlerts matches the names of the alerts about machines.
const hardwareAlerts = `Llm(GPU|PCI|Hardware|Unified).*`

// onCards is the choice of cards in a selector, onHosts that of machines alone.
const (
	onCards = `{instance=~"$instance", gpu=~"$gpu"}`
	onHosts = `{instance=~"$instance"}`
)

// perCard is the value of a series for each card.
func perCard(series string) string {
	return `max by (instance, gpu) (` + series + onCards + `)`
}

// ofBackends joins the backend that runs on a card to a series of cards.
func ofBackends(series string) string {
	return `(llm_gpu_backend_info` + onCards + ` * on (instance, gpu) group_left () ` + series + onCards + `)`
}

var hardwareFiring = Row{
	Key: "hardware-alerts", Title: "Alerts about machines",
	Panels: []Panel{{
		Key: "hardware/firing", Title: "Alerts pending and firing now", Unit: catalog.None, Kind: Table, Width: 24, Height: 8,
		About: "Each alert leads to its runbook: how to confirm it by hand, and what mends it.",
		Queries: []Query{{
			Expr:  bySeverity("alertname, alertstate, instance, gpu, device, source, backend", `alertname=~"`+hardwareAlerts+`", instance=~"$instance", gpu=~"$gpu|"`, ""),
			Lacks: []string{catalog.LabelGPU, catalog.LabelBackend},
		}},
		Columns: []Column{
			{Field: "alertname", Title: "Alert", Width: 210, Runbook: true},
			{Field: "alertstate", Title: "State", Width: 110},
			severity,
			{Field: "instance", Title: "Machine"},
			{Field: catalog.LabelGPU, Title: "Card"},
			{Field: catalog.LabelDevice, Title: "Device"},
			{Field: catalog.LabelSource, Title: "Source"},
			{Field: catalog.LabelBackend, Title: "Backend"},
		},
		Sort: "alertstate,A",
		Cases: []Case{
			at(hostA1, 285, `{alertname="LlmGPUAtomicsBlocked", alertstate="pending", gpu="0000:0b:00.0"} 2`, `{alertname="LlmGPULinkNarrow", alertstate="pending", gpu="0000:0b:00.0"} 1`, `{alertname="LlmGPUMemoryTight", alertstate="pending", gpu="0000:03:00.0"} 2`),
		},
		Blank: "nothing is pending or firing",
	}},
}
