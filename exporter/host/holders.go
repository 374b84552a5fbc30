package host

import (
	"cmp"
	"maps"
	"slices"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// holding is memory of one card that programs of one name hold for one backend.
type holding struct {
	gpu, backend, process, pool string
}

// processHolding is memory of one card that one process holds.
type processHolding struct {
	gpu           string
	pid           uint64
	process, pool string
}

// holders is who holds how much of which card.
type holders struct {
	seen       bool // processes could be looked at
	complete   bool // all of the machine's, and all their files
	memory     map[holding]float64
	each       map[processHolding]float64 // nil: not asked for
	holding    map[string]map[uint64]bool // pids by card
	unreadable float64
}

// clientKey tells clients apart: a file that was passed on, or opened once and inherited, is
// one client in many places.
type clientKey struct {
	address string
	id      uint64
}

// kfdProcesses is where AMD's compute driver says what each process holds; everybody may read it.
const kfdProcesses = "sys/class/kfd/kfd/proc"

// find reads who holds the cards.
func (ps *processes) find(r *reader, gpus []*gpu, apps []nvidiaApp, c *Config) holders {
	h := holders{seen: true, memory: map[holding]float64{}, holding: map[string]map[uint64]bool{}}
	if c.ProcessIDs {
		h.each = map[processHolding]float64{}
	}
	clients := map[clientKey]bool{}
	for _, p := range ps.order {
		held := ps.clientsOf(r, p, gpus, clients)
		ps.addKFD(r, p, gpus, held)
		for address, memory := range held {
			for i, bytes := range memory {
				h.add(ps, r, p, holding{gpu: address, process: p.name, pool: pools[i]}, bytes, c.Backends)
			}
		}
	}
	unseen := false
	for _, p := range ps.order {
		unseen = unseen || p.unseen
		if p.denied {
			h.unreadable++
		}
	}
	h.complete = ps.wholeMachine() && h.unreadable == 0 && !unseen
	for _, a := range apps {
		i := slices.IndexFunc(gpus, func(g *gpu) bool { return g.nvidia != nil && g.nvidia.uuid == a.uuid })
		if i < 0 {
			continue
		}
		p := ps.all[a.pid]
		if p == nil {
			p = &process{pid: a.pid, name: a.process} // of another namespace: only the tool knows it
		}
		h.add(ps, r, p, holding{gpu: gpus[i].address, process: cmp.Or(p.name, a.process), pool: "vram"}, a.memory.v, c.Backends)
	}
	return h
}

// clientsOf adds up a process's clients by card, each once.
func (ps *processes) clientsOf(r *reader, p *process, gpus []*gpu, seen map[clientKey]bool) map[string]*[len(pools)]float64 {
	var held map[string]*[len(pools)]float64
	for _, card := range p.cards {
		i := slices.IndexFunc(gpus, func(g *gpu) bool { return card.node == g.card || card.node == g.renderNode })
		if i < 0 || gpus[i].asleep && gpus[i].device.vendor == vendorIntel {
			continue // of an ignored card; or Intel's driver would wake it to answer
		}
		b, err := r.bytes(card.fdinfo, fileLimit)
		if err != nil {
			p.missed(err)
			continue
		}
		c, ok := parseClient(b)
		if !ok || c.address != gpus[i].address || seen[clientKey{c.address, c.id}] {
			continue
		}
		seen[clientKey{c.address, c.id}] = true
		if held == nil {
			held = map[string]*[len(pools)]float64{}
		}
		sum := held[c.address]
		if sum == nil {
			sum = new([len(pools)]float64)
			held[c.address] = sum
		}
		for pool := range pools {
			sum[pool] += c.memory[pool]
		}
	}
	if held == nil {
		held = map[string]*[len(pools)]float64{}
	}
	return held
}

// addKFD takes what the compute driver says of a process where that is more: it is seen
// without rights to the process.
func (ps *processes) addKFD(r *reader, p *process, gpus []*gpu, held map[string]*[len(pools)]float64) {
	for _, g := range gpus {
		if g.node == nil || !ps.kfd[p.pid] {
			continue
		}
		b, err := r.bytes(kfdProcesses+"/"+number(p.pid)+"/vram_"+number(g.node.hash), 64)
		if err != nil {
			continue
		}
		if v, ok := parseUint(trim(b)); ok && v > 0 {
			if held[g.address] == nil {
				held[g.address] = new([len(pools)]float64)
			}
			held[g.address][0] = max(held[g.address][0], float64(v))
		}
	}
}

// mostHoldings bounds the series; beyond it programs are other, and processes are left out.
const mostHoldings = 200

func (h *holders) add(ps *processes, r *reader, p *process, key holding, bytes float64, backends []Backend) {
	if h.holding[key.gpu] == nil {
		h.holding[key.gpu] = map[uint64]bool{}
	}
	h.holding[key.gpu][p.pid] = true
	if bytes == 0 {
		return
	}
	if each := (processHolding{key.gpu, p.pid, key.process, key.pool}); h.each != nil {
		if _, old := h.each[each]; old || len(h.each) < mostHoldings {
			h.each[each] += bytes
		}
	}
	key.backend = ps.backend(r, p, backends)
	if _, old := h.memory[key]; !old && len(h.memory) >= mostHoldings {
		key.process = "other"
	}
	h.memory[key] += bytes
}

func (h *holders) points(p *points, gpus []*gpu) {
	if !h.seen {
		return
	}
	p.add(catalog.HostUnreadableProcesses, h.unreadable)
	for _, g := range gpus {
		// None is said only where none can hide: in a container most are out of sight.
		if n := len(h.holding[g.address]); g.countsProcesses() && (n > 0 || h.complete) {
			p.add(catalog.GPUProcesses, float64(n), g.labels...)
		}
	}
	h.eachPoints(p)
	on := map[holding]bool{}
	keys := make([]holding, 0, len(h.memory))
	for key := range h.memory {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b holding) int {
		return cmp.Or(cmp.Compare(a.gpu, b.gpu), cmp.Compare(a.backend, b.backend), cmp.Compare(a.process, b.process), cmp.Compare(a.pool, b.pool))
	})
	for _, key := range keys {
		p.add(catalog.GPUProcessMemory, h.memory[key], key.gpu, key.backend, key.process, key.pool)
		if pair := (holding{gpu: key.gpu, backend: key.backend}); key.backend != "" && !on[pair] {
			on[pair] = true
			p.add(catalog.GPUBackend, 1, key.gpu, key.backend)
		}
	}
}

// eachPoints are the processes by themselves, if they were asked for.
func (h *holders) eachPoints(p *points) {
	all := slices.SortedFunc(maps.Keys(h.each), func(a, b processHolding) int {
		return cmp.Or(cmp.Compare(a.gpu, b.gpu), cmp.Compare(a.pid, b.pid), cmp.Compare(a.pool, b.pool))
	})
	for _, each := range all {
		p.add(catalog.GPUProcessIDMemory, h.each[each], each.gpu, number(each.pid), each.process, each.pool)
	}
}
