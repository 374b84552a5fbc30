package family

import (
	"maps"
	"slices"

	dto "github.com/prometheus/client_model/go"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// page is the memory of one family at a time.
type page struct {
	cursors []int // next point of each source
	extras  [][]extra
	family  dto.MetricFamily
	members []*dto.Metric

	metrics    arena[dto.Metric]
	gauges     arena[dto.Gauge]
	counters   arena[dto.Counter]
	histograms arena[dto.Histogram]
	buckets    arena[dto.Bucket]
	bucketRefs arena[*dto.Bucket]
	pairs      arena[dto.LabelPair]
	pairRefs   arena[*dto.LabelPair]
}

// begin goes to the first point of each source.
func (p *page) begin(sources []Source) {
	p.cursors = append(p.cursors[:0], make([]int, len(sources))...)
	p.extras = p.extras[:0]
	for i := range sources {
		p.extras = append(p.extras, extraLabels(sources[i].Labels))
	}
}

// reset makes the memory free for the next family.
func (p *page) reset() {
	p.members = p.members[:0]
	p.metrics.reset()
	p.gauges.reset()
	p.counters.reset()
	p.histograms.reset()
	p.buckets.reset()
	p.bucketRefs.reset()
	p.pairs.reset()
	p.pairRefs.reset()
}

// build makes the family of one series; nil if no source has a point of it.
func (p *page) build(b *Builder, s *series, sources []Source) *dto.MetricFamily {
	for i := range sources {
		points := sources[i].Points
		for p.cursors[i] < len(points) {
			point := &points[p.cursors[i]]
			if point.Series != s.series {
				if b.has[point.Series] {
					break // a later family's
				}
				p.cursors[i]++ // not of the catalog: nothing else is ever emitted
				continue
			}
			p.members = append(p.members, p.metric(s, point, p.extras[i]))
			p.cursors[i]++
		}
	}
	if len(p.members) == 0 {
		return nil
	}
	p.family.Name, p.family.Help, p.family.Type, p.family.Metric = s.name, s.help, s.kind, p.members
	return &p.family
}

// extra is an operator's label.
type extra struct{ name, value *string }

func extraLabels(labels map[string]string) []extra {
	if len(labels) == 0 {
		return nil
	}
	var out []extra
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		if value := labels[name]; value != "" {
			out = append(out, extra{&name, &value})
		}
	}
	return out
}

func (p *page) metric(s *series, point *catalog.Point, extra []extra) *dto.Metric {
	m := p.metrics.one()
	m.Label = p.labels(s, point, extra)
	m.Gauge, m.Counter, m.Histogram = nil, nil, nil
	switch {
	case s.series.Kind == catalog.Histogram:
		m.Histogram = p.histogram(point.Hist)
	case s.series.Kind == catalog.Counter:
		m.Counter = p.counters.one()
		m.Counter.Value = &point.Value
	default:
		m.Gauge = p.gauges.one()
		m.Gauge.Value = &point.Value
	}
	return m
}

// labels merges the point's labels with the extra ones, both in the order of their names.
// Empty values are left out: to Prometheus they are the same as no label. A label of the
// series wins over an extra one of its name.
func (p *page) labels(s *series, point *catalog.Point, extra []extra) []*dto.LabelPair {
	refs := p.pairRefs.take(len(s.labels) + len(extra))[:0]
	for _, l := range s.labels {
		for len(extra) > 0 && *extra[0].name <= *l.name {
			if *extra[0].name != *l.name {
				refs = append(refs, p.pair(extra[0].name, extra[0].value))
			}
			extra = extra[1:]
		}
		if l.place < len(point.Labels) && point.Labels[l.place] != "" {
			refs = append(refs, p.pair(l.name, &point.Labels[l.place]))
		}
	}
	for _, e := range extra {
		refs = append(refs, p.pair(e.name, e.value))
	}
	return refs
}

func (p *page) pair(name, value *string) *dto.LabelPair {
	pair := p.pairs.one()
	pair.Name, pair.Value = name, value
	return pair
}

func (p *page) histogram(h *catalog.Buckets) *dto.Histogram {
	out := p.histograms.one()
	if h == nil {
		h = new(catalog.Buckets) // a point without buckets: an empty histogram, not a crash
	}
	out.SampleCount, out.SampleSum = &h.Count, &h.Sum
	refs := p.bucketRefs.take(len(h.Bounds))[:0]
	for i := range h.Bounds {
		b := p.buckets.one()
		b.UpperBound, b.CumulativeCount = &h.Bounds[i], &h.Counts[i]
		refs = append(refs, b)
	}
	out.Bucket = refs
	return out
}
