package host

import (
	"context"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// linkChanges counts how often a link was seen to be another than before.
type linkChanges struct {
	watched bool
	last    end
	count   float64
}

// observe takes note of a link. What is not known is no change.
func (c *linkChanges) observe(now end) {
	if !now.known() {
		return
	}
	if c.last.known() && c.last != now {
		c.count++
	}
	c.watched, c.last = true, now
}

// pause forgets how the link was: after sleep it may come back otherwise.
func (c *linkChanges) pause() { c.last = end{} }

func (c *linkChanges) points(p *points, d *device) {
	if c.watched {
		p.add(catalog.PCILinkChanges, c.count, d.labels...)
	}
}

// Sample looks at the links of the cards that are awake, so that a link that drops and
// recovers between two scrapes is seen. It reads one end of each link and nothing else.
func (h *Host) Sample(ctx context.Context) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.off[catalog.SourcePCI] {
		return
	}
	r := h.pci
	r.begin(ctx)
	h.inventory.watchSleepAgain(r)
	for _, g := range h.inventory.list {
		if !g.present || g.asleep {
			continue
		}
		for _, w := range g.chain.wires() {
			if w.lower.sampled == h.inventory.sample || g.linkless() {
				continue
			}
			w.lower.sampled = h.inventory.sample
			w.lower.readLink(r)
			w.lower.changes.observe(w.lower.now)
		}
	}
}

// watchSleepAgain does so for a sample, without looking for new devices.
func (v *inventory) watchSleepAgain(r *reader) {
	v.sample++
	for _, d := range v.hops {
		if d.watchSleep(r); d.asleep {
			d.changes.pause()
		}
	}
	for _, g := range v.list {
		g.asleep = false
		if g.present {
			for _, d := range g.chain {
				g.asleep = g.asleep || d.asleep
			}
		}
	}
}
