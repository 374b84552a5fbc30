package engine

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// benchmarkBodies are the largest recorded vLLM page and a llama.cpp page, with what one
// page may cost.
var benchmarkBodies = []struct {
	name, file, version string
	engine              *Engine
	allocations         float64 // at most
	fewer               float64 // than the usual path, at least
}{
	{"vllm", "vllm-0.32.0-dp2.metrics.txt", "0.32.0", vllm, 500, 20},
	{"llamacpp", "llamacpp-0.7.0.metrics.txt", "b11669-Debian", llamacpp, 100, 1},
}

// BenchmarkBodyToSeries prints both sides: this package, with a mapper that is used again
// and with a new one, and the path that most exporters take.
func BenchmarkBodyToSeries(b *testing.B) {
	for _, bb := range benchmarkBodies {
		page := []byte(body(b, bb.file))
		again := newMapper(Options{Backend: "a"})
		for _, side := range []struct {
			name string
			run  func() int
		}{
			{"ours", func() int { return pageToPoints(b, again, bb.engine, bb.version, page) }},
			{"ours-first-scrape", func() int { return pageToPoints(b, newMapper(Options{Backend: "a"}), bb.engine, bb.version, page) }},
			{"usual", func() int { return usualPath(b, page) }},
		} {
			b.Run(bb.name+"/"+side.name, func(b *testing.B) {
				b.SetBytes(int64(len(page)))
				b.ReportAllocs()
				for b.Loop() {
					if side.run() == 0 {
						b.Fatal("no series")
					}
				}
			})
		}
	}
}

func pageToPoints(t testing.TB, m *mapper, e *Engine, version string, page []byte) int {
	m.begin(e, version)
	if _, err := m.exposition(page, "tiny-chat"); err != nil {
		t.Fatal(err)
	}
	var r Reading
	m.finish(&r)
	return len(r.Points)
}

// usualPath reads a page into families and makes a constant metric of each of theirs.
func usualPath(t testing.TB, page []byte) (n int) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(string(page)))
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if _, err := constMetric(family, m); err != nil {
				t.Fatal(err)
			}
			n++
		}
	}
	return n
}

func constMetric(family *dto.MetricFamily, m *dto.Metric) (prometheus.Metric, error) {
	names, values := []string{"backend"}, []string{"a"}
	for _, l := range m.GetLabel() {
		names, values = append(names, l.GetName()), append(values, l.GetValue())
	}
	desc := prometheus.NewDesc(family.GetName(), family.GetHelp(), names, nil)
	switch {
	case m.Histogram != nil:
		buckets := map[float64]uint64{}
		for _, b := range m.Histogram.GetBucket() {
			buckets[b.GetUpperBound()] = b.GetCumulativeCount()
		}
		return prometheus.NewConstHistogram(desc, m.Histogram.GetSampleCount(), m.Histogram.GetSampleSum(), buckets, values...)
	case m.Counter != nil:
		return prometheus.NewConstMetric(desc, prometheus.CounterValue, m.Counter.GetValue(), values...)
	case m.Gauge != nil:
		return prometheus.NewConstMetric(desc, prometheus.GaugeValue, m.Gauge.GetValue(), values...)
	}
	return prometheus.NewConstMetric(desc, prometheus.UntypedValue, m.GetUntyped().GetValue(), values...)
}

// Allocations, unlike times, are the same on every machine: they are asserted, the times
// are for BenchmarkBodyToSeries.
func TestMappingAPageAllocatesLittle(t *testing.T) {
	for _, bb := range benchmarkBodies {
		t.Run(bb.name, func(t *testing.T) {
			page := []byte(body(t, bb.file))
			m := newMapper(Options{Backend: "a"})
			ours := testing.AllocsPerRun(20, func() { pageToPoints(t, m, bb.engine, bb.version, page) })
			first := testing.AllocsPerRun(3, func() { pageToPoints(t, newMapper(Options{Backend: "a"}), bb.engine, bb.version, page) })
			usual := testing.AllocsPerRun(3, func() { usualPath(t, page) })
			if max(ours, first) > bb.allocations || usual < first*bb.fewer {
				t.Errorf("%v allocations, %v in a target's first scrape, usual path %v; want at most %v and %v times fewer",
					ours, first, usual, bb.allocations, bb.fewer)
			}
		})
	}
}
