package engine

import (
	"cmp"
	"math"
	"slices"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// mostLabels is how many labels a series that an engine writes may have; a test holds it to that.
const mostLabels = 6

// labelIDs are the values of a series' labels, in its order, as numbers of their tables.
// 0 is absent, or what the exporter fills in by itself (backend, engine, router).
type labelIDs [mostLabels]uint32

// cellKey is what samples have in common that become one value.
type cellKey struct {
	alternative int32
	addend      int32
	ids         labelIDs
}

// cell adds up the samples of one mapping that differ only in labels nobody keeps.
type cell struct {
	cellKey
	next int32 // in the list of its alternative; -1 ends it

	any    bool    // a value was added
	value  float64 // of anything but a histogram
	newest float64 // Newest: the sample's own value

	sum, count       float64
	hasSum, hasCount bool
	buckets          []bound // in the page's order
}

// bound is a bucket as it was read: upper bound and cumulative count.
type bound struct{ le, n float64 }

// newCell takes a cell into use, with the bucket memory that it had in an earlier round.
func (m *mapper) newCell(key cellKey) *cell {
	if n := len(m.cells); n < cap(m.cells) {
		m.cells = m.cells[:n+1]
	} else {
		m.cells = append(m.cells, cell{})
	}
	c := &m.cells[len(m.cells)-1]
	*c = cell{cellKey: key, next: -1, buckets: c.buckets[:0]}
	return c
}

// add adds a sample to the cell. stamp is the sample's own value, for Newest.
func (c *cell) add(p part, agg Aggregation, v, stamp float64) {
	switch {
	case p == sum:
		c.sum, c.hasSum = c.sum+v, true
	case p == count:
		c.count, c.hasCount = c.count+v, true
	case !c.any:
		c.any, c.value, c.newest = true, v, stamp
	case agg == Sum:
		c.value += v
	case agg == Max:
		c.value = max(c.value, v)
	case stamp > c.newest:
		c.value, c.newest = v, stamp
	}
}

// absorb adds another cell, which turned out to be of the same series.
func (c *cell) absorb(other *cell, agg Aggregation) {
	if other.any {
		c.add(whole, agg, other.value, other.newest)
	}
	if other.hasSum {
		c.add(sum, agg, other.sum, 0)
	}
	if other.hasCount {
		c.add(count, agg, other.count, 0)
	}
	c.buckets = append(c.buckets, other.buckets...)
}

// meaning is how values of a series add up: what was counted and what waits is the sum of
// its parts, a level of one thing is said more than once and holds where it is highest.
func meaning(s *catalog.Series) Aggregation {
	switch {
	case s.Kind == catalog.Counter || s.Kind == catalog.Histogram:
		return Sum
	case slices.Contains(levelsThatAdd, s):
		return Sum
	}
	return Max
}

var levelsThatAdd = []*catalog.Series{
	catalog.RequestsRunning, catalog.RequestsWaiting, catalog.KVCacheUsed, catalog.LoRAAdapters,
	catalog.RouterTargetInflight, catalog.RouterTargets, catalog.RouterInflight, catalog.RouterQueued,
}

const (
	// rounding is how far beyond 1 a ratio may be.
	rounding = 1e-6
	// blank is where the markers begin by which programs and drivers write "not available"
	// into a number; nothing that is counted comes near.
	blank = 1 << 62
)

// plausible checks a value against its series: what cannot be true is dropped, such as the
// -1 that stands for "no data" in some programs. A ratio is cut at 1.
func plausible(s *catalog.Series, p part, v float64) (float64, bool) {
	switch {
	case !(v >= 0 && v < blank):
		return 0, false
	case p != whole:
		return v, true
	case s.Unit == catalog.Ratio:
		return min(v, 1), v <= 1+rounding
	case s.Unit == catalog.Boolean:
		return v, v == 0 || v == 1
	}
	return v, true
}

// histogram makes buckets of a cell. ok is false if the parts do not belong together: no
// sum, no total, no bounds, or counts that go down.
func (c *cell) histogram(h *catalog.Buckets) (ok bool) {
	h.Bounds, h.Counts = h.Bounds[:0], h.Counts[:0]
	if !c.hasSum || len(c.buckets) == 0 {
		return false
	}
	c.order()
	total, known := c.count, c.hasCount
	for _, b := range c.buckets {
		if !(b.n >= 0 && b.n < blank) {
			return false
		}
		if math.IsInf(b.le, 1) {
			total, known = b.n, true // agrees with the other buckets where _count may be a moment older
			break
		}
		h.Bounds = append(h.Bounds, b.le)
		h.Counts = append(h.Counts, uint64(math.Round(b.n)))
	}
	h.Sum, h.Count = c.sum, uint64(math.Round(total))
	return known && len(h.Bounds) > 0 && slices.IsSorted(h.Counts) && h.Counts[len(h.Counts)-1] <= h.Count
}

// order sorts the buckets and adds up those of one bound. Most pages have them in order.
func (c *cell) order() {
	ascending := true
	for i := 1; i < len(c.buckets); i++ {
		ascending = ascending && c.buckets[i-1].le < c.buckets[i].le
	}
	if ascending {
		return
	}
	slices.SortStableFunc(c.buckets, func(a, b bound) int { return cmp.Compare(a.le, b.le) })
	last := 0
	for _, b := range c.buckets[1:] {
		if b.le == c.buckets[last].le {
			c.buckets[last].n += b.n
			continue
		}
		last++
		c.buckets[last] = b
	}
	c.buckets = c.buckets[:last+1]
}
