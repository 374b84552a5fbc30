package dashboards

import "github.com/llmfleet/llmfleet/exporter/catalog"

// The machines of the reference fleet: two R9700 of which card 1 hangs on one lane of the
// chipset; the same with a slot of the processor each; unified memory and a card on an adapter.
const (
	hostA1 = "hosts/a1"
	hostA2 = "hosts/a2"
	hostB  = "hosts/b"
)

// noCards is what panels say where no exporter reads a machine.
const noCards = "no card here, or no exporter that reads this machine"

// cardWords say whether a card is there.
var cardWords = []Word{{0, "✕ lost", bad}, {1, "✓ there", good}}

// cardsRow begins with what is never blank where there are cards, so that the first screen holds
// numbers; what is blank when all is well stands below.
var cardsRow = Row{
	Key: "cards", Title: "Is every card there, and what runs on it?",
	Panels: []Panel{
		{
			Key: "cards/table", Title: "Every card and what runs on it", Unit: catalog.None, Kind: Table, Width: 24, Height: 9,
			About: "Used and free are of the memory that an engine can allocate from. Now is what the whole way carries, one direction; cards at rest lower it. Card is what the card itself could carry in a slot that gives it all.",
			Queries: []Query{
				{Expr: `max by (instance, gpu, name) (llm_gpu_info` + onCards + `)`},
				{Expr: `max by (instance, gpu, backend) (llm_gpu_backend_info` + onCards + `)`, Lacks: []string{catalog.LabelBackend}},
				{Expr: perCard(`llm_gpu_up`)},
				{Expr: `max by (instance, gpu) (llm_gpu_memory_usable_used_bytes` + onCards + ` / llm_gpu_memory_usable_size_bytes` + onCards + `)`},
				{Expr: perCard(`gpu:llm_gpu_memory_free:bytes`)},
				{Expr: perCard(`llm_gpu_busy_ratio`)},
				{Expr: perCard(`llm_gpu_link_bandwidth_bytes_per_second`)},
				{Expr: perCard(`llm_gpu_link_card_bandwidth_bytes_per_second`)},
				{Expr: `max by (instance, gpu, device) (llm_gpu_link_limiting_hop_info` + onCards + `)`},
				{Expr: `min by (instance, gpu) (llm_gpu_atomics_to_root` + onCards + `)`},
			},
			Columns: []Column{
				{Field: "instance", Title: "Machine", Width: 130},
				{Field: catalog.LabelGPU, Title: "Card", Width: 120},
				{Field: catalog.LabelName, Title: "Name"},
				{Field: catalog.LabelBackend, Title: "Backend"},
				{Field: "C", Title: "State", Width: 90, Words: cardWords},
				{Field: "D", Title: "Used", Unit: catalog.Ratio, Width: 80},
				{Field: "E", Title: "Free", Unit: catalog.Bytes, Width: 100},
				{Field: "F", Title: "Busy", Unit: catalog.Ratio, Width: 80},
				{Field: "G", Title: "Link now", Unit: catalog.BytesPerSecond, Width: 110},
				{Field: "H", Title: "Card could", Unit: catalog.BytesPerSecond, Width: 110},
				{Field: catalog.LabelDevice, Title: "Limited at", Width: 120},
				{Field: "J", Title: "Atomics", Width: 100, Words: []Word{{0, "✕ blocked", bad}, {1, "✓ reach", good}}},
			},
			Sort: "instance,gpu",
			Cases: []Case{
				at(hostA1, 600, `{gpu="0000:03:00.0", name="card 0"} 1`, `{gpu="0000:0b:00.0", name="card 1"} 1`),
				at(hostA1, 600, `{backend="radiance-0", gpu="0000:03:00.0"} 1`, `{backend="radiance-1", gpu="0000:0b:00.0"} 1`).of("B").because("the processes that listen at 8000 and 8001 have children on a card each"),
				at("hosts/h30c-vanishes", 300, `{gpu="0000:01:00.0"} 0`, `{gpu="0000:02:00.0"} 1`).of("C"),
				at(hostA1, 600, `{gpu="0000:03:00.0"} 0.973`, `{gpu="0000:0b:00.0"} 0.9636`).of("D").because("33285996544 and 32963035136 of 34208743424"),
				at(hostB, 600, `{gpu="0000:01:00.0"} 2278555648`, `{gpu="0000:c5:00.0"} 16106127360`).of("E").because("24576 - 22100 - 303 MiB; 120 - 105 GiB that the processor's graphics may use"),
				at(hostA1, 600, `{gpu="0000:03:00.0"} 0.4`, `{gpu="0000:0b:00.0"} 0.98`).of("F"),
				at(hostA1, 600, `{gpu="0000:03:00.0"} 31507692308`, `{gpu="0000:0b:00.0"} 1969230769`).of("G").because("16 GT/s over 16 lanes and over 1, 128 of 130 bits"),
				at(hostB, 600, `{gpu="0000:01:00.0"} 7876923077`).of("G").because("16 GT/s over the 4 lanes of the adapter"),
				at(hostB, 600, `{gpu="0000:01:00.0"} 31507692308`).of("H").because("a card for 16 lanes at 16 GT/s"),
				at(hostA1, 600, `{device="0000:00:01.1", gpu="0000:03:00.0"} 1`, `{device="0000:06:09.0", gpu="0000:0b:00.0"} 1`).of("I"),
				at(hostA1, 600, `{gpu="0000:03:00.0"} 1`, `{gpu="0000:0b:00.0"} 0`).of("J").because("06:09.0 does not route them, and the compute driver's link says flags 13"),
			},
			Blank: noCards,
		},
		{
			Key: "cards/free", Title: "Memory left on each card", Unit: catalog.Bytes, Width: 12, Threshold: "vram_headroom", Least: true,
			About: "Of the memory that an engine can allocate from; where memory is shared with the machine, see its own memory below.",
			Queries: []Query{{
				Expr: `gpu:llm_gpu_memory_free:bytes` + onCards, Legend: "{{instance}} {{gpu}} {{pool}}",
			}},
			Cases: []Case{
				at(hostA1, 600, `{gpu="0000:03:00.0", pool="vram"} 922746880`, `{gpu="0000:0b:00.0", pool="vram"} 1245708288`).because("34208743424 less 33285996544 and 32963035136"),
			},
			Blank: notRecorded,
		},
		{
			Key: "cards/busy", Title: "How busy is each card?", Unit: catalog.Ratio, Width: 12, Max: 1,
			About: "As its driver counts it. Two cards of one model that differ wait for each other: compare their links.",
			Queries: []Query{{
				Expr: `max by (instance, gpu) (llm_gpu_busy_ratio` + onCards + `)`, Legend: "{{instance}} {{gpu}}",
			}},
			Cases: []Case{
				at(hostB, 600, `{gpu="0000:01:00.0"} 0.88`, `{gpu="0000:c5:00.0"} 0.63`),
			},
			Blank: noCards,
		},
		{
			Key: "cards/holders", Title: "Who holds the memory?", Unit: catalog.None, Kind: Table, Width: 12,
			About: "Programs by name, and the backend that they serve where it is known. Memory in use that no line here explains is the driver's, or was not given back.",
			Queries: []Query{
				{Expr: `sum by (instance, gpu, backend, process, pool) (llm_gpu_process_memory_bytes` + onCards + `)`, Lacks: []string{catalog.LabelBackend}},
				{Expr: perCard(`llm_gpu_memory_usable_used_bytes`)},
			},
			Columns: []Column{
				{Field: "instance", Title: "Machine", Width: 100}, {Field: catalog.LabelGPU, Title: "Card", Width: 115},
				{Field: catalog.LabelProcess, Title: "Program", Width: 140}, {Field: catalog.LabelBackend, Title: "Backend", Width: 90}, {Field: catalog.LabelPool, Title: "Of", Width: 55},
				{Field: "A", Title: "Holds", Unit: catalog.Bytes, Width: 80}, {Field: "B", Title: "Card uses", Unit: catalog.Bytes, Width: 90},
			},
			Sort: "instance,gpu",
			Cases: []Case{
				at(hostA2, 600, `{backend="radiance", gpu="0000:03:00.0", pool="vram", process="VLLM::Worker_TP"} 32212254720`, `{backend="radiance", gpu="0000:07:00.0", pool="vram", process="VLLM::Worker_TP"} 32212254720`).because("30 GiB on each card"),
				at("hosts/time-memory-kept", 600, `{gpu="0000:03:00.0"} 27917287424`).of("B").because("26 GiB, and the server is gone"),
			},
			Blank: "no program is known to hold a card",
		},
		{
			Key: "cards/backends", Title: "How unevenly are cards filled?", Unit: catalog.Bytes, Width: 12, Threshold: "vram_gap",
			About: "Most less least memory left among the cards of one backend. The fullest decides how large the cache of all can be.",
			Queries: []Query{{
				Expr: `max by (instance, job, backend) ` + ofBackends(`gpu:llm_gpu_memory_free:bytes`) + `
- min by (instance, job, backend) ` + ofBackends(`gpu:llm_gpu_memory_free:bytes`), Legend: "{{instance}} {{backend}}",
			}},
			Cases: []Case{
				at(hostA2, 600, `{backend="radiance"} 444596224`).because("33285996544 - 32841400320"),
			},
			Blank: notRecorded,
		},
		{
			Key: "cards/lost", Title: "Which cards could not be used?", Unit: catalog.Count, Kind: Steps, Width: 12, Height: 8,
			About: "One step for each card that was there, or is named in the configuration, and cannot be used, with the reason; and for each that host.expected_gpus counts and nobody has seen.",
			Queries: []Query{
				{
					Expr: `max by (instance, gpu, reason) (llm_gpu_failed` + onCards + ` == 1)`, Legend: "{{instance}} {{gpu}}: {{reason}}",
				},
				{
					// A card that nobody has seen since the start has no address: only the count tells.
					Expr: `max by (instance) (llm_host_expected_gpus` + onHosts + ` - llm_host_gpus` + onHosts + `) > 0
  unless on (instance)
max by (instance) (llm_gpu_up` + onHosts + ` == 0)`, Legend: "{{instance}}: never seen",
				},
			},
			Cases: []Case{
				at("hosts/h30c-vanishes", 60),
				at("hosts/h30c-vanishes", 300, `{gpu="0000:01:00.0", reason="gone"} 1`),
				at("hosts/c54-neither", 60, `{} 2`).of("B").because("two are expected, and none is there"),
			},
			Blank: "none",
		},
		{
			Key: "cards/blind", Title: "What of the machine cannot be read?", Unit: catalog.None, Kind: Table, Width: 12, Height: 8,
			About: "Sources that should give something on this machine and do not, with the reason. Cells of these cards are blank for that reason, and alerts are blind.",
			Queries: []Query{{
				Expr: `max by (instance, source, reason) (llm_host_source_failed` + onHosts + ` == 1)`,
			}},
			Columns: []Column{
				{Field: "instance", Title: "Machine"}, {Field: catalog.LabelSource, Title: "Source"}, {Field: catalog.LabelReason, Title: "Reason"},
			},
			Sort: "instance",
			Cases: []Case{
				at("hosts/edge-smi-hang", 300, `{reason="timeout", source="nvidia"} 1`),
				at(hostA1, 300),
				at("hosts/c84-log-denied", 300, `{reason="denied", source="kernel_log"} 1`),
			},
			Blank: "everything can be read",
		},
		{
			Key: "cards/errors", Title: "Complaints of NVIDIA's driver", Unit: catalog.None, Kind: Table, Width: 24, Height: 6,
			About: "Errors in the kernel's log since it was last cleared, by NVIDIA's number (XID). Without the right to the log nothing is here, and the table of what cannot be read says so.",
			Queries: []Query{{
				Expr: `max by (instance, gpu, kind, xid) (llm_gpu_xid_log_entries` + onCards + `)`,
			}},
			Columns: []Column{
				{Field: "instance", Title: "Machine"}, {Field: catalog.LabelGPU, Title: "Card", Width: 120}, {Field: catalog.LabelXID, Title: "XID", Width: 100},
				{Field: catalog.LabelKind, Title: "Of"}, {Field: "A", Title: "Times", Unit: catalog.Count, Width: 120},
			},
			Sort: catalog.LabelGPU,
			Cases: []Case{
				at("hosts/c84-xid", 30),
				at("hosts/c84-xid", 6000, `{gpu="0000:01:00.0", kind="application", xid="31"} 2`, `{gpu="0000:01:00.0", kind="hardware", xid="63"} 1`),
			},
			Blank: "nothing, or the log cannot be read",
		},
	},
}
