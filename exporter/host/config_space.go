package host

import (
	"encoding/binary"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// configLength is how much of the configuration space is read: all that the facts below
// stand in. Reading the extended part as well would be a thousand more register reads.
const configLength = 256

// configEvery is how often it is read: nearly all of it never changes.
const configEvery = time.Minute

// configSpace is what a device's registers say. The kernel shows them from byte 64 on only
// to who may administer the system.
type configSpace struct {
	at      time.Time // when it was read
	tried   bool
	allOnes bool // nobody answers
	express bool // the capability was found
	kind    byte // device type: see below
	ability bool // DevCap2 exists

	routing, egressBlocked, requester      bool
	completes32, completes64, completes128 bool
	target                                 value // LnkCtl2
}

// Device types of the PCI Express capability.
const (
	typeEndpoint   = 0
	typeLegacy     = 1
	typeRootPort   = 4
	typeUpstream   = 5
	typeDownstream = 6
	typeIntegrated = 9 // in the processor, without a link
	typeCollector  = 10
)

// readConfig reads the registers now and then. It wakes the device.
func (d *device) readConfig(r *reader, now time.Time) {
	if d.config.tried && now.Sub(d.config.at) < configEvery && now.Sub(d.config.at) >= 0 {
		return
	}
	b, err := r.bytes(d.files.config, configLength)
	if err != nil {
		r.fail(d.files.config, err)
		d.config = configSpace{}
		return
	}
	d.config = decodeConfig(b)
	d.config.tried, d.config.at = true, now
}

// decodeConfig finds the PCI Express capability and takes its bits. Registers that look
// alike stand in vendors' capabilities too, so only id 0x10 counts.
func decodeConfig(b []byte) configSpace {
	var c configSpace
	if len(b) >= 64 {
		c.allOnes = true
		for _, x := range b[:64] {
			c.allOnes = c.allOnes && x == 0xff
		}
	}
	at := findExpress(b)
	if c.allOnes || at < 0 {
		return c
	}
	word := func(offset int) uint16 {
		if at+offset+2 > len(b) {
			return 0
		}
		return binary.LittleEndian.Uint16(b[at+offset:])
	}
	flags := word(0x02)
	c.express, c.kind = true, byte(flags>>4&0xf)
	if flags&0xf < 2 || at+0x34 > len(b) {
		return c
	}
	c.ability = true
	can, control := word(0x24), word(0x28)
	c.routing = can&(1<<6) != 0
	c.completes32, c.completes64, c.completes128 = can&(1<<7) != 0, can&(1<<8) != 0, can&(1<<9) != 0
	c.requester, c.egressBlocked = control&(1<<6) != 0, control&(1<<7) != 0
	if c.kind != typeIntegrated && c.kind != typeCollector {
		if speed := int(word(0x30) & 0xf); speed >= 1 && speed <= len(lanes) {
			c.target = known(lanes[speed-1].transfers)
		}
	}
	return c
}

// findExpress walks the list of capabilities; -1 if it has no PCI Express one, as in the 64
// bytes that everybody may read.
func findExpress(b []byte) int {
	const status, first = 0x06, 0x34
	if len(b) <= 64 || b[status]&(1<<4) == 0 {
		return -1
	}
	at := int(b[first] &^ 3)
	for range 48 { // a list that bites its tail
		if at < 0x40 || at+2 > len(b) || b[at] == 0xff {
			return -1
		}
		if b[at] == 0x10 {
			return at
		}
		at = int(b[at+1] &^ 3)
	}
	return -1
}

// role is the device's type as the registers have it.
func (c *configSpace) role() (catalog.HopRole, bool) {
	if !c.express {
		return "", false
	}
	switch c.kind {
	case typeEndpoint, typeLegacy, typeIntegrated:
		return catalog.RoleEndpoint, true
	case typeRootPort:
		return catalog.RoleRootPort, true
	case typeUpstream:
		return catalog.RoleUpstream, true
	case typeDownstream:
		return catalog.RoleDownstream, true
	}
	return catalog.RoleUnknown, true
}

// points are the series of the device's registers, once for each hop.
func (c *configSpace) points(p *points, d *device) {
	if !c.express || !c.ability {
		return
	}
	switch c.kind {
	case typeRootPort, typeUpstream, typeDownstream:
		p.flag(catalog.PCIAtomicRouting, c.routing, d.labels...)
		p.flag(catalog.PCIAtomicEgressBlocked, c.egressBlocked, d.labels...)
	}
	if c.kind == typeRootPort {
		p.flag(catalog.PCIAtomicCompleter, c.completes32, d.address, "32")
		p.flag(catalog.PCIAtomicCompleter, c.completes64, d.address, "64")
		p.flag(catalog.PCIAtomicCompleter, c.completes128, d.address, "128")
	}
	p.opt(catalog.PCILinkTarget, c.target, d.labels...)
}
