package host

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

func TestLinkSpeedIsReadAsEveryKernelPrintsIt(t *testing.T) {
	for in, want := range map[string]float64{
		"2.5 GT/s PCIe": 2.5e9, "5.0 GT/s PCIe": 5e9, "8.0 GT/s PCIe": 8e9, "8 GT/s": 8e9, "16.0 GT/s PCIe": 16e9, "16 GT/s": 16e9,
		"32.0 GT/s PCIe": 32e9, "64.0 GT/s PCIe": 64e9,
		"Unknown": 0, "Unknown speed": 0, "(null)": 0, "66 MHz PCI": 0, "133 MHz PCI-X": 0, "4x AGP": 0, "": 0, "GT/s": 0, "9 GT/s": 0, "NaN GT/s": 0, "8.0": 0,
	} {
		if got, ok := parseSpeed([]byte(in)); got != want || ok != (want > 0) {
			t.Errorf("parseSpeed(%q) = %v, %v, want %v", in, got, ok, want)
		}
	}
}

func TestWidthsThatAreNoneAreUnknown(t *testing.T) {
	for in, want := range map[string]float64{
		"1": 1, "2": 2, "4": 4, "8": 8, "12": 12, "16": 16, "32": 32, "x16": 16,
		"0": 0, "63": 0, "255": 0, "3": 0, "-1": 0, "": 0, "none": 0, "4294967296": 0,
	} {
		if got, ok := parseWidth([]byte(in)); got != want || ok != (want > 0) {
			t.Errorf("parseWidth(%q) = %v, %v, want %v", in, got, ok, want)
		}
	}
}

func TestBandwidthIsWithinAThousandthOfTheKernels(t *testing.T) {
	for _, tt := range []struct{ speed, width, megabits float64 }{ // as its messages print them
		{2.5e9, 16, 32000}, {5e9, 1, 4000}, {8e9, 1, 7876}, {8e9, 16, 126016}, {16e9, 4, 63012}, {16e9, 16, 252048}, {32e9, 16, 504112}, {64e9, 16, 1024000},
	} {
		got := end{known(tt.speed), known(tt.width)}.bandwidth()
		if ratio := got.v * 8 / 1e6 / tt.megabits; !got.known || ratio < 0.999 || ratio > 1.001 {
			t.Errorf("%v GT/s x%v = %v bytes, the kernel says %v Mb/s", tt.speed/1e9, tt.width, got.v, tt.megabits)
		}
	}
}

func TestAddressesAreReadInEverySpelling(t *testing.T) {
	for in, want := range map[string]string{
		"0000:0b:00.0": "0000:0b:00.0", "0b:00.0": "0000:0b:00.0", "00000000:0B:00.0": "0000:0b:00.0", "0000000F:01:00.0": "000f:01:00.0",
		"10000:e1:00.0": "10000:e1:00.0", "00010000:E1:00.0": "10000:e1:00.0", " 0001:02:03.7 ": "0001:02:03.7",
		"": "", "gpu0": "", "0000:0b:00": "", "0000:0b:00.8": "", "0000:zz:00.0": "", "0b.00.0": "", "1:2:3.4": "",
	} {
		if got, ok := ParseAddress(in); ok != (want != "") || ok && got != want {
			t.Errorf("ParseAddress(%q) = %q, %v, want %q", in, got, ok, want)
		}
	}
	if got := addressOf(0, 25344); got != "0000:63:00.0" {
		t.Errorf("location 25344 is %s", got)
	}
}

func TestChainEndsAtTheInnermostHostBridge(t *testing.T) {
	for path, want := range map[string][]string{
		"../../../devices/pci0000:00/0000:00:02.1/0000:05:00.0/0000:06:09.0": {"0000:06:09.0", "0000:05:00.0", "0000:00:02.1"},
		"../../../devices/pci0000:e0/0000:e0:00.5/pci10000:e0/10000:e0:02.0": {"10000:e0:02.0"},
		"../../../devices/platform/axi/1000110000.pcie/pci0001:00/0001:00:00.0/0001:01:00.0": {
			"0001:01:00.0", "0001:00:00.0"},
		"../../../devices/LNXSYSTM:00/LNXSYBUS:00/ACPI0004:00/VMBUS:01/abc/pci5a3c:00/5a3c:00:00.0": {"5a3c:00:00.0"},
		"": nil, "/": nil, "nonsense": nil,
	} {
		if got := chainOf(path); !slices.Equal(got, want) {
			t.Errorf("chainOf(%q) = %q, want %q", path, got, want)
		}
	}
}

