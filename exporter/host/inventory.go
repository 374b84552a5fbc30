package host

import (
	"slices"
	"time"
)

// inventory is the PCI devices of the machine, and the GPUs among them. A GPU that was seen
// once is never forgotten: that it is gone is the news.
type inventory struct {
	known  map[string]*device // all PCI devices, by address
	gpus   map[string]*gpu
	list   []*gpu // in the order of their addresses
	round  uint64
	most   int       // GPUs seen at once
	now    int       // GPUs there now
	hops   []*device // of the cards that are there
	sample uint64    // counts the samples
}

// mostGPUs bounds what is never forgotten, should addresses change all the time.
const mostGPUs = 1000

func newInventory() *inventory {
	return &inventory{known: map[string]*device{}, gpus: map[string]*gpu{}}
}

// look finds which devices there are. Only those not seen before are read. It is false if the
// list itself cannot be had: then nothing is known to be gone.
func (v *inventory) look(r *reader, ignore func(address string) bool) bool {
	names, err := r.dir(devicesDir)
	if err != nil {
		r.fail(devicesDir, err)
		if reasonOf(err) != "" || err == errSkipped {
			return false
		}
	}
	v.round++
	for _, name := range names {
		if !isAddress(name) {
			continue
		}
		d := v.known[name]
		if d == nil {
			if d = newDevice(name); !d.classify(r) {
				continue // asked again in the next round
			}
			v.known[name] = d
		}
		d.seen = v.round
	}
	for address, d := range v.known {
		if d.seen != v.round {
			delete(v.known, address) // what comes back at this address may be another device
		}
	}
	v.findGPUs(r, ignore)
	return true
}

func (v *inventory) findGPUs(r *reader, ignore func(string) bool) {
	for _, g := range v.gpus {
		g.present = false
	}
	v.now = 0
	for address, d := range v.known {
		if !d.looksLikeGPU() || ignore(address) {
			continue
		}
		if d.describe(r); !d.described || !d.isGPU() {
			continue
		}
		g := v.gpus[address]
		if g == nil && len(v.gpus) >= mostGPUs {
			continue
		}
		if g == nil {
			g = newGPU(address)
			v.gpus[address] = g
		}
		if g.device != d {
			g.device, g.described, g.path, g.chain, g.hwmon, g.unified = d, false, "", nil, hwmon{}, value{}
			g.identity, g.product = identity{}, ""
			if d.idOf() == gb10 {
				g.unified = known(1)
			}
		}
		g.present = true
		v.now++
	}
	v.most = max(v.most, v.now)
	v.list = sortedGPUs(v.gpus)
	for _, g := range v.list {
		if g.present {
			g.describe(r)
			v.findChain(r, g)
		}
	}
}

// findChain resolves the way to the root port. A hop that the list of devices lacks, as in a
// container that sees a part of it, ends the chain.
func (v *inventory) findChain(r *reader, g *gpu) {
	path, err := r.link(g.device.dir)
	if err == nil && path == g.path && !slices.ContainsFunc(g.chain, func(d *device) bool { return v.known[d.address] != d }) {
		return
	}
	g.path, g.chain = path, chain{g.device}
	for _, address := range chainOf(path) {
		d := v.known[address]
		if address == g.address {
			continue
		}
		if d == nil {
			break
		}
		d.describe(r)
		g.chain = append(g.chain, d)
	}
}

// watchSleep finds which cards sleep, before anything is read that would wake them.
func (v *inventory) watchSleep(r *reader) {
	v.hops = v.hops[:0]
	for _, g := range v.list {
		if !g.present {
			continue
		}
		for _, d := range g.chain {
			if d.read != v.round {
				d.read = v.round
				v.hops = append(v.hops, d)
			}
		}
	}
	for _, d := range v.hops {
		d.watchSleep(r)
	}
	for _, g := range v.list {
		g.asleep = g.present && slices.ContainsFunc(g.chain, func(d *device) bool { return d.asleep })
	}
}

// touchable tells whether a device may be read: it is on the way to a card that is awake.
func (v *inventory) touchable(d *device) bool { return !d.asleep && v.onAwakeChain(d) }

func (v *inventory) onAwakeChain(d *device) bool {
	for _, g := range v.list {
		if g.present && !g.asleep && slices.Contains(g.chain, d) {
			return true
		}
	}
	return false
}

// readLinks reads the links of all devices that may be touched.
func (v *inventory) readLinks(r *reader) {
	for _, d := range v.hops {
		d.readPower(r)
		if v.touchable(d) {
			d.readLink(r)
		} else {
			d.now, d.lost = end{}, false
			d.changes.pause()
		}
	}
	for _, g := range v.list {
		if g.present && !g.asleep {
			for _, w := range g.chain.wires() {
				w.lower.changes.observe(w.lower.now)
			}
		}
	}
}

func (v *inventory) readConfigs(r *reader, now time.Time) {
	for _, d := range v.hops {
		if v.touchable(d) {
			d.readConfig(r, now)
		}
	}
	for _, g := range v.list {
		g.atomics = atomics{}
		if g.present {
			g.atomics = atomicsToRoot(g.chain)
		}
	}
}
