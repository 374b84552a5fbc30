package proof

import (
	"context"
	"math"
	"slices"

	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage"
)

// A mistake in a recording rule shows in what reads its series: other recording rules, alerts, panels.
// So a mutant is evaluated over each replay, and where its series differ its readers are evaluated
// again over a storage in which they have taken the place of the right ones.

// killsRecord says whether a replay notices a mutated recording rule: first those of the readers'
// cases, then all others.
func (r *run) killsRecord(ctx context.Context, rule parsedRule, m mutant, who readers) (bool, error) {
	for _, p := range r.casesFirst(who) {
		if noticed, err := r.noticesRecord(ctx, p, rule, m.Rule, who); noticed || err != nil {
			return noticed, err
		}
	}
	if m.shownBy == nil {
		return false, nil
	}
	for _, a := range who.alerts {
		for _, v := range r.views(ctx, a) {
			if !m.shownBy(v.label) {
				continue
			}
			noticed, err := r.differsIn(ctx, v.on, v.data, rule, m.Rule, who, func(o *overlay) (bool, error) { return v.notices(ctx, r, o, a.Alert, a.rule.Rule) })
			if noticed || err != nil {
				return noticed, err
			}
		}
	}
	for _, e := range who.expressions {
		for _, v := range r.shownViews(ctx, e) {
			if !m.shownBy(v.label) {
				continue
			}
			noticed, err := r.differsIn(ctx, v.on, v.data, rule, m.Rule, who, func(o *overlay) (bool, error) { return len(shownIn(ctx, o, v.Expression, v.Shown)) > 0, ctx.Err() })
			if noticed || err != nil {
				return noticed, err
			}
		}
	}
	return false, nil
}

// viewOfRecord is a recorded name in a view.
type viewOfRecord struct {
	data   *overlay
	record string
}

// differsIn says whether a reader does something else in a view with the mutant's series than with the
// right ones, with which it must do what its case says.
func (r *run) differsIn(ctx context.Context, p *played, data *overlay, rule, mutated parsedRule, who readers, notices func(*overlay) (bool, error)) (bool, error) {
	with := func(first parsedRule) (bool, error) {
		o := &overlay{data, map[string][]storage.Series{}}
		for _, next := range append([]parsedRule{first}, who.records...) {
			if err := o.evaluate(ctx, p, next); err != nil {
				return true, ctx.Err()
			}
		}
		return notices(o)
	}
	usable := r.usable.of(viewOfRecord{data, rule.Record}, func() bool {
		noticed, err := with(rule)
		return !noticed && err == nil
	})
	if !usable {
		return false, ctx.Err()
	}
	return with(mutated)
}

// evaluate puts a recording rule's results over those that are there.
func (o *overlay) evaluate(ctx context.Context, p *played, rule parsedRule) error {
	m, err := p.recordOver(ctx, o, rule)
	if err != nil {
		return err
	}
	o.record(rule.Record, m, p.prometheus.PaceOf(rule.Record), p.replay.Length)
	return nil
}

// recordOver is what a recording rule gives on a replay, or on other data in its place.
func (p *played) recordOver(ctx context.Context, data storage.Queryable, rule parsedRule) (promql.Matrix, error) {
	m, _, err := replay.Range(ctx, data, rule.Expr, p.replay.Length, p.prometheus.PaceOf(rule.Record))
	if err != nil {
		return nil, err
	}
	return replay.RecordedAs(m, rule.Record, labels.EmptyLabels())
}

// noticesRecord says whether a reader's check on one replay fails with the mutant's series.
func (r *run) noticesRecord(ctx context.Context, p *played, rule, mutated parsedRule, who readers) (bool, error) {
	if !rule.need.Met(p.has) && !mutated.need.Met(p.has) {
		return false, nil
	}
	o := newOverlay(p)
	differs, err := o.replace(ctx, p, rule, mutated)
	if err != nil {
		return true, ctx.Err()
	}
	if !differs {
		return false, nil
	}
	for _, reader := range who.records {
		if slices.ContainsFunc(reader.names, o.has) {
			if _, err := o.replace(ctx, p, reader, reader); err != nil {
				return true, ctx.Err()
			}
		}
	}
	return r.anyNotices(ctx, o, p, who)
}

// anyNotices asks the alerts and panels that read what differs.
func (r *run) anyNotices(ctx context.Context, o *overlay, p *played, who readers) (bool, error) {
	has := func(name string) bool { return len(o.series[name]) > 0 || !o.has(name) && p.has(name) }
	for _, a := range who.alerts {
		named := slices.ContainsFunc(a.Cases, func(c rules.Case) bool { return r.caseReplay(c) == p })
		if !named && (!p.replay.IsDefault() || !a.rule.need.Met(has)) || !slices.ContainsFunc(a.rule.names, o.has) {
			continue
		}
		if noticed, err := r.notices(ctx, o, p, a.Alert, a.rule.Rule); noticed || err != nil {
			return noticed, err
		}
	}
	for _, e := range who.expressions {
		for _, s := range e.Shows {
			if r.byDefault[s.Recording] == p && len(shownIn(ctx, o, e, s)) > 0 {
				return true, ctx.Err()
			}
		}
	}
	return false, ctx.Err()
}

// replace evaluates a rule's mutant, and puts its series over those of the rule if they differ.
func (o *overlay) replace(ctx context.Context, p *played, rule, mutated parsedRule) (differs bool, err error) {
	right, err := p.recorded(ctx, rule)
	if err != nil {
		return false, err
	}
	m, err := p.recordOver(ctx, o, mutated)
	if err == nil && hasNaN(m) {
		err = errNaN
	}
	if err != nil || sameMatrix(right, m) {
		return false, err
	}
	o.record(rule.Record, m, p.prometheus.PaceOf(rule.Record), p.replay.Length)
	return true, nil
}

// recorded is what a recording rule gives on a replay, worked out once.
func (p *played) recorded(ctx context.Context, rule parsedRule) (promql.Matrix, error) {
	p.mu.Lock()
	m, ok := p.matrices[rule.Record]
	p.mu.Unlock()
	if ok {
		return m, nil
	}
	m, err := p.recordOver(ctx, p.prometheus, rule)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.matrices == nil {
		p.matrices = map[string]promql.Matrix{}
	}
	p.matrices[rule.Record] = m
	return m, nil
}

// sameMatrix compares results to the last bit.
func sameMatrix(a, b promql.Matrix) bool {
	byLabels := map[uint64]promql.Series{}
	for _, s := range a {
		byLabels[s.Metric.Hash()] = s
	}
	return len(a) == len(b) && !slices.ContainsFunc(b, func(s promql.Series) bool {
		other, ok := byLabels[s.Metric.Hash()]
		return !ok || !labels.Equal(other.Metric, s.Metric) || !slices.EqualFunc(other.Floats, s.Floats, samePoint)
	})
}

func samePoint(a, b promql.FPoint) bool {
	return a.T == b.T && math.Float64bits(a.F) == math.Float64bits(b.F)
}
