package proof

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"golang.org/x/sync/errgroup"
)

// Kind says where an expression stands in the bundle.
type Kind string

// The kinds.
const (
	RecordRule Kind = "recording rule"
	AlertRule  Kind = "alert"
	Panel      Kind = "panel"
	Variable   Kind = "variable"
	Annotation Kind = "annotation"
)

// Expression is one expression of the bundle. The proof evaluates each.
type Expression struct {
	Key  string   // stable name: a rule's name, "capacity/waiting"
	Text string   // PromQL, with Grafana's variables substituted
	Keys []string // of settings and thresholds that were replaced in it
	Kind Kind
	// With substitutes chosen values of the dashboard's variables; nil: there are none in it.
	With func(chosen map[string][]string) (string, error)
	// Choices are the variables whose values are tried one by one, with the label that each chooses by.
	Choices map[string]string
	// Explains marks a query that says why there is nothing to show.
	Explains bool
	// Shows says what must be there at some second of a recording.
	Shows []Shown
	// Conditional says why there may be no result on any recording.
	Conditional string
}

// ruleExpressions are the expressions of rendered groups.
func ruleExpressions(groups []rules.RuleGroup) []Expression {
	var out []Expression
	for _, g := range groups {
		for i, r := range g.Rules.Rules {
			if r.Record != "" {
				out = append(out, Expression{Key: r.Record, Text: r.Expr, Kind: RecordRule, Conditional: g.Source.Records[i].Conditional})
				continue
			}
			out = append(out, Expression{Key: r.Alert, Text: r.Expr, Kind: AlertRule})
		}
	}
	return out
}

// evaluate looks for results of an expression. It returns what is wrong, nothing if it is proven.
func (r *run) evaluate(ctx context.Context, e Expression) []string {
	var problems []string
	_, found := r.vocabulary.Check(e.Key, e.Text, replay.StepLength)
	for _, p := range found {
		problems = append(problems, p.Text)
	}
	if !moves(r.own, e) {
		for _, shown := range e.Shows {
			problems = append(problems, r.checkShown(ctx, e, shown)...)
		}
	}
	if e.Kind == RecordRule {
		if rule, err := parsed(rulefmt.Rule{Record: e.Key, Expr: e.Text}); err == nil {
			problems = append(problems, r.checkNaN(ctx, rule)...)
		}
	}
	if len(problems) > 0 {
		return problems
	}
	return r.somewhere(ctx, e)
}

// somewhere looks for one replay on which the expression has a result.
func (r *run) somewhere(ctx context.Context, e Expression) []string {
	for i, p := range r.played {
		ok, bad := r.hasResult(ctx, e, p)
		if len(bad) > 0 {
			return bad
		}
		if ok {
			return r.checkChoices(ctx, e, r.played[i:])
		}
	}
	if e.Conditional != "" {
		return nil
	}
	return []string{fmt.Sprintf("no result on any of %d replays", len(r.played))}
}

func (r *run) hasResult(ctx context.Context, e Expression, p *played) (bool, []string) {
	m, remarks, err := p.prometheus.Range(ctx, e.Text, p.replay.Length, replay.StepLength)
	if err != nil {
		return false, []string{fmt.Sprintf("on %s: %s", p.replay, err)}
	}
	for i := range remarks {
		remarks[i] = fmt.Sprintf("on %s: PromQL remarks: %s", p.replay, remarks[i])
	}
	return hasNumber(m), remarks
}

// checkExpressions evaluates every expression of the bundle.
func (r *run) checkExpressions(ctx context.Context) error {
	if err := r.checkRecorded(ctx); err != nil {
		return err
	}
	all := slices.DeleteFunc(append(ruleExpressions(r.rendered), r.Expressions...), func(e Expression) bool { return !r.wanted(e.Key) })
	found := make([][]string, len(all))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(r.Parallel)
	for i, e := range all {
		g.Go(func() error {
			found[i] = r.evaluate(ctx, e)
			return ctx.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	form, err := rules.Lint(r.vocabulary, r.Groups, r.Settings)
	if err != nil {
		return err
	}
	for i, e := range all {
		problems := found[i]
		for _, p := range form {
			if p.Where == e.Key && !slices.Contains(problems, p.Text) {
				problems = append(problems, p.Text)
			}
		}
		r.report.Expressions++
		if len(e.Shows) > 0 && moves(r.own, e) {
			r.report.Unshown = append(r.report.Unshown, e.Key)
		}
		r.report.count(&r.report.Evaluated, len(problems) == 0)
		for _, p := range problems {
			r.report.fail("%s (%s): %s", e.Key, e.Kind, p)
		}
	}
	return nil
}

// checkRecorded looks for NaN in what was recorded on every replay: it is drawn as a gap, and a
// comparison that is negated takes it for true. What has no number must have no sample.
func (r *run) checkRecorded(ctx context.Context) error {
	var names []string
	for _, g := range r.rendered {
		for _, rec := range g.Source.Records {
			if r.wanted(rec.Name) {
				names = append(names, rec.Name)
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	selector := fmt.Sprintf("{%s=~%q}", model.MetricNameLabel, strings.Join(names, "|"))
	for _, p := range r.played {
		m, _, err := p.prometheus.Range(ctx, selector, p.replay.Length, replay.StepLength)
		if err != nil {
			return err
		}
		for _, s := range m {
			if i := slices.IndexFunc(s.Floats, func(at promql.FPoint) bool { return math.IsNaN(at.F) }); i >= 0 {
				at := replay.TimeOf(s.Floats[i].T)
				r.report.fail("%s (%s): %s: second %s: is NaN; leave it without a sample: >= 0, or > 0 on what it is divided by", s.Metric.Get(model.MetricNameLabel), RecordRule, p.replay, replay.Seconds(at))
			}
		}
	}
	return nil
}

// hasNumber says whether a result would show anything: NaN alone is a blank panel.
func hasNumber(m promql.Matrix) bool {
	for _, s := range m {
		for _, p := range s.Floats {
			if !math.IsNaN(p.F) {
				return true
			}
		}
	}
	return false
}
