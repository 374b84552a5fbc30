// Package family turns points of the catalog into metric families for an exposition.
//
// What enters are the points of all backends, sorted and without repetition; what leaves is
// one family per series with type, help and unit from the catalog, in the order of their
// names, labels in the order of theirs. Memory is used again from page to page.
package family

import (
	"cmp"
	"slices"
	"sync"

	dto "github.com/prometheus/client_model/go"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// Source is the points of one backend and the extra labels that the operator gives them.
type Source struct {
	Points []catalog.Point
	Labels map[string]string
}

// Builder makes pages. It is safe for concurrent use.
type Builder struct {
	series []*series // of the catalog, by name
	order  map[*catalog.Series]int
	pages  sync.Pool
}

// series is what all metrics of one series share.
type series struct {
	name, help *string
	kind       *dto.MetricType
	histogram  bool
	labels     []label // in the order of their names
}

// label is a label of a series: its name and its place in a point's labels.
type label struct {
	name  *string
	place int
}

// NewBuilder makes a builder for the whole catalog.
func NewBuilder() *Builder {
	all := catalog.All()
	slices.SortFunc(all, func(a, b *catalog.Series) int { return cmp.Compare(a.Name, b.Name) })
	b := &Builder{order: make(map[*catalog.Series]int, len(all))}
	for i, s := range all {
		b.order[s] = i
		b.series = append(b.series, describe(s))
	}
	return b
}

func describe(s *catalog.Series) *series {
	d := &series{name: &s.Name, help: &s.Help, kind: kindOf(s.Kind), histogram: s.Kind == catalog.Histogram}
	for i := range s.Labels {
		d.labels = append(d.labels, label{&s.Labels[i], i})
	}
	slices.SortFunc(d.labels, func(a, b label) int { return cmp.Compare(*a.name, *b.name) })
	return d
}

// kindOf returns the type that Prometheus knows: infos and state sets are gauges to it.
func kindOf(k catalog.Kind) *dto.MetricType {
	switch k {
	case catalog.Counter:
		return dto.MetricType_COUNTER.Enum()
	case catalog.Histogram:
		return dto.MetricType_HISTOGRAM.Enum()
	}
	return dto.MetricType_GAUGE.Enum()
}

// Families makes the page. The families are valid until done is called.
func (b *Builder) Families(sources []Source) (families []*dto.MetricFamily, done func()) {
	p, _ := b.pages.Get().(*page)
	if p == nil {
		p = new(page)
	}
	return p.build(b, sources), func() {
		p.reset()
		b.pages.Put(p)
	}
}
