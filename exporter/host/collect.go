package host

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// Collect reads the machine, at the latest until ctx ends, and returns what it found in the
// order of the series' names.
func (h *Host) Collect(ctx context.Context) []catalog.Point {
	select {
	case h.collected <- struct{}{}:
	default:
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.options.Now()
	h.look(ctx, now)
	answer := h.askTool(ctx)
	h.readAll(ctx, now)
	h.readKernelLog(now)
	h.join(answer)
	held := h.findHolders(ctx, now, answer)

	p := &points{all: make([]catalog.Point, 0, h.points+64)}
	h.hostPoints(p)
	for _, g := range h.inventory.list {
		g.points(p, h.config.Names[g.address], &h.memory, !h.off[catalog.SourcePCI])
		if g.present && g.device.vendor == vendorAMD && g.driver == "amdgpu" && h.kfd.present && (g.node != nil || h.kfd.complete) {
			p.flag(catalog.GPUComputeNode, g.node != nil, g.labels...)
		}
	}
	h.devicePoints(p)
	peerPoints(p, h.inventory.list)
	held.points(p, h.inventory.list)
	if !h.off[catalog.SourceKernelLog] {
		h.xids.points(p, h.inventory.list)
	}
	h.memory.points(p)
	h.health.points(p)
	h.points = len(p.all)
	return p.sorted()
}

// look finds the cards, which of them sleep, and the links of the others.
func (h *Host) look(ctx context.Context, now time.Time) {
	r, v := h.pci, h.inventory
	r.begin(ctx)
	v.look(r, func(address string) bool { return slices.Contains(h.config.Ignore, address) })
	h.addNamed()
	v.watchSleep(r)
	if !h.off[catalog.SourcePCI] {
		v.readLinks(r)
	}
	if len(v.known) > 0 || r.failure != "" {
		h.health.report(catalog.SourcePCI, r.failure, now)
	} else {
		h.health.unused(catalog.SourcePCI) // a machine without the bus
	}
}

// addNamed adds the GPUs that the configuration names and nobody has seen.
func (h *Host) addNamed() {
	v := h.inventory
	for address := range h.config.Names {
		if v.gpus[address] == nil && !slices.Contains(h.config.Ignore, address) {
			v.gpus[address] = newGPU(address)
			v.list = sortedGPUs(v.gpus)
		}
	}
}

// readAll reads all other sources beside each other: each has a goroutine that hangs alone.
func (h *Host) readAll(ctx context.Context, now time.Time) {
	var all sync.WaitGroup
	read := func(s catalog.HostSource, f func(*reader)) {
		if r := h.others[s]; !h.off[s] {
			r.begin(ctx)
			all.Go(func() { f(r) })
		}
	}
	read(catalog.SourceAER, func(r *reader) {
		for _, d := range h.inventory.hops {
			d.readAER(r)
		}
	})
	read(catalog.SourceAtomics, func(r *reader) { h.inventory.readConfigs(r, now) })
	read(catalog.SourceKFD, h.kfd.read)
	read(catalog.SourceMemory, func(r *reader) {
		h.memory = readMemory(r)
		if h.inventory.now > 0 {
			h.dmem = readDmem(r)
		}
	})
	for _, g := range h.inventory.list {
		source, ok := g.driverSource()
		if !ok || h.off[source] {
			g.forgetCard()
			continue
		}
		if g.reader == nil {
			g.reader = newReader(&h.options, source, h.health)
		}
		g.reader.source = source
		g.reader.begin(ctx)
		all.Go(g.readCard)
	}
	all.Wait()
	h.reportAll(now)
}

// reportAll says how the sources did that the machine has a use for.
func (h *Host) reportAll(now time.Time) {
	uses := map[catalog.HostSource]bool{
		catalog.SourceMemory:  true,
		catalog.SourceKFD:     h.kfd.present,
		catalog.SourceAER:     slices.ContainsFunc(h.inventory.hops, func(d *device) bool { return d.aer.has }),
		catalog.SourceAtomics: len(h.inventory.hops) > 0,
	}
	for s, r := range h.others {
		if use, here := uses[s]; here && !h.off[s] {
			h.reportOne(s, use || r.failure != "", r.failure, now)
		}
	}
	for _, s := range []catalog.HostSource{catalog.SourceAMDGPU, catalog.SourceHwmon} {
		use, failure := false, catalog.HostReason("")
		for _, g := range h.inventory.list {
			if source, ok := g.driverSource(); ok && source == s && !h.off[s] {
				use = use || s == catalog.SourceAMDGPU || g.hwmon.dir != "" // not all drivers have sensors
				failure = cmp.Or(failure, g.reader.failure)
			}
		}
		h.reportOne(s, use || failure != "", failure, now)
	}
}

func (h *Host) reportOne(s catalog.HostSource, used bool, failure catalog.HostReason, now time.Time) {
	if used {
		h.health.report(s, failure, now)
	} else {
		h.health.unused(s)
	}
}

// readKernelLog reads what NVIDIA's driver complained of. The log never makes a reader wait.
func (h *Host) readKernelLog(now time.Time) {
	if h.off[catalog.SourceKernelLog] || !slices.ContainsFunc(h.inventory.list, (*gpu).hasXIDs) {
		h.health.unused(catalog.SourceKernelLog)
		return
	}
	reason := catalog.HostReason("")
	if err := h.xids.read(); err != nil {
		reason = cmp.Or(reasonOf(err), catalog.HostMissing)
		h.health.fileFailed(catalog.SourceKernelLog, kernelLogFile, reason, err)
	}
	h.health.report(catalog.SourceKernelLog, reason, now)
}

// wantsTool tells whether there is a card to ask nvidia-smi about, and none that it would wake.
func (h *Host) wantsTool() bool {
	wants := false
	for _, g := range h.inventory.list {
		if !h.asksToolFor(g) {
			continue
		}
		if g.asleep {
			return false
		}
		wants = true
	}
	return wants
}

func (h *Host) asksToolFor(g *gpu) bool {
	return g.present && g.device.vendor == vendorNVIDIA && g.driver == "nvidia" && !h.off[catalog.SourceNVIDIA]
}

// askTool returns what nvidia-smi said last, nil if there is nothing.
func (h *Host) askTool(ctx context.Context) *toolAnswer {
	if !h.wantsTool() {
		h.health.unused(catalog.SourceNVIDIA)
		return nil
	}
	h.tool.poll()
	patience := toolPatience
	if !h.options.Background {
		patience = toolDeadline + time.Second
	}
	a := h.tool.answer(ctx, patience)
	if a == nil {
		h.health.unused(catalog.SourceNVIDIA) // not known yet
	} else {
		h.health.report(catalog.SourceNVIDIA, a.reason, a.at)
	}
	return a
}

// join puts together what different sources say of one card.
func (h *Host) join(a *toolAnswer) {
	for _, g := range h.inventory.list {
		g.node, g.nvidia, g.listed, g.needsReset = nil, nil, value{}, false
		if g.present {
			g.node = h.kfd.node(g.address)
			g.dmem = h.dmem[g.address]
			if a != nil && h.asksToolFor(g) {
				g.joinTool(a)
			}
		}
		g.judge()
	}
}

func (g *gpu) joinTool(a *toolAnswer) {
	for _, n := range a.gpus {
		if n.address == g.address {
			g.nvidia, g.needsReset = n, n.needsReset
			g.unified = truth(n.unified())
		}
	}
	switch {
	case slices.Contains(a.lost, g.address):
		g.listed = known(0)
	case a.reason == "":
		g.listed = truth(g.nvidia != nil)
	}
}

// findHolders finds who holds the cards' memory. A machine without cards is not searched.
func (h *Host) findHolders(ctx context.Context, now time.Time, a *toolAnswer) holders {
	if h.off[catalog.SourceProcesses] || h.inventory.now == 0 {
		h.health.unused(catalog.SourceProcesses)
		return holders{}
	}
	r := h.others[catalog.SourceProcesses]
	r.begin(ctx)
	seen := h.processes.scan(r, now)
	h.reportOne(catalog.SourceProcesses, len(h.processes.order) > 0 || r.failure != "", r.failure, now)
	var apps []nvidiaApp
	if a != nil {
		apps = a.apps
	}
	if (!seen || len(h.processes.order) == 0) && len(apps) == 0 { // nothing is mounted there
		return holders{}
	}
	present := slices.DeleteFunc(slices.Clone(h.inventory.list), func(g *gpu) bool { return !g.present })
	return h.processes.find(r, present, apps, &h.config)
}

// hostPoints are the series about cards as a whole.
func (h *Host) hostPoints(p *points) {
	v := h.inventory
	p.add(catalog.HostGPUs, float64(v.now))
	expected := h.config.ExpectedGPUs
	if expected == 0 {
		expected = v.most
	}
	p.add(catalog.HostExpectedGPUs, float64(expected))
	if len(v.hops) > 0 && !h.off[catalog.SourceAtomics] {
		tried, readable := false, true
		for _, d := range v.hops {
			tried = tried || d.config.tried
			readable = readable && (d.config.express || d.config.allOnes || !d.hasLink || !d.config.tried)
		}
		if tried {
			p.flag(catalog.HostConfigReadable, readable)
		}
	}
}

// devicePoints are the series of the hops, each once.
func (h *Host) devicePoints(p *points) {
	if h.off[catalog.SourcePCI] {
		return
	}
	for _, d := range h.inventory.hops {
		if slices.ContainsFunc(h.inventory.list, func(g *gpu) bool {
			return g.present && !g.linkless() && slices.Contains(g.chain, d)
		}) {
			d.points(p)
		}
	}
}
