package dashboards

import "github.com/llmfleet/llmfleet/exporter/catalog"

// hops is a value for each hop of each card's chain. The label way sorts them: card by card,
// from the card up to the processor.
func hops(value string) string {
	if value != "" {
		value = `
    * on (instance, device) group_left () ` + value
	}
	return `max by (instance, way, device, role, place) (
  label_join(
    llm_pci_chain_info` + onCards + value + `,
    "way", " hop ", "gpu", "hop"
  )
)`
}

// yesOrNo are the words of what a port does or does not do.
var yesOrNo = []Word{{0, "✕ no", bad}, {1, "✓ yes", good}}

var linksRow = Row{
	Key: "links", Title: "What do the links carry, and what limits them?",
	Panels: []Panel{
		{
			Key: "links/bandwidth", Title: "What links carry now, and could", Unit: catalog.BytesPerSecond, Width: 12,
			About: "The slowest link between the card and the processor, one direction, line code taken off; packets cost 10 to 20 % more. A card at rest lowers it, and that is no fault.",
			Queries: []Query{
				{Expr: `max by (instance, gpu) (llm_gpu_link_bandwidth_bytes_per_second` + onCards + `)`, Legend: "{{instance}} {{gpu}} now"},
				{Expr: `max by (instance, gpu) (llm_gpu_link_capable_bandwidth_bytes_per_second` + onCards + `)`, Legend: "{{instance}} {{gpu}} could"},
			},
			Cases: []Case{
				at("hosts/time-trained-down", 600, `{gpu="0000:03:00.0"} 4e9`).because("2.5 GT/s over 16 lanes, 8 of 10 bits"),
				at(hostB, 600, `{gpu="0000:01:00.0"} 15753846154`).of("B").because("the port has eight lanes; four that an adapter lacks are not seen"),
			},
			Blank: noCards,
		},
		{
			Key: "links/speed", Title: "Link speed, of what both ends can", Unit: catalog.Ratio, Width: 12, Threshold: "link_ratio", Max: 1, Least: true,
			About: "The best within ${link_window}, so that one moment at full speed clears it. Low values count only while the card works.",
			Queries: []Query{{
				Expr: `max_over_time(gpu:llm_gpu_link_speed:ratio` + onCards + `[${link_window}])`, Legend: "{{instance}} {{gpu}}",
			}},
			Cases: []Case{
				at(hostA1, 600, `{gpu="0000:03:00.0"} 1`, `{gpu="0000:0b:00.0"} 1`).because("16 GT/s, which is all that both root ports can"),
				at("hosts/time-trained-down", 1200, `{gpu="0000:03:00.0"} 0.1563`).because("2.5 of 16 GT/s since 300"),
			},
			Blank: notRecorded,
		},
		{
			Key: "links/backends", Title: "Worst and best link by backend", Unit: catalog.None, Kind: Table, Width: 12,
			About: "What the links carry under load, or could at rest. Cards that compute together wait for the worst.",
			Queries: []Query{
				{Expr: `min by (instance, backend) ` + ofBackends(`gpu:llm_gpu_link_bandwidth:carried`)},
				{Expr: `max by (instance, backend) ` + ofBackends(`gpu:llm_gpu_link_bandwidth:carried`)},
				{Expr: `count by (instance, backend) (llm_gpu_backend_info` + onCards + `)`},
			},
			Columns: []Column{
				{Field: "instance", Title: "Machine"}, {Field: catalog.LabelBackend, Title: "Backend"}, {Field: "C", Title: "Cards", Unit: catalog.Count, Width: 80},
				{Field: "A", Title: "Worst", Unit: catalog.BytesPerSecond, Width: 110}, {Field: "B", Title: "Best", Unit: catalog.BytesPerSecond, Width: 110},
			},
			Sort: "A",
			Cases: []Case{
				at(hostA2, 600, `{backend="radiance"} 31507692308`).because("32 GT/s over 8 lanes, twice"),
				at(hostA2, 600, `{backend="radiance"} 31507692308`).of("B"),
				at(hostA2, 600, `{backend="radiance"} 2`).of("C"),
			},
			Blank: "no backend is known to run on a card",
		},
		{
			Key: "links/atomics", Title: "Can the cards work together?", Unit: catalog.None, Kind: Table, Width: 12,
			About: "Whether atomic operations reach the processor, and the first device that stops them. Peers are cards whose memory AMD's compute driver lets a card reach directly.",
			Queries: []Query{
				{Expr: `min by (instance, gpu) (llm_gpu_atomics_to_root` + onCards + `)`},
				{Expr: `max by (instance, gpu, device, reason) (llm_gpu_atomics_blocking_hop_info` + onCards + `)`},
				{Expr: `sum by (instance, gpu) (llm_gpu_peer_link_present` + onCards + `)`},
			},
			Columns: []Column{
				{Field: "instance", Title: "Machine", Width: 110}, {Field: catalog.LabelGPU, Title: "Card", Width: 120},
				{Field: "A", Title: "Atomics", Width: 100, Words: []Word{{0, "✕ blocked", bad}, {1, "✓ reach", good}}},
				{Field: catalog.LabelDevice, Title: "Stopped at", Width: 120}, {Field: catalog.LabelReason, Title: "Because", Width: 130}, {Field: "C", Title: "Peers", Unit: catalog.Count, Width: 75},
			},
			Sort: "instance,gpu",
			Cases: []Case{
				at(hostA1, 600, `{gpu="0000:03:00.0"} 1`, `{gpu="0000:0b:00.0"} 0`),
				at(hostA1, 600, `{device="0000:06:09.0", gpu="0000:0b:00.0", reason="no_routing"} 1`).of("B"),
				at(hostA2, 600, `{gpu="0000:03:00.0"} 1`, `{gpu="0000:07:00.0"} 1`).of("C"),
			},
			Blank: "nothing here tells: it needs rights, or AMD's compute driver",
		},
		{
			Key: "links/errors", Title: "PCI errors within ${aer_window}", Unit: catalog.Count, Width: 12, Threshold: "aer_correctable",
			About: "Messages of each device. Correctable ones are sent again; any other one is a fault. A bad card, riser or slot shows at the port above it.",
			Queries: []Query{
				{Expr: `increase(llm_pci_aer_messages_total{instance=~"$instance", aer_severity="correctable"}[${aer_window}])`, Legend: "{{instance}} {{device}} corrected"},
				{Expr: `increase(llm_pci_aer_messages_total{instance=~"$instance", aer_severity!="correctable"}[${aer_window}]) > 0`, Legend: "{{instance}} {{device}} {{aer_severity}}"},
			},
			Cases: []Case{
				at("hosts/edge-aer", 600).of("B").because("many since boot, none now"),
			},
			Blank: "no device here counts errors",
		},
		{
			Key: "links/changes", Title: "Link changes within ${link_window}", Unit: catalog.Count, Width: 12, Threshold: "link_changes",
			About: "Changes of speed or lanes, looked for between scrapes too. A rest and the work after it are two; many under steady load are a contact that fails.",
			Queries: []Query{{
				Expr: `max by (instance, job, gpu, device) (
  llm_pci_chain_info` + onCards + ` * on (instance, device) group_left () increase(llm_pci_link_changes_total` + onHosts + `[${link_window}])
)`, Legend: "{{instance}} {{gpu}} at {{device}}",
			}},
			Cases: []Case{
				at("hosts/time-trained-down", 285, `{device="0000:01:00.0", gpu="0000:03:00.0"} 0`, `{device="0000:03:00.0", gpu="0000:03:00.0"} 0`),
			},
			Blank: noCards,
		},
	},
}

