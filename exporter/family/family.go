// Package family turns points of the catalog into metric families for an exposition.
//
// What enters are the points of all backends, sorted and without repetition; what leaves is
// one family per series with type and help from the catalog, in the order of their names,
// labels in the order of theirs. Memory is used again from family to family.
package family

import (
	"cmp"
	"slices"
	"sync"

	dto "github.com/prometheus/client_model/go"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// Source is the points of one backend, sorted by the names of their series, and the extra labels that the operator gives them.
type Source struct {
	Points []catalog.Point
	Labels map[string]string
}

// Builder makes pages. It is safe for concurrent use.
type Builder struct {
	series []*series // of the catalog, by name
	has    map[*catalog.Series]bool
	pages  sync.Pool
}

// series is what all metrics of one series share.
type series struct {
	series     *catalog.Series
	name, help *string
	kind       *dto.MetricType
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
	b := &Builder{has: make(map[*catalog.Series]bool, len(all))}
	for _, s := range all {
		b.has[s] = true
		b.series = append(b.series, describe(s))
	}
	return b
}

func describe(s *catalog.Series) *series {
	d := &series{series: s, name: &s.Name, help: &s.Help, kind: kindOf(s.Kind)}
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

// Each calls yield with one family after the other, until it returns an error. A family is
// valid until yield returns: its memory is the next one's.
func (b *Builder) Each(sources []Source, yield func(*dto.MetricFamily) error) error {
	p, _ := b.pages.Get().(*page)
	if p == nil {
		p = new(page)
	}
	defer b.pages.Put(p)
	p.begin(sources)
	for _, s := range b.series {
		if f := p.build(b, s, sources); f != nil {
			if err := yield(f); err != nil {
				return err
			}
		}
		p.reset()
	}
	return nil
}
