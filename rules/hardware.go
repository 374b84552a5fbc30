package rules

// What the machine under the models is good for: its cards, the links to them, their memory.
// Series of the machine carry instance (an exporter reads its own machine) and gpu, the card's
// PCI address; the backend that runs on a card is joined by llm_gpu_backend_info.
var hardware = Group{
	Name:  "hardware",
	About: "Are the cards there, do their links carry what they can, and is there memory left?",
	Thresholds: []*Threshold{{
		Key: "gpu_busy", Default: 0.2, Unit: "ratio",
		About: "Share of time in which a card must work before its link is judged: cards at rest slow their links down to save power.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(llm_gpu_busy_ratio[1h]))`,
			Healthy:   []string{"hosts/c67-idle-speed", "hosts/c67-idle-width", "hosts/h35-small-window"},
			Incident:  []string{"hosts/time-trained-down", "hosts/a1", "hosts/b"},
			Above:     true, Margin: 1.5,
			Source: "reference fleet: 0.4 to 0.98 while a model answers",
		}},
	}, {
		Key: "link_ratio", Default: 0.9, Unit: "ratio",
		About: "Share of its speed, or of what it carried within a day, below which a link under load is degraded. Links go down in halves.",
		Evidence: []Evidence{{
			Statistic: `min(min_over_time(llm_gpu_link_bandwidth_bytes_per_second[1h]) / llm_gpu_link_capable_bandwidth_bytes_per_second)`,
			Healthy:   []string{"hosts/a1", "hosts/a2", "hosts/h45-two-r9700-x99"},
			Incident:  []string{"hosts/time-trained-down", "hosts/h23-x1-switch"},
			Margin:    1.1,
		}},
	}, {
		Key: "link_window", Default: 600, Unit: DurationUnit,
		About: "Time over which a link and the load of its card are judged together: one moment at full speed is enough for the link.",
		Evidence: []Evidence{{
			Source: "longer than the pauses between the turns of one agent (1 to 25 s on the reference fleet), so that a card that works is seen at work",
		}},
	}, {
		Key: "link_changes", Default: 6, Unit: "count",
		About: "Changes of a link within link_window, while its card works all the time, above which the link is unstable.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(increase(llm_pci_link_changes_total[10m])[1d:1m]))`,
			Healthy:   []string{"hosts/time-idle-day"},
			Incident:  []string{"hosts/time-flapping"},
			Above:     true, Margin: 2,
			Source: "a rest and the work after it are two changes",
		}},
	}, {
		Key: "link_lanes", Default: 0.4, Unit: "ratio",
		About: "Share of the lanes that a card can use below which its slot is said to be narrow.",
		Evidence: []Evidence{{
			Statistic: `min(min_over_time(gpu:llm_gpu_link_lanes:now[1h]) / gpu:llm_gpu_link_lanes:card)`,
			Healthy:   []string{"hosts/a2", "hosts/h45-two-r9700-x99"},
			Incident:  []string{"hosts/a1", "hosts/b"},
			Margin:    1.2,
			Source:    "half of the lanes is what boards for two cards give by design",
		}},
	}, {
		Key: "paths_unequal", Default: 2, Unit: "ratio",
		About: "How many times more the best link of a backend's cards may carry than the worst one.",
		Evidence: []Evidence{{
			Statistic: `max by (backend) (llm_gpu_backend_info * on (instance, gpu) group_left () gpu:llm_gpu_link_bandwidth:carried) / min by (backend) (llm_gpu_backend_info * on (instance, gpu) group_left () gpu:llm_gpu_link_bandwidth:carried)`,
			Healthy:   []string{"hosts/a2"},
			Above:     true, Margin: 1.5,
			Source: "reference fleet: at 31.5 and 1.97 GB/s one card worked 40 % of the time and waited for the other",
		}},
	}, {
		Key: "aer_correctable", Default: 100, Unit: "count",
		About: "Correctable errors of one device within aer_window. Each is sent again by the hardware and costs a moment; many are a contact, a riser or a slot that fails.",
		Evidence: []Evidence{{
			Statistic: `max(increase(llm_pci_aer_messages_total[15m]))`,
			Healthy:   []string{"hosts/a1", "hosts/edge-aer"},
			Above:     true, Margin: 2,
			Source: "reference fleet: 9 correctable errors since boot on the worst hop of a host that works",
		}},
	}, {
		Key: "aer_window", Default: 900, Unit: DurationUnit,
		About: "Window in which errors of a device are counted.",
		Evidence: []Evidence{{
			Source: "sixty scrapes of 15 s",
		}},
	}, {
		Key: "xid_window", Default: 1800, Unit: DurationUnit,
		About: "How long an error of a program on a card is told: it is over when it is over.",
		Evidence: []Evidence{{
			Source: "field reports: an error of the last hour is looked up, an older one is in the log; half of it, so that a program that fails again is told again",
		}},
	}, {
		Key: "vram_headroom", Default: 1 << 30, Unit: "bytes",
		About: "Free memory of a card below which the next allocation may fail. Set it to what the engines' graphs and longest prompts need besides their cache.",
		Evidence: []Evidence{{
			Statistic: `min(min_over_time(gpu:llm_gpu_memory_free:bytes{pool="vram"}[1h]))`,
			Healthy:   []string{"hosts/b", "hosts/h32-two-4090-small-bar"},
			Incident:  []string{"hosts/a1", "hosts/a2"},
			Margin:    1.1,
			Source:    "reference fleet: floors of 1.5 and later 1.0 GiB; at 0.3 GiB the first graph capture failed after /health had answered",
		}},
	}, {
		Key: "vram_gap", Default: 1 << 29, Unit: "bytes",
		About: "Difference of free memory between the cards of one backend. The fullest card decides how much cache all of them get.",
		Evidence: []Evidence{{
			Statistic: `max by (backend) (llm_gpu_backend_info * on (instance, gpu) group_left () gpu:llm_gpu_memory_free:bytes) - min by (backend) (llm_gpu_backend_info * on (instance, gpu) group_left () gpu:llm_gpu_memory_free:bytes)`,
			Healthy:   []string{"hosts/a2"},
			Above:     true, Margin: 1.15,
			Source: "reference fleet: within 0.5 GiB; 0.58 was accepted once, knowingly",
		}},
	}, {
		Key: "vram_kept", Default: 2 << 30, Unit: "bytes",
		About: "Memory of a card that nobody holds, above which it was not given back.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(llm_gpu_memory_usable_used_bytes[1h]) and on (instance, gpu) min_over_time(llm_gpu_processes[1h]) == 0)`,
			Incident:  []string{"hosts/time-memory-kept"},
			Above:     true, Margin: 2,
			Source: "drivers and firmware keep a few hundred MiB for themselves; on the reference fleet a kill left 26 GiB",
		}},
	}, {
		Key: "unified_free", Default: 8 << 30, Unit: "bytes",
		About: "Free memory of a machine whose GPU shares it. Available memory says nothing there: pinned weights count as page cache.",
		Evidence: []Evidence{{
			Statistic: `min(min_over_time(llm_host_memory_free_bytes[1h]))`,
			Healthy:   []string{"hosts/h37-strix-halo-gtt", "hosts/h39-strix-halo-512m"},
			Incident:  []string{"hosts/b", "hosts/time-memory-low"},
			Margin:    1.1,
			Source:    "reference fleet: 7.1 GiB free and everything can stand still for minutes, with 73 GiB said to be available",
		}},
	}, {
		Key: "unified_contiguous", Default: 1 << 30, Unit: "bytes",
		About: "Free memory in blocks of 2 MiB and more, on such a machine.",
		Evidence: []Evidence{{
			Statistic: `min(min_over_time(llm_host_memory_contiguous_bytes[1h]))`,
			Incident:  []string{"hosts/b", "hosts/time-memory-low"},
			Margin:    1.5,
			Source:    "reference fleet: it stood still at 310 blocks of 2 MiB",
		}},
	}, {
		Key: "unified_stalled", Default: 0.05, Unit: "ratio",
		About: "Share of time in which every runnable program of such a machine waited for memory.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(rate(llm_host_memory_stalled_seconds_total[5m])[1h:15s]))`,
			Healthy:   []string{"hosts/b"},
			Incident:  []string{"hosts/time-memory-low"},
			Above:     true, Margin: 2,
		}},
	}, {
		Key: "gpu_hot", Default: 5, Unit: "celsius",
		About: "Distance to the temperature at which a card protects itself.",
		Evidence: []Evidence{{
			Statistic: `min(min_over_time(llm_gpu_temperature_critical_celsius[1h]) - on (instance, gpu, sensor) max_over_time(llm_gpu_temperature_celsius[1h]))`,
			Healthy:   []string{"hosts/a1", "hosts/a2", "hosts/b"},
			Margin:    2,
			Source:    "30 degrees and more are left on the reference fleet under load",
		}},
	}},
	Records: []Record{{
		Name: "gpu:llm_gpu_link_lanes:now", Unit: "lanes", Labels: perGPU,
		Expr: `
			max by (instance, job, gpu) (
			  llm_gpu_link_limiting_hop_info
			  * on (instance, device) group_left () llm_pci_link_current_width_lanes
			)`,
		About: "Lanes of the slowest link between the card and the processor, now.",
	}, {
		Name: "gpu:llm_gpu_link_lanes:slot", Unit: "lanes", Labels: perGPU,
		Expr: `
			max by (instance, job, gpu) (
			  llm_gpu_link_limiting_hop_info
			  * on (instance, device) group_left () llm_pci_link_max_width_lanes
			)`,
		About: "Lanes that the upper end of the slowest link has at all.",
	}, {
		Name: "gpu:llm_gpu_link_lanes:card", Unit: "lanes", Labels: perGPU,
		// A switch on the card ends in its upstream port; what lies behind always says the most.
		Expr: `
			max by (instance, job, gpu) (
			  llm_pci_chain_info{place="card", role="switch_upstream"}
			  * on (instance, device) group_left () llm_pci_link_max_width_lanes
			)
			or max by (instance, job, gpu) (
			  llm_pci_chain_info{place="card", role="endpoint"}
			  * on (instance, device) group_left () llm_pci_link_max_width_lanes
			)`,
		About: "Lanes that the card can use.",
	}, {
		Name: "gpu:llm_gpu_link_speed:ratio", Unit: "ratio", Labels: perGPU,
		// A link can do what both ends can, so the larger of the two shares is the link's.
		Expr: `
			max by (instance, job, gpu) (
			  label_replace(
			    llm_gpu_link_limiting_hop_info
			    * on (instance, device) group_left ()
			      (llm_pci_link_current_transfers_per_second / llm_pci_link_max_transfers_per_second),
			    "end", "upper", "", ""
			  )
			  or
			  llm_gpu_link_limiting_hop_info
			  * on (instance, downstream) group_left ()
			    label_replace(llm_pci_link_current_transfers_per_second / llm_pci_link_max_transfers_per_second, "downstream", "$1", "device", "(.+)")
			)`,
		About: "Speed of the slowest link now, as a share of what both its ends can do.",
	}, {
		Name: "gpu:llm_gpu_link_bandwidth:carried", Unit: "bytes/s", Labels: perGPU,
		Expr: `
			max_over_time(llm_gpu_link_bandwidth_bytes_per_second[${link_window}])
			and on (instance, gpu) avg_over_time(llm_gpu_busy_ratio[${link_window}]) > ${gpu_busy}
			or llm_gpu_link_capable_bandwidth_bytes_per_second`,
		About: "What the card's link carries: under load what it does, at rest what it could.",
	}, {
		Name: "gpu:llm_gpu_memory_free:bytes", Unit: "bytes", Labels: []string{"gpu", "pool"},
		Expr:  `llm_gpu_memory_usable_size_bytes - llm_gpu_memory_usable_used_bytes`,
		About: "Memory that an engine can still allocate on the card.",
	}, backendPower, energyPerGenerated, energyPerToken},
	Alerts: []Alert{
		gpuLost, gpuRejected, gpuHardwareError, gpuApplicationError, hardwareBlind, gpuUnmeasured,
		gpuLinkDegraded, gpuLinkUnstable, gpuLinkNarrow, gpuPathsUnequal, gpuAtomicsBlocked, pciErrorsGrowing,
		gpuMemoryTight, gpuMemoryUneven, gpuMemoryKept, unifiedMemoryLow,
		gpuHot, gpuThrottled,
	},
}