// registers makes a configuration space from the bytes of its capability, as lspci -xxx shows them.
func registers(t *testing.T, capability string) []byte {
	t.Helper()
	b := make([]byte, 256)
	b[0x06], b[0x34] = 0x10, 0x40
	b[0x40], b[0x41] = 0x09, 0x60 // a vendor's capability whose content looks like another one
	b[0x44] = 0x10
	part, err := hex.DecodeString(strings.ReplaceAll(capability, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	copy(b[0x60:], part)
	return b
}

func TestRegistersAreReadWhereTheStandardPutsThem(t *testing.T) {
	// 0x00 id, next, flags; 0x04 devices; 0x0c link capabilities; 0x24 device capabilities 2
	// (bits 6 routing, 7 and 8 and 9 completer); 0x28 device control 2 (6 requester, 7 egress
	// blocking); 0x30 link control 2 (target speed).
	rest := func(can, control, target string) string {
		return strings.Repeat("00", 0x20) + can + "0000" + control + "0000" + strings.Repeat("00", 4) + target + "0000"
	}
	for name, tt := range map[string]struct {
		bytes string
		want  configSpace
	}{
		"root port":           {"1000 4200" + rest("c003", "0000", "0400"), configSpace{express: true, kind: typeRootPort, ability: true, routing: true, completes32: true, completes64: true, completes128: true, target: known(16e9)}},
		"upstream, blocking":  {"1000 5200" + rest("4000", "8000", "0100"), configSpace{express: true, kind: typeUpstream, ability: true, routing: true, egressBlocked: true, target: known(2.5e9)}},
		"endpoint, requester": {"1000 0200" + rest("8001", "4000", "0500"), configSpace{express: true, kind: typeEndpoint, ability: true, completes32: true, completes64: true, requester: true, target: known(32e9)}},
		"version 1":           {"1000 4100" + rest("c003", "0000", "0400"), configSpace{express: true, kind: typeRootPort}},
		"no link":             {"1000 9200" + rest("0000", "0000", "0300"), configSpace{express: true, kind: typeIntegrated, ability: true}},
		"no such capability":  {"0100 0000", configSpace{}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := decodeConfig(registers(t, tt.bytes)); got != tt.want {
				t.Errorf("registers = %+v\nwant %+v", got, tt.want)
			}
		})
	}
	if c := decodeConfig([]byte(strings.Repeat("\xff", 256))); !c.allOnes || c.express {
		t.Errorf("all ones = %+v", c)
	}
	if c := decodeConfig(registers(t, "1000 4200")[:64]); c.express || c.allOnes {
		t.Errorf("what everybody may read = %+v", c)
	}
	loop := registers(t, "0160 0000")
	if c := decodeConfig(loop); c.express {
		t.Errorf("a list that bites its tail = %+v", c)
	}
}

func TestAtomicsFollowTheKernelsOrder(t *testing.T) {
	port := func(address string, kind byte, routing, blocked bool) *device {
		d := newDevice(address)
		d.config = configSpace{express: true, ability: true, kind: kind, routing: routing, egressBlocked: blocked, completes32: true, completes64: true}
		return d
	}
	gpu := port("gpu", typeEndpoint, false, false)
	root := func(c32, c64 bool) *device {
		d := port("root", typeRootPort, false, false)
		d.config.completes32, d.config.completes64 = c32, c64
		return d
	}
	unread := newDevice("unread")
	for name, tt := range map[string]struct {
		chain  chain
		reach  value
		at     string
		reason string
	}{
		"straight":                        {chain{gpu, root(true, true)}, known(1), "", ""},
		"64 bits are missing":             {chain{gpu, root(true, false)}, known(0), "root", rootNotCompleter},
		"root before hops":                {chain{gpu, port("down", typeDownstream, false, false), port("up", typeUpstream, false, false), root(false, false)}, known(0), "root", rootNotCompleter},
		"from the GPU up":                 {chain{gpu, port("down", typeDownstream, false, false), port("up", typeUpstream, false, false), root(true, true)}, known(0), "down", noRouting},
		"blocking before routing":         {chain{gpu, port("down", typeDownstream, true, false), port("up", typeUpstream, false, true), root(true, true)}, known(0), "up", egressBlocked},
		"blocking of a downstream port":   {chain{gpu, port("down", typeDownstream, true, true), port("up", typeUpstream, true, false), root(true, true)}, known(1), "", ""},
		"another kind of bridge":          {chain{gpu, port("odd", 8, false, true), root(true, true)}, known(1), "", ""},
		"a hop that could not be read":    {chain{gpu, unread, port("up", typeUpstream, true, false), root(true, true)}, value{}, "", ""},
		"a root that could not be read":   {chain{gpu, port("down", typeDownstream, true, false), unread}, value{}, "", ""},
		"a GPU that could not be read":    {chain{unread, root(true, true)}, value{}, "", ""},
		"a guest without requests":        {chain{gpu}, known(0), "", ""},
		"integrated: its driver decides":  {chain{port("igpu", typeIntegrated, false, false)}, value{}, "", ""},
		"something that is no GPU at all": {chain{port("port", typeDownstream, true, false), root(true, true)}, value{}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := atomicsToRoot(tt.chain)
			at := ""
			if got.blocker != nil {
				at = got.blocker.address
			}
			if got.reach != tt.reach || at != tt.at || got.reason != tt.reason {
				t.Errorf("verdict = %v at %q for %q, want %v at %q for %q", got.reach, at, got.reason, tt.reach, tt.at, tt.reason)
			}
		})
	}
}

