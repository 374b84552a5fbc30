package rules

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/prometheus/common/model"
)

// OwnNumbers are the numbers of a user's settings that differ from the defaults. Cases are written
// with the defaults: where one of these numbers decides, their seconds, texts and mutants say
// nothing, and it is asked whether the alert still fires on its incidents and is quiet elsewhere.
type OwnNumbers struct {
	groups   []Group
	settings Settings
	changed  map[string]string // by key of a threshold: "queue_waiting = 8 (default 2)"
}

// NewOwnNumbers finds the numbers that differ.
func NewOwnNumbers(groups []Group, s Settings) *OwnNumbers {
	o := &OwnNumbers{groups: groups, settings: s, changed: map[string]string{}}
	for _, t := range AllThresholds(groups) {
		if v := s.Value(t); v != t.Default {
			o.changed[t.Key] = differs(t.Key, t.Text(v), t.Text(t.Default))
		}
	}
	if usual := DefaultSettings().ScrapeInterval; s.ScrapeInterval != usual {
		o.changed[intervalKey] = differs(intervalKey, model.Duration(s.ScrapeInterval).String(), model.Duration(usual).String())
		o.changed["shortest_window"] = o.changed[intervalKey]
	}
	return o
}

// intervalKey is the key of an expression that is no threshold and still a number; shortest_window
// follows it.
const intervalKey = "scrape_interval"

func differs(what, now, usual string) string {
	return fmt.Sprintf("%s = %s (default %s)", what, now, usual)
}

// All are the numbers that differ, in words.
func (o *OwnNumbers) All() []string {
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
	return slices.Compact(out)
}

// times are the changed times of an alert.
func (o *OwnNumbers) times(a *Alert) []string {
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

// Of are the changed numbers by which an alert decides, none if it is as its cases have it.
func (o *OwnNumbers) Of(a *Alert) []string {
	return append(o.times(a), o.In(a.Expr+a.Summary)...)
}

// In are the changed numbers in a text and in the recording rules that it reads.
func (o *OwnNumbers) In(text string) []string {
	keys := Keys(text)
	for _, rec := range RecordsRead(o.groups, text) {
		keys = append(keys, Keys(rec.Expr)...)
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

// Has says whether the number of a key differs.
func (o *OwnNumbers) Has(key string) bool { return o.changed[key] != "" }
