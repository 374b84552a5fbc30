package demo

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/llmfleet/llmfleet/exporter/scrape"
	"github.com/llmfleet/llmfleet/exporter/web"
	"github.com/llmfleet/llmfleet/internal/replay"
)

// view is what the fleet's page shows of one moment; it never changes once made.
type view struct {
	At, Length time.Duration
	Speed      float64
	Exporter   string
	Backends   []backendView
	Cards      []cardView
	Alerts     []alertView // active ones first, then those that are over
}

// backendView is one row of the fleet.
type backendView struct {
	Name, Engine, Version, Problem string
	Verdict                        web.Verdict
	Running, Waiting               string
	KV, Reuse, Tokens              string
	KVPercent                      float64
}

// alertView is one alert instance.
type alertView struct {
	Name, State, Labels, Summary, Severity string
	Pending, Firing, Resolved              string
}

// figures are the numbers of a row, by what they ask of the storage.
var figures = map[string]string{
	"running": `sum by (backend) (llm_requests_running)`,
	"waiting": `sum by (backend) (llm_requests_waiting)`,
	"kv":      `max by (backend) (llm_kv_cache_usage_ratio)`,
	"reuse":   `sum by (backend) (increase(llm_prefix_cache_hit_tokens_total[5m])) / (sum by (backend) (increase(llm_prefix_cache_query_tokens_total[5m])) > 0)`,
	"tokens":  `sum by (backend) (rate(llm_generation_tokens_total[1m]))`,
}

// look gathers the page's content after a step.
func (s *show) look(ctx context.Context, step replay.Step) view {
	v := view{At: step.At, Length: s.stage.length, Speed: s.opts.Speed, Exporter: s.stage.machines[0].page.url}
	values := map[string]map[string]float64{}
	for key, expr := range figures {
		values[key] = s.ask(ctx, expr, step.At)
	}
	for _, m := range s.stage.machines {
		for _, t := range m.exporter.Targets() {
			v.Backends = append(v.Backends, rowOf(t.Last(), values))
		}
	}
	v.Cards = s.cards(ctx, step.At)
	for _, span := range slices.Backward(s.prom.Spans()) {
		if !always(span) && (span.Active() || span.Fired()) {
			v.Alerts = append(v.Alerts, alertOf(span))
		}
	}
	slices.SortStableFunc(v.Alerts, func(a, b alertView) int { return cmp.Compare(urgency[a.State], urgency[b.State]) })
	return v
}

// urgency orders the alerts by what a person must look at first.
var urgency = map[string]int{"firing": 0, "pending": 1, "resolved": 2}

// ask returns the values of an expression by backend; none if there are none.
func (s *show) ask(ctx context.Context, expr string, at time.Duration) map[string]float64 {
	vector, _, err := s.prom.Instant(ctx, expr, at)
	if err != nil {
		return nil
	}
	out := map[string]float64{}
	for _, sample := range vector {
		out[sample.Metric.Get("backend")] = sample.F
	}
	return out
}

func rowOf(s *scrape.State, values map[string]map[string]float64) backendView {
	figure := func(key, format string, scale float64) string {
		if v, ok := values[key][s.Backend]; ok {
			return fmt.Sprintf(format, v*scale)
		}
		return ""
	}
	return backendView{
		Name: s.Backend, Engine: s.Engine, Version: s.Version, Problem: s.Problem, Verdict: web.Judge(s),
		Running: figure("running", "%.0f", 1), Waiting: figure("waiting", "%.0f", 1),
		KV: figure("kv", "%.0f %%", 100), KVPercent: 100 * values["kv"][s.Backend],
		Reuse: figure("reuse", "%.0f %%", 100), Tokens: figure("tokens", "%.0f", 1),
	}
}

func alertOf(s *replay.Span) alertView {
	state := "pending"
	switch {
	case !s.Active():
		state = "resolved"
	case s.Fired():
		state = "firing"
	}
	return alertView{
		Name: s.Alert, State: state, Labels: labelsOf(s), Summary: s.Annotations["summary"], Severity: s.Labels.Get("severity"),
		Pending: second(s.Pending), Firing: second(s.Firing), Resolved: second(s.Resolved),
	}
}
