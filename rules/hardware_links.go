package rules

import "time"

// limitedBy names the slowest link of a card, as the kernel does: by its upper end.
const limitedBy = `{{ range printf "llm_gpu_link_limiting_hop_info{instance=%q,gpu=%q}" $labels.instance $labels.gpu | query }} It is limited by the link of {{ label "device" . }}{{ with label "downstream" . }} to {{ . }}{{ end }}.{{ end }}`

var gpuLinkDegraded = Alert{
	Name: "LlmGPULinkDegraded", Severity: Warning, For: 5 * time.Minute, KeepFiring: 5 * time.Minute, Panel: "links/speed",
	// A card at rest slows its link down, so only a card at work is judged, and one moment at
	// full speed clears it. Fewer lanes than both ends have may be an adapter: LlmGPULinkNarrow.
	Expr: `
		max_over_time(gpu:llm_gpu_link_speed:ratio[${link_window}]) < ${link_ratio}
		and on (instance, gpu) avg_over_time(llm_gpu_busy_ratio[${link_window}]) > ${gpu_busy}
		or
		max_over_time(llm_gpu_link_bandwidth_bytes_per_second[${link_window}])
		  / max_over_time(gpu:llm_gpu_link_bandwidth:max[1d]) < ${link_ratio}
		and on (instance, gpu) avg_over_time(llm_gpu_busy_ratio[${link_window}]) > ${gpu_busy}`,
	Summary: `The link of GPU {{ $labels.gpu }} of {{ $labels.instance }} carries {{ $value | humanizePercentage }} of what it could, under load.` + limitedBy,
	Description: `Loading a model takes longer, and cards that work together wait for this one.
		First compare both ends (lspci -vv, LnkCap and LnkSta), then reseat the card or its riser and look for errors of the link; if the speed was capped by software, a reboot trains it again.`,
	Cases: []Case{{
		Recording: "hosts/time-trained-down",
		Fires:     []Firing{{Labels: `gpu="0000:03:00.0"`, Pending: 885, Firing: 1185, Resolved: 2400, Text: "The link of GPU 0000:03:00.0 of llmfleet carries 15.62% of what it could, under load. It is limited by the link of 0000:00:01.1 to 0000:01:00.0."}},
		Why:       "a link under load trains down to 2.5 GT/s at 300, and is well again at 2100",
	}, {
		Recording: "hosts/time-trained-down", Edit: "ten-hosts",
		Fires: onTenHosts(Firing{Labels: `gpu="0000:03:00.0"`, Pending: 885, Firing: 1185, Resolved: 2400, Text: "The link of GPU 0000:03:00.0 of llmfleet carries 15.62% of what it could, under load. It is limited by the link of 0000:00:01.1 to 0000:01:00.0."}),
		Why:   "ten hosts whose cards have the same address",
	}, {
		Recording: "hosts/h29-x399-four-3090",
		Fires: []Firing{
			{Labels: `gpu="0000:09:00.0"`, Pending: 0, Firing: 300, Resolved: 900, Text: "The link of GPU 0000:09:00.0 of llmfleet carries 62.5% of what it could, under load. It is limited by the link of 0000:00:03.1 to 0000:09:00.0."},
			{Labels: `gpu="0000:41:00.0"`, Pending: 0, Firing: 300, Resolved: 900, Text: "The link of GPU 0000:41:00.0 of llmfleet carries 31.25% of what it could, under load. It is limited by the link of 0000:40:01.1 to 0000:41:00.0."},
		},
		Why: "two of four cards run at an old generation, until they change slots at 600",
	}, {
		Recording: "hosts/h23-x1-switch",
		Fires:     []Firing{{Labels: `gpu="0000:05:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "The link of GPU 0000:05:00.0 of llmfleet carries 50% of what it could, under load. It is limited by the link of 0000:03:05.0 to 0000:05:00.0."}},
		Why:       "a port that software holds at 2.5 GT/s",
	}, {
		Recording: "hosts/a2", Edit: "lanes-lost-at-300",
		Fires: []Firing{{Labels: `gpu="0000:03:00.0"`, Pending: 885, Firing: 1185, Resolved: 0, Text: "The link of GPU 0000:03:00.0 of llmfleet carries 50% of what it could, under load. It is limited by the link of 0000:00:01.1 to 0000:01:00.0."}},
		Why:   "lanes are lost and the speed is kept",
	}, {
		Recording: "hosts/a2", Edit: "link-slow-at-rest", Quiet: true,
		Why: "slow, but the card rests nearly all the time",
	}, {
		Recording: "hosts/a2", Edit: "works-in-bursts", Quiet: true,
		Why: "a link that follows the load is well",
	}, {
		Recording: "hosts/time-idle-day", Quiet: true,
		Why: "a day of rest and work",
	}, {
		Recording: "hosts/b", Quiet: true,
		Why: "an adapter with fewer lanes carries what it always did",
	}, {
		Recording: "hosts/c67-idle-speed", Quiet: true,
		Why: "a card at rest",
	}},
}

var gpuLinkUnstable = Alert{
	Name: "LlmGPULinkUnstable", Severity: Warning, For: 5 * time.Minute, Panel: "links/changes",
	Expr: `
		max by (instance, job, gpu, device) (
		  llm_pci_chain_info * on (instance, device) group_left () increase(llm_pci_link_changes_total[${link_window}])
		) > ${link_changes}
		and on (instance, gpu) min_over_time(llm_gpu_busy_ratio[${link_window}]) > ${gpu_busy}`,
	Summary: `The link at {{ $labels.device }} of GPU {{ $labels.gpu }} of {{ $labels.instance }} trains again and again: {{ $value | humanize }} changes in ${link_window} under load.`,
	Description: `Each training stops all traffic for milliseconds, and the next one may fail: then the card is gone.
		First look for errors of both ends of the link, then reseat the card or its riser, and give it a slower generation in the firmware.`,
	Explains: []Explanation{{By: []string{"instance", "gpu"}, Alerts: []string{"LlmGPULinkDegraded"}, Why: "A link that trains all the time is slow in between."}},
	Cases: []Case{{
		Recording: "hosts/time-flapping",
		Fires:     []Firing{{Labels: `device="0000:01:00.0", gpu="0000:03:00.0"`, Pending: 255, Firing: 555, Resolved: 1200, Text: "The link at 0000:01:00.0 of GPU 0000:03:00.0 of llmfleet trains again and again: 18 changes in 10m under load."}},
		Why:       "a link drops to one lane between scrapes, twelve times",
	}, {
		Recording: "hosts/a2", Edit: "works-in-bursts", Quiet: true,
		Why: "a link that follows the load",
	}, {
		Recording: "hosts/time-trained-down", Quiet: true,
		Why: "it trained down once",
	}},
}

var gpuLinkNarrow = Alert{
	Name: "LlmGPULinkNarrow", Severity: Info, For: 5 * time.Minute, KeepFiring: 24 * time.Hour, Panel: "links/chain",
	// What a slot lacks is known at rest; what an adapter does not wire shows under load only.
	// Figures of a tunnel are nominal.
	Expr: `
		(
		  (
		    max_over_time(gpu:llm_gpu_link_lanes:now[${link_window}])
		    and on (instance, gpu) avg_over_time(llm_gpu_busy_ratio[${link_window}]) > ${gpu_busy}
		    or gpu:llm_gpu_link_lanes:slot
		  )
		  / gpu:llm_gpu_link_lanes:card < ${link_lanes}
		)
		unless on (instance, gpu) llm_gpu_link_upper_bound_only == 1`,
	Summary: `GPU {{ $labels.gpu }} of {{ $labels.instance }} has {{ $value | humanizePercentage }} of the lanes that it can use.` + limitedBy,
	Description: `Fine for a model that lives on this card alone; loading it takes longer, and a model split over several cards waits for this link.
		To be known once. If no adapter or small slot explains it, reseat the card; if one does, give the card another slot or leave it to a model of its own.`,
	Cases: []Case{{
		Recording: "hosts/a1",
		Fires:     []Firing{{Labels: `gpu="0000:0b:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "GPU 0000:0b:00.0 of llmfleet has 6.25% of the lanes that it can use. It is limited by the link of 0000:06:09.0 to 0000:09:00.0."}},
		Why:       "one lane of the chipset",
	}, {
		Recording: "hosts/b",
		Fires:     []Firing{{Labels: `gpu="0000:01:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "GPU 0000:01:00.0 of llmfleet has 25% of the lanes that it can use. It is limited by the link of 0000:00:01.1 to 0000:01:00.0."}},
		Why:       "an adapter that wires four of eight lanes: seen under load only",
	}, {
		Recording: "hosts/h10-vega56-x1",
		Fires:     []Firing{{Labels: `gpu="0000:03:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "GPU 0000:03:00.0 of llmfleet has 6.25% of the lanes that it can use. It is limited by the link of 0000:00:00.0 to 0000:01:00.0."}},
		Why:       "a slot with one lane, at rest",
	}, {
		Recording: "hosts/h11-rx6700xt-cm4",
		Fires:     []Firing{{Labels: `gpu="0000:03:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "GPU 0000:03:00.0 of llmfleet has 6.25% of the lanes that it can use. It is limited by the link of 0000:00:00.0 to 0000:01:00.0."}},
		Why:       "a slot with one lane",
	}, {
		Recording: "hosts/h12-rx9060xt-gen1x1",
		Fires:     []Firing{{Labels: `gpu="0000:03:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "GPU 0000:03:00.0 of llmfleet has 6.25% of the lanes that it can use. It is limited by the link of 0000:00:00.0 to 0000:01:00.0."}},
		Why:       "a slot with one lane",
	}, {
		Recording: "hosts/h13-rx9070xt-domain1",
		Fires:     []Firing{{Labels: `gpu="0001:03:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "GPU 0001:03:00.0 of llmfleet has 6.25% of the lanes that it can use. It is limited by the link of 0001:00:00.0 to 0001:01:00.0."}},
		Why:       "a slot with one lane",
	}, {
		Recording: "hosts/h16-arc-b580",
		Fires:     []Firing{{Labels: `gpu="0000:07:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "GPU 0000:07:00.0 of llmfleet has 25% of the lanes that it can use. It is limited by the link of 0000:00:06.0 to 0000:05:00.0."}},
		Why:       "four lanes for an Arc",
	}, {
		Recording: "hosts/h23-x1-switch",
		Fires:     []Firing{{Labels: `gpu="0000:05:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "GPU 0000:05:00.0 of llmfleet has 6.25% of the lanes that it can use. It is limited by the link of 0000:03:05.0 to 0000:05:00.0."}},
		Why:       "a switch with one lane for each card",
	}, {
		Recording: "hosts/h29-x399-four-3090",
		Fires: []Firing{
			{Labels: `gpu="0000:09:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "GPU 0000:09:00.0 of llmfleet has 6.25% of the lanes that it can use. It is limited by the link of 0000:00:03.1 to 0000:09:00.0."},
			{Labels: `gpu="0000:41:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "GPU 0000:41:00.0 of llmfleet has 25% of the lanes that it can use. It is limited by the link of 0000:40:01.1 to 0000:41:00.0."},
		},
		Why: "two of four cards trained with few of their lanes; said for a day, though they are well from 600 on",
	}, {
		Recording: "hosts/h30a-oculink-5090",
		Fires:     []Firing{{Labels: `gpu="0000:01:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "GPU 0000:01:00.0 of llmfleet has 25% of the lanes that it can use."}},
		Why:       "a cable with four lanes; the card is lost before it is said",
	}, {
		Recording: "hosts/h30c-vanishes",
		Fires:     []Firing{{Labels: `gpu="0000:02:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "GPU 0000:02:00.0 of llmfleet has 25% of the lanes that it can use. It is limited by the link of 0000:00:06.0 to 0000:02:00.0."}},
		Why:       "four lanes for the second card",
	}, {
		Recording: "hosts/b", Edit: "rests-until-300",
		Fires: []Firing{{Labels: `gpu="0000:01:00.0"`, Pending: 690, Firing: 990, Resolved: 0, Text: "GPU 0000:01:00.0 of llmfleet has 25% of the lanes that it can use. It is limited by the link of 0000:00:01.1 to 0000:01:00.0."}},
		Why:   "the adapter shows once the card has worked",
	}, {
		Recording: "hosts/b", Edit: "narrow-at-rest", Quiet: true,
		Why: "the adapter is not seen at rest",
	}, {
		Recording: "hosts/h14-usb4-tunnel", Quiet: true,
		Why: "the lanes of a tunnel are nominal",
	}, {
		Recording: "hosts/h45-two-r9700-x99", Quiet: true,
		Why: "an old generation with all lanes",
	}, {
		Recording: "hosts/c67-idle-width", Quiet: true,
		Why: "a card at rest may give up lanes",
	}},
}

// limitsOf names the slowest link of each card of a backend.
const limitsOf = `{{ range printf "llm_gpu_backend_info{instance=%q,backend=%q} * on (instance, gpu) group_left (device) llm_gpu_link_limiting_hop_info" $labels.instance $labels.backend | query | sortByLabel "gpu" }} {{ label "gpu" . }} is limited at {{ label "device" . }}.{{ end }}`

var gpuPathsUnequal = Alert{
	Name: "LlmGPUPathsUnequal", Severity: Warning, For: 5 * time.Minute, Panel: "links/backends",
	Expr: `
		max by (instance, job, backend) (llm_gpu_backend_info * on (instance, gpu) group_left () gpu:llm_gpu_link_bandwidth:carried)
		  / min by (instance, job, backend) (llm_gpu_backend_info * on (instance, gpu) group_left () gpu:llm_gpu_link_bandwidth:carried)
		> ${paths_unequal}`,
	Summary: `The cards of {{ $labels.backend }} have unequal links: the best carries {{ $value | printf "%.1f" }} times what the worst does.` + limitsOf,
	Description: `The card with the better link waits for the other one in every step that both take part in.
		First see in the table of hops which link limits which card, then give both cards slots of the same kind, or each its own model.`,
	Cases: []Case{{
		Recording: "hosts/a1", Edit: "one-engine-on-both-cards",
		Fires: []Firing{{Labels: `backend="split"`, Pending: 0, Firing: 300, Resolved: 0, Text: "The cards of split have unequal links: the best carries 16.0 times what the worst does. 0000:03:00.0 is limited at 0000:00:01.1. 0000:0b:00.0 is limited at 0000:06:09.0."}},
		Why:   "one model over a card with sixteen lanes and one with one",
	}, {
		Recording: "hosts/a1", Quiet: true,
		Why: "a model of its own on each",
	}, {
		Recording: "hosts/a2", Quiet: true,
		Why: "two equal links",
	}, {
		Recording: "hosts/a2", Edit: "two-lanes-left-at-300",
		Fires: []Firing{{Labels: `backend="radiance"`, Pending: 885, Firing: 1185, Text: "The cards of radiance have unequal links: the best carries 4.0 times what the worst does. 0000:03:00.0 is limited at 0000:00:01.1. 0000:07:00.0 is limited at 0000:00:01.3."}},
		Why:   "two equal links, until one of them loses lanes under load",
	}, {
		Recording: "hosts/a2", Edit: "two-lanes-at-rest", Quiet: true,
		Why: "what a card at rest is trained for says nothing",
	}, {
		Recording: "hosts/a1", Edit: "one-engine-on-both-cards-at-rest",
		Fires: []Firing{{Labels: `backend="split"`, Pending: 0, Firing: 300, Text: "The cards of split have unequal links: the best carries 16.0 times what the worst does. 0000:03:00.0 is limited at 0000:00:01.1. 0000:0b:00.0 is limited at 0000:06:09.0."}},
		Why:   "of a card at rest what its slots can carry is compared",
	}},
}

var gpuAtomicsBlocked = Alert{
	Name: "LlmGPUAtomicsBlocked", Severity: Warning, For: 5 * time.Minute, Panel: "links/atomics",
	Expr: `
		min by (instance, job, gpu) (llm_gpu_atomics_to_root) == 0
		and on (instance, gpu) llm_gpu_info{vendor="amd"}`,
	Summary: `Atomic operations of GPU {{ $labels.gpu }} of {{ $labels.instance }} do not reach the processor.` +
		`{{ range printf "llm_gpu_atomics_blocking_hop_info{instance=%q,gpu=%q}" $labels.instance $labels.gpu | query }} {{ label "device" . }} stops them: {{ label "reason" . }}.{{ end }}`,
	Description: `On ROCm collectives of two cards fail at once, and some kernels and printing from them do; a model on this card alone may run well and proves nothing.
		No setting mends it: the device that stops them is part of the board. Give the card a slot of the processor instead of one of the chipset.`,
	Valueless: onlyState,
	Cases: []Case{{
		Recording: "hosts/a1",
		Fires:     []Firing{{Labels: `gpu="0000:0b:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "Atomic operations of GPU 0000:0b:00.0 of llmfleet do not reach the processor. 0000:06:09.0 stops them: no_routing."}},
		Why:       "a card behind the chipset, seen by rights and by the driver",
	}, {
		Recording: "hosts/edge-guest",
		Fires:     []Firing{{Labels: `gpu="0000:00:06.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "Atomic operations of GPU 0000:00:06.0 of llmfleet do not reach the processor."}},
		Why:       "a guest whose card was not enabled",
	}, {
		Recording: "hosts/edge-kfd-flags",
		Fires: []Firing{
			{Labels: `gpu="0000:0b:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "Atomic operations of GPU 0000:0b:00.0 of llmfleet do not reach the processor."},
			{Labels: `gpu="0000:0f:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "Atomic operations of GPU 0000:0f:00.0 of llmfleet do not reach the processor."},
		},
		Why: "the driver's verdict alone",
	}, {
		Recording: "hosts/h17-rx560-chipset",
		Fires:     []Firing{{Labels: `gpu="0000:06:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "Atomic operations of GPU 0000:06:00.0 of llmfleet do not reach the processor. 0000:03:02.0 stops them: no_routing."}},
		Why:       "a card behind the chipset, which the driver rejects",
	}, {
		Recording: "hosts/h19-rx7900xt-rocketlake",
		Fires:     []Firing{{Labels: `gpu="0000:03:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "Atomic operations of GPU 0000:03:00.0 of llmfleet do not reach the processor."}},
		Why:       "a card that the driver takes in spite of it",
	}, {
		Recording: "hosts/h22-rk3588",
		Fires:     []Firing{{Labels: `gpu="0000:03:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "Atomic operations of GPU 0000:03:00.0 of llmfleet do not reach the processor. 0000:00:00.0 stops them: root_not_completer."}},
		Why:       "a root port that completes none",
	}, {
		Recording: "hosts/h23-x1-switch",
		Fires:     []Firing{{Labels: `gpu="0000:05:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "Atomic operations of GPU 0000:05:00.0 of llmfleet do not reach the processor. 0000:03:05.0 stops them: no_routing."}},
		Why:       "a switch that passes none on",
	}, {
		Recording: "hosts/b", Edit: "no-atomics-for-nvidia", Quiet: true,
		Why: "a card that does not need them",
	}, {
		Recording: "hosts/a2", Quiet: true,
		Why: "every hop passes them on",
	}},
}

var pciErrorsGrowing = Alert{
	Name: "LlmPCIErrorsGrowing", Severity: Warning, For: time.Minute, Panel: "links/errors",
	Expr: `
		increase(llm_pci_aer_messages_total{aer_severity="correctable"}[${aer_window}]) > ${aer_correctable}
		or increase(llm_pci_aer_messages_total{aer_severity!="correctable"}[${aer_window}]) > 0`,
	Summary: `{{ $labels.device }} of {{ $labels.instance }} reports {{ printf "%.0f" $value }} {{ $labels.aer_severity }} PCI errors in ${aer_window}.` +
		`{{ range printf "llm_pci_chain_info{instance=%q,device=%q}" $labels.instance $labels.device | query }} It is on the way to GPU {{ label "gpu" . }}.{{ end }}`,
	Description: `Correctable errors are sent again and cost time; others lose data, and often the card.
		First see the names of the errors in the panel. A bad card, riser or slot shows at the port above it: reseat, then swap the riser, then lower the generation in the firmware.`,
	Cases: []Case{{
		Recording: "hosts/a1", Edit: "errors-at-300",
		Fires: []Firing{{Labels: `aer_severity="correctable", device="0000:06:09.0"`, Pending: 300, Firing: 360, Resolved: 1185, Text: "0000:06:09.0 of llmfleet reports 153 correctable PCI errors in 15m. It is on the way to GPU 0000:0b:00.0."}},
		Why:   "a bad contact: the port above the card sees what the card does not",
	}, {
		Recording: "hosts/a1", Edit: "data-lost-at-300",
		Fires: []Firing{{Labels: `aer_severity="nonfatal", device="0000:06:09.0"`, Pending: 300, Firing: 360, Resolved: 1185, Text: "0000:06:09.0 of llmfleet reports 1 nonfatal PCI errors in 15m. It is on the way to GPU 0000:0b:00.0."}},
		Why:   "an operation was lost",
	}, {
		Recording: "hosts/a1", Edit: "few-errors-at-300", Quiet: true,
		Why: "few, and all sent again",
	}, {
		Recording: "hosts/edge-aer", Quiet: true,
		Why: "many since boot, none now",
	}},
}
