package proof

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/rules"
	"github.com/prometheus/common/model"
)

// ownNumbers are the numbers of a user's settings that differ from the defaults. Cases are written
// with the defaults: where one of these numbers decides, their seconds, texts and mutants say
// nothing, and it is asked whether the alert still fires on its incidents and is quiet elsewhere.
type ownNumbers struct {
	groups   []rules.Group
	settings rules.Settings
	changed  map[string]string // by key of a threshold: "queue_waiting = 8 (default 2)"
}

func newOwnNumbers(groups []rules.Group, s rules.Settings) *ownNumbers {
	o := &ownNumbers{groups: groups, settings: s, changed: map[string]string{}}
	for _, t := range rules.AllThresholds(groups) {
		if v := s.Value(t); v != t.Default {
			o.changed[t.Key] = differs(t.Key, t.Text(v), t.Text(t.Default))
		}
	}
	if usual := rules.DefaultSettings().ScrapeInterval; s.ScrapeInterval != usual {
		o.changed[intervalKey] = differs(intervalKey, model.Duration(s.ScrapeInterval).String(), model.Duration(usual).String())
		o.changed["shortest_window"] = o.changed[intervalKey]
	}
	return o
}

// intervalKey is the key of an expression that is no threshold and still a number; shortest_window follows it.
const intervalKey = "scrape_interval"

func differs(what, now, usual string) string {
	return fmt.Sprintf("%s = %s (default %s)", what, now, usual)
}

// all are the numbers that differ, in words.
func (o *ownNumbers) all() []string {
	out := slices.Collect(maps.Values(o.changed))
	for _, g := range o.groups {
		for i := range g.Alerts {
			a := &g.Alerts[i]
			for _, text := range o.times(a) {
				out = append(out, a.Name+" "+text)
			}
		}
	}
	slices.Sort(out)
	return out
}

// times are the changed times of an alert.
func (o *ownNumbers) times(a *rules.Alert) []string {
	var out []string
	for _, t := range []struct {
		name       string
		now, usual time.Duration
	}{
		{"for", o.settings.For(a), a.For},
		{"keep_firing_for", o.settings.KeepFiring(a), a.KeepFiring},
	} {
		if t.now != t.usual {
			out = append(out, differs(t.name, model.Duration(t.now).String(), model.Duration(t.usual).String()))
		}
	}
	return out
}

// of are the changed numbers by which an alert decides, none if it is as its cases have it.
func (o *ownNumbers) of(a *rules.Alert) []string {
	return append(o.times(a), o.in(a.Expr+a.Summary)...)
}

// in are the changed numbers in a text and in the recording rules that it reads.
func (o *ownNumbers) in(text string) []string {
	keys := rules.Keys(text)
	for _, rec := range rules.RecordsRead(o.groups, text) {
		keys = append(keys, rules.Keys(rec.Expr)...)
	}
	slices.Sort(keys)
	var out []string
	for _, key := range slices.Compact(keys) {
		if changed := o.changed[key]; changed != "" {
			out = append(out, changed)
		}
	}
	return out
}

// moves says whether what an expression shows is no longer what its cases have.
func (o *ownNumbers) moves(e Expression) bool {
	return len(o.in(e.Text)) > 0 || slices.ContainsFunc(e.Keys, func(key string) bool { return o.changed[key] != "" })
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
	for _, m := range r.quietElsewhere(a, named, func(p *played) []*Span { return p.byAlert[a.Name] }) {
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
func (r *run) checkOwn(c rules.Case, p *played, alert string) (missed []string, loud []*Span) {
	fired := slices.DeleteFunc(slices.Clone(r.asWritten(p.byAlert[alert])), func(s *Span) bool { return !s.Fired() })
	known := map[*Span]bool{}
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
	return missed, slices.DeleteFunc(fired, func(s *Span) bool { return known[s] })
}