// hopsRow is where one looks once a link is known to be slow.
var hopsRow = Row{
	Key: "hops", Title: "Every hop from the cards to the processor", Folded: true,
	Panels: []Panel{
		{
			Key: "links/chain", Title: "Every hop to each card", Unit: catalog.None, Kind: Table, Width: 24, Height: 12,
			About: "Hop 0 is the card, the highest one is nearest the processor. Links inside a card say the most that it can, whatever its slot gives. Figures of tunnels are nominal.",
			Queries: []Query{
				{Expr: hops("")},
				{Expr: `max by (instance, way, device, role, place) (
  label_join(
    llm_pci_chain_info` + onCards + `
    and on (instance, gpu, device) llm_gpu_link_limiting_hop_info` + onCards + `,
    "way", " hop ", "gpu", "hop"
  )
)`},
				{Expr: hops(`llm_pci_link_bandwidth_bytes_per_second` + onHosts)},
				{Expr: hops(`llm_pci_link_current_transfers_per_second` + onHosts)},
				{Expr: hops(`llm_pci_link_max_transfers_per_second` + onHosts)},
				{Expr: hops(`llm_pci_link_current_width_lanes` + onHosts)},
				{Expr: hops(`llm_pci_link_max_width_lanes` + onHosts)},
				{Expr: hops(`llm_pci_atomic_routing` + onHosts)},
				{Expr: hops(`sum without (aer_severity) (increase(llm_pci_aer_messages_total` + onHosts + `[1h]))`)},
				{Expr: `max by (instance, way, device, role, place, state) (
  label_join(
    llm_pci_chain_info` + onCards + `
    * on (instance, device) group_left (state) llm_pci_power_state_info` + onHosts + `,
    "way", " hop ", "gpu", "hop"
  )
)`},
			},
			Columns: []Column{
				{Field: "instance", Title: "Machine", Width: 90},
				{Field: "way", Title: "Card, hop", Width: 160},
				{Field: catalog.LabelDevice, Title: "Device", Width: 120},
				{Field: catalog.LabelRole, Title: "Is", Width: 150},
				{Field: catalog.LabelPlace, Title: "On", Width: 60},
				{Field: "B", Title: "Limits", Width: 80, Words: []Word{{1, "◀ limits", bad}}},
				{Field: "C", Title: "Carries now", Unit: catalog.BytesPerSecond, Width: 105},
				{Field: "D", Title: "Speed, T/s", Unit: catalog.TransfersPerSecond, Width: 100},
				{Field: "E", Title: "Can, T/s", Unit: catalog.TransfersPerSecond, Width: 80},
				{Field: "F", Title: "Lanes", Unit: catalog.Lanes, Width: 60},
				{Field: "G", Title: "Has", Unit: catalog.Lanes, Width: 55},
				{Field: "H", Title: "Passes atomics", Width: 120, Words: yesOrNo},
				{Field: "I", Title: "Errors, 1 h", Unit: catalog.Count, Width: 100},
				{Field: catalog.LabelState, Title: "Power", Width: 75},
			},
			Sort: "instance,way",
			Cases: []Case{
				at("hosts/c67-idle-speed", 60, `{device="0000:03:00.0", place="card", role="endpoint", way="0000:03:00.0 hop 0"} 1`, `{device="0000:02:00.0", place="card", role="switch_downstream", way="0000:03:00.0 hop 1"} 1`, `{device="0000:01:00.0", place="card", role="switch_upstream", way="0000:03:00.0 hop 2"} 1`, `{device="0000:00:01.1", place="board", role="root_port", way="0000:03:00.0 hop 3"} 1`),
				at(hostA1, 600, `{device="0000:00:01.1", place="board", role="root_port", way="0000:03:00.0 hop 3"} 1`, `{device="0000:06:09.0", place="board", role="switch_downstream", way="0000:0b:00.0 hop 3"} 1`).of("B"),
				at(hostB, 600, `{device="0000:00:01.1", place="board", role="root_port", way="0000:01:00.0 hop 1"} 7876923077`, `{device="0000:01:00.0", place="card", role="endpoint", way="0000:01:00.0 hop 0"} 7876923077`).of("C").onCard("0000:01:00.0").because("both ends of the adapter's four lanes"),
				at("hosts/c66-suspended", 60, `{device="0000:07:00.0", place="card", role="endpoint", state="D3cold", way="0000:07:00.0 hop 0"} 1`, `{device="0000:06:00.0", place="card", role="switch_downstream", state="D3cold", way="0000:07:00.0 hop 1"} 1`, `{device="0000:05:00.0", place="card", role="switch_upstream", state="D3hot", way="0000:07:00.0 hop 2"} 1`, `{device="0000:00:01.2", place="board", role="root_port", state="D0", way="0000:07:00.0 hop 3"} 1`).of("J").onCard("0000:07:00.0"),
			},
			Blank: noCards,
		},
		{
			Key: "links/side", Title: "Paths of the cards, side by side", Unit: catalog.BytesPerSecond, Kind: Table, Width: 24, Height: 8,
			About: "A column for each card, a line for each hop: hop 0 is the card, the highest one is nearest the processor. The smallest number of a column is what the card gets, but for tunnels and for what lies inside cards of Intel's, whose figures are nominal.",
			Queries: []Query{{
				Expr: `max by (hop, card) (
  label_join(
    llm_pci_chain_info` + onCards + ` * on (instance, device) group_left () llm_pci_link_bandwidth_bytes_per_second` + onHosts + `,
    "card", " ", "instance", "gpu"
  )
)`,
			}},
			Columns: []Column{{Field: catalog.LabelHop, Title: "Hop", Width: 80}},
			Sort:    catalog.LabelHop, Across: catalog.LabelCard,
			Cases: []Case{
				at(hostA1, 600, `{card="llmfleet 0000:0b:00.0", hop="0"} 63015384615`, `{card="llmfleet 0000:0b:00.0", hop="1"} 63015384615`, `{card="llmfleet 0000:0b:00.0", hop="2"} 1969230769`,
					`{card="llmfleet 0000:0b:00.0", hop="3"} 1969230769`, `{card="llmfleet 0000:0b:00.0", hop="4"} 7876923077`, `{card="llmfleet 0000:0b:00.0", hop="5"} 7876923077`).onCard("0000:0b:00.0").because("32 GT/s over 16 lanes inside the card, then 16 GT/s over 1 and over 4"),
			},
			Blank: noCards,
		},
	},
}
