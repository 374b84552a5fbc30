package proof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/llmfleet/llmfleet/rules"
)

// moves says whether what an expression shows is no longer what its cases have.
func moves(own *rules.OwnNumbers, e Expression) bool {
	return len(own.In(e.Text)) > 0 || slices.ContainsFunc(e.Keys, own.Has)
}

// judgeOwn asks of an alert with numbers of the user's own what holds for any numbers. On an
// incident on which it no longer fires that is remarked, since a rule that is less easily alarmed
// is a choice; on none of them, it is blind.
func (r *run) judgeOwn(a *rules.Alert, numbers []string) {
	with := "with " + strings.Join(numbers, ", ")
	named := map[*played]bool{}
	var fires, incidents int
	quiet := true
	for _, c := range a.Cases {
		p := r.caseReplay(c)
		if p == nil {
			continue
		}
		named[p] = true
		missed, loud := r.checkOwn(c, p, a.Name)
		if len(c.Fires) > 0 {
			incidents++
		}
		if len(missed) < len(c.Fires) {
			fires++
		}
		for _, labels := range missed {
			r.report.Remarks = append(r.report.Remarks, fmt.Sprintf("%s{%s} no longer fires on %s %s", a.Name, labels, p.replay, with))
		}
		for _, s := range loud {
			quiet = false
			r.report.fail("%s: must be quiet on %s, and is not %s: %s", a.Name, p.replay, with, s)
		}
	}
	for _, m := range r.quietElsewhere(a, named, func(p *played) []*replay.Span { return p.byAlert[a.Name] }) {
		quiet = false
		r.report.fail("%s (%s)", m, with)
	}
	if fires == 0 {
		r.report.fail("%s: fires on none of its %d incidents %s: it is blind", a.Name, incidents, with)
	}
	r.report.Alerts++
	r.report.count(&r.report.Fire, fires > 0)
	r.report.count(&r.report.Quiet, quiet)
	r.report.Own = append(r.report.Own, a.Name)
}

// checkOwn compares which instances fire in a case, at whatever second: missed are the labels of
// those that do not, loud those that fire and are none of the case's.
func (r *run) checkOwn(c rules.Case, p *played, alert string) (missed []string, loud []*replay.Span) {
	fired := slices.DeleteFunc(slices.Clone(r.asWritten(p.byAlert[alert])), func(s *replay.Span) bool { return !s.Fired() })
	known := map[*replay.Span]bool{}
	for _, want := range c.Fires {
		wanted, err := parseLabels(want.Labels)
		found := false
		for _, s := range fired {
			if err == nil && sameLabels(wanted, s.Labels) {
				known[s], found = true, true
			}
		}
		if !found && !slices.Contains(missed, want.Labels) {
			missed = append(missed, want.Labels)
		}
	}
	return missed, slices.DeleteFunc(fired, func(s *replay.Span) bool { return known[s] })
}
