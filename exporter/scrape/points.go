package scrape

import (
	"cmp"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// ownCopy copies points out of a session's memory, which its next Read uses again, into a
// few blocks of their own. Label values that are not UTF-8 are mended: one of them would
// make the whole page unreadable.
func ownCopy(points []catalog.Point) []catalog.Point {
	labels, hists, buckets := 0, 0, 0
	for i := range points {
		labels += len(points[i].Labels)
		if h := points[i].Hist; h != nil {
			hists++
			buckets += len(h.Bounds)
		}
	}
	var (
		out    = slices.Clone(points)
		texts  = make([]string, 0, labels)
		own    = make([]catalog.Buckets, 0, hists)
		bounds = make([]float64, 0, buckets)
		counts = make([]uint64, 0, buckets)
	)
	for i := range out {
		p := &out[i]
		from := len(texts)
		for _, l := range p.Labels {
			texts = append(texts, strings.ToValidUTF8(l, "\uFFFD"))
		}
		p.Labels = texts[from:len(texts):len(texts)]
		if p.Hist == nil {
			continue
		}
		b, c := len(bounds), len(counts)
		bounds, counts = append(bounds, p.Hist.Bounds...), append(counts, p.Hist.Counts...)
		own = append(own, catalog.Buckets{Bounds: bounds[b:len(bounds):len(bounds)], Counts: counts[c:len(counts):len(counts)], Count: p.Hist.Count, Sum: p.Hist.Sum})
		p.Hist = &own[len(own)-1]
	}
	return out
}

// sortPoints orders points by series and labels, the first of equals first.
func sortPoints(points []catalog.Point) {
	slices.SortStableFunc(points, func(a, b catalog.Point) int {
		if a.Series != b.Series {
			return cmp.Compare(a.Series.Name, b.Series.Name)
		}
		return slices.Compare(a.Labels, b.Labels)
	})
}

// withoutClashes drops what Prometheus would refuse together with the whole page: a second
// sample of the same series from another source of the backend. The first one stays.
// The points must be sorted.
func withoutClashes(points []catalog.Point) (kept []catalog.Point, dropped int) {
	kept = slices.CompactFunc(points, func(a, b catalog.Point) bool {
		return a.Series == b.Series && slices.Equal(a.Labels, b.Labels)
	})
	return kept, len(points) - len(kept)
}
