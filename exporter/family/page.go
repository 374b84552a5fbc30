package family

import (
	"maps"
	"slices"

	dto "github.com/prometheus/client_model/go"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// page is the memory of one page.
type page struct {
	counts   []int // points of each series
	members  [][]*dto.Metric
	families []*dto.MetricFamily

	metrics    arena[dto.Metric]
	gauges     arena[dto.Gauge]
	counters   arena[dto.Counter]
	histograms arena[dto.Histogram]
	buckets    arena[dto.Bucket]
	bucketRefs arena[*dto.Bucket]
	pairs      arena[dto.LabelPair]
	pairRefs   arena[*dto.LabelPair]
	metricRefs arena[*dto.Metric]
	family     arena[dto.MetricFamily]
}

// mostKept is how many blocks of each kind stay for the next page.
const mostKept = 256

func (p *page) reset() {
	p.metrics.reset(mostKept)
	p.gauges.reset(mostKept)
	p.counters.reset(mostKept)
	p.histograms.reset(mostKept)
	p.buckets.reset(mostKept)
	p.bucketRefs.reset(mostKept)
	p.pairs.reset(mostKept)
	p.pairRefs.reset(mostKept)
	p.metricRefs.reset(mostKept)
	p.family.reset(mostKept)
}

func (p *page) build(b *Builder, sources []Source) []*dto.MetricFamily {
	p.room(b, sources)
	for i := range sources {
		extra := extraLabels(sources[i].Labels)
		for j := range sources[i].Points {
			point := &sources[i].Points[j]
			at, known := b.order[point.Series]
			if !known {
				continue // not of the catalog: nothing else is ever emitted
			}
			p.members[at] = append(p.members[at], p.metric(b.series[at], point, extra))
		}
	}
	p.families = p.families[:0]
	for at, members := range p.members {
		if len(members) == 0 {
			continue
		}
		f := p.family.one()
		f.Name, f.Help, f.Type, f.Metric = b.series[at].name, b.series[at].help, b.series[at].kind, members
		p.families = append(p.families, f)
	}
	return p.families
}

// room counts first, so that each family's metrics lie in one slice that never grows.
func (p *page) room(b *Builder, sources []Source) {
	p.counts = append(p.counts[:0], make([]int, len(b.series))...)
	for i := range sources {
		for j := range sources[i].Points {
			if at, known := b.order[sources[i].Points[j].Series]; known {
				p.counts[at]++
			}
		}
	}
	p.members = append(p.members[:0], make([][]*dto.Metric, len(b.series))...)
	for at, n := range p.counts {
		p.members[at] = p.metricRefs.take(n)[:0]
	}
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
	case s.histogram:
		m.Histogram = p.histogram(point.Hist)
	case *s.kind == dto.MetricType_COUNTER:
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
