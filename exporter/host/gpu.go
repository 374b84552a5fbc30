package host

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// gpu is a GPU that is there, or was, or is named in the configuration.
type gpu struct {
	address string
	labels  []string // the address alone
	device  *device  // nil: only named
	present bool
	chain   chain
	path    string // target of the link in the list of devices: it says the chain
	asleep  bool   // itself or a bridge above it

	driver, card, renderNode string
	described                bool // what the driver decides is known
	numa                     value
	bars                     bars

	reader *reader // of the card's own files: one that hangs delays no other card
	amd    amdgpu
	hwmon  hwmon
	node   *kfdNode   // nil: none
	nvidia *nvidiaGPU // nil: nothing known
	dmem   dmem

	atomics    atomics
	failure    catalog.GPUFailure
	identity   identity
	product    string   // as the driver's tool names it
	info       []string // labels of llm_gpu_info
	failed     [][]string
	hopLabels  [][]string
	listed     value // by the driver's tool
	unified    value // NVIDIA: memory is the machine's; stays when the tool falls silent
	needsReset bool
}

func newGPU(address string) *gpu {
	g := &gpu{address: address, labels: []string{address}}
	for _, f := range catalog.GPUFailures() {
		g.failed = append(g.failed, []string{address, string(f)})
	}
	return g
}

// isGPU tells whether a device computes or draws. Chips that only draw a server's console,
// and those that virtual machines make up, are none.
func (d *device) isGPU() bool {
	switch d.vendor {
	case 0x1a03, 0x102b, 0x1234, 0x1b36, 0x15ad, 0x1af4, 0x1414, 0x80ee, 0x1013, 0x18ca:
		return false // ASPEED, Matrox, and QEMU, QXL, VMware, virtio, Hyper-V, VirtualBox, Cirrus, XGI
	}
	return d.looksLikeGPU() && !d.virtual
}

// looksLikeGPU goes by the class: display controllers, and AMD's accelerators.
func (d *device) looksLikeGPU() bool {
	return d.class>>16 == 0x03 || d.class>>8 == 0x1200 && (!d.described || d.vendor == vendorAMD)
}

// describe reads what the driver decides: again whenever another one is bound. None of it
// touches the card.
func (g *gpu) describe(r *reader) {
	target, err := r.link(g.device.dir + "/driver")
	if err != nil && reasonOf(err) != "" {
		r.fail(g.device.dir+"/driver", err)
		return
	}
	driver := ""
	if err == nil {
		driver = label(base(target))
	}
	if g.described && driver == g.driver {
		return
	}
	g.driver, g.described = driver, true
	g.card, g.renderNode = "", ""
	nodes, _ := r.dir(g.device.dir + "/drm") // not there without a driver
	for _, n := range nodes {
		switch {
		case strings.HasPrefix(n, "card") && !strings.Contains(n, "-"):
			g.card = label(n)
		case strings.HasPrefix(n, "renderD"):
			g.renderNode = label(n)
		}
	}
	g.numa = value{}
	if b, ok := r.text(g.device.dir + "/numa_node"); ok { // -1: the machine has none
		if v, ok := parseUint(b); ok {
			g.numa = known(float64(v))
		}
	}
	g.bars = readBARs(r, g.device.dir)
}

// vendorName is the label vendor.
func (d *device) vendorName() string {
	switch d.vendor {
	case vendorAMD:
		return "amd"
	case vendorNVIDIA:
		return "nvidia"
	case vendorIntel:
		return "intel"
	}
	return fmt.Sprintf("%04x", d.vendor)
}

// driverSource is where the card's driver says how the card is, in files of sysfs; ok is false
// for one that is gone, without a driver, or whose vendor has a tool instead.
func (g *gpu) driverSource() (source catalog.HostSource, ok bool) {
	switch {
	case !g.present, g.driver == "", g.device.vendor == vendorNVIDIA:
		return "", false
	case g.driver == "amdgpu":
		return catalog.SourceAMDGPU, true
	}
	return catalog.SourceHwmon, true
}

