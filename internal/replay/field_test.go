package replay

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/rules"
	"github.com/prometheus/prometheus/promql"
)

// Reports from the field that no recording holds: pages in the exporter's own names, written by
// hand from the report, and the whole bundle of rules on them.

// playBundle plays pages under all rules of the bundle.
func playBundle(t *testing.T, page func(second int) string, until time.Duration) *Prometheus {
	t.Helper()
	files, err := rules.Files(rules.Groups(), rules.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPrometheus([]Target{{"llmfleet", "here:1", scripted(page)}}, files)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	playTest(t, p, int(until.Seconds()))
	return p
}

// fleetSpans are those of alerts about the fleet: there is no Prometheus to watch beside it.
func fleetSpans(p *Prometheus) []*Span {
	watching := map[string]bool{}
	for _, g := range rules.Groups() {
		for _, a := range g.Alerts {
			watching[a.Name] = g.Name == "watching"
		}
	}
	return slices.DeleteFunc(p.Spans(), func(s *Span) bool { return watching[s.Alert] })
}

func firedNames(spans []*Span) []string {
	var out []string
	for _, s := range spans {
		if s.Fired() {
			out = append(out, s.Alert)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// server is a vLLM server that is up.
const server = `llm_up{backend="a"} 1
llm_healthy{backend="a"} 1
llm_backend_info{backend="a",engine="vllm",url="http://a:8000",version="0.33.0"} 1
`

// of are the labels of the server's numbers.
const of = `backend="a",engine="vllm",model="m"`

// firstTokens are the requests that the server has begun, and those of them that began late.
func firstTokens(all, late int) string {
	return fmt.Sprintf(`# TYPE llm_time_to_first_token_seconds histogram
llm_time_to_first_token_seconds_bucket{%[1]s,le="1.0"} %[2]d
llm_time_to_first_token_seconds_bucket{%[1]s,le="20.0"} %[2]d
llm_time_to_first_token_seconds_bucket{%[1]s,le="+Inf"} %[3]d
llm_time_to_first_token_seconds_count{%[1]s} %[3]d
llm_time_to_first_token_seconds_sum{%[1]s} %[3]d
# TYPE llm_objective_events_total counter
llm_objective_events_total{%[1]s,objective="time_to_first_token"} %[3]d
# TYPE llm_objective_missed_events_total counter
llm_objective_missed_events_total{%[1]s,bound="20",objective="time_to_first_token"} %[4]d
`, of, all-late, all, late)
}

// TestIdlenessIsNoNumber is case C32: fifty requests, then none. Rates of nothing by nothing are
// NaN, which a panel draws as a gap of its own kind and a negated comparison takes for true.
func TestIdlenessIsNoNumber(t *testing.T) {
	p := playBundle(t, func(s int) string {
		n := min(s/6, 50)
		return server + firstTokens(n, 0) + fmt.Sprintf("# TYPE llm_requests_finished_total counter\nllm_requests_finished_total{%s,reason=\"stop\"} %d\n", of, n)
	}, 30*time.Minute)
	if spans := fleetSpans(p); len(spans) > 0 {
		t.Errorf("%d alerts on an idle server, the first is %s", len(spans), spans[0])
	}
	for _, s := range recorded(t, p, 30*time.Minute) {
		for _, at := range s.Floats {
			if math.IsNaN(at.F) {
				t.Errorf("%s is NaN", s.Metric)
				break
			}
		}
	}
	for _, name := range []string{"backend:llm_time_to_first_token_seconds:p95", "backend:llm_objective_missed:ratio"} {
		busy, idle := valuesAt(t, p, name, 5*time.Minute), valuesAt(t, p, name, 25*time.Minute)
		if len(busy) != 1 || len(idle) != 0 {
			t.Errorf("%s: %v while requests come, %v when none have for a while; want a number and none", name, busy, idle)
		}
	}
}

// recorded are all recorded series of a replay.
func recorded(t *testing.T, p *Prometheus, end time.Duration) promql.Matrix {
	t.Helper()
	m, _, err := p.Range(t.Context(), `{__name__=~"[a-z_]+:[a-z0-9_]+:[a-z0-9_]+"}`, end, StepLength)
	if err != nil || len(m) == 0 {
		t.Fatalf("nothing is recorded (%v)", err)
	}
	return m
}

func valuesAt(t *testing.T, p *Prometheus, expr string, at time.Duration) []float64 {
	t.Helper()
	vec, _, err := p.Instant(t.Context(), expr, at)
	if err != nil {
		t.Fatal(err)
	}
	var out []float64
	for _, s := range vec {
		out = append(out, s.F)
	}
	return out
}

// TestOneSlowRequestPagesNobody is case C58: the first request after a load takes 92 s, and nobody is
// told; of forty in a quarter of an hour twelve are slow, and somebody is.
func TestOneSlowRequestPagesNobody(t *testing.T) {
	for name, tt := range map[string]struct {
		all, late func(second int) int
		want      []string
	}{
		"cold": {func(s int) int { return min(s/60, 1) }, func(s int) int { return min(s/60, 1) }, nil},
		"real": {func(s int) int { return s * 40 / 900 }, func(s int) int { return s * 12 / 900 }, []string{"LlmTimeToFirstTokenHigh"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := playBundle(t, func(s int) string { return server + firstTokens(tt.all(s), tt.late(s)) }, 20*time.Minute)
			if got := firedNames(fleetSpans(p)); !slices.Equal(got, tt.want) {
				t.Errorf("%q fire, want %q", got, tt.want)
			}
		})
	}
}

// gateway is a LiteLLM with two deployments, of which some are out since second 60. Requests come
// once a second; of those that find a deployment out the fallback answers, if it is in.
func gateway(s int, a, b bool) string {
	n := max(s-60, 0)
	out := fmt.Sprintf("llm_up{backend=\"gw\"} 1\nllm_healthy{backend=\"gw\"} 1\nllm_backend_info{backend=\"gw\",engine=\"litellm\",url=\"http://gw:4000\",version=\"1.110.2\"} 1\n# TYPE llm_router_requests_total counter\nllm_router_requests_total{backend=\"gw\",router=\"litellm\",model=\"g\"} %d\n", s)
	healthy := map[bool]int{true: 1}
	if s < 60 {
		a, b = true, true
	}
	out += fmt.Sprintf("llm_router_target_healthy{backend=\"gw\",router=\"litellm\",target=\"a\"} %d\nllm_router_target_healthy{backend=\"gw\",router=\"litellm\",target=\"b\"} %d\n", healthy[a], healthy[b])
	out += fmt.Sprintf("# TYPE llm_router_target_requests_total counter\nllm_router_target_requests_total{backend=\"gw\",router=\"litellm\",target=\"a\",outcome=\"failure\"} %d\nllm_router_target_requests_total{backend=\"gw\",router=\"litellm\",target=\"a\",outcome=\"success\"} %d\n", n, s-n)
	if b {
		return out + fmt.Sprintf("# TYPE llm_router_failovers_total counter\nllm_router_failovers_total{backend=\"gw\",router=\"litellm\",model=\"g\",fallback=\"b\",outcome=\"success\"} %d\n", n)
	}
	return out + fmt.Sprintf("# TYPE llm_router_retries_exhausted_total counter\nllm_router_retries_exhausted_total{backend=\"gw\",router=\"litellm\"} %d\n# TYPE llm_router_errors_total counter\nllm_router_errors_total{backend=\"gw\",router=\"litellm\",reason=\"APIConnectionError\"} %d\n# TYPE llm_router_retries_total counter\nllm_router_retries_total{backend=\"gw\",router=\"litellm\"} %d\n", n, n, n)
}

// TestWithFallbackAndAllOneAlertIsToldOfEach is case C97: the deployment of a model and its fallback are
// both down, and dozens of symptoms follow; of all that fires, one page is told. With the fallback
// serving there is a warning and no page.
func TestWithFallbackAndAllOneAlertIsToldOfEach(t *testing.T) {
	for name, tt := range map[string]struct {
		fallback bool
		pages    []string // told of all that are critical
		warnings []string // told of the rest
	}{
		"both down":           {false, []string{"LlmRouterRequestsFailing"}, nil},
		"the fallback serves": {true, nil, []string{"LlmRouterFailoversGrowing", "LlmRouterTargetFailing", "LlmRouterTargetOut"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := playBundle(t, func(s int) string { return gateway(s, false, tt.fallback) }, 15*time.Minute)
			fired := slices.DeleteFunc(fleetSpans(p), func(s *Span) bool { return !s.Fired() })
			told := notHeldBack(t, fired)
			isPage := func(s *Span) bool { return s.Labels.Get("severity") == string(rules.Critical) }
			pages := firedNames(slices.DeleteFunc(slices.Clone(told), func(s *Span) bool { return !isPage(s) }))
			warnings := firedNames(slices.DeleteFunc(slices.Clone(told), isPage))
			if !slices.Equal(pages, tt.pages) || !slices.Equal(warnings, tt.warnings) {
				t.Errorf("of %q is told: pages %q, warnings %q; want %q and %q", firedNames(fired), pages, warnings, tt.pages, tt.warnings)
			}
			if !tt.fallback && len(firedNames(fired)) < 4 {
				t.Errorf("only %q fire: that one of them is told shows little", firedNames(fired))
			}
		})
	}
}

// notHeldBack are the alerts that Alertmanager tells of, by the inhibitions of the bundle.
func notHeldBack(t *testing.T, fired []*Span) []*Span {
	t.Helper()
	all, err := rules.Inhibitions(rules.Groups(), rules.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(slices.Clone(fired), func(s *Span) bool {
		return slices.ContainsFunc(all, func(i rules.Inhibition) bool {
			return slices.Contains(i.Targets, s.Alert) && slices.ContainsFunc(fired, func(cause *Span) bool {
				return cause.Alert == i.Source && cause != s && !slices.ContainsFunc(i.By, func(l string) bool { return cause.Labels.Get(l) != s.Labels.Get(l) })
			})
		})
	})
}

// TestGaugesThatLagAreNotTakenForIdleness is case C104: after a cold start an engine says that nothing
// runs or waits for 18 s, while requests are in. Nothing calls it idle; that they wait is read off
// the histogram of what was served, whatever the gauges say.
func TestGaugesThatLagAreNotTakenForIdleness(t *testing.T) {
	page := func(lag int, waited bool) func(int) string {
		return func(s int) string {
			running, served := 18, s/5
			if s < lag {
				running = 0
			}
			late := 0
			if waited {
				late = served
			}
			return server + fmt.Sprintf(`llm_requests_running{%[1]s} %[2]d
llm_requests_waiting{%[1]s} 0
# TYPE llm_engine_steps_total counter
llm_engine_steps_total{%[1]s} %[3]d
# TYPE llm_generation_tokens_total counter
llm_generation_tokens_total{%[1]s} %[4]d
# TYPE llm_prompt_tokens_total counter
llm_prompt_tokens_total{%[1]s} %[3]d
# TYPE llm_objective_events_total counter
llm_objective_events_total{%[1]s,objective="queue_duration"} %[5]d
# TYPE llm_objective_missed_events_total counter
llm_objective_missed_events_total{%[1]s,bound="5",objective="queue_duration"} %[6]d
`, of, running, 10*s, 100*s, served, late)
		}
	}
	p := playBundle(t, page(18, false), 10*time.Minute)
	if spans := fleetSpans(p); len(spans) > 0 {
		t.Errorf("alerts after a cold start: %s", strings.Join(lines(spans), "; "))
	}
	p = playBundle(t, page(1<<30, true), 10*time.Minute)
	if got := firedNames(fleetSpans(p)); !slices.Equal(got, []string{"LlmQueueWaitHigh"}) {
		t.Errorf("with gauges that stay at 0 %q fire, want LlmQueueWaitHigh alone", got)
	}
}

// TestEnergyIsCountedPerToken is case C106: two cards draw 300 and 200 W; 25 tokens a second are
// generated and 225 read. After ten minutes nobody asks any more.
func TestEnergyIsCountedPerToken(t *testing.T) {
	page := func(more string) func(int) string {
		return func(s int) string {
			n := min(s, 600)
			return server + fmt.Sprintf(`llm_gpu_backend_info{backend="a",gpu="0"} 1
llm_gpu_backend_info{backend="a",gpu="1"} 1
llm_gpu_power_watts{gpu="0"} 300
# TYPE llm_generation_tokens_total counter
llm_generation_tokens_total{%[1]s} %[2]d
# TYPE llm_prompt_tokens_total counter
llm_prompt_tokens_total{%[1]s} %[3]d
`, of, 25*n, 225*n) + more
		}
	}
	const second = "llm_gpu_power_watts{gpu=\"1\"} 200\n"
	names := []string{"backend:llm_gpu_power:watts", "backend:llm_energy:joules_per_generated_token", "backend:llm_energy:joules_per_token"}
	for name, tt := range map[string]struct {
		more string
		at   time.Duration
		want [3][]float64
	}{
		"at work":                          {second, 8 * time.Minute, [3][]float64{{500}, {20}, {2}}},
		"no tokens":                        {second, 20 * time.Minute, [3][]float64{{500}, nil, nil}},
		"a card that does not tell":        {"", 8 * time.Minute, [3][]float64{}},
		"a card that another backend uses": {second + "llm_gpu_backend_info{backend=\"b\",gpu=\"1\"} 1\n", 8 * time.Minute, [3][]float64{}},
	} {
		t.Run(name, func(t *testing.T) {
			p := playBundle(t, page(tt.more), 20*time.Minute)
			for i, record := range names {
				got := valuesAt(t, p, record, tt.at)
				if !slices.EqualFunc(got, tt.want[i], func(a, b float64) bool { return math.Abs(a-b) < 1e-6*b }) {
					t.Errorf("%s = %v, want %v", record, got, tt.want[i])
				}
			}
		})
	}
}
