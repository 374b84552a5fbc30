package proof

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/llmfleet/llmfleet/rules"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
)

// A mistake in a recording rule shows in what reads its series: other recording rules, alerts, panels.
// So a mutant is evaluated over each replay, and where its series differ its readers are evaluated
// again over a storage in which they have taken the place of the right ones.

// records calls a function for every recording rule that is to be tried.
func (r *run) records(do func(rule rulefmt.Rule, rec *rules.Record)) {
	for i := range r.rendered {
		g := &r.rendered[i]
		for j := range g.Source.Records {
			if rec := &g.Source.Records[j]; r.wanted(rec.Name) {
				do(g.Rules.Rules[j], rec)
			}
		}
	}
}

// readers are what reads a recorded name, directly or through other recorded names.
type readers struct {
	records     []rulefmt.Rule // each after those that it reads
	alerts      []alertRule
	expressions []Expression // that say what they show
	own         bool         // one of them decides by numbers of the user's own, and its cases say nothing
}

type alertRule struct {
	*rules.Alert
	rule rulefmt.Rule
	expr parser.Expr
}

// readersOf finds them among all rules and panels.
func (r *run) readersOf(record string) readers {
	var out readers
	reached := map[string]bool{record: true}
	reads := func(text string) bool {
		expr, err := lint.Parser.ParseExpr(text)
		return err == nil && slices.ContainsFunc(lint.Names(expr), func(name string) bool { return reached[name] })
	}
	for range r.rendered { // a name may be recorded in a later group than its reader
		for _, rule := range allRules(r.rendered) {
			if rule.Record != "" && !reached[rule.Record] && reads(rule.Expr) {
				reached[rule.Record] = true
				out.records = append(out.records, rule)
			}
		}
	}
	for i := range r.rendered {
		g := &r.rendered[i]
		for j := range g.Source.Alerts {
			a := &g.Source.Alerts[j]
			if rule, _ := ruleOf(g, a.Name); reads(rule.Expr) {
				out.own = out.own || len(r.own.of(a)) > 0
				expr, _ := lint.Parser.ParseExpr(rule.Expr)
				out.alerts = append(out.alerts, alertRule{a, rule, expr})
			}
		}
	}
	for _, e := range r.Expressions {
		if len(e.Shows) > 0 && reads(e.Text) {
			out.own = out.own || r.own.moves(e)
			out.expressions = append(out.expressions, e)
		}
	}
	return out
}

func allRules(groups []rules.RuleGroup) []rulefmt.Rule {
	var out []rulefmt.Rule
	for _, g := range groups {
		out = append(out, g.Rules.Rules...)
	}
	return out
}

