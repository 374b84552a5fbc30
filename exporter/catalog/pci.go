package catalog

// HopRole is what a device of a GPU's chain is. The set is closed.
type HopRole string

// The roles.
const (
	RoleEndpoint   HopRole = "endpoint"
	RoleUpstream   HopRole = "switch_upstream"
	RoleDownstream HopRole = "switch_downstream"
	RoleRootPort   HopRole = "root_port"
	RoleUnknown    HopRole = "unknown"
)

// HopPlace is where a device of a GPU's chain sits. The set is closed.
type HopPlace string

// The places.
const (
	PlaceCard   HopPlace = "card"   // on the card: the GPU and the switch in front of it
	PlaceBoard  HopPlace = "board"  // processor, chipset, switches of the board
	PlaceTunnel HopPlace = "tunnel" // USB4 or Thunderbolt, whose figures are nominal
)

// The devices between a GPU and the processor. Chains share hops, so these know no GPU.
var (
	PCIChain = declare(Series{
		Name: "llm_pci_chain_info", Kind: Info, Labels: With(GPU, LabelHop, LabelDevice, LabelRole, LabelPlace), Origin: Host,
		Help: "A device of the GPU's chain: hop 0 is the GPU, the last one is nearest the processor.",
	})
	PCIPowerState = declare(Series{
		Name: "llm_pci_power_state_info", Kind: Info, Labels: With(Device, LabelState), Origin: Host,
		Help: "Power state that the kernel last gave the device: D0 is awake, D3hot and D3cold sleep. Reading it wakes nothing. Absent where the kernel does not know it.",
	})
	PCILinkSpeed = declare(Series{
		Name: "llm_pci_link_current_transfers_per_second", Kind: Gauge, Unit: TransfersPerSecond, Labels: Device, Origin: Host,
		Help: "Transfers per second and lane of the device's link now: 16e9 is PCIe 4. Absent where the device has no link, sleeps or cannot be reached.",
	})
	PCILinkMaxSpeed = declare(Series{
		Name: "llm_pci_link_max_transfers_per_second", Kind: Gauge, Unit: TransfersPerSecond, Labels: Device, Origin: Host,
		Help: "Transfers per second and lane that the device itself can do, whatever the other end can.",
	})
	PCILinkWidth = declare(Series{
		Name: "llm_pci_link_current_width_lanes", Kind: Gauge, Unit: Lanes, Labels: Device, Origin: Host,
		Help: "Lanes of the device's link now. Absent where the device has no link, sleeps or cannot be reached: never 0.",
	})
	PCILinkMaxWidth = declare(Series{
		Name: "llm_pci_link_max_width_lanes", Kind: Gauge, Unit: Lanes, Labels: Device, Origin: Host,
		Help: "Lanes that the device itself can use; a slot or an adapter may wire fewer.",
	})
	PCILinkBandwidth = declare(Series{
		Name: "llm_pci_link_bandwidth_bytes_per_second", Kind: Gauge, Unit: BytesPerSecond, Labels: Device, Origin: Host,
		Help: "What the device's link carries now, one direction, line code taken off.",
	})
	PCILinkTarget = declare(Series{
		Name: "llm_pci_link_target_transfers_per_second", Kind: Gauge, Unit: TransfersPerSecond, Labels: Device, Origin: Host,
		Help: "Speed that software allows the port: below its maximum it was capped, often after a bad training. Needs rights.",
	})
	PCILinkChanges = declare(Series{
		Name: "llm_pci_link_changes_total", Kind: Counter, Unit: Count, Labels: Device, Origin: Host,
		Help: "How often the link was seen at another speed or width than before, since the exporter started. It is looked at between scrapes too, but not while the card sleeps.",
	})
	PCIErrors = declare(Series{
		Name: "llm_pci_aer_errors_total", Kind: Counter, Unit: Count, Labels: With(Device, LabelSeverity, LabelError), Origin: Host,
		Help: "Errors that the device reported since it was enumerated, as the kernel names them; only those that happened, so rates want llm_pci_aer_messages_total. A bad card often shows at the port above it.",
	})
	PCIErrorMessages = declare(Series{
		Name: "llm_pci_aer_messages_total", Kind: Counter, Unit: Count, Labels: With(Device, LabelSeverity), Origin: Host,
		Help: "Error messages of the device; one message may name several errors, so this is no sum of them.",
	})
	PCIAtomicRouting = declare(Series{
		Name: "llm_pci_atomic_routing", Kind: Gauge, Unit: Boolean, Labels: Device, Origin: Host,
		Help: "1 if the port passes atomic operations on, 0 if not. A root port does not need it. Needs rights.",
	})
	PCIAtomicEgressBlocked = declare(Series{
		Name: "llm_pci_atomic_egress_blocked", Kind: Gauge, Unit: Boolean, Labels: Device, Origin: Host,
		Help: "1 if software told the port to stop atomic operations, 0 if not. Needs rights.",
	})
	PCIAtomicCompleter = declare(Series{
		Name: "llm_pci_atomic_completer", Kind: Gauge, Unit: Boolean, Labels: With(Device, LabelBits), Origin: Host,
		Help: "1 if the device can carry out atomic operations of that many bits, 0 if not. Needs rights.",
	})
)
