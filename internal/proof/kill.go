package proof

import (
	"context"
	"errors"
	"sync"

	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/storage"
	"golang.org/x/sync/errgroup"
)

// tryMutants looks, for every mutant of an alert or of a recording rule, for a replay that notices it.
func (r *run) tryMutants(ctx context.Context) error {
	t := trial{run: r}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(r.Parallel)
	var failed error
	r.records(func(rec recordRule) {
		readers := r.readersOf(rec.Name)
		unread := len(readers.alerts)+len(readers.expressions) == 0
		switch {
		case unread != (rec.Unread != ""):
			t.fail("%s: Unread must say why no alert and no case of a panel reads it, where that is so and only there", rec.Name)
			return
		case unread, readers.own, len(r.own.In(rec.Expr)) > 0:
			return
		}
		failed = errors.Join(failed, t.mutants(g, rec.rule, rec.Expr, rec.Survivors, func(m mutant) (bool, error) {
			return r.killsRecord(ctx, rec.rule, m, readers)
		}))
	})
	r.alerts(func(a alertRule) {
		if len(r.own.Of(a.Alert)) > 0 {
			return // its cases are of other numbers
		}
		failed = errors.Join(failed, t.mutants(g, a.rule, a.Expr, a.Survivors, func(m mutant) (bool, error) {
			return r.kills(ctx, a, m)
		}))
	})
	return errors.Join(failed, g.Wait())
}

// trial is the part of a run in which mutants are tried.
type trial struct {
	*run
	mu sync.Mutex // guards the report
}

func (t *trial) fail(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.report.fail(format, args...)
}

// mutants tries every mutant of one rule, and says which survivors are none.
func (t *trial) mutants(g *errgroup.Group, rule parsedRule, source string, survivors map[string]string, kills func(mutant) (bool, error)) error {
	name := rule.Alert + rule.Record // a rule has one of them
	all, err := mutantsOf(t.Groups, t.Settings, rule, source)
	names := map[string]bool{}
	for _, m := range all {
		names[m.Name] = true
		g.Go(func() error {
			killed, err := kills(m)
			t.mu.Lock()
			defer t.mu.Unlock()
			t.report.mutant(name, survivors, m.Name, killed)
			return err
		})
	}
	for survivor := range survivors {
		if !names[survivor] {
			t.fail("%s: rules/survivors.go lists %q, which is no mutant", name, survivor)
		}
	}
	return err
}

// kills says whether a replay notices an alert's mutated rule: first the alert's own cases, then
// every recording on which it must be quiet, then larger fleets.
func (r *run) kills(ctx context.Context, a alertRule, m mutant) (bool, error) {
	tried := map[*played]bool{}
	for _, c := range a.Cases {
		p := r.caseReplay(c)
		if p == nil || tried[p] {
			continue
		}
		tried[p] = true
		if noticed, err := r.notices(ctx, p.prometheus, p, a.Alert, m.Rule.Rule); noticed || err != nil {
			return noticed, err
		}
	}
	for _, p := range r.played {
		if tried[p] || !p.replay.IsDefault() || !m.Rule.need.Met(p.has) {
			continue
		}
		if noticed, err := r.notices(ctx, p.prometheus, p, a.Alert, m.Rule.Rule); noticed || err != nil {
			return noticed, err
		}
	}
	if m.shownBy == nil {
		return false, nil
	}
	for _, v := range r.views(ctx, a) {
		if !m.shownBy(v.label) {
			continue
		}
		if noticed, err := v.notices(ctx, r, v.data, a.Alert, m.Rule.Rule); noticed || err != nil {
			return noticed, err
		}
	}
	return false, nil
}

// has says whether a replay has, or may have, samples of a name.
func (p *played) has(name string) bool { return p.prometheus.Has(name) }

// notices says whether what is checked of an alert on one replay fails with another rule, or with
// other recorded series. A rule that cannot be evaluated is noticed.
func (r *run) notices(ctx context.Context, data storage.Queryable, p *played, a *rules.Alert, rule rulefmt.Rule) (bool, error) {
	spans, err := replay.SpansOf(ctx, data, rule, p.replay.Length)
	if err != nil {
		return true, ctx.Err()
	}
	spans, named := r.asWritten(spans), false
	for _, c := range a.Cases {
		if r.caseReplay(c) != p {
			continue
		}
		named = true
		if len(checkCase(c, a.Name, p.replay.String(), spans, false)) > 0 {
			return true, nil
		}
		if len(checkCase(c, a.Name, p.replay.String(), replay.WithSummaries(ctx, data, rule, spans), true)) > 0 {
			return true, nil
		}
	}
	return !named && p.replay.IsDefault() && len(checkQuiet(a.Name, p.replay.String(), spans)) > 0, nil
}
