package replay

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	promrules "github.com/prometheus/prometheus/rules"
)

// Never is the time of something that did not happen.
const Never time.Duration = -1

// Span is the life of one alert instance in a replay.
type Span struct {
	Alert       string
	Labels      labels.Labels // with alertname and severity
	Pending     time.Duration
	Firing      time.Duration // Never if it went away before
	Resolved    time.Duration // Never if it was still active at the end
	Value       float64       // when it began to fire, or last while pending
	Annotations map[string]string
}

// Fired says whether the instance got beyond pending.
func (s *Span) Fired() bool { return s.Firing != Never }

// Active says whether the instance is pending or firing.
func (s *Span) Active() bool { return s.Resolved == Never }

// ShortLabels are the labels as cases write them: without alertname, severity and those of
// the scrape.
func (s *Span) ShortLabels() string {
	return LabelText(s.Labels, "alertname", "severity", "instance", "job")
}

// String is the span in one line.
func (s *Span) String() string {
	return fmt.Sprintf("%s{%s} pending %s firing %s resolved %s", s.Alert, s.ShortLabels(), Seconds(s.Pending), Seconds(s.Firing), Seconds(s.Resolved))
}

// Seconds is a time of a replay in messages: its whole seconds, or never.
func Seconds(d time.Duration) string {
	if d == Never {
		return "never"
	}
	return fmt.Sprintf("%d", int(d.Seconds()))
}

// LabelText is labels as cases write them, without some names.
func LabelText(ls labels.Labels, without ...string) string {
	var parts []string
	ls.Range(func(l labels.Label) {
		if !slices.Contains(without, l.Name) {
			parts = append(parts, fmt.Sprintf("%s=%q", l.Name, l.Value))
		}
	})
	return strings.Join(parts, ", ")
}

// Transition is one change of one alert instance.
type Transition struct {
	Span *Span
	To   string // pending, firing, resolved
}

// Step is what happened in one step of a replay.
type Step struct {
	At          time.Duration
	Targets     []TargetState
	Transitions []Transition
	Active      []*Span
}

// TargetState is Prometheus' view of one target.
type TargetState struct {
	Job, Instance string
	Up            bool
	Problem       string // why it is down
}

// tracker turns what the rule manager says after each evaluation into spans.
type tracker struct {
	active map[string]*Span // by labels
	spans  []*Span
}

func (t *tracker) step(at time.Duration, groups []*promrules.Group) []Transition {
	var out []Transition
	seen := map[string]bool{}
	for _, g := range groups {
		for _, rule := range g.AlertingRules() {
			for _, a := range rule.ActiveAlerts() {
				key := a.Labels.String()
				seen[key] = true
				out = append(out, t.observe(at, rule.Name(), key, a)...)
			}
		}
	}
	for key, s := range t.active {
		if !seen[key] {
			s.Resolved = at
			delete(t.active, key)
			out = append(out, Transition{s, "resolved"})
		}
	}
	slices.SortStableFunc(out, func(a, b Transition) int { return strings.Compare(a.Span.Labels.String(), b.Span.Labels.String()) })
	return out
}

// observe notes one active instance.
func (t *tracker) observe(at time.Duration, alert, key string, a *promrules.Alert) []Transition {
	var out []Transition
	s := t.active[key]
	if s == nil {
		s = &Span{Alert: alert, Labels: a.Labels, Pending: at, Firing: Never, Resolved: Never}
		t.active[key] = s
		t.spans = append(t.spans, s)
		out = append(out, Transition{s, "pending"})
	}
	if s.Fired() {
		return out
	}
	s.Value, s.Annotations = a.Value, a.Annotations.Map()
	if a.State == promrules.StateFiring {
		s.Firing = at
		out = append(out, Transition{s, "firing"})
	}
	return out
}

func (t *tracker) activeSpans() []*Span {
	var out []*Span
	for _, s := range t.spans {
		if s.Active() {
			out = append(out, s)
		}
	}
	return out
}
