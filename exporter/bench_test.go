package exporter

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"

	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/family"
	"github.com/llmfleet/llmfleet/exporter/scrape"
	"github.com/llmfleet/llmfleet/exporter/web"
	"github.com/llmfleet/llmfleet/internal/cputime"
	"github.com/llmfleet/llmfleet/internal/recording"
)

// replay answers as the recorded server of two ranks did at the end, whoever is asked.
func replay(t testing.TB) http.RoundTripper {
	t.Helper()
	r, err := recording.Load(filepath.Join("..", "testdata", "recordings", "vllm-0.32.0", "dp2"))
	if err != nil {
		t.Fatal(err)
	}
	return transport(func(req *http.Request) (*http.Response, error) {
		a, ok := r.Servers[0].At(r.Meta.Length, req.URL.RequestURI())
		status, body := http.StatusNotFound, []byte(nil)
		if ok {
			status, body = a.Status, a.Body
		}
		return &http.Response{
			StatusCode: status, Header: http.Header{"Content-Type": {"text/plain"}},
			ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)), Request: req,
		}, nil
	})
}

type transport func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// hundred is an exporter of a hundred vLLM servers of two ranks.
func hundred(t testing.TB) *Exporter {
	t.Helper()
	var b strings.Builder
	b.WriteString("backends:\n")
	for i := range 100 {
		fmt.Fprintf(&b, "  - name: vllm-%02d\n    url: http://vllm-%02d:8000\n", i, i)
	}
	c, err := config.Parse("bench.yml", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(c, Options{Transport: replay(t), NoProcessMetrics: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// sink is a scraper that only counts.
type sink struct {
	header http.Header
	bytes  int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(int)             {}
func (s *sink) Write(p []byte) (int, error) { s.bytes += len(p); return len(p), nil }

// BenchmarkPageOfHundredTargets is the mark: all targets fetched already, one core,
// 150 ms at most. As text it is what the mark means; gzip is what Prometheus asks for.
func BenchmarkPageOfHundredTargets(b *testing.B) {
	e := hundred(b)
	states := e.Scrape(b.Context())
	var sources []family.Source
	series := 0
	for _, s := range states {
		sources = append(sources, family.Source{Points: s.Points, Labels: s.Labels})
		series += len(s.Points)
	}
	if series < 100*100 {
		b.Fatalf("%d points of 100 targets: the recording was not read", series)
	}
	fetched := fetchedExporter{e, sources}
	for _, encoding := range []string{"identity", "gzip"} {
		b.Run(encoding, func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			h := web.Handler(fetched, web.Options{})
			r := httptest.NewRequest("GET", "/metrics", nil)
			r.Header.Set("Accept-Encoding", encoding)
			b.ReportAllocs()
			var w sink
			before := cputime.Used()
			for b.Loop() {
				w = sink{header: http.Header{}}
				h.ServeHTTP(&w, r)
			}
			b.ReportMetric(float64((cputime.Used()-before).Milliseconds())/float64(b.N), "cpu-ms/op")
			b.ReportMetric(float64(w.bytes), "body-bytes")
			b.ReportMetric(float64(series), "points")
		})
	}
}

// fetchedExporter shows points that were fetched before.
type fetchedExporter struct {
	*Exporter
	sources []family.Source
}

// Each asks nobody.
func (f fetchedExporter) Each(_ context.Context, _ []*scrape.Target, _ bool, yield func(*dto.MetricFamily) error) error {
	return f.builder.Each(f.sources, yield)
}

// BenchmarkScrapeOfHundredTargets is everything but the network: asking, reading, mapping
// and writing, on one core.
func BenchmarkScrapeOfHundredTargets(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	e := hundred(b)
	r := httptest.NewRequest("GET", "/metrics", nil)
	b.ReportAllocs()
	before := cputime.Used()
	defer func() {
		b.ReportMetric(float64((cputime.Used()-before).Milliseconds())/float64(b.N), "cpu-ms/op")
	}()
	for b.Loop() {
		w := sink{header: http.Header{}}
		e.Handler().ServeHTTP(&w, r)
		if w.bytes < 1<<20 {
			b.Fatalf("a page of %d bytes", w.bytes)
		}
	}
}
