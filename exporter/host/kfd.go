package host

import (
	"strconv"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

const kfdDir = "sys/class/kfd/kfd/topology"

// kfd is AMD's compute driver: which cards it took, and what it thinks of their paths. None
// of it touches a card, and it needs no rights but those to the card's device file.
type kfd struct {
	generation string
	complete   bool // all nodes could be read
	present    bool
	nodes      map[string]*kfdNode // by PCI address
}

// kfdNode is one GPU as the compute driver describes it.
type kfdNode struct {
	number  uint64
	hash    uint64 // gpu_id, which names the card in the driver's list of processes
	target  string // gfx1201
	atomics value  // the verdict on the way from the GPU to the processor
	memory  value  // the bank that programs allocate from
	peers   map[uint64]bool
	address string
}

// Bits of io_links/*/properties: flags.
const (
	linkNo32BitAtomics = 1 << 2
	linkNo64BitAtomics = 1 << 3
)

// read reads the topology, if it changed since the last time.
func (k *kfd) read(r *reader) {
	generation, err := r.bytes(kfdDir+"/generation_id", 64)
	if err != nil {
		if r.fail(kfdDir+"/generation_id", err); reasonOf(err) == "" && err != errSkipped {
			*k = kfd{} // no such driver
		}
		return
	}
	if k.complete && k.generation == string(generation) {
		return
	}
	next := kfd{generation: string(generation), complete: true, present: true, nodes: map[string]*kfdNode{}}
	names, err := r.dir(kfdDir + "/nodes")
	if r.fail(kfdDir+"/nodes", err) != nil {
		next.complete = false
	}
	processors := map[uint64]bool{}
	for _, name := range names {
		number, ok := parseUint([]byte(name))
		if !ok {
			continue
		}
		n, isGPU, ok := readNode(r, kfdDir+"/nodes/"+name)
		switch {
		case !ok:
			next.complete = false
		case !isGPU:
			processors[number] = true
		case next.nodes[n.address] == nil: // partitions of one card are several nodes
			n.number = number
			next.nodes[n.address] = n
		}
	}
	for _, n := range next.nodes {
		n.readLinks(r, processors)
	}
	*k = next
}

// properties calls f with each key and value of a file of the topology. It is false if the
// file cannot be read.
func properties(r *reader, name string, f func(key string, v uint64)) bool {
	b, ok := r.all(name)
	if !ok {
		return false
	}
	eachLine(b, func(line []byte) {
		key, rest := field(line)
		if v, ok := parseUint(trim(rest)); ok {
			f(string(key), v)
		}
	})
	return true
}

func readNode(r *reader, dir string) (n *kfdNode, isGPU, ok bool) {
	n = &kfdNode{peers: map[uint64]bool{}}
	var domain, location, simds, version uint64
	if ok = properties(r, dir+"/properties", func(key string, v uint64) {
		switch key {
		case "domain":
			domain = v
		case "location_id":
			location = v
		case "simd_count":
			simds = v
		case "gfx_target_version":
			version = v
		}
	}); !ok {
		return n, false, false
	}
	if simds == 0 {
		return n, false, true
	}
	n.address, n.target = addressOf(domain, location), gfxName(version)
	if id, ok := r.number(dir + "/gpu_id"); ok {
		n.hash = uint64(id)
	}
	banks, err := r.dir(dir + "/mem_banks")
	r.fail(dir+"/mem_banks", err)
	for _, bank := range banks {
		var heap, size uint64
		properties(r, dir+"/mem_banks/"+bank+"/properties", func(key string, v uint64) {
			switch key {
			case "heap_type":
				heap = v
			case "size_in_bytes":
				size = v
			}
		})
		if (heap == 1 || heap == 2) && float64(size) > n.memory.v { // public, private
			n.memory = known(float64(size))
		}
	}
	return n, true, true
}

// readLinks reads the way to the processor. Only this direction says what the slot allows:
// the flags of the other one say what the GPU itself can do.
func (n *kfdNode) readLinks(r *reader, processors map[uint64]bool) {
	dir := kfdDir + "/nodes/" + strconv.FormatUint(n.number, 10)
	links, err := r.dir(dir + "/io_links")
	r.fail(dir+"/io_links", err)
	for _, link := range links {
		var to, flags uint64
		var has bool
		properties(r, dir+"/io_links/"+link+"/properties", func(key string, v uint64) {
			switch key {
			case "node_to":
				to, has = v, true
			case "flags":
				flags = v
			}
		})
		switch {
		case !has:
		case processors[to]:
			n.atomics = truth(flags&(linkNo32BitAtomics|linkNo64BitAtomics) == 0)
		default:
			n.peers[to] = true
		}
	}
	peers, err := r.dir(dir + "/p2p_links")
	r.fail(dir+"/p2p_links", err)
	for _, link := range peers {
		properties(r, dir+"/p2p_links/"+link+"/properties", func(key string, v uint64) {
			if key == "node_to" {
				n.peers[v] = true
			}
		})
	}
}

// gfxName writes a target version as the compiler does: 120001 is gfx1201, 90010 gfx90a.
func gfxName(v uint64) string {
	if v < 10000 || v > 1_000_000 {
		return ""
	}
	return "gfx" + strconv.FormatUint(v/10000, 10) + strconv.FormatUint(v/100%100, 16) + strconv.FormatUint(v%100, 16)
}

// node finds a card; partitions carry their number where the function stands.
func (k *kfd) node(address string) *kfdNode {
	if n := k.nodes[address]; n != nil {
		return n
	}
	var first *kfdNode
	for a, n := range k.nodes {
		if a[:len(a)-1] == address[:len(address)-1] && (first == nil || n.number < first.number) {
			first = n
		}
	}
	return first
}

// mostPeers is of how many cards the links to each other are shown: their number grows with
// the square of it.
const mostPeers = 64

// peerPoints are the direct links between cards that the compute driver took.
func peerPoints(p *points, gpus []*gpu) {
	gpus = gpus[:min(len(gpus), mostPeers)]
	for _, from := range gpus {
		for _, to := range gpus {
			if from != to && from.node != nil && to.node != nil && from.node != to.node {
				p.flag(catalog.GPUPeerLink, from.node.peers[to.node.number], from.address, to.address)
			}
		}
	}
}
