package catalog

// GPUFailure says why a card cannot be used. The set is closed.
type GPUFailure string

// The failures of a card.
const (
	GPUGone          GPUFailure = "gone"           // was there, or is named in the configuration, and has no directory in sysfs
	GPUUnreachable   GPUFailure = "unreachable"    // its directory is there and the device answers with all ones
	GPUUnbound       GPUFailure = "unbound"        // no driver is bound to it
	GPUUnlisted      GPUFailure = "unlisted"       // its driver's tool lists other cards and not this one
	GPUResetRequired GPUFailure = "reset_required" // its driver's tool says that it must be reset
)

// GPUFailures lists the closed set in the order of the documentation.
func GPUFailures() []GPUFailure {
	return []GPUFailure{GPUGone, GPUUnreachable, GPUUnbound, GPUUnlisted, GPUResetRequired}
}

// XIDKind is what an error of NVIDIA's driver says of the card. The set is closed.
type XIDKind string

// The kinds.
const (
	XIDApplication XIDKind = "application" // a program did wrong, and was stopped for it
	XIDHardware    XIDKind = "hardware"    // the card, its memory, its link or its firmware failed
	XIDOther       XIDKind = "other"       // of neither can it be said for sure
)

// XIDKinds lists the closed set in the order of the documentation.
func XIDKinds() []XIDKind { return []XIDKind{XIDApplication, XIDHardware, XIDOther} }

// Which cards there are, and whether they can be used.
var (
	GPUInfo = declare(Series{
		Name: "llm_gpu_info", Kind: Info, Origin: Host,
		Labels: With(GPU, LabelName, LabelVendor, LabelDeviceID, LabelDriver, LabelCard, LabelRenderNode, LabelUUID, LabelArchitecture),
		Help:   "A GPU of this host. It stays, with what was known last, when the card is lost.",
	})
	GPUUp = declare(Series{
		Name: "llm_gpu_up", Kind: Gauge, Unit: Boolean, Labels: GPU, Origin: Host,
		Help: "1 if the card is there and can be used, 0 if it was there (or is named in the configuration) and cannot: llm_gpu_failed says why.",
	})
	GPUFailed = declare(Series{
		Name: "llm_gpu_failed", Kind: StateSet, Unit: Boolean, Labels: With(GPU, LabelReason), Origin: Host,
		Help: "1 for the reason why the card cannot be used, 0 for every other: gone, unreachable, unbound, unlisted, reset_required.",
	})
	GPUSuspended = declare(Series{
		Name: "llm_gpu_suspended", Kind: Gauge, Unit: Boolean, Labels: GPU, Origin: Host,
		Help: "1 if the card or a bridge above it sleeps, 0 if not. What would wake it is not read, so those series are absent meanwhile.",
	})
	GPUDriverBound = declare(Series{
		Name: "llm_gpu_driver_bound", Kind: Gauge, Unit: Boolean, Labels: GPU, Origin: Host,
		Help: "1 if a kernel driver is bound to the card, 0 if none is.",
	})
	GPUIntegrated = declare(Series{
		Name: "llm_gpu_integrated", Kind: Gauge, Unit: Boolean, Labels: GPU, Origin: Host,
		Help: "1 if the GPU is part of the processor, 0 if it is a card; absent where nothing tells.",
	})
	GPUComputeNode = declare(Series{
		Name: "llm_gpu_kfd_node_present", Kind: Gauge, Unit: Boolean, Labels: GPU, Origin: Host,
		Help: "1 if AMD's compute driver (KFD) took the card, 0 if it rejected it: ROCm does not see it then; absent where KFD cannot be read.",
	})
	GPUNUMANode = declare(Series{
		Name: "llm_gpu_numa_node", Kind: Gauge, Labels: GPU, Origin: Host,
		Help: "NUMA node that the card is attached to; absent where the machine has none.",
	})
	GPUBusy = declare(Series{
		Name: "llm_gpu_busy_ratio", Kind: Gauge, Unit: Ratio, Labels: GPU, Origin: Host,
		Help: "Share of time in which the card worked, as its driver counts it; absent while it sleeps.",
	})
	GPUMemoryBusy = declare(Series{
		Name: "llm_gpu_memory_busy_ratio", Kind: Gauge, Unit: Ratio, Labels: GPU, Origin: Host,
		Help: "Share of time in which the card's memory was read or written; absent on integrated GPUs and while it sleeps.",
	})
)

// What NVIDIA's driver complained of in the kernel's log.
var (
	GPUXIDMessages = declare(Series{
		Name: "llm_gpu_xid_messages_total", Kind: Counter, Unit: Count, Labels: With(GPU, LabelKind), Origin: Host,
		Help: "Errors (XID) of the card that NVIDIA's driver wrote into the kernel's log since it was last cleared, by kind: application, hardware, other. Absent where the log cannot be read.",
	})
	GPUXIDLogEntries = declare(Series{
		Name: "llm_gpu_xid_log_entries", Kind: Gauge, Unit: Count, Labels: With(GPU, LabelKind, LabelXID), Origin: Host,
		Help: "How many of these errors the log holds by NVIDIA's number, from when it was last cleared; only those that happened.",
	})
)