// readCard reads the files of the card's driver. It runs beside the other cards.
func (g *gpu) readCard() {
	awake := !g.asleep && !g.device.lost
	if g.driver == "amdgpu" {
		if g.amd.files == nil {
			g.amd = newAMDGPU(g.device.dir)
		}
		g.amd.read(g.reader, awake)
	} else {
		g.amd = amdgpu{}
	}
	if awake {
		g.hwmon.read(g.reader, g.device)
	} else {
		g.hwmon.forget()
	}
}

// forgetCard drops what the card's driver said in the round before.
func (g *gpu) forgetCard() {
	g.amd = amdgpu{}
	g.hwmon.forget()
}

// close ends what reads the card's files.
func (g *gpu) close() {
	if g.reader != nil {
		g.reader.close()
	}
}

// judge works out what is wrong with the card.
func (g *gpu) judge() {
	switch {
	case !g.present:
		g.failure = catalog.GPUGone
	case g.device.lost || g.device.config.allOnes && !g.asleep:
		g.failure = catalog.GPUUnreachable
	case g.needsReset:
		g.failure = catalog.GPUResetRequired
	case g.listed.isNot():
		g.failure = catalog.GPUUnlisted
	case g.described && g.driver == "":
		g.failure = catalog.GPUUnbound
	default:
		g.failure = ""
	}
}

// identity is what people and programs call a card.
type identity struct {
	name, vendor, id, driver, card, renderNode, uuid, architecture string
}

// infoLabels are the labels of llm_gpu_info, made again only when the identity changes. What
// a tool said once stays true while it is silent, and when the card is lost.
func (g *gpu) infoLabels(name string) []string {
	next := identity{uuid: g.identity.uuid, architecture: g.identity.architecture, driver: g.driver, card: g.card, renderNode: g.renderNode}
	if g.device != nil {
		next.vendor, next.id = g.device.vendorName(), g.device.idText
	}
	if g.nvidia != nil {
		next.uuid, g.product = g.nvidia.uuid, g.nvidia.name
	}
	if g.node != nil {
		next.architecture = g.node.target
	}
	switch {
	case name != "" || g.product != "":
		next.name = cmp.Or(name, g.product)
	case g.device != nil:
		next.name = next.vendor + " " + next.id
	default:
		next.name = g.address
	}
	if g.info == nil || next != g.identity {
		g.identity = next
		g.info = []string{g.address, next.name, next.vendor, next.id, next.driver, next.card, next.renderNode, next.uuid, next.architecture}
	}
	return g.info
}

// points are the series of a card.
func (g *gpu) points(p *points, name string, m *memory, links bool) {
	p.add(catalog.GPUInfo, 1, g.infoLabels(name)...)
	p.flag(catalog.GPUUp, g.failure == "", g.labels...)
	for i, f := range catalog.GPUFailures() {
		p.flag(catalog.GPUFailed, g.failure == f, g.failed[i]...)
	}
	if !g.present {
		return
	}
	p.flag(catalog.GPUSuspended, g.asleep, g.labels...)
	if g.described {
		p.flag(catalog.GPUDriverBound, g.driver != "", g.labels...)
	}
	p.opt(catalog.GPUIntegrated, g.integrated(), g.labels...)
	p.opt(catalog.GPUNUMANode, g.numa, g.labels...)
	p.opt(catalog.GPUBusy, g.amd.busy, g.labels...)
	p.opt(catalog.GPUMemoryBusy, g.amd.memoryBusy, g.labels...)
	g.hwmon.points(p, g)
	if g.nvidia != nil {
		g.nvidia.points(p, g)
	}
	g.memoryPoints(p, m)
	g.atomicPoints(p)
	if links && !g.linkless() {
		g.linkPoints(p)
	}
}

// countsProcesses tells whether somebody could say which processes hold the card.
func (g *gpu) countsProcesses() bool {
	return g.present && g.driver != "" && (g.device.vendor != vendorNVIDIA || g.nvidia != nil)
}

// sortedGPUs lists cards in the order of their addresses.
func sortedGPUs(all map[string]*gpu) []*gpu {
	out := make([]*gpu, 0, len(all))
	for _, g := range all {
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b *gpu) int { return cmp.Compare(a.address, b.address) })
	return out
}
