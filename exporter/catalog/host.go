package catalog

// HostSource is one thing that host facts are read from. The set is closed.
type HostSource string

// The sources.
const (
	SourcePCI       HostSource = "pci"        // sysfs: devices, chains, links
	SourceAER       HostSource = "aer"        // sysfs: error counters
	SourceAtomics   HostSource = "atomics"    // configuration space
	SourceKFD       HostSource = "kfd"        // AMD's compute driver
	SourceAMDGPU    HostSource = "amdgpu"     // AMD's graphics driver
	SourceHwmon     HostSource = "hwmon"      // sysfs: sensors of cards of other drivers
	SourceNVIDIA    HostSource = "nvidia"     // nvidia-smi
	SourceKernelLog HostSource = "kernel_log" // /dev/kmsg: errors of NVIDIA's driver
	SourceProcesses HostSource = "processes"  // procfs: who holds which card
	SourceMemory    HostSource = "memory"     // procfs: the machine's memory
)

// HostSources lists the closed set in the order of the documentation.
func HostSources() []HostSource {
	return []HostSource{SourcePCI, SourceAER, SourceAtomics, SourceKFD, SourceAMDGPU, SourceHwmon, SourceNVIDIA, SourceKernelLog, SourceProcesses, SourceMemory}
}

// HostReason says why a source or a file gave nothing. The set is closed.
type HostReason string

// The reasons.
const (
	HostDenied    HostReason = "denied"    // no rights, or a container without the device
	HostMissing   HostReason = "missing"   // the file or the tool is not there
	HostTimeout   HostReason = "timeout"   // no answer before the deadline
	HostIO        HostReason = "io"        // the kernel says that it cannot be read
	HostMalformed HostReason = "malformed" // an answer that cannot be understood
	HostTool      HostReason = "tool"      // the vendor's tool ended with an error
	HostNVMLInit  HostReason = "nvml_init" // the vendor's tool cannot reach its driver: in a container, restart it
	HostAsleep    HostReason = "asleep"    // reading would wake a card, so nothing was read
)

// HostReasons lists the closed set in the order of the documentation.
func HostReasons() []HostReason {
	return []HostReason{HostDenied, HostMissing, HostTimeout, HostIO, HostMalformed, HostTool, HostNVMLInit, HostAsleep}
}

// Remedy is what a person can do about the reason; "" where it goes away by itself.
func (r HostReason) Remedy() string {
	switch r {
	case HostDenied:
		return "give the exporter's unit or container the device, or the exporter the rights"
	case HostMissing:
		return "bring the tool or the file into the exporter's container, or turn the source off (--no-collector.NAME)"
	case HostTimeout:
		return "see whether a card or its driver hangs: run the tool by hand, read the kernel's log"
	case HostIO, HostMalformed:
		return "read the exporter's log: it names the file"
	case HostTool:
		return "run the vendor's tool by hand on that machine"
	case HostNVMLInit:
		return "run nvidia-smi by hand; in a container that lost its devices, restart the container"
	}
	return ""
}

