package dashboards

import "github.com/llmfleet/llmfleet/exporter/catalog"

var heatRow = Row{
	Key: "heat", Title: "Are they hot?",
	Panels: []Panel{
		{
			Key: "heat/temperature", Title: "Temperature by sensor", Unit: catalog.Celsius, Width: 8,
			About: "An alert decides ${gpu_hot} degrees below the limit that a card's driver names for the sensor.",
			Queries: []Query{{
				Expr: `max by (instance, gpu, sensor) (llm_gpu_temperature_celsius` + onCards + `)`, Legend: "{{instance}} {{gpu}} {{sensor}}",
			}},
			Cases: []Case{
				at(hostB, 600, `{gpu="0000:01:00.0", sensor="gpu"} 71`, `{gpu="0000:c5:00.0", sensor="edge"} 66`),
			},
			Blank: noCards,
		},
		{
			Key: "heat/power", Title: "Power", Unit: catalog.Watts, Width: 8,
			About: "What each card draws; of an integrated GPU it is that of the whole processor.",
			Queries: []Query{{
				Expr: `max by (instance, gpu) (llm_gpu_power_watts` + onCards + `)`, Legend: "{{instance}} {{gpu}}",
			}},
			Cases: []Case{
				at(hostA1, 600, `{gpu="0000:03:00.0"} 214`, `{gpu="0000:0b:00.0"} 143`),
			},
			Blank: noCards,
		},
		{
			Key: "heat/throttled", Title: "What slowed cards down?", Unit: catalog.Count, Kind: Steps, Width: 8, Height: 8,
			About: "One step for each card and reason. A power limit is how most cards run under load; heat and hardware are faults.",
			Queries: []Query{{
				Expr: `max by (instance, gpu, reason) (llm_gpu_throttled` + onCards + ` == 1)`, Legend: "{{instance}} {{gpu}}: {{reason}}",
			}},
			Cases: []Case{
				at(hostB, 600, `{gpu="0000:01:00.0", reason="power"} 1`),
			},
			Blank: "nothing, or their drivers do not say it",
		},
	},
}

var machineRow = Row{
	Key: "machine", Title: "Does the machine itself have memory left?",
	Panels: []Panel{
		{
			Key: "machine/memory", Title: "Memory free and called available", Unit: catalog.Bytes, Width: 12, Threshold: "unified_free", Least: true,
			About: "Where a GPU shares the machine's memory, available is no help: the pinned weights of a model count as page cache. The line is for those machines.",
			Queries: []Query{
				{Expr: `llm_host_memory_free_bytes` + onHosts, Legend: "{{instance}} free"},
				{Expr: `llm_host_memory_available_bytes` + onHosts, Legend: "{{instance}} called available"},
			},
			Cases: []Case{
				at(hostB, 600, `{} 5368709120`),
				at(hostB, 600, `{} 78920024064`).of("B").because("73.5 GiB, and 5 are free"),
			},
			Blank: noCards,
		},
		{
			Key: "machine/blocks", Title: "Free in large blocks, and swap", Unit: catalog.Bytes, Width: 12, Least: true,
			About: "Large blocks are of 2 MiB and more: when they run out the kernel moves memory around, and programs stand still for minutes.",
			Queries: []Query{
				{Expr: `max by (instance) (llm_host_memory_contiguous_bytes` + onHosts + `)`, Legend: "{{instance}} in large blocks"},
				{Expr: `max by (instance) (llm_host_swap_free_bytes` + onHosts + `)`, Legend: "{{instance}} swap"},
			},
			Cases: []Case{
				at(hostB, 600, `{} 660602880`).because("291 blocks of 2 MiB and 12 of 4"),
			},
			Blank: noCards,
		},
	},
}
