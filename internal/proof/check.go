package proof

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/llmfleet/llmfleet/rules"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"golang.org/x/sync/errgroup"
)

func compareText(a, b string) int { return cmp.Compare(a, b) }

func errorsWith(err error, more error) error { return errors.Join(err, more) }

// alerts calls a function for every alert with its rendered group.
func (r *run) alerts(do func(g *rules.RuleGroup, a *rules.Alert)) {
	for i := range r.rendered {
		g := &r.rendered[i]
		for j := range g.Source.Alerts {
			do(g, &g.Source.Alerts[j])
		}
	}
}

// verdict is what an alert's cases and all other replays say of it.
type verdict struct {
	fires, quiet bool
	found        []Mismatch
}

// checkAlerts compares every alert with its cases and with every replay that no case names.
func (r *run) checkAlerts(ctx context.Context) error {
	var err error
	r.alerts(func(g *rules.RuleGroup, a *rules.Alert) {
		v := r.judge(a, func(p *played) []*Span { return p.byAlert[a.Name] }, true)
		r.report.Alerts++
		r.report.count(&r.report.Fire, v.fires)
		r.report.count(&r.report.Quiet, v.quiet)
		for _, m := range v.found {
			r.report.fail("%s", m)
		}
		if len(v.found) == 0 && !v.fires {
			r.report.fail("%s: no case in which it fires", a.Name)
		}
		err = errors.Join(err, r.compareMachine(ctx, g, a))
	})
	return err
}

// judge compares what an alert did, as a function gives it, on all replays.
func (r *run) judge(a *rules.Alert, spans func(*played) []*Span, texts bool) verdict {
	if a.Severity == rules.None {
		return r.judgeAlways(a, spans)
	}
	v := verdict{quiet: true}
	named := map[*played]bool{}
	firing := 0
	wrong := false
	for _, c := range a.Cases {
		p := r.caseReplay(c)
		if p == nil {
			wrong = true
			continue
		}
		named[p] = true
		found := checkCase(c, a.Name, p.replay.String(), spans(p), texts)
		v.found = append(v.found, found...)
		switch {
		case len(c.Fires) == 0:
			v.quiet = v.quiet && len(found) == 0
		case len(found) > 0:
			wrong = true
		default:
			firing++
		}
	}
	v.fires = firing > 0 && !wrong
	for _, name := range r.corpus.names() {
		if p := r.byDefault[name]; p != nil && !named[p] {
			found := checkQuiet(a.Name, p.replay.String(), spans(p))
			v.found = append(v.found, found...)
			v.quiet = v.quiet && len(found) == 0
		}
	}
	return v
}

func (r *run) judgeAlways(a *rules.Alert, spans func(*played) []*Span) verdict {
	v := verdict{fires: true, quiet: true}
	for _, p := range r.played {
		v.found = append(v.found, checkAlways(a.Name, p.replay.String(), spans(p))...)
	}
	v.fires = len(v.found) == 0
	return v
}

func (r *run) caseReplay(c rules.Case) *played {
	rep, err := r.corpus.replay(c.Recording, c.Stretch, c.Edit)
	if err != nil {
		return nil // said when the replays were made
	}
	return r.byKey[rep.String()]
}

// compareMachine proves on every replay that one range query finds what Prometheus' rule
// manager found: mutants are judged by the former.
func (r *run) compareMachine(ctx context.Context, g *rules.RuleGroup, a *rules.Alert) error {
	rule, _ := ruleOf(g, a.Name)
	for _, p := range r.played {
		spans, err := spansOf(ctx, p.prometheus.Storage, rule, p.replay.Length, StepLength)
		if err != nil {
			return err
		}
		if got, want := spanLines(spans), spanLines(p.byAlert[a.Name]); !slices.Equal(got, want) {
			r.report.fail("%s: %s: a range query finds %q, the rule manager %q", p.replay, a.Name, got, want)
		}
	}
	return nil
}

func spanLines(spans []*Span) []string {
	var out []string
	for _, s := range spans {
		out = append(out, s.String())
	}
	slices.Sort(out)
	return out
}

