package proof

import (
	"context"
	"errors"
	"sync"

	"github.com/llmfleet/llmfleet/rules"
	"github.com/prometheus/prometheus/model/rulefmt"
	"golang.org/x/sync/errgroup"
)

// tryMutants looks, for every mutant, for a case or a quiet recording that notices it.
func (r *run) tryMutants(ctx context.Context) error {
	var mu sync.Mutex // guards the report
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(r.Parallel)
	var failed error
	r.alerts(func(group *rules.RuleGroup, a *rules.Alert) {
		if len(r.own.of(a)) > 0 {
			return // its cases are of other numbers
		}
		mutants, err := mutantsOf(r.Groups, r.Settings, group, a)
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
		if err != nil || len(checkCase(c, a.Name, p.replay.String(), r.asWritten(spans), false)) > 0 {
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
