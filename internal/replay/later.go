package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	promrules "github.com/prometheus/prometheus/rules"
)

// Most groups have nothing to say on most replays, and an evaluation at every step is most of
// a proof's time. So a replay gives Prometheus' rule manager the groups whose alerts its cases
// expect, step by step, and the others one range query per rule at its end. A test holds that
// both leave the same series and spans.

// stepOnly leaves to the steps the named groups and those that record what they use, and keeps
// the others for finish. A rule that reads other rules' alerts keeps all in the steps.
func (p *Prometheus) stepOnly(named map[string]bool) {
	needed := map[string]bool{} // recorded names
	var stepped, later []*promrules.Group
	for _, g := range slices.Backward(p.groups) { // readers come after those who record
		in := p.idle.inputs[g]
		if slices.Contains(in.selects, alertsName) {
			return
		}
		if !named[g.Name()] && !slices.ContainsFunc(in.records, func(name string) bool { return needed[name] }) {
			later = append(later, g)
			continue
		}
		stepped = append(stepped, g)
		for _, name := range in.selects {
			needed[name] = true
		}
	}
	slices.Reverse(stepped)
	slices.Reverse(later)
	p.groups, p.later = stepped, later
}

// alertsName and its sibling are what Prometheus itself records of alerts.
const (
	alertsName   = "ALERTS"
	alertsSince  = "ALERTS_FOR_STATE"
	alertStateOf = "alertstate"
)

// finish evaluates the groups that were kept for the end of a replay.
func (p *Prometheus) finish(ctx context.Context, end time.Duration) error {
	for _, g := range p.later {
		if !p.wakes(g) {
			continue
		}
		for _, r := range g.Rules() {
			var err error
			switch r := r.(type) {
			case *promrules.RecordingRule:
				err = p.recordLater(ctx, r, p.pace(g), end)
			case *promrules.AlertingRule:
				err = p.alertLater(ctx, r, end)
			}
			if err != nil {
				return fmt.Errorf("rule %q: %w", r.Name(), err)
			}
		}
	}
	p.later = nil
	return nil
}

func (p *Prometheus) rangeOf(ctx context.Context, r promrules.Rule, pace, end time.Duration) (promql.Matrix, error) {
	expr := r.Query().String()
	m, remarks, err := p.Range(ctx, expr, end, pace)
	p.remark(expr, remarks)
	return m, err
}

// recordLater stores a recording rule's result, each series ended where it vanishes.
func (p *Prometheus) recordLater(ctx context.Context, r *promrules.RecordingRule, pace, end time.Duration) error {
	m, err := p.rangeOf(ctx, r, pace, end)
	if err != nil {
		return err
	}
	recorded, err := RecordedAs(m, r.Name(), r.Labels())
	if err != nil {
		return err
	}
	return p.write(ctx, func(w *seriesWriter) error {
		for _, s := range recorded {
			if err := w.series(s.Metric, s.Floats, pace, end); err != nil {
				return err
			}
		}
		return nil
	})
}

// RecordedAs gives results the labels of their rule. Results that differ only in their name
// are one series, as long as they do not meet.
func RecordedAs(m promql.Matrix, name string, more labels.Labels) (promql.Matrix, error) {
	var out promql.Matrix
	at := map[string]int{}
	for _, s := range m {
		b := labels.NewBuilder(s.Metric).Set(model.MetricNameLabel, name)
		more.Range(func(l labels.Label) { b.Set(l.Name, l.Value) })
		ls := b.Labels()
		i, ok := at[ls.String()]
		if !ok {
			i = len(out)
			at[ls.String()] = i
			out = append(out, promql.Series{Metric: ls})
		}
		out[i].Floats = append(out[i].Floats, s.Floats...)
	}
	for _, s := range out {
		slices.SortFunc(s.Floats, func(a, b promql.FPoint) int { return cmp.Compare(a.T, b.T) })
		for i := range s.Floats[1:] {
			if s.Floats[i].T == s.Floats[i+1].T {
				return nil, fmt.Errorf("two results with the labels %s at %d", s.Metric, s.Floats[i].T)
			}
		}
	}
	return out, nil
}

