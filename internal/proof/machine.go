package proof

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
)

// spansOf says what an alerting rule would do over a whole replay. One range query takes the
// place of an evaluation per step, so thousands of mutated rules can be tried; every run of
// the proof compares it with Prometheus' rule manager on the rules as they are.
func spansOf(ctx context.Context, s *Storage, r rulefmt.Rule, end, step time.Duration) ([]*Span, error) {
	m, _, err := s.Range(ctx, r.Expr, end, step)
	if err != nil {
		return nil, fmt.Errorf("alert %q: %w", r.Alert, err)
	}
	return spansIn(m, r, end, step), nil
}

// spansIn is what an alerting rule makes of the results of its expression.
func spansIn(m promql.Matrix, r rulefmt.Rule, end, step time.Duration) []*Span {
	var out []*Span
	for _, in := range presences(m, r, int(end/step)+1, step) {
		out = append(out, in.spans(r, step)...)
	}
	slices.SortStableFunc(out, func(a, b *Span) int { return int(a.Pending - b.Pending) })
	return out
}

// presence is at which steps an alert's expression has a result with these labels.
type presence struct {
	labels labels.Labels
	at     []bool
}

// presences are the instances of an alert. Series that differ only in their name are one.
func presences(m promql.Matrix, r rulefmt.Rule, steps int, step time.Duration) []*presence {
	byLabels := map[string]*presence{}
	for _, series := range m {
		b := labels.NewBuilder(series.Metric).Del(model.MetricNameLabel).Set(labels.AlertName, r.Alert)
		for k, v := range r.Labels {
			b.Set(k, v)
		}
		ls := b.Labels()
		key := ls.String()
		if byLabels[key] == nil {
			byLabels[key] = &presence{labels: ls, at: make([]bool, steps)}
		}
		for _, p := range series.Floats {
			i := time.Duration(p.T-millis(0)) * time.Millisecond / step
			byLabels[key].at[i] = true
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
func (in *presence) spans(r rulefmt.Rule, step time.Duration) []*Span {
	hold, keep := time.Duration(r.For), time.Duration(r.KeepFiringFor)
	var out []*Span
	var now *Span
	keepSince := never
	for i, there := range in.at {
		at := time.Duration(i) * step
		switch {
		case there && now == nil:
			now = &Span{Alert: r.Alert, Labels: in.labels, Pending: at, Firing: never, Resolved: never}
			out = append(out, now)
		case !there && now == nil:
			continue
		case !there:
			if keepSince == never {
				keepSince = at
			}
			if !now.Fired() || at-keepSince >= keep {
				now.Resolved, now, keepSince = at, nil, never
				continue
			}
		}
		if there {
			keepSince = never
		}
		if !now.Fired() && at-now.Pending >= hold {
			now.Firing = at
		}
	}
	return out
}