// What the link of a card gives, and whether cards can work together over it.
var (
	GPULinkBandwidth = declare(Series{
		Name: "llm_gpu_link_bandwidth_bytes_per_second", Kind: Gauge, Unit: BytesPerSecond, Labels: GPU, Origin: Host,
		Help: "What the whole chain from the card to the processor carries now, one direction: the smallest of its links that tell the truth. Idle cards lower it to save power. Absent for integrated GPUs, and while the card sleeps or cannot be reached.",
	})
	GPULinkCapable = declare(Series{
		Name: "llm_gpu_link_capable_bandwidth_bytes_per_second", Kind: Gauge, Unit: BytesPerSecond, Labels: GPU, Origin: Host,
		Help: "What the whole chain could carry: the smallest of what both ends of each link can do. Lanes that an adapter does not wire are not seen.",
	})
	GPULinkCardCapable = declare(Series{
		Name: "llm_gpu_link_card_bandwidth_bytes_per_second", Kind: Gauge, Unit: BytesPerSecond, Labels: GPU, Origin: Host,
		Help: "What the card could carry in a slot that gives it all that it can use.",
	})
	GPULinkLimitingHop = declare(Series{
		Name: "llm_gpu_link_limiting_hop_info", Kind: Info, Labels: With(GPU, LabelDevice, LabelDownstream), Origin: Host,
		Help: "The slowest link of the chain now: device is its upper end, as the kernel's messages name it, downstream its lower one. Of equal links it is the one nearest the processor.",
	})
	GPULinkUpperBound = declare(Series{
		Name: "llm_gpu_link_upper_bound_only", Kind: Gauge, Unit: Boolean, Labels: GPU, Origin: Host,
		Help: "1 if the chain goes through a tunnel (USB4, Thunderbolt): the bandwidth is at most what is shown. 0 if not.",
	})
	GPUAtomics = declare(Series{
		Name: "llm_gpu_atomics_to_root", Kind: Gauge, Unit: Boolean, Labels: With(GPU, LabelSource), Origin: Host,
		Help: "1 if atomic operations of the card reach the processor, 0 if they cannot: by source config (registers, needs rights), kfd (AMD's verdict), driver (integrated GPUs). Absent where nothing tells.",
	})
	GPUAtomicsBlockingHop = declare(Series{
		Name: "llm_gpu_atomics_blocking_hop_info", Kind: Info, Labels: With(GPU, LabelDevice, LabelReason), Origin: Host,
		Help: "The first device that stops the card's atomic operations, with the reason: no_routing, egress_blocked, root_not_completer. Needs rights.",
	})
	GPUPeerLink = declare(Series{
		Name: "llm_gpu_peer_link_present", Kind: Gauge, Unit: Boolean, Labels: With(GPU, LabelPeer), Origin: Host,
		Help: "1 if AMD's compute driver lets the card reach the peer's memory directly, 0 if it lists no such link.",
	})
	GPUReBAR = declare(Series{
		Name: "llm_gpu_rebar_enabled", Kind: Gauge, Unit: Boolean, Labels: GPU, Origin: Host,
		Help: "1 if the processor sees all of the card's memory at once (resizable BAR), 0 if only a window; absent on integrated GPUs and where sizes are not known.",
	})
	GPUBARSize = declare(Series{
		Name: "llm_gpu_bar_size_bytes", Kind: Gauge, Unit: Bytes, Labels: GPU, Origin: Host,
		Help: "Size of the card's largest memory window.",
	})
)

