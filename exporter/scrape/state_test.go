package scrape

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

func configOf(backends ...config.Backend) *config.Config { return &config.Config{Backends: backends} }

// script is a session that returns prepared readings, one after the other.
type script struct{ readings []*engine.Reading }

func (s *script) Read(context.Context, engine.Fetch) *engine.Reading {
	r := s.readings[0]
	if len(s.readings) > 1 {
		s.readings = s.readings[1:]
	}
	return r
}

// scripted makes a target whose session returns the readings.
func scripted(t *testing.T, b config.Backend, readings ...*engine.Reading) *Target {
	t.Helper()
	f := New(Options{
		Transport:  http.DefaultTransport, // never used
		NewSession: func(engine.Options) Session { return &script{readings} },
		Now:        func() time.Time { return time.Unix(1700000000, 0) },
	})
	t.Cleanup(f.Close)
	if err := f.Load(configOf(b)); err != nil {
		t.Fatal(err)
	}
	return f.Target(b.Name)
}

func up(points ...catalog.Point) *engine.Reading {
	return &engine.Reading{Engine: plain, Version: "1", Up: engine.Yes, Healthy: engine.Yes, Points: points}
}

func TestClashOfTwoSourcesKeepsTheFirstAndIsCounted(t *testing.T) {
	running := func(model string, v float64) catalog.Point {
		return catalog.Point{Series: catalog.RequestsRunning, Labels: []string{"a", "plain", model, ""}, Value: v}
	}
	a := scripted(t, backend("a", time.Minute), up(running("m", 1), running("other", 7), running("m", 2)))
	state := a.Scrape(t.Context())
	expect(t, state, 1, catalog.RequestsRunning, "plain", "m")
	expect(t, state, 7, catalog.RequestsRunning, "plain", "other")
	expect(t, state, 1, catalog.ScrapeDroppedSamples)
	for i := 1; i < len(state.Points); i++ {
		p, q := state.Points[i-1], state.Points[i]
		if p.Series == q.Series && slices.Equal(p.Labels, q.Labels) {
			t.Errorf("%s%v twice", p.Series.Name, p.Labels)
		}
	}
}

func TestMissingNamesAreNotedForAPerson(t *testing.T) {
	some, many := up(), up()
	some.Missing = []string{"vllm:a", "vllm:b"}
	for i := range 23 {
		many.Missing = append(many.Missing, fmt.Sprintf("n%d", i))
	}
	a := scripted(t, backend("a", time.Minute), up(), some, many)
	if notes := a.Scrape(t.Context()).Notes; len(notes) != 0 {
		t.Errorf("notes %q, want none while nothing is missing", notes)
	}
	if notes := a.Scrape(t.Context()).Notes; len(notes) != 1 || !strings.HasSuffix(notes[0], ": vllm:a, vllm:b") {
		t.Errorf("notes %q, want one that names both", notes)
	}
	if notes := a.Scrape(t.Context()).Notes; len(notes) != 1 || !strings.HasSuffix(notes[0], ", n19 and 3 more") {
		t.Errorf("notes %q, want twenty names and a count", notes)
	}
}

func TestPointsOutliveTheSessionsMemory(t *testing.T) {
	labels := []string{"a", "plain", "m", ""}
	hist := &catalog.Buckets{Bounds: []float64{1, 2}, Counts: []uint64{3, 4}, Count: 5, Sum: 6}
	reading := up(
		catalog.Point{Series: catalog.RequestsRunning, Labels: labels, Value: 1},
		catalog.Point{Series: catalog.TimeToFirstToken, Labels: labels, Hist: hist},
	)
	state := scripted(t, backend("a", time.Minute), reading).Scrape(t.Context())
	labels[2], hist.Bounds[0], hist.Counts[1], hist.Count, reading.Points[0].Value = "x", 9, 9, 9, 9
	expect(t, state, 1, catalog.RequestsRunning, "plain", "m")
	for _, p := range state.Points {
		if p.Series == catalog.TimeToFirstToken && (p.Hist.Bounds[0] != 1 || p.Hist.Counts[1] != 4 || p.Hist.Count != 5) {
			t.Errorf("histogram changed with the session's memory: %+v", *p.Hist)
		}
	}
}

func TestLabelValueThatIsNotUTF8IsMended(t *testing.T) {
	state := scripted(t, backend("a", time.Minute),
		up(catalog.Point{Series: catalog.RequestsRunning, Labels: []string{"a", "plain", "m\xff", ""}, Value: 1})).Scrape(t.Context())
	expect(t, state, 1, catalog.RequestsRunning, "plain", "m\uFFFD")
}

