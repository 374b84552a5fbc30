package replay

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/template"
)

// SpansOf says what an alerting rule would do over a whole replay. One range query takes the
// place of an evaluation per step, so thousands of mutated rules can be tried; every run of
// the proof compares it with Prometheus' rule manager on the rules as they are.
func SpansOf(ctx context.Context, q storage.Queryable, r rulefmt.Rule, end time.Duration) ([]*Span, error) {
	m, _, err := Range(ctx, q, r.Expr, end, StepLength)
	if err != nil {
		return nil, fmt.Errorf("alert %q: %w", r.Alert, err)
	}
	return spansIn(m, r, end), nil
}

// WithSummaries gives the spans that fired the summary with which they did.
func WithSummaries(ctx context.Context, q storage.Queryable, r rulefmt.Rule, spans []*Span) []*Span {
	for _, s := range spans {
		if s.Fired() {
			s.Annotations = map[string]string{"summary": expanded(ctx, q, r, s)}
		}
	}
	return spans
}

// expanded is a rule's summary for one span. A template that fails says so, as in Prometheus.
func expanded(ctx context.Context, q storage.Queryable, r rulefmt.Rule, s *Span) string {
	b := labels.NewBuilder(s.Labels).Del(labels.AlertName)
	for name := range r.Labels {
		b.Del(name)
	}
	ls := b.Labels()
	query := func(ctx context.Context, expr string, at time.Time) (promql.Vector, error) {
		vec, _, err := Instant(ctx, q, expr, at.Sub(Epoch))
		return vec, err
	}
	data := template.AlertTemplateData(ls.Map(), nil, "", promql.Sample{F: s.Value, Metric: ls})
	text, err := template.NewTemplateExpander(ctx, `{{$labels := .Labels}}{{$value := .Value}}`+r.Annotations["summary"], "__alert_"+r.Alert,
		data, model.Time(Millis(s.Firing)), query, &url.URL{}, nil).Expand()
	if err != nil {
		return fmt.Sprintf("<error expanding template: %s>", err)
	}
	return text
}

// spansIn is what an alerting rule makes of the results of its expression.
func spansIn(m promql.Matrix, r rulefmt.Rule, end time.Duration) []*Span {
	var out []*Span
	for _, in := range presences(m, r, int(end/StepLength)+1) {
		out = append(out, in.spans(r)...)
	}
	slices.SortStableFunc(out, func(a, b *Span) int { return int(a.Pending - b.Pending) })
	return out
}

// presence is at which steps an alert's expression has a result with these labels, and which.
type presence struct {
	labels labels.Labels
	at     []bool
	values []float64
}

// presences are the instances of an alert. Series that differ only in their name are one.
func presences(m promql.Matrix, r rulefmt.Rule, steps int) []*presence {
	byLabels := map[string]*presence{}
	for _, series := range m {
		b := labels.NewBuilder(series.Metric).Del(model.MetricNameLabel).Set(labels.AlertName, r.Alert)
		for k, v := range r.Labels {
			b.Set(k, v)
		}
		ls := b.Labels()
		key := ls.String()
		if byLabels[key] == nil {
			byLabels[key] = &presence{labels: ls, at: make([]bool, steps), values: make([]float64, steps)}
		}
		for _, p := range series.Floats {
			i := TimeOf(p.T) / StepLength
			byLabels[key].at[i], byLabels[key].values[i] = true, p.F
		}
	}
	keys := slices.SortedFunc(maps.Keys(byLabels), strings.Compare)
	out := make([]*presence, 0, len(keys))
	for _, k := range keys {
		out = append(out, byLabels[k])
	}
	return out
}

// spans is the life of one instance, by the rules of Prometheus: pending from its first
// result, firing after the hold time, kept for a while after its last result.
func (in *presence) spans(r rulefmt.Rule) []*Span {
	hold, keep := time.Duration(r.For), time.Duration(r.KeepFiringFor)
	var out []*Span
	var now *Span
	keepSince := Never
	for i, there := range in.at {
		at := time.Duration(i) * StepLength
		switch {
		case there && now == nil:
			now = &Span{Alert: r.Alert, Labels: in.labels, Pending: at, Firing: Never, Resolved: Never}
			out = append(out, now)
		case !there && now == nil:
			continue
		case !there:
			if keepSince == Never {
				keepSince = at
			}
			if !now.Fired() || at-keepSince >= keep {
				now.Resolved, now, keepSince = at, nil, Never
				continue
			}
		}
		if there {
			keepSince = Never
			if !now.Fired() {
				now.Value = in.values[i]
			}
		}
		if !now.Fired() && at-now.Pending >= hold {
			now.Firing = at
		}
	}
	return out
}
