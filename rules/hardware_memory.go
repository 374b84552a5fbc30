package rules

import "time"

// heldBy lists who holds a card's memory.
const heldBy = `{{ range printf "llm_gpu_backend_info{instance=%q,gpu=%q}" $labels.instance $labels.gpu | query }} {{ label "backend" . }} runs on it.{{ end }}`

var gpuMemoryTight = Alert{
	Name: "LlmGPUMemoryTight", Severity: Warning, For: 5 * time.Minute, Panel: "cards/free",
	// Where memory is the machine's, LlmUnifiedMemoryLow judges it.
	Expr: `
		gpu:llm_gpu_memory_free:bytes < ${vram_headroom}
		and on (instance, gpu) llm_gpu_memory_shared == 0`,
	Summary: `GPU {{ $labels.gpu }} of {{ $labels.instance }} has {{ $value | humanize1024 }}B of memory left.` + heldBy,
	Description: `The next graph, or the first long prompt, may fail to allocate, minutes after the server said that it is healthy.
		First give the engine a smaller share of the card (vLLM: --gpu-memory-utilization; llama.cpp: a smaller context), then see who else holds memory there.`,
	Cases: []Case{{
		Recording: "hosts/a1",
		Fires:     []Firing{{Labels: `gpu="0000:03:00.0", pool="vram"`, Pending: 0, Firing: 300, Resolved: 0, Text: "GPU 0000:03:00.0 of llmfleet has 880MiB of memory left. radiance-0 runs on it."}},
		Why:       "a card filled to 97 %",
	}, {
		Recording: "hosts/a2",
		Fires:     []Firing{{Labels: `gpu="0000:03:00.0", pool="vram"`, Pending: 0, Firing: 300, Resolved: 0, Text: "GPU 0000:03:00.0 of llmfleet has 880MiB of memory left. radiance runs on it."}},
		Why:       "one of two cards",
	}, {
		Recording: "hosts/c54-amd-only",
		Fires:     []Firing{{Labels: `gpu="0000:03:00.0", pool="vram"`, Pending: 0, Firing: 300, Resolved: 0, Text: "GPU 0000:03:00.0 of llmfleet has 953.7MiB of memory left."}},
		Why:       "a machine with cards of AMD's alone",
	}, {
		Recording: "hosts/c54-nvidia-only",
		Fires:     []Firing{{Labels: `gpu="0000:01:00.0", pool="vram"`, Pending: 0, Firing: 300, Resolved: 0, Text: "GPU 0000:01:00.0 of llmfleet has 953MiB of memory left."}},
		Why:       "a machine with cards of NVIDIA's alone",
	}, {
		Recording: "hosts/edge-dead-cards",
		Fires: []Firing{
			{Labels: `gpu="0000:03:00.0", pool="vram"`, Pending: 0, Firing: 300, Resolved: 0, Text: "GPU 0000:03:00.0 of llmfleet has 880MiB of memory left."},
			{Labels: `gpu="0000:07:00.0", pool="vram"`, Pending: 0, Firing: 300, Resolved: 0, Text: "GPU 0000:07:00.0 of llmfleet has 880MiB of memory left."},
		},
		Why: "what the driver said last of cards that are gone",
	}, {
		Recording: "hosts/b", Edit: "shared-memory-full", Quiet: true,
		Why: "memory that is the machine's is not the card's",
	}, {
		Recording: "hosts/b", Quiet: true,
		Why: "2.1 GiB are left",
	}},
}

var gpuMemoryUneven = Alert{
	Name: "LlmGPUMemoryUneven", Severity: Warning, For: 5 * time.Minute, Panel: "cards/backends",
	Expr: `
		max by (instance, job, backend) (llm_gpu_backend_info * on (instance, gpu) group_left () gpu:llm_gpu_memory_free:bytes)
		- min by (instance, job, backend) (llm_gpu_backend_info * on (instance, gpu) group_left () gpu:llm_gpu_memory_free:bytes)
		> ${vram_gap}`,
	Summary: `The cards of {{ $labels.backend }} are unevenly full: {{ $value | humanize1024 }}B apart.`,
	Description: `The fullest card decides how large the cache of all can be; what is free on the others is lost.
		First see who holds memory on each card: a second program, a display, or what an earlier process left behind.`,
	Cases: []Case{{
		Recording: "hosts/a2", Edit: "second-program-on-one-card",
		Fires: []Firing{{Labels: `backend="radiance"`, Pending: 0, Firing: 300, Resolved: 0, Text: "The cards of radiance are unevenly full: 1.414GiB apart."}},
		Why:   "something else is on one of the cards",
	}, {
		Recording: "hosts/a2", Quiet: true,
		Why: "0.41 GiB apart",
	}},
}