// The machine, and whether it can be seen. These belong to the exporter's own host.
var (
	HostGPUs = declare(Series{
		Name: "llm_host_gpus", Kind: Gauge, Unit: Count, Origin: Host,
		Help: "GPUs that the machine has now, those left out in the configuration excluded; 0 on a machine without.",
	})
	HostExpectedGPUs = declare(Series{
		Name: "llm_host_expected_gpus", Kind: Gauge, Unit: Count, Origin: Host,
		Help: "GPUs that the machine should have: what the configuration says, or else the most that were seen since the exporter started.",
	})
	HostMemorySize = declare(Series{
		Name: "llm_host_memory_size_bytes", Kind: Gauge, Unit: Bytes, Origin: Host,
		Help: "The machine's memory, without what firmware carved out for a GPU.",
	})
	HostMemoryAvailable = declare(Series{
		Name: "llm_host_memory_available_bytes", Kind: Gauge, Unit: Bytes, Origin: Host,
		Help: "Memory that the kernel believes it can give. It counts page cache as free, pinned weights of a model included: compare llm_host_memory_free_bytes.",
	})
	HostMemoryFree = declare(Series{
		Name: "llm_host_memory_free_bytes", Kind: Gauge, Unit: Bytes, Origin: Host,
		Help: "Memory that nothing uses.",
	})
	HostMemoryCached = declare(Series{
		Name: "llm_host_memory_cached_bytes", Kind: Gauge, Unit: Bytes, Origin: Host,
		Help: "Page cache.",
	})
	HostMemoryUnevictable = declare(Series{
		Name: "llm_host_memory_unevictable_bytes", Kind: Gauge, Unit: Bytes, Origin: Host,
		Help: "Memory that cannot be taken back: pinned by programs or drivers.",
	})
	HostMemoryReserved = declare(Series{
		Name: "llm_host_memory_huge_pages_bytes", Kind: Gauge, Unit: Bytes, Origin: Host,
		Help: "Memory set aside as huge pages, used or not.",
	})
	HostMemoryContiguous = declare(Series{
		Name: "llm_host_memory_contiguous_bytes", Kind: Gauge, Unit: Bytes, Origin: Host,
		Help: "Free memory in blocks of 2 MiB and more. When it runs out the kernel moves memory around, and programs stand still for minutes.",
	})
	HostMemoryStalled = declare(Series{
		Name: "llm_host_memory_stalled_seconds_total", Kind: Counter, Unit: Seconds, Origin: Host,
		Help: "Time in which every runnable program waited for memory.",
	})
	HostSwapSize = declare(Series{
		Name: "llm_host_swap_size_bytes", Kind: Gauge, Unit: Bytes, Origin: Host,
		Help: "Swap space; 0 on a machine without.",
	})
	HostSwapFree = declare(Series{
		Name: "llm_host_swap_free_bytes", Kind: Gauge, Unit: Bytes, Origin: Host,
		Help: "Swap space that nothing uses.",
	})
	HostSourceUp = declare(Series{
		Name: "llm_host_source_up", Kind: Gauge, Unit: Boolean, Labels: []string{LabelSource}, Origin: Host,
		Help: "1 if the source gave what it should, 0 if not; absent for a source that this machine has no use for.",
	})
	HostSourceFailed = declare(Series{
		Name: "llm_host_source_failed", Kind: StateSet, Unit: Boolean, Labels: []string{LabelSource, LabelReason}, Origin: Host,
		Help: "1 for the reason why the source gave nothing, 0 for every other: denied, missing, timeout, io, malformed, tool, nvml_init.",
	})
	HostSourceLastSuccess = declare(Series{
		Name: "llm_host_source_last_success_timestamp_seconds", Kind: Gauge, Unit: Timestamp, Labels: []string{LabelSource}, Origin: Host,
		Help: "When the source last gave what it should; absent if never.",
	})
	HostSourceTimeouts = declare(Series{
		Name: "llm_host_source_timeouts_total", Kind: Counter, Unit: Count, Labels: []string{LabelSource}, Origin: Host,
		Help: "How often the source did not answer in time since the exporter started.",
	})
	HostReadErrors = declare(Series{
		Name: "llm_host_read_errors_total", Kind: Counter, Unit: Count, Labels: []string{LabelSource, LabelReason}, Origin: Host,
		Help: "Files that are there and could not be read or understood since the exporter started. Each takes away only its own series.",
	})
	HostUnreadableProcesses = declare(Series{
		Name: "llm_host_unreadable_processes", Kind: Gauge, Unit: Count, Origin: Host,
		Help: "Processes whose memory on the cards could not be read for want of rights: llm_gpu_process_memory_bytes lacks them.",
	})
	HostConfigReadable = declare(Series{
		Name: "llm_host_config_space_readable", Kind: Gauge, Unit: Boolean, Origin: Host,
		Help: "1 if the configuration space of PCI devices can be read, 0 if rights are missing: series that need them are then absent. Absent on a machine without a GPU.",
	})
)