// killsRecord says whether a replay notices a mutated recording rule: first those of the readers'
// cases, then all others.
func (r *run) killsRecord(ctx context.Context, rule rulefmt.Rule, m mutant, who readers) (bool, error) {
	for _, p := range r.casesFirst(who) {
		if noticed, err := r.noticesRecord(ctx, p, rule, m.Rule, who); noticed || err != nil {
			return noticed, err
		}
	}
	if !m.onFleets() {
		return false, nil
	}
	for _, a := range who.alerts {
		for _, v := range r.views(ctx, a.Alert, a.rule) {
			if !m.isAbout(v.label) {
				continue
			}
			noticed, err := r.differsIn(ctx, v.on, v.data, rule, m.Rule, who, func(o *overlay) (bool, error) { return v.notices(ctx, r, o, a.Alert, a.rule) })
			if noticed || err != nil {
				return noticed, err
			}
		}
	}
	for _, e := range who.expressions {
		for _, v := range r.shownViews(ctx, e) {
			if !m.isAbout(v.label) {
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

// differsIn says whether a reader does something else in a view with the mutant's series than with the
// right ones, with which it must do what its case says.
func (r *run) differsIn(ctx context.Context, p *played, data *overlay, rule, mutated rulefmt.Rule, who readers, notices func(*overlay) (bool, error)) (bool, error) {
	with := func(first rulefmt.Rule) (bool, error) {
		o := &overlay{data, map[string][]storage.Series{}}
		for _, next := range append([]rulefmt.Rule{first}, who.records...) {
			if err := o.evaluate(ctx, p, next); err != nil {
				return true, ctx.Err()
			}
		}
		return notices(o)
	}
	type viewOfRecord struct {
		data   *overlay
		record string
	}
	once, _ := r.viewsOnce.LoadOrStore(viewOfRecord{data, rule.Record}, sync.OnceValue(func() bool {
		noticed, err := with(rule)
		return !noticed && err == nil
	}))
	if usable := once.(func() bool)(); !usable {
		return false, ctx.Err()
	}
	return with(mutated)
}

// evaluate puts a recording rule's results over those that are there.
func (o *overlay) evaluate(ctx context.Context, p *played, rule rulefmt.Rule) error {
	m, err := p.recordOver(ctx, o, rule)
	if err != nil {
		return err
	}
	return o.record(rule.Record, m, p.prometheus.paceOf(rule.Record), p.replay.Length)
}

// recordOver is what a recording rule gives on a replay, or on other data in its place.
func (p *played) recordOver(ctx context.Context, data storage.Queryable, rule rulefmt.Rule) (promql.Matrix, error) {
	m, _, err := rangeOver(ctx, data, rule.Expr, p.replay.Length, p.prometheus.paceOf(rule.Record))
	if err != nil {
		return nil, err
	}
	return recordedAs(m, rule.Record, labels.EmptyLabels())
}

// casesFirst are all replays that show something: those of the readers' cases before the others.
func (r *run) casesFirst(who readers) []*played {
	var out []*played
	seen := map[*played]bool{}
	add := func(p *played) {
		if p != nil && !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	for _, a := range who.alerts {
		for _, c := range a.Cases {
			add(r.caseReplay(c))
		}
	}
	for _, e := range who.expressions {
		for _, s := range e.Shows {
			add(r.byDefault[s.Recording])
		}
	}
	for _, p := range r.played {
		if r.isDefault(p) {
			add(p)
		}
	}
	return out
}

// noticesRecord says whether a reader's check on one replay fails with the mutant's series.
func (r *run) noticesRecord(ctx context.Context, p *played, rule, mutated rulefmt.Rule, who readers) (bool, error) {
	if !mayYield(rule.Expr, p.has) && !mayYield(mutated.Expr, p.has) {
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
		if expr, _ := lint.Parser.ParseExpr(reader.Expr); slices.ContainsFunc(lint.Names(expr), o.has) {
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
		if !named && (!r.isDefault(p) || !lint.NeedOf(a.expr).Met(has)) || !slices.ContainsFunc(lint.Names(a.expr), o.has) {
			continue
		}
		if noticed, err := r.notices(ctx, o, p, a.Alert, a.rule); noticed || err != nil {
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
func (o *overlay) replace(ctx context.Context, p *played, rule, mutated rulefmt.Rule) (differs bool, err error) {
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
	return true, o.record(rule.Record, m, p.prometheus.paceOf(rule.Record), p.replay.Length)
}

// recorded is what a recording rule gives on a replay, worked out once.
func (p *played) recorded(ctx context.Context, rule rulefmt.Rule) (promql.Matrix, error) {
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

// errNaN is a recording rule that stores what no comparison lets through, and what makes every
// average over it a NaN too.
var errNaN = errors.New("records NaN")

func hasNaN(m promql.Matrix) bool {
	return slices.ContainsFunc(m, func(s promql.Series) bool {
		return slices.ContainsFunc(s.Floats, func(p promql.FPoint) bool { return math.IsNaN(p.F) })
	})
}

// checkNaN says on which replays a recording rule stores NaN.
func (r *run) checkNaN(ctx context.Context, rule rulefmt.Rule) []string {
	var out []string
	for _, p := range r.played {
		if !mayYield(rule.Expr, p.has) {
			continue
		}
		if m, err := p.recorded(ctx, rule); err != nil || hasNaN(m) {
			out = append(out, fmt.Sprintf("on %s: %v", p.replay, cmp.Or(err, errNaN)))
		}
	}
	return out
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

// readsWanted says whether an alert reads a recorded name that is to be tried: its cases are those of the record.
func (r *run) readsWanted(alert string) bool {
	if r.Only == nil {
		return false
	}
	found := false
	r.records(func(_ rulefmt.Rule, rec *rules.Record) {
		found = found || slices.ContainsFunc(r.readersOf(rec.Name).alerts, func(a alertRule) bool { return a.Name == alert })
	})
	return found
}

func mayYield(expr string, has func(name string) bool) bool {
	e, err := lint.Parser.ParseExpr(expr)
	return err != nil || lint.NeedOf(e).Met(has)
}
