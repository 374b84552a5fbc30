package host

import (
	"fmt"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// linkless tells whether the figures of the card's link mean nothing: it is soldered to the
// processor as one chip.
func (g *gpu) linkless() bool { return g.unified.is() }

func (g *gpu) linkPoints(p *points) {
	if g.hopLabels == nil || len(g.hopLabels) != len(g.chain) {
		g.hopLabels = make([][]string, len(g.chain))
	}
	for i, d := range g.chain {
		role, place := string(g.chain.role(i)), string(g.chain.place(i))
		if l := g.hopLabels[i]; l == nil || l[2] != d.address || l[3] != role || l[4] != place {
			g.hopLabels[i] = []string{g.address, fmt.Sprint(i), d.address, role, place}
		}
		p.add(catalog.PCIChain, 1, g.hopLabels[i]...)
	}
	p.flag(catalog.GPULinkUpperBound, g.chain.tunnelled(), g.labels...)
	if g.integrated().is() {
		return // inside the processor nothing trains
	}
	v := g.chain.judge()
	reached := !g.asleep && g.failure != catalog.GPUUnreachable
	if reached {
		p.opt(catalog.GPULinkBandwidth, v.now, g.labels...)
	}
	p.opt(catalog.GPULinkCapable, v.capable, g.labels...)
	p.opt(catalog.GPULinkCardCapable, v.card, g.labels...)
	if w := v.limit; w != nil && reached {
		if w.upper != nil {
			p.add(catalog.GPULinkLimitingHop, 1, g.address, w.upper.address, w.lower.address)
		} else {
			p.add(catalog.GPULinkLimitingHop, 1, g.address, w.lower.address, "")
		}
	}
}

// Sources of the verdict on atomic operations.
const (
	fromConfig = "config"
	fromKFD    = "kfd"
	fromDriver = "driver"
)

func (g *gpu) atomicPoints(p *points) {
	if g.integrated().is() && g.device.vendor == vendorAMD {
		// Since gfx9 the driver of a processor's graphics does not ask the rule.
		p.add(catalog.GPUAtomics, 1, g.address, fromDriver)
		return
	}
	p.opt(catalog.GPUAtomics, g.atomics.reach, g.address, fromConfig)
	if g.atomics.blocker != nil {
		p.add(catalog.GPUAtomicsBlockingHop, 1, g.address, g.atomics.blocker.address, g.atomics.reason)
	}
	if g.node != nil {
		p.opt(catalog.GPUAtomics, g.node.atomics, g.address, fromKFD)
	}
}