// alertLater finds an alert's spans and stores what Prometheus would record of them.
func (p *Prometheus) alertLater(ctx context.Context, r *promrules.AlertingRule, end time.Duration) error {
	m, err := p.rangeOf(ctx, r, StepLength, end)
	if err != nil {
		return err
	}
	spans := spansIn(m, rulefmt.Rule{
		Alert: r.Name(), Labels: r.Labels().Map(),
		For: model.Duration(r.HoldDuration()), KeepFiringFor: model.Duration(r.KeepFiringFor()),
	}, end)
	p.tracker.spans = append(p.tracker.spans, spans...)
	return p.write(ctx, func(w *seriesWriter) error {
		for _, instance := range byLabels(spans) {
			if err := w.alert(instance, end); err != nil {
				return err
			}
		}
		return nil
	})
}

// byLabels puts the spans of one instance together, in the order of time.
func byLabels(spans []*Span) [][]*Span {
	var out [][]*Span
	at := map[string]int{}
	for _, s := range spans {
		key := s.Labels.String()
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], s)
	}
	return out
}

// seriesWriter appends whole series.
type seriesWriter struct {
	append func(ls labels.Labels, t int64, v float64) error
}

func (p *Prometheus) write(ctx context.Context, do func(*seriesWriter) error) error {
	app := p.AppenderV2(ctx)
	w := &seriesWriter{append: func(ls labels.Labels, t int64, v float64) error {
		s := cachedSeries{labels: ls}
		return s.append(app, t, v)
	}}
	if err := do(w); err != nil {
		return errors.Join(err, app.Rollback())
	}
	return app.Commit()
}

// series stores points, and where the series vanishes.
func (w *seriesWriter) series(ls labels.Labels, points []promql.FPoint, pace, end time.Duration) error {
	for _, pt := range WithStaleMarkers(points, pace, end) {
		if err := w.append(ls, pt.T, pt.F); err != nil {
			return err
		}
	}
	return nil
}

// WithStaleMarkers are points of a series with what Prometheus stores where it vanishes: a stale marker at
// the evaluation after each run of them, up to the end of the replay.
func WithStaleMarkers(points []promql.FPoint, pace, end time.Duration) []promql.FPoint {
	var out []promql.FPoint
	for i, pt := range points {
		out = append(out, pt)
		next := pt.T + pace.Milliseconds()
		if next <= Millis(end) && (i+1 == len(points) || points[i+1].T != next) {
			out = append(out, promql.FPoint{T: next, F: math.Float64frombits(value.StaleNaN)})
		}
	}
	return out
}

// alert stores ALERTS and ALERTS_FOR_STATE of one instance.
func (w *seriesWriter) alert(spans []*Span, end time.Duration) error {
	var pending, firing, since []promql.FPoint
	for _, s := range spans {
		until := s.Resolved
		if until == Never {
			until = end + StepLength
		}
		for at := s.Pending; at < until; at += StepLength {
			one := promql.FPoint{T: Millis(at), F: 1}
			if s.Fired() && at >= s.Firing {
				firing = append(firing, one)
			} else {
				pending = append(pending, one)
			}
			since = append(since, promql.FPoint{T: Millis(at), F: float64(Epoch.Add(s.Pending).Unix())})
		}
	}
	b := labels.NewBuilder(spans[0].Labels)
	named := func(name, state string) labels.Labels {
		return b.Set(model.MetricNameLabel, name).Set(alertStateOf, state).Labels()
	}
	return errors.Join(
		w.series(named(alertsName, "pending"), pending, StepLength, end),
		w.series(named(alertsName, "firing"), firing, StepLength, end),
		w.series(named(alertsSince, ""), since, StepLength, end))
}