func TestExpectationsAreComparedWithWhatIsServed(t *testing.T) {
	yes := true
	b := backend("a", time.Minute)
	b.Expect = config.Expect{Models: []string{"m", "gone"}, Speculation: &yes, Replicas: 2}
	serving := up()
	serving.Models = []string{"m", "extra"}
	down := &engine.Reading{Up: engine.No, Healthy: engine.No, Reason: catalog.ReasonRefused, Models: []string{"m"}}
	a := scripted(t, b, serving, down)

	state := a.Scrape(t.Context())
	expect(t, state, 1, catalog.ExpectedModel, "m")
	expect(t, state, 1, catalog.ExpectedModel, "gone")
	expect(t, state, 1, catalog.ExpectedModelServed, "m")
	expect(t, state, 0, catalog.ExpectedModelServed, "gone")
	expect(t, state, 1, catalog.ExpectedSpeculation)
	expect(t, state, 2, catalog.ExpectedReplicas)
	if !slices.Equal(state.NotServed, []string{"gone"}) {
		t.Errorf("not served %q, want gone", state.NotServed)
	}
	if notes := strings.Join(state.Notes, "; "); !strings.Contains(notes, "expect.replicas is for routers, and Plain is none") {
		t.Errorf("notes %q", notes)
	}

	state = a.Scrape(t.Context())
	expect(t, state, 1, catalog.ExpectedModel, "gone")
	expectAbsent(t, state, catalog.ExpectedModelServed)
}

func TestUnscrapedBackendIsNamedAndNeverAsked(t *testing.T) {
	b := backend("a", time.Minute)
	b.Unscraped = "a person's laptop"
	f := fleetOf(t, roundTripper(func(*http.Request) (*http.Response, error) {
		t.Error("the backend was asked")
		return nil, http.ErrServerClosed
	}), b)
	state := f.Target("a").Scrape(t.Context())
	expect(t, state, 1, catalog.Unscraped, "a person's laptop")
	expectAbsent(t, state, catalog.Up)
	expectAbsent(t, state, catalog.ScrapeFailed)
	if state.Unscraped != b.Unscraped || !state.At.IsZero() {
		t.Errorf("state = %+v, want the reason and no time", state)
	}
}

func TestHealthSeriesSayWhatWasRead(t *testing.T) {
	reading := up()
	reading.Samples, reading.BodyBytes, reading.Missing, reading.Unmapped = 12, 345, []string{"x"}, []string{"y", "z"}
	reading.Dropped, reading.Folded = 3, 4
	reading.Errors = []engine.FetchError{{Reason: catalog.ReasonAuth}, {Reason: catalog.ReasonAuth}}
	reading.Supported = map[*catalog.Series]bool{catalog.KVCacheUsage: true, catalog.Preemptions: false}
	a := scripted(t, backend("a", time.Minute), reading)
	a.Scrape(t.Context())
	state := a.Scrape(t.Context())
	expect(t, state, 12, catalog.ScrapeSamples)
	expect(t, state, 345, catalog.ScrapeBody)
	expect(t, state, 1, catalog.ScrapeMissingSeries)
	expect(t, state, 2, catalog.ScrapeUnmappedSeries)
	expect(t, state, 6, catalog.ScrapeDroppedSamples)
	expect(t, state, 8, catalog.ScrapeFolded)
	expect(t, state, 4, catalog.ScrapeErrors, "auth")
	expect(t, state, 0, catalog.ScrapeErrors, "dns")
	expect(t, state, 1700000000, catalog.ScrapeLastSuccess)
	expect(t, state, 1, catalog.SeriesSupported, "plain", "llm_kv_cache_usage_ratio")
	expect(t, state, 0, catalog.SeriesSupported, "plain", "llm_preemptions_total")
	expect(t, state, 1, catalog.BackendInfo, "plain", "1", "http://a.test")
}

func TestProgramWithoutNumbersHasNoUp(t *testing.T) {
	state := scripted(t, backend("a", time.Minute),
		&engine.Reading{Engine: plain, Healthy: engine.Yes, Up: engine.Unknown}).Scrape(t.Context())
	expectAbsent(t, state, catalog.Up)
	expectAbsent(t, state, catalog.ScrapeSamples)
	expectAbsent(t, state, catalog.ScrapeLastSuccess)
	expect(t, state, 1, catalog.Healthy)
}

func TestChangeOfProgramOrVersionIsCountedOnce(t *testing.T) {
	other := &engine.Engine{Name: "other", Title: "Other"}
	reading := func(e *engine.Engine, version string) *engine.Reading {
		return &engine.Reading{Engine: e, Version: version, Up: engine.Yes, Healthy: engine.Yes}
	}
	a := scripted(t, backend("a", time.Minute),
		reading(plain, "1"), reading(plain, ""), reading(plain, "1"), reading(nil, ""), reading(plain, "2"), reading(other, "9"), reading(other, "9"))
	var got []float64
	for range 7 {
		v, _ := value(a.Scrape(t.Context()), catalog.EngineChanges)
		got = append(got, v)
	}
	if want := []float64{0, 0, 0, 0, 1, 2, 2}; !slices.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
}

func TestReloadKeepsTargetsThatDidNotChange(t *testing.T) {
	f := fleetOf(t, &slow{}, backend("a", time.Minute), backend("b", time.Minute))
	a, b := f.Target("a"), f.Target("b")
	a.Scrape(t.Context())
	b.counts.failed(catalog.ReasonDNS)

	changed := backend("b", time.Minute)
	changed.URL = "http://elsewhere.test"
	if err := f.Load(configOf(backend("a", time.Minute), changed)); err != nil {
		t.Fatal(err)
	}
	if f.Target("a") != a {
		t.Error("the target that did not change was made anew")
	}
	if f.Target("b") == b {
		t.Error("the target whose address changed is the old one")
	}
	expect(t, f.Target("b").Scrape(t.Context()), 1, catalog.ScrapeErrors, "dns")
	if f.Target("a").Last().At.IsZero() {
		t.Error("what was known of a is lost")
	}
}
