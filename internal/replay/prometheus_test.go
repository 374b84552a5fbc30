package replay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/rules"
)

// scripted answers with a text that a function writes; "" is a target that is down.
type scripted func(second int) string

func (f scripted) Scrape(_ context.Context, at time.Duration) (Page, error) {
	body := f(int(at.Seconds()))
	if body == "" {
		return Page{}, errors.New("refused")
	}
	return Page{Body: []byte(body), ContentType: "text/plain; version=0.0.4", Took: 10 * time.Millisecond}, nil
}

const twoAlerts = `
groups:
- name: test
  rules:
  - record: backend:llm_tokens:rate1m
    expr: sum by (backend, instance) (rate(llm_tokens_total[1m]))
  - alert: LlmDown
    expr: llm_up == 0
    for: 1m
    keep_firing_for: 30s
    labels: {severity: critical}
    annotations: {summary: "{{ $labels.backend }} is down"}
  - alert: LlmStill
    expr: backend:llm_tokens:rate1m == 0
    for: 30s
    labels: {severity: warning}
`

func startTest(t *testing.T, s Scraper) *Prometheus {
	t.Helper()
	p, err := NewPrometheus([]Target{{"llmfleet", "here:1", s}}, []rules.File{{Name: "llm-test.yml", Data: []byte(twoAlerts)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func playTest(t *testing.T, p *Prometheus, until int) {
	t.Helper()
	for s := 0; s <= until; s += 15 {
		if _, err := p.Step(t.Context(), time.Duration(s)*time.Second); err != nil {
			t.Fatal(err)
		}
	}
}

// downFrom120To240 is a backend that is down for two minutes and counts 10 tokens a second.
func downFrom120To240(s int) string {
	up := 1
	if s >= 120 && s < 240 {
		up = 0
	}
	return fmt.Sprintf("# TYPE llm_up gauge\nllm_up{backend=\"a\"} %d\n# TYPE llm_tokens_total counter\nllm_tokens_total{backend=\"a\"} %d\n", up, s*10)
}

func TestAlertsGoPendingFireAreKeptAndResolve(t *testing.T) {
	p := startTest(t, scripted(downFrom120To240))
	playTest(t, p, 400)
	if len(p.Spans()) != 1 {
		t.Fatalf("spans = %v, want one", p.Spans())
	}
	got := p.Spans()[0]
	// down at 120, for 1m: fires at 180; up at 240, kept for 30 s: resolved at 270
	if want := `LlmDown{backend="a"} pending 120 firing 180 resolved 270`; got.String() != want {
		t.Errorf("span = %s, want %s", got, want)
	}
	if got.Annotations["summary"] != "a is down" {
		t.Errorf("summary = %q", got.Annotations["summary"])
	}
	vec, _, err := p.Instant(t.Context(), `backend:llm_tokens:rate1m`, 300*time.Second)
	if err != nil || len(vec) != 1 || math.Abs(vec[0].F-10) > 1e-9 {
		t.Errorf("recorded rate = %v (%v), want 10", vec, err)
	}
}

func TestSeriesThatVanishAreStaleAtOnce(t *testing.T) {
	p := startTest(t, scripted(func(s int) string {
		if s < 60 {
			return "llm_up{backend=\"a\"} 1\nllm_up{backend=\"b\"} 1\n"
		}
		return "llm_up{backend=\"b\"} 1\n"
	}))
	playTest(t, p, 60)
	vec, _, err := p.Instant(t.Context(), `llm_up`, 60*time.Second)
	if err != nil || len(vec) != 1 || vec[0].Metric.Get("backend") != "b" {
		t.Errorf("llm_up at 60 = %v (%v), want b alone", vec, err)
	}
}

func TestTargetThatIsDownKeepsOnlyUp(t *testing.T) {
	p := startTest(t, scripted(func(s int) string {
		if s < 30 {
			return "llm_up{backend=\"a\"} 1\n"
		}
		return ""
	}))
	playTest(t, p, 30)
	vec, _, _ := p.Instant(t.Context(), `{instance="here:1", __name__!~"scrape.*"}`, 30*time.Second)
	if len(vec) != 1 || vec[0].F != 0 || vec[0].Metric.Get("__name__") != "up" {
		t.Errorf("series = %v, want up 0 alone", vec)
	}
}

func TestBucketBoundsAreStoredAsPrometheus3DoesIt(t *testing.T) {
	p := startTest(t, scripted(func(int) string {
		return "# TYPE llm_x histogram\nllm_x_bucket{le=\"1\"} 1\nllm_x_bucket{le=\"+Inf\"} 1\nllm_x_sum 1\nllm_x_count 1\n"
	}))
	playTest(t, p, 0)
	vec, _, err := p.Instant(t.Context(), `llm_x_bucket{le="1.0"}`, 0)
	if err != nil || len(vec) != 1 {
		t.Errorf("le 1.0 = %v (%v), want one series", vec, err)
	}
}