var gpuMemoryKept = Alert{
	Name: "LlmGPUMemoryKept", Severity: Warning, For: 2 * time.Minute, Panel: "cards/holders",
	Expr: `
		llm_gpu_memory_usable_used_bytes > ${vram_kept}
		and on (instance, gpu) llm_gpu_processes == 0`,
	Summary: `GPU {{ $labels.gpu }} of {{ $labels.instance }} keeps {{ $value | humanize1024 }}B of memory that no process holds.`,
	Description: `A server that starts now fails to allocate, which looks like a model that is too large.
		First wait a minute more, then look for what still holds the card (fuser -v /dev/dri/* /dev/nvidia*), then reset the card.`,
	Cases: []Case{{
		Recording: "hosts/time-memory-kept",
		Fires:     []Firing{{Labels: `gpu="0000:03:00.0", pool="vram"`, Pending: 300, Firing: 420, Resolved: 1500, Text: "GPU 0000:03:00.0 of llmfleet keeps 26GiB of memory that no process holds."}},
		Why:       "a server ends at 300, and its memory comes back at 1500",
	}, {
		Recording: "hosts/time-memory-kept", Edit: "ten-hosts",
		Fires: onTenHosts(Firing{Labels: `gpu="0000:03:00.0", pool="vram"`, Pending: 300, Firing: 420, Resolved: 1500, Text: "GPU 0000:03:00.0 of llmfleet keeps 26GiB of memory that no process holds."}),
		Why:   "ten hosts whose cards have the same address",
	}, {
		Recording: "hosts/time-memory-kept", Edit: "less-kept-at-1800",
		Fires: []Firing{
			{Labels: `gpu="0000:03:00.0", pool="vram"`, Pending: 300, Firing: 420, Resolved: 1500, Text: "GPU 0000:03:00.0 of llmfleet keeps 26GiB of memory that no process holds."},
			{Labels: `gpu="0000:03:00.0", pool="vram"`, Pending: 1800, Firing: 1920, Resolved: 0, Text: "GPU 0000:03:00.0 of llmfleet keeps 4GiB of memory that no process holds."},
		},
		Why: "a gigabyte is what a driver may keep, four are not",
	}},
}

var unifiedMemoryLow = Alert{
	Name: "LlmUnifiedMemoryLow", Severity: Warning, For: 5 * time.Minute, Panel: "machine/memory",
	Expr: `
		llm_host_memory_free_bytes < ${unified_free}
		unless llm_host_memory_contiguous_bytes > ${unified_contiguous}
		and on (instance) llm_gpu_memory_shared == 1
		or
		llm_host_memory_free_bytes
		and on (instance) rate(llm_host_memory_stalled_seconds_total[5m]) > ${unified_stalled}
		and on (instance) llm_gpu_memory_shared == 1`,
	Summary: `{{ $labels.instance }} shares its memory with its GPU and runs short of it.`,
	Description: `{{ range printf "llm_host_memory_free_bytes{instance=%q}" $labels.instance | query }}{{ . | value | humanize1024 }}B are free{{ end }}` +
		`{{ range printf "llm_host_memory_contiguous_bytes{instance=%q}" $labels.instance | query }}, {{ . | value | humanize1024 }}B of it in blocks of 2 MiB and more{{ end }}` +
		`{{ range printf "llm_host_swap_free_bytes{instance=%q}" $labels.instance | query }}, {{ . | value | humanize1024 }}B of swap are left{{ end }}. What is called available is not: pinned weights count as page cache.
		The kernel moves memory around, and every program stands still for minutes at full load. First stop what is not needed, then give the model a smaller context or cache; dropping caches helps for a moment.`,
	Cases: []Case{{
		Recording: "hosts/b",
		Fires:     []Firing{{Labels: `instance="llmfleet", job="llmfleet"`, Pending: 0, Firing: 300, Resolved: 0, Text: "llmfleet shares its memory with its GPU and runs short of it."}},
		Why:       "5 GiB are free in 310 large blocks, and 73 GiB are called available",
	}, {
		Recording: "hosts/time-memory-low",
		Fires:     []Firing{{Labels: `instance="llmfleet", job="llmfleet"`, Pending: 300, Firing: 600, Resolved: 1800, Text: "llmfleet shares its memory with its GPU and runs short of it."}},
		Why:       "memory runs out at 300 and comes back at 1800",
	}, {
		Recording: "hosts/time-memory-low", Edit: "ten-hosts",
		Fires: onTenHosts(Firing{Labels: ``, Pending: 300, Firing: 600, Resolved: 1800, Text: "llmfleet shares its memory with its GPU and runs short of it."}),
		Why:   "ten hosts",
	}, {
		Recording: "hosts/h37-strix-halo-gtt", Edit: "stalls-for-memory",
		Fires: []Firing{{Labels: `instance="llmfleet", job="llmfleet"`, Pending: 195, Firing: 495, Resolved: 0, Text: "llmfleet shares its memory with its GPU and runs short of it."}},
		Why:   "memory is free, and still everything waits for it",
	}, {
		Recording: "hosts/b", Edit: "free-in-large-blocks", Quiet: true,
		Why: "little is free, in large blocks",
	}, {
		Recording: "hosts/a1", Edit: "little-free-and-stalls", Quiet: true,
		Why: "the same on a machine whose cards have memory of their own",
	}},
}
