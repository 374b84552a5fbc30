package scrape

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// plain is an engine that asks two paths. Its session is small enough to see what the
// target alone does.
var plain = &engine.Engine{
	Name: "plain", Title: "Plain",
	Endpoints: []engine.Endpoint{
		{Path: "/health", Format: engine.Status, Role: engine.Health},
		{Path: "/metrics", Format: engine.Exposition, Role: engine.Numbers},
	},
}

// plainSession asks /health, then /metrics, and makes one point of each good page.
type plainSession struct {
	options engine.Options
	reads   int
}

func newPlainSession(o engine.Options) Session { return &plainSession{options: o} }

func (s *plainSession) Read(ctx context.Context, fetch engine.Fetch) *engine.Reading {
	s.reads++
	r := &engine.Reading{Engine: plain, Version: "1", Up: engine.No, Healthy: engine.No}
	note := func(err error) {
		var failed *engine.FetchError
		if !errors.As(err, &failed) {
			panic("the fetch returned an error of another kind")
		}
		r.Errors = append(r.Errors, *failed)
		r.Reason, r.Problem = failed.Reason, failed.Error()
	}
	health, err := fetch(ctx, engine.Service, "/health")
	if err != nil {
		note(err)
		return r
	}
	if health.Status == http.StatusOK {
		r.Healthy = engine.Yes
	}
	page, err := fetch(ctx, engine.Service, "/metrics")
	if err != nil {
		note(err)
		return r
	}
	if page.Status != http.StatusOK {
		r.Reason = catalog.ReasonHTTP
		return r
	}
	r.Up, r.Samples, r.BodyBytes = engine.Yes, 1, len(page.Body)
	r.Points = []catalog.Point{{
		Series: catalog.RequestsRunning, Labels: []string{s.options.Backend, "plain", string(page.Body), ""}, Value: float64(s.reads),
	}}
	return r
}

// roundTripper is a server without a network, for tests on the bubble's clock.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// answer makes a response with a body.
func answer(r *http.Request, body string) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/plain"}}, ContentLength: int64(len(body)),
		Body: io.NopCloser(strings.NewReader(body)), Request: r,
	}
}

// slow answers /metrics after a time, and everything else at once. It counts the requests
// for /metrics and how many were open together.
type slow struct {
	after time.Duration

	mu                sync.Mutex // guards what follows
	asked, open, most int
}

func (s *slow) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path != "/metrics" {
		return answer(r, "ok"), nil
	}
	s.mu.Lock()
	s.asked++
	s.open++
	s.most = max(s.most, s.open)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.open--
		s.mu.Unlock()
	}()
	select {
	case <-time.After(s.after):
		return answer(r, "page"), nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

func (s *slow) counts() (asked, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked, s.most
}

// backend is a backend at an address nobody asks over a network.
func backend(name string, limit time.Duration) config.Backend {
	return config.Backend{Name: name, URL: "http://" + name + ".test", Limits: config.Limits{Timeout: limit, BodyBytes: 1 << 20}}
}

// fleetOf makes a fleet over a transport.
func fleetOf(t *testing.T, rt http.RoundTripper, backends ...config.Backend) *Fleet {
	t.Helper()
	f := New(Options{Transport: rt, NewSession: newPlainSession, Engines: []*engine.Engine{plain}})
	t.Cleanup(f.Close)
	if err := f.Load(&config.Config{Backends: backends}); err != nil {
		t.Fatal(err)
	}
	return f
}

// scrapeWithin scrapes a target with a deadline.
func scrapeWithin(t *testing.T, target *Target, d time.Duration) *State {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	return target.Scrape(ctx)
}

// value finds the value of a point by its series and the values of its labels after backend.
func value(s *State, series *catalog.Series, labels ...string) (float64, bool) {
	for i := range s.Points {
		p := &s.Points[i]
		if p.Series != series || len(p.Labels) < 1+len(labels) {
			continue
		}
		match := true
		for j, l := range labels {
			match = match && p.Labels[1+j] == l
		}
		if match {
			return p.Value, true
		}
	}
	return 0, false
}

// expect fails unless a point has a value.
func expect(t *testing.T, s *State, want float64, series *catalog.Series, labels ...string) {
	t.Helper()
	if got, ok := value(s, series, labels...); !ok || got != want {
		t.Errorf("%s%v = %v (there: %v), want %v", series.Name, labels, got, ok, want)
	}
}

// expectAbsent fails when a series has a point.
func expectAbsent(t *testing.T, s *State, series *catalog.Series) {
	t.Helper()
	if got, ok := value(s, series); ok {
		t.Errorf("%s = %v, want no such series", series.Name, got)
	}
}
