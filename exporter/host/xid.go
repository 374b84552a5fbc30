package host

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// xidKinds sorts the numbers by NVIDIA's table of XID errors. What the table leaves open
// between program, driver and card is not here.
var xidKinds = map[uint64]catalog.XIDKind{
	13: catalog.XIDApplication, // graphics engine exception
	31: catalog.XIDApplication, // memory page fault
	43: catalog.XIDApplication, // stopped processing: reset of the program's channel
	45: catalog.XIDApplication, // preemptive cleanup, after another error or the end of a program

	48:  catalog.XIDHardware, // double bit ECC error
	63:  catalog.XIDHardware, // a page or row of memory was replaced
	64:  catalog.XIDHardware, // … and could not be
	74:  catalog.XIDHardware, // NVLink
	79:  catalog.XIDHardware, // fallen off the bus
	92:  catalog.XIDHardware, // many single bit ECC errors
	94:  catalog.XIDHardware, // contained memory error
	95:  catalog.XIDHardware, // uncontained memory error
	119: catalog.XIDHardware, // no answer of the card's own processor
	120: catalog.XIDHardware, // error of the card's own processor
}

// xid is one kind of error of one card.
type xid struct {
	address string
	number  uint64
}

// xids counts the errors of NVIDIA's driver in the kernel's log.
type xids struct {
	log   logFollower
	known bool // the log could be read
	count map[xid]float64
}

// mostXIDs bounds what is counted: no driver has so many numbers.
const mostXIDs = 1000

// read counts what is new.
func (x *xids) read() error {
	if x.count == nil {
		x.count = map[xid]float64{}
	}
	err := x.log.follow(func(message []byte) {
		if e, ok := parseXID(message); ok && (x.count[e] > 0 || len(x.count) < mostXIDs) {
			x.count[e]++
		}
	})
	x.known = err == nil
	return err
}

// parseXID reads "NVRM: Xid (PCI:0000:01:00): 31, pid=…", in older drivers without PCI, of
// parts of a card with more behind the address. The function of a GPU is 0. Who caused it
// stands there too, and is left out.
func parseXID(message []byte) (xid, bool) {
	rest, ok := bytes.CutPrefix(message, []byte("NVRM: Xid ("))
	if !ok {
		return xid{}, false
	}
	place, rest, ok := bytes.Cut(rest, []byte("): "))
	if !ok {
		return xid{}, false
	}
	place, _ = field(bytes.TrimPrefix(place, []byte("PCI:")))
	end := bytes.IndexFunc(rest, func(c rune) bool { return c < '0' || c > '9' })
	if end < 0 {
		end = len(rest)
	}
	number, ok := parseUint(rest[:end])
	address, ok2 := ParseAddress(string(place) + ".0")
	return xid{address, number}, ok && ok2
}

// kindOf sorts a number.
func kindOf(number uint64) catalog.XIDKind { return cmp.Or(xidKinds[number], catalog.XIDOther) }

// points are the counts of NVIDIA's cards, those that are gone too. The kinds are there from
// the start: a counter that begins at 1 has not grown.
func (x *xids) points(p *points, gpus []*gpu) {
	if !x.known {
		return
	}
	all := slices.SortedFunc(maps.Keys(x.count), func(a, b xid) int { return cmp.Compare(a.number, b.number) })
	for _, g := range gpus {
		if !g.hasXIDs() {
			continue
		}
		sums := map[catalog.XIDKind]float64{}
		for _, e := range all {
			if e.address == g.address {
				sums[kindOf(e.number)] += x.count[e]
				p.add(catalog.GPUXIDLogEntries, x.count[e], g.address, string(kindOf(e.number)), number(e.number))
			}
		}
		for _, kind := range catalog.XIDKinds() {
			p.add(catalog.GPUXIDMessages, sums[kind], g.address, string(kind))
		}
	}
}

// hasXIDs tells whether a card's errors are in the log: it is or was one of NVIDIA's.
func (g *gpu) hasXIDs() bool { return g.device != nil && g.device.vendor == vendorNVIDIA }