func TestCompilersNameOfAnArchitecture(t *testing.T) {
	for v, want := range map[uint64]string{120001: "gfx1201", 110501: "gfx1151", 110000: "gfx1100", 90010: "gfx90a", 90402: "gfx942", 80003: "gfx803", 100306: "gfx1036", 0: "", 7: ""} {
		if got := gfxName(v); got != want {
			t.Errorf("gfxName(%d) = %q, want %q", v, got, want)
		}
	}
}

func TestBlanksOfTheToolAreNoNumbers(t *testing.T) {
	// Markers, and numbers that stand for "not available".
	gpus, ok := parseNVIDIA([]byte("index, uuid, pci.bus_id, temperature.gpu, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W]\n" +
		"0, GPU-0001, 00000000:16:00.0, 41, 4294967295, 9223372036854775792, [N/A], 69.437\n" +
		"1, GPU-0002, 00000000:38:00.0, [Unknown Error], 2147483632, -1, [Not Supported], 11.17 W\n" +
		"a warning\n"))
	if !ok || len(gpus) != 2 {
		t.Fatalf("%d cards, %v", len(gpus), ok)
	}
	for _, n := range gpus {
		if n.busy.known || n.memoryUsed.known || n.memoryTotal.known {
			t.Errorf("%s: a blank became a number: %+v", n.address, n)
		}
	}
	if gpus[0].power != known(69.437) || gpus[0].temperature != known(41) || gpus[1].power != known(11.17) || gpus[1].temperature.known {
		t.Errorf("cards = %+v %+v", gpus[0], gpus[1])
	}
}

func TestMemoryOfOldAndNewKernelsIsRead(t *testing.T) {
	for name, tt := range map[string]struct {
		in        string
		vram, gtt float64
		ok        bool
	}{
		"amdgpu of 6.12":      {"drm-pdev: 0000:03:00.0\ndrm-client-id: 7\ndrm-memory-vram: 4 KiB\ndrm-memory-gtt: 1 MiB\ndrm-memory-cpu: 9 MiB\n", 4096, 1 << 20, true},
		"resident wins":       {"drm-pdev: 0000:03:00.0\ndrm-client-id: 7\ndrm-total-vram: 9 MiB\ndrm-memory-vram: 5 MiB\ndrm-resident-vram: 4096\n", 4096, 0, true},
		"resident of nothing": {"drm-pdev: 0000:03:00.0\ndrm-client-id: 7\ndrm-total-vram: 9 MiB\ndrm-resident-vram: 0\n", 0, 0, true},
		"two regions of a card": {"drm-pdev: 0000:03:00.0\ndrm-client-id: 7\ndrm-resident-vram0: 1 KiB\ndrm-resident-vram1: 2 KiB\ndrm-resident-system: 3 KiB\n",
			3072, 3072, true},
		"i915":              {"drm-pdev: 0000:03:00.0\ndrm-client-id: 7\ndrm-resident-local0: 1 KiB\ndrm-resident-system0: 2 KiB\ndrm-resident-stolen: 9 KiB\n", 1024, 2048, true},
		"no client":         {"drm-pdev: 0000:03:00.0\ndrm-memory-vram: 4 KiB\n", 0, 0, false},
		"no card":           {"drm-client-id: 7\ndrm-memory-vram: 4 KiB\n", 0, 0, false},
		"before 5.19":       {"pdev: 0000:03:00.0\nvram mem: 44 kB\n", 0, 0, false},
		"a unit of nowhere": {"drm-pdev: 0000:03:00.0\ndrm-client-id: 7\ndrm-memory-vram: 4 pages\n", 0, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			c, ok := parseClient([]byte(tt.in))
			if ok != tt.ok || ok && (c.memory[0] != tt.vram || c.memory[1] != tt.gtt) {
				t.Errorf("client = %+v, %v", c, ok)
			}
		})
	}
}

func TestErrorsReadFromFullPages(t *testing.T) {
	d := newDevice("0000:00:00.0")
	d.aer.parse(0, []byte("RxErr 18446744073709551615\nBadTLP 0\nRxErr 3\nnonsense\nX y\nTOTAL_ERR_COR 9\n"), d.address)
	p := &points{}
	d.aer.points(p, d)
	if len(p.all) != 2 || p.all[0].Value != 18446744073709551615 || p.all[1].Series != catalog.PCIErrorMessages || p.all[1].Value != 9 {
		t.Errorf("points = %+v", p.all)
	}
}
