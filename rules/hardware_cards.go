package rules

import "time"

// whyLost looks up why a card cannot be used; as with reasonOf, a label would make another alert.
const whyLost = `{{ range printf "llm_gpu_failed{instance=%q,gpu=%q} == 1" $labels.instance $labels.gpu | query }} The exporter says: {{ label "reason" . }}.{{ end }}`

var gpuLost = Alert{
	Name: "LlmGPULost", Severity: Critical, For: time.Minute, Panel: "cards/lost",
	// A card that nobody has seen since the start has no address: only the count tells.
	Expr: `
		llm_gpu_up == 0
		or llm_host_gpus < llm_host_expected_gpus unless on (instance) llm_gpu_up == 0`,
	Summary: `{{ with $labels.gpu }}GPU {{ . }}{{ else }}A GPU{{ end }} of {{ $labels.instance }} cannot be used.`,
	Description: `{{ with $labels.gpu }}It was there or is named in the configuration, and cannot be used now.` + whyLost + `{{ else }}There are {{ $value | printf "%.0f" }}, and the configuration expects more.{{ end }}
		What ran on it is dead or will hang. First read the kernel's log (journalctl -k | grep -iE 'xid|fallen|amdgpu|pcie'), then see whether lspci still lists it.`,
	Explains: []Explanation{{By: []string{"instance", "gpu"}, Why: "What a lost card said last is of no use."}},
	Cases: []Case{{
		Recording: "hosts/h30c-vanishes",
		Fires:     []Firing{{Labels: `gpu="0000:01:00.0"`, Pending: 120, Firing: 180, Resolved: 900, Text: "GPU 0000:01:00.0 of llmfleet cannot be used."}},
		Why:       "a card vanishes from the machine without a word in the log, and is back after thirteen minutes",
	}, {
		Recording: "hosts/h30a-oculink-5090",
		Fires:     []Firing{{Labels: `gpu="0000:01:00.0"`, Pending: 60, Firing: 120, Resolved: 0, Text: "GPU 0000:01:00.0 of llmfleet cannot be used."}},
		Why:       "a card falls off the bus under load: all ones",
	}, {
		Recording: "hosts/h30d-fallen-at-probe",
		Fires:     []Firing{{Labels: `gpu="0000:b3:00.0"`, Pending: 0, Firing: 60, Resolved: 0, Text: "GPU 0000:b3:00.0 of llmfleet cannot be used."}},
		Why:       "a card that was dead when its driver looked",
	}, {
		Recording: "hosts/edge-dead-cards",
		Fires: []Firing{
			{Labels: `gpu="0000:03:00.0"`, Pending: 60, Firing: 120, Resolved: 0, Text: "GPU 0000:03:00.0 of llmfleet cannot be used."},
			{Labels: `gpu="0000:07:00.0"`, Pending: 60, Firing: 120, Resolved: 0, Text: "GPU 0000:07:00.0 of llmfleet cannot be used."},
		},
		Why: "one card answers with all ones, one is disconnected",
	}, {
		Recording: "hosts/edge-smi-reset",
		Fires:     []Firing{{Labels: `gpu="0000:01:00.0"`, Pending: 0, Firing: 60, Resolved: 0, Text: "GPU 0000:01:00.0 of llmfleet cannot be used."}},
		Why:       "a card that must be reset",
	}, {
		Recording: "hosts/c78-one-unlisted",
		Fires:     []Firing{{Labels: `gpu="0000:ac:00.0"`, Pending: 0, Firing: 60, Resolved: 0, Text: "GPU 0000:ac:00.0 of llmfleet cannot be used."}},
		Why:       "the vendor's tool lists the others only",
	}, {
		Recording: "hosts/c78-configured",
		Fires:     []Firing{{Labels: `instance="llmfleet", job="llmfleet"`, Pending: 0, Firing: 60, Resolved: 0, Text: "A GPU of llmfleet cannot be used."}},
		Why:       "the configuration expects one more than was ever seen",
	}, {
		Recording: "hosts/c54-neither",
		Fires:     []Firing{{Labels: `instance="llmfleet", job="llmfleet"`, Pending: 0, Firing: 60, Resolved: 0, Text: "A GPU of llmfleet cannot be used."}},
		Why:       "two are expected, and none is to be seen",
	}, {
		Recording: "hosts/c66-suspended", Quiet: true,
		Why: "a card that sleeps is there",
	}},
}