// checkExpressions evaluates every expression of the bundle.
func (r *run) checkExpressions(ctx context.Context) error {
	all := append(ruleExpressions(r.rendered), r.Expressions...)
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
	lint, err := rules.Lint(r.vocabulary, r.groups, r.settings)
	if err != nil {
		return err
	}
	for i, e := range all {
		problems := found[i]
		for _, p := range lint {
			if p.Where == e.Key && !slices.Contains(problems, p.Text) {
				problems = append(problems, p.Text)
			}
		}
		r.report.Expressions++
		r.report.count(&r.report.Evaluated, len(problems) == 0)
		for _, p := range problems {
			r.report.fail("%s (%s): %s", e.Key, e.Kind, p)
		}
	}
	return nil
}

// tryMutants looks, for every mutant, for a case or a quiet recording that notices it.
func (r *run) tryMutants(ctx context.Context) error {
	var mu sync.Mutex // guards the report
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(r.Parallel)
	var failed error
	r.alerts(func(group *rules.RuleGroup, a *rules.Alert) {
		mutants, err := mutantsOf(r.groups, r.settings, group, a)
		failed = errors.Join(failed, err)
		names := map[string]bool{}
		for _, m := range mutants {
			names[m.Name] = true
			g.Go(func() error {
				killed, err := r.kills(ctx, a, m.Rule)
				mu.Lock()
				defer mu.Unlock()
				r.report.mutant(a, m, killed)
				return err
			})
		}
		for name := range a.Survivors {
			if !names[name] {
				mu.Lock()
				r.report.fail("%s: Survivors names %q, which is no mutant", a.Name, name)
				mu.Unlock()
			}
		}
	})
	return errors.Join(failed, g.Wait())
}

// kills says whether a replay notices the mutated rule: first the alert's own cases, then
// every recording on which it must be quiet.
func (r *run) kills(ctx context.Context, a *rules.Alert, rule rulefmt.Rule) (bool, error) {
	named := map[*played]bool{}
	for _, c := range a.Cases {
		p := r.caseReplay(c)
		if p == nil {
			continue
		}
		named[p] = true
		spans, err := spansOf(ctx, p.prometheus.Storage, rule, p.replay.Length, StepLength)
		if err != nil || len(checkCase(c, a.Name, p.replay.String(), spans, false)) > 0 {
			return err == nil, err
		}
	}
	for _, p := range r.played {
		if named[p] || r.byDefault[p.replay.Recording] != p {
			continue
		}
		spans, err := spansOf(ctx, p.prometheus.Storage, rule, p.replay.Length, StepLength)
		if err != nil || len(checkQuiet(a.Name, p.replay.String(), spans)) > 0 {
			return err == nil, err
		}
	}
	return false, nil
}

func (r *run) checkAllEvidence(ctx context.Context) error {
	for _, t := range allThresholds(r.groups) {
		for _, e := range t.Evidence {
			if e.Statistic == "" {
				continue
			}
			problems := r.checkEvidence(ctx, t, e)
			r.report.Evidence++
			r.report.count(&r.report.Within, len(problems) == 0)
			for _, p := range problems {
				r.report.fail("evidence: %s", p)
			}
		}
	}
	return nil
}

// lastBuckets finds, for each recorded histogram, the smallest last finite bound of all
// engines: above it no quantile can be.
func lastBuckets(ctx context.Context, all []*played) map[string]float64 {
	out := map[string]float64{}
	for _, p := range all {
		vec, _, err := p.prometheus.Instant(ctx, `group by (__name__, backend, model, le) (last_over_time({__name__=~"llm_.+_bucket", le!="+Inf"}[1d]))`, p.replay.Length)
		if err != nil {
			continue
		}
		of := map[string]float64{}
		for _, s := range vec {
			le, err := strconv.ParseFloat(s.Metric.Get(labels.BucketLabel), 64)
			key := s.Metric.Get("backend") + "\x00" + s.Metric.Get("model") + "\x00" + strings.TrimSuffix(s.Metric.Get(labels.MetricName), "_bucket")
			if err == nil && (le > of[key] || of[key] == 0) {
				of[key] = le
			}
		}
		for key, last := range of {
			name := key[strings.LastIndexByte(key, 0)+1:]
			if old, ok := out[name]; !ok || last < old {
				out[name] = math.Min(last, math.MaxFloat64)
			}
		}
	}
	return out
}
