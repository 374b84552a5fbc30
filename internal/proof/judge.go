package proof

import (
	"context"
	"errors"
	"slices"

	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/llmfleet/llmfleet/rules"
)

// verdict is what an alert's cases and all other replays say of it.
type verdict struct {
	fires, quiet bool
	found        []mismatch
}

// checkAlerts compares every alert with its cases and with every replay that no case names.
func (r *run) checkAlerts(ctx context.Context) error {
	var err error
	r.alerts(func(a alertRule) {
		err = errors.Join(err, r.compareWithManager(ctx, a))
		if numbers := r.own.Of(a.Alert); len(numbers) > 0 {
			r.judgeOwn(a.Alert, numbers)
			return
		}
		v := r.judge(a.Alert, func(p *played) []*replay.Span { return p.byAlert[a.Name] }, true)
		r.report.Alerts++
		r.report.count(&r.report.Fire, v.fires)
		r.report.count(&r.report.Quiet, v.quiet)
		for _, m := range v.found {
			r.report.fail("%s", m)
		}
		if len(v.found) == 0 && !v.fires {
			r.report.fail("%s: no case in which it fires", a.Name)
		}
	})
	return err
}

// judge compares what an alert did, as a function gives it, on all replays.
func (r *run) judge(a *rules.Alert, spans func(*played) []*replay.Span, texts bool) verdict {
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
		found := checkCase(c, a.Name, p.replay.String(), r.asWritten(spans(p)), texts)
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
	found := r.quietElsewhere(a, named, spans)
	v.found = append(v.found, found...)
	v.quiet = v.quiet && len(found) == 0
	return v
}

// quietElsewhere looks whether an alert fires on a recording that none of its cases names.
func (r *run) quietElsewhere(a *rules.Alert, named map[*played]bool, spans func(*played) []*replay.Span) (found []mismatch) {
	for _, name := range r.corpus.Names() {
		if p := r.byDefault[name]; p != nil && !named[p] {
			found = append(found, checkQuiet(a.Name, p.replay.String(), spans(p))...)
		}
	}
	return found
}

func (r *run) judgeAlways(a *rules.Alert, spans func(*played) []*replay.Span) verdict {
	v := verdict{fires: true, quiet: true}
	for _, p := range r.played {
		v.found = append(v.found, checkAlways(a.Name, p.replay.String(), spans(p))...)
	}
	v.fires = len(v.found) == 0
	return v
}

// caseReplay is the replay that a case asks for, nil if there is none: that was said when the replays
// were made.
func (r *run) caseReplay(c rules.Case) *played { return r.byCase[keyOf(c)] }

// caseKey is what decides how a case is played.
type caseKey struct {
	recording, edit string
	stretch         float64
}

func keyOf(c rules.Case) caseKey { return caseKey{c.Recording, c.Edit, c.Stretch} }

// compareWithManager proves on every replay on which an alert of the group fires that one range
// query finds what Prometheus' rule manager found: the former judges mutants and all other replays.
func (r *run) compareWithManager(ctx context.Context, a alertRule) error {
	for _, p := range r.played {
		if !p.stepped[a.group.Rules.Name] {
			continue
		}
		spans, err := replay.SpansOf(ctx, p.prometheus.Storage, a.rule.Rule, p.replay.Length)
		if err != nil {
			return err
		}
		spans = replay.WithSummaries(ctx, p.prometheus, a.rule.Rule, spans)
		if got, want := spanLines(spans), spanLines(p.byAlert[a.Name]); !slices.Equal(got, want) {
			r.report.fail("%s: %s: a range query finds %q, the rule manager %q", p.replay, a.Name, got, want)
		}
	}
	return nil
}

func spanLines(spans []*replay.Span) []string {
	var out []string
	for _, s := range spans {
		line := s.String()
		if s.Fired() {
			line += ": " + s.Annotations["summary"]
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}