var gpuRejected = Alert{
	Name: "LlmGPURejected", Severity: Warning, For: 5 * time.Minute, Panel: "cards/table",
	Expr:    `llm_gpu_kfd_node_present == 0`,
	Summary: `AMD's compute driver has rejected GPU {{ $labels.gpu }} of {{ $labels.instance }}: ROCm does not see it.`,
	Description: `Its graphics driver runs, so it seems to be well; engines on ROCm start without it.
		First read why (journalctl -k | grep kfd): most often its slot does not pass on atomic operations, and another slot does.`,
	Valueless: onlyState,
	Cases: []Case{{
		Recording: "hosts/h17-rx560-chipset",
		Fires:     []Firing{{Labels: `gpu="0000:06:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "AMD's compute driver has rejected GPU 0000:06:00.0 of llmfleet: ROCm does not see it."}},
		Why:       "a card behind the chipset, without atomic operations",
	}, {
		Recording: "hosts/edge-kfd-denied", Quiet: true,
		Why: "whether it was rejected cannot be read",
	}},
}

var hardwareBlind = Alert{
	Name: "LlmHardwareBlind", Severity: Warning, For: 5 * time.Minute, Panel: "cards/blind",
	// Where only the right to the kernel's log is missing, the panel says so and nobody is called:
	// most systems keep that right to themselves.
	Expr: `llm_host_source_up{source!="kernel_log"} == 0`,
	Summary: `{{ $labels.instance }} cannot read {{ $labels.source }} of its machine:` +
		`{{ range printf "llm_host_source_failed{instance=%q,source=%q} == 1" $labels.instance $labels.source | query }} {{ label "reason" . }}{{ end }}.`,
	Description: `What comes from there is missing, and alerts on it are blind; the cards may be well.
		First read the exporter's log, which names the file or the tool. denied: give the container or the unit the device, or the exporter the rights. timeout: a card or its driver hangs. tool, nvml_init: run the tool by hand.`,
	Valueless: onlyState,
	Cases: []Case{{
		Recording: "hosts/edge-smi-hang",
		Fires:     []Firing{{Labels: `source="nvidia"`, Pending: 0, Firing: 300, Resolved: 0, Text: "llmfleet cannot read nvidia of its machine: timeout."}},
		Why:       "the tool hangs in its driver",
	}, {
		Recording: "hosts/edge-smi-missing",
		Fires:     []Firing{{Labels: `source="nvidia"`, Pending: 0, Firing: 300, Resolved: 0, Text: "llmfleet cannot read nvidia of its machine: missing."}},
		Why:       "the tool is not in the container",
	}, {
		Recording: "hosts/c80-nvml-lost",
		Fires:     []Firing{{Labels: `source="nvidia"`, Pending: 0, Firing: 300, Resolved: 0, Text: "llmfleet cannot read nvidia of its machine: nvml_init."}},
		Why:       "a container lost its devices after a reload of the unit",
	}, {
		Recording: "hosts/h30a-oculink-5090",
		Fires:     []Firing{{Labels: `source="nvidia"`, Pending: 60, Firing: 360, Resolved: 0, Text: "llmfleet cannot read nvidia of its machine: tool."}},
		Why:       "the tool ends with an error since the card is gone",
	}, {
		Recording: "hosts/edge-kfd-denied",
		Fires:     []Firing{{Labels: `source="kfd"`, Pending: 0, Firing: 300, Resolved: 0, Text: "llmfleet cannot read kfd of its machine: denied."}},
		Why:       "a unit without the devices",
	}, {
		Recording: "hosts/c86-no-rights",
		Fires:     []Firing{{Labels: `source="amdgpu"`, Pending: 0, Firing: 300, Resolved: 0, Text: "llmfleet cannot read amdgpu of its machine: denied."}},
		Why:       "files that others may not read",
	}, {
		Recording: "hosts/edge-amdgpu-empty",
		Fires:     []Firing{{Labels: `source="amdgpu"`, Pending: 0, Firing: 300, Resolved: 0, Text: "llmfleet cannot read amdgpu of its machine: malformed."}},
		Why:       "files without a number",
	}, {
		Recording: "hosts/c66-busy-refused", Quiet: true,
		Why: "a card that is asleep or resetting refuses: nothing is blind",
	}, {
		Recording: "hosts/c84-log-denied", Quiet: true,
		Why: "the kernel's log is the system's own on most machines",
	}},
}

var gpuUnmeasured = Alert{
	Name: "LlmGPUUnmeasured", Severity: Info, For: 5 * time.Minute, Panel: "cards/table",
	// Of a source that fails LlmHardwareBlind tells; the memory of a processor's graphics is the machine's.
	Expr: `
		llm_gpu_up == 1
		unless on (instance, gpu) llm_gpu_memory_usable_used_bytes
		unless on (instance, gpu) llm_gpu_memory_shared == 1
		unless on (instance, gpu) llm_gpu_suspended == 1
		unless on (instance) llm_host_source_up{source=~"amdgpu|nvidia"} == 0`,
	Summary: `Nothing tells how full GPU {{ $labels.gpu }} of {{ $labels.instance }} is:` +
		`{{ range printf "llm_gpu_info{instance=%q,gpu=%q}" $labels.instance $labels.gpu | query }} its driver is {{ label "driver" . }}{{ end }}.`,
	Description: `Alerts on this card's memory are blind. Its links and whether it is there are watched as always.
		First see whether the card should count: one of a guest or for a screen belongs in host.ignore. Cards of Intel need a kernel of 6.14 or later with the control group dmem.`,
	Valueless: onlyState,
	Cases: []Case{{
		Recording: "hosts/edge-fdinfo",
		Fires:     []Firing{{Labels: `gpu="0000:07:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "Nothing tells how full GPU 0000:07:00.0 of llmfleet is: its driver is xe."}},
		Why:       "a card of Intel's, on a kernel whose control groups do not count its memory",
	}, {
		Recording: "hosts/edge-old-kernel",
		Fires:     []Firing{{Labels: `gpu="0000:01:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "Nothing tells how full GPU 0000:01:00.0 of llmfleet is: its driver is nouveau."}},
		Why:       "a driver without figures",
	}, {
		Recording: "hosts/edge-pci-bridge",
		Fires:     []Firing{{Labels: `gpu="0000:04:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "Nothing tells how full GPU 0000:04:00.0 of llmfleet is: its driver is nouveau."}},
		Why:       "a card for a screen",
	}, {
		Recording: "hosts/h16-arc-b580",
		Fires: []Firing{
			{Labels: `gpu="0000:03:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "Nothing tells how full GPU 0000:03:00.0 of llmfleet is: its driver is xe."},
			{Labels: `gpu="0000:07:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "Nothing tells how full GPU 0000:07:00.0 of llmfleet is: its driver is xe."},
		},
		Why: "two cards of Intel's",
	}, {
		Recording: "hosts/h46-missing-files",
		Fires:     []Firing{{Labels: `gpu="0000:01:00.0"`, Pending: 0, Firing: 300, Resolved: 0, Text: "Nothing tells how full GPU 0000:01:00.0 of llmfleet is: its driver is amdgpu."}},
		Why:       "a driver whose files are not there",
	}, {
		Recording: "hosts/h15-arc-a770", Quiet: true,
		Why: "control groups count its memory",
	}},
}

var gpuHot = Alert{
	Name: "LlmGPUHot", Severity: Warning, For: 5 * time.Minute, Panel: "heat/temperature",
	Expr:    `llm_gpu_temperature_celsius > llm_gpu_temperature_critical_celsius - ${gpu_hot}`,
	Summary: `The {{ $labels.sensor }} sensor of GPU {{ $labels.gpu }} of {{ $labels.instance }} is at {{ $value | printf "%.0f" }} °C, within ${gpu_hot} °C of its limit.`,
	Description: `The card will slow down, and then switch itself off.
		First see whether its fan turns and the air reaches it, then the other cards beside it, then the power limit.`,
	Cases: []Case{{
		Recording: "hosts/a1", Edit: "hot-at-300",
		Fires: []Firing{{Labels: `gpu="0000:03:00.0", sensor="junction"`, Pending: 300, Firing: 600, Resolved: 0, Text: "The junction sensor of GPU 0000:03:00.0 of llmfleet is at 108 °C, within 5 °C of its limit."}},
		Why:   "the fan of a card stops",
	}},
}

var gpuThrottled = Alert{
	Name: "LlmGPUThrottled", Severity: Warning, For: 5 * time.Minute, Panel: "heat/throttled",
	// A power limit is how most cards run under load; heat and hardware are faults.
	Expr:    `llm_gpu_throttled{reason!="power"} == 1`,
	Summary: `GPU {{ $labels.gpu }} of {{ $labels.instance }} slows itself down: {{ $labels.reason }}.`,
	Description: `Its models answer more slowly, though nothing fails.
		heat: see LlmGPUHot. hardware: the power supply or its cable gives too little, or the board asks for a brake; look at nvidia-smi -q -d PERFORMANCE.`,
	Valueless: onlyState,
	Cases: []Case{{
		Recording: "hosts/b", Edit: "heat-brake-at-300",
		Fires: []Firing{{Labels: `gpu="0000:01:00.0", reason="heat"`, Pending: 300, Firing: 600, Resolved: 0, Text: "GPU 0000:01:00.0 of llmfleet slows itself down: heat."}},
		Why:   "a card brakes for heat",
	}, {
		Recording: "hosts/b", Quiet: true,
		Why: "a power limit is no fault",
	}},
}