// The memory of a card, and who holds it.
var (
	GPUVRAMSize = declare(Series{
		Name: "llm_gpu_memory_vram_size_bytes", Kind: Gauge, Unit: Bytes, Labels: GPU, Origin: Host,
		Help: "The card's own memory; of an integrated GPU the part that firmware carved out of the machine's.",
	})
	GPUVRAMUsed = declare(Series{
		Name: "llm_gpu_memory_vram_used_bytes", Kind: Gauge, Unit: Bytes, Labels: GPU, Origin: Host,
		Help: "The card's own memory in use.",
	})
	GPUVRAMReserved = declare(Series{
		Name: "llm_gpu_memory_vram_reserved_bytes", Kind: Gauge, Unit: Bytes, Labels: GPU, Origin: Host,
		Help: "The card's own memory that its driver and firmware keep for themselves, where used leaves it out (NVIDIA).",
	})
	GPUVisibleVRAMSize = declare(Series{
		Name: "llm_gpu_memory_visible_vram_size_bytes", Kind: Gauge, Unit: Bytes, Labels: GPU, Origin: Host,
		Help: "The part of the card's own memory that the processor can see.",
	})
	GPUVisibleVRAMUsed = declare(Series{
		Name: "llm_gpu_memory_visible_vram_used_bytes", Kind: Gauge, Unit: Bytes, Labels: GPU, Origin: Host,
		Help: "The visible part in use.",
	})
	GPUGTTSize = declare(Series{
		Name: "llm_gpu_memory_gtt_size_bytes", Kind: Gauge, Unit: Bytes, Labels: GPU, Origin: Host,
		Help: "How much of the machine's memory the GPU may use: a ceiling, not a reservation.",
	})
	GPUGTTUsed = declare(Series{
		Name: "llm_gpu_memory_gtt_used_bytes", Kind: Gauge, Unit: Bytes, Labels: GPU, Origin: Host,
		Help: "How much of the machine's memory the GPU uses.",
	})
	GPUUsableSize = declare(Series{
		Name: "llm_gpu_memory_usable_size_bytes", Kind: Gauge, Unit: Bytes, Labels: With(GPU, LabelPool), Origin: Host,
		Help: "Memory that an engine can really allocate from, and its pool: vram, gtt, or host. Pools of one GPU are never added up; where memory is shared it is never above the machine's.",
	})
	GPUUsableUsed = declare(Series{
		Name: "llm_gpu_memory_usable_used_bytes", Kind: Gauge, Unit: Bytes, Labels: With(GPU, LabelPool), Origin: Host,
		Help: "That pool in use, reserved memory included.",
	})
	GPUMemoryShared = declare(Series{
		Name: "llm_gpu_memory_shared", Kind: Gauge, Unit: Boolean, Labels: GPU, Origin: Host,
		Help: "1 if the GPU's memory is the machine's (unified memory), 0 if it is the card's own; absent where nothing tells.",
	})
	GPUProcesses = declare(Series{
		Name: "llm_gpu_processes", Kind: Gauge, Unit: Count, Labels: GPU, Origin: Host,
		Help: "Processes that are known to hold the card. 0 only where all processes of the machine can be seen, or else absent.",
	})
	GPUProcessMemory = declare(Series{
		Name: "llm_gpu_process_memory_bytes", Kind: Gauge, Unit: Bytes, Labels: With(GPU, LabelBackend, LabelProcess, LabelPool), Origin: Host,
		Help: "Memory of the card that processes of one program hold, and the backend that they serve where it is known. What several processes share counts once, for the oldest of them.",
	})
	GPUProcessIDMemory = declare(Series{
		Name: "llm_gpu_process_id_memory_bytes", Kind: Gauge, Unit: Bytes, Labels: With(GPU, LabelPID, LabelProcess, LabelPool), Origin: Host,
		Help: "The same for each process by itself, at most 200 of them: only where host.process_ids asks for it, for every start of a program makes new series.",
	})
	GPUBackend = declare(Series{
		Name: "llm_gpu_backend_info", Kind: Info, Labels: With(GPU, LabelBackend), Origin: Host,
		Help: "A backend of the configuration that runs on the card: a process that listens at its port holds memory there.",
	})
)

// How the card feels.
var (
	GPUTemperature = declare(Series{
		Name: "llm_gpu_temperature_celsius", Kind: Gauge, Unit: Celsius, Labels: With(GPU, LabelSensor), Origin: Host,
		Help: "Temperature by sensor: edge, junction, mem, gpu. Absent while the card sleeps.",
	})
	GPUTemperatureCritical = declare(Series{
		Name: "llm_gpu_temperature_critical_celsius", Kind: Gauge, Unit: Celsius, Labels: With(GPU, LabelSensor), Origin: Host,
		Help: "Temperature above which the card protects itself, where its driver says it.",
	})
	GPUPower = declare(Series{
		Name: "llm_gpu_power_watts", Kind: Gauge, Unit: Watts, Labels: GPU, Origin: Host,
		Help: "Power that the card draws; of an integrated GPU it is that of the whole processor.",
	})
	GPUPowerLimit = declare(Series{
		Name: "llm_gpu_power_limit_watts", Kind: Gauge, Unit: Watts, Labels: GPU, Origin: Host,
		Help: "Power that the card may draw.",
	})
	GPUClock = declare(Series{
		Name: "llm_gpu_clock_hertz", Kind: Gauge, Unit: Hertz, Labels: With(GPU, LabelClock), Origin: Host,
		Help: "Clock now: graphics, memory.",
	})
	GPUThrottled = declare(Series{
		Name: "llm_gpu_throttled", Kind: StateSet, Unit: Boolean, Labels: With(GPU, LabelReason), Origin: Host,
		Help: "1 for a reason that slows the card down now, 0 for one that does not: power, heat, hardware. Absent where its driver does not say it.",
	})
)
