package host

import (
	"slices"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// chain is the way from a GPU to its root port: the GPU first.
type chain []*device

// Vendors of GPUs.
const (
	vendorAMD    = 0x1002
	vendorAMDCPU = 0x1022 // also the switches on Vega cards
	vendorNVIDIA = 0x10de
	vendorIntel  = 0x8086
)

// idOf is vendor and device in one number.
func (d *device) idOf() uint64 { return d.vendor<<16 | d.id }

// Since Vega an AMD card has a switch in front of the GPU; Navi's ids are of another vendor.
var (
	amdUpstream   = []uint64{0x1002_1478, 0x1022_1470}
	amdDownstream = []uint64{0x1002_1479, 0x1022_1471}
)

// intelUpstream are the ports of Arc and Battlemage cards that train with the slot.
var intelUpstream = []uint64{0x8086_4fa0, 0x8086_4fa1, 0x8086_e2ff}

// tunnels are ports of USB4 and Thunderbolt controllers. Their PCI Express is packets in a
// cable; the speed that they show is a nominal one.
var tunnels = []uint64{
	0x8086_1576, 0x8086_1578, 0x8086_15c0, 0x8086_15d3, 0x8086_15da, // JHL6xxx
	0x8086_15e7, 0x8086_15ea, 0x8086_15ef, // JHL7xxx
	0x8086_1136, 0x8086_1137, 0x8086_0b26, // JHL8xxx
	0x8086_9a23, 0x8086_9a25, 0x8086_9a27, 0x8086_9a29, // root ports of processors
	0x8086_8a1d, 0x8086_8a1f, 0x8086_8a21, 0x8086_8a23,
	0x8086_466e, 0x8086_463f, 0x8086_462f, 0x8086_461f, 0x8086_a73f, 0x8086_a76e,
	0x1022_14ef, // AMD
}

// onCard is how many devices of the chain are on the card: the GPU alone, or the GPU and the
// two ports of its switch.
func (c chain) onCard() int {
	if len(c) < 3 || !c[1].isBridge() || !c[2].isBridge() {
		return 1
	}
	amd := slices.Contains(amdDownstream, c[1].idOf()) && slices.Contains(amdUpstream, c[2].idOf())
	// Intel's cards have a switch of Intel's; a root port is not on a card, so a fourth
	// device must be there, but for a guest that sees the card alone.
	intel := c[0].vendor == vendorIntel && c[1].vendor == vendorIntel && c[2].vendor == vendorIntel &&
		(len(c) > 3 || slices.Contains(intelUpstream, c[2].idOf()))
	if amd || intel {
		return 3
	}
	return 1
}

// outer is the device that trains with the slot: what it says is the truth about the card's link.
func (c chain) outer() *device { return c[c.onCard()-1] }

// tunnelled tells whether the way leads through a cable that carries packets.
func (c chain) tunnelled() bool { return slices.ContainsFunc(c, (*device).isTunnel) }

func (d *device) isTunnel() bool {
	return d.removable || d.isBridge() && slices.Contains(tunnels, d.idOf())
}

// place says where a device of the chain sits.
func (c chain) place(i int) catalog.HopPlace {
	switch {
	case i < c.onCard():
		return catalog.PlaceCard
	case c[i].isTunnel():
		return catalog.PlaceTunnel
	}
	return catalog.PlaceBoard
}

// role says what a device of the chain is: by its registers where they can be read, or else
// by its place, for the ports of switches alternate.
func (c chain) role(i int) catalog.HopRole {
	if role, ok := c[i].config.role(); ok {
		return role
	}
	switch {
	case i == 0:
		return catalog.RoleEndpoint
	case !c[i].isBridge():
		return catalog.RoleUnknown
	case i == len(c)-1:
		return catalog.RoleRootPort
	case i%2 == 1:
		return catalog.RoleDownstream
	}
	return catalog.RoleUpstream
}

// trusted tells whether a device's figures are those of a real link.
func (c chain) trusted(i int) bool {
	d := c[i]
	if i < c.onCard()-1 && c[0].vendor == vendorIntel {
		// Arc: the GPU and the port next to it show 2.5 GT/s x1 for ever.
		return !d.max.is(2.5e9, 1) && (d.max.known() || !d.now.is(2.5e9, 1))
	}
	if c.place(i) != catalog.PlaceCard && c.tunnelled() {
		return d.now.speed.known && d.now.speed.v != 2.5e9
	}
	return true
}

// wire is one link of the chain; of a machine without a visible root port the last has no
// upper end.
type wire struct {
	upper, lower *device
	now, max     end // of the ends that can be trusted
}

// wires returns the links of the chain, the GPU's first. Ports of one switch are no link: the
// devices are taken in pairs from the GPU up. Devices of the old bus have none.
func (c chain) wires() []wire {
	var all []wire
	var open *wire
	for i, d := range c {
		if !d.hasLink {
			continue
		}
		if open == nil {
			all = append(all, wire{lower: d})
			open = &all[len(all)-1]
		} else {
			open.upper = d
		}
		if c.trusted(i) {
			open.now, open.max = both(open.now, d.now), both(open.max, d.max)
		}
		if open.upper != nil {
			open = nil
		}
	}
	return all
}

// verdict is what the chain as a whole carries.
type verdict struct {
	now, capable, card value
	limit              *wire // the slowest now
}

// judge finds the slowest link. Of equal ones it is the one nearest the processor, as in
// the kernel's messages.
func (c chain) judge() verdict {
	v := verdict{card: c.outer().max.bandwidth()}
	all := c.wires()
	for i := len(all) - 1; i >= 0; i-- {
		w := &all[i]
		v.capable = smaller(v.capable, w.max.bandwidth())
		if now := w.now.bandwidth(); now.known && (!v.now.known || now.v < v.now.v) {
			v.now, v.limit = now, w
		}
	}
	return v
}
