package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/nearest"
	"github.com/llmfleet/llmfleet/rules/lint"
)

// Explanation says which alerts need no telling while another one fires, because it is their
// cause. Alertmanager then holds them back: one cause, one page.
type Explanation struct {
	By     []string // labels, whose values both alerts share
	Alerts []string // names; none: every alert that carries the labels
	Why    string
}

// Inhibition is an explanation with its alerts found: what Alertmanager is told.
type Inhibition struct {
	Source  string // the alert that explains
	By      []string
	Targets []string // the alerts that it holds back, in the order of the groups
	All     bool     // they are all that carry the labels, …
	Except  []string // … but for these
	Why     string
}

// Inhibitions are the explanations of all alerts. One that could never hold, that would hide
// a page behind a ticket, or in which two alerts hide each other, is an error; all come back
// at once.
func Inhibitions(groups []Group, s Settings) ([]Inhibition, error) {
	e, err := newExplainer(groups, s)
	if err != nil {
		return nil, err
	}
	var out []Inhibition
	for _, a := range e.alerts {
		for _, x := range a.Explains {
			i := e.inhibition(a, x)
			e.check(i)
			out = append(out, i)
		}
	}
	e.circles(out)
	return out, errors.Join(e.mistakes...)
}

// explainer knows which labels each alert may carry.
type explainer struct {
	alerts   []*Alert
	byName   map[string]*Alert
	carries  map[string]lint.Result
	mistakes []error
}

func newExplainer(groups []Group, s Settings) (*explainer, error) {
	rendered, err := Render(groups, s)
	if err != nil {
		return nil, err
	}
	v := NewVocabulary(groups, s)
	e := &explainer{byName: map[string]*Alert{}, carries: map[string]lint.Result{}}
	for _, g := range rendered {
		for i := range g.Source.Alerts {
			a := &g.Source.Alerts[i]
			e.alerts, e.byName[a.Name] = append(e.alerts, a), a
			e.carries[a.Name], _ = v.Check(a.Name, g.AlertRule(i).Expr, s.ScrapeInterval)
		}
	}
	return e, nil
}

func (e *explainer) inhibition(a *Alert, x Explanation) Inhibition {
	i := Inhibition{Source: a.Name, By: x.By, Targets: x.Alerts, All: len(x.Alerts) == 0, Why: x.Why}
	if !i.All {
		return i
	}
	for _, other := range e.alerts {
		switch {
		case !e.carriesAll(other, x.By):
		case other == a || e.isForeign(other):
			i.Except = append(i.Except, other.Name)
		default:
			i.Targets = append(i.Targets, other.Name)
		}
	}
	return i
}

// isForeign says whether an alert stands on series of another program, Prometheus itself: no
// alert about the fleet is its cause, whatever label instance both have.
func (e *explainer) isForeign(a *Alert) bool {
	_, known := e.carries[a.Name].Labels()
	return !known
}

func (e *explainer) carriesAll(a *Alert, labels []string) bool {
	return !slices.ContainsFunc(labels, func(l string) bool { return !e.carries[a.Name].MayCarry(l) })
}

var ranks = []Severity{None, Info, Warning, Critical}

func (e *explainer) check(i Inhibition) {
	bad := func(format string, args ...any) {
		e.mistakes = append(e.mistakes, fmt.Errorf("%s: explains: "+format, append([]any{i.Source}, args...)...))
	}
	source := e.byName[i.Source]
	if len(i.By) == 0 {
		bad("no labels: it would hold back alerts of every machine")
	}
	if !e.carriesAll(source, i.By) {
		bad("its own expression drops one of the labels %s", strings.Join(i.By, ", "))
	}
	for _, name := range i.Targets {
		target := e.byName[name]
		switch {
		case target == nil:
			var names []string
			for _, a := range e.alerts {
				names = append(names, a.Name)
			}
			bad("unknown alert %q%s", name, nearest.Hint(name, names))
		case !e.carriesAll(target, i.By):
			bad("%s never carries all of the labels %s", name, strings.Join(i.By, ", "))
		case slices.Index(ranks, target.Severity) > slices.Index(ranks, source.Severity):
			bad("%s is %s, and would be hidden behind a %s", name, target.Severity, source.Severity)
		}
	}
}

// circles finds alerts that hold back each other: Alertmanager would tell of none of them.
func (e *explainer) circles(all []Inhibition) {
	next := map[string][]string{}
	for _, i := range all {
		next[i.Source] = append(next[i.Source], i.Targets...)
	}
	var walk func(path []string)
	walk = func(path []string) {
		for _, name := range next[path[len(path)-1]] {
			switch at := slices.Index(path, name); {
			case at == 0 && path[0] == slices.Min(path): // the others find the same circle
				e.mistakes = append(e.mistakes, fmt.Errorf("%s: explains: hold back each other in a circle, so that nobody is told", strings.Join(path, ", ")))
			case at < 0:
				walk(append(slices.Clone(path), name))
			}
		}
	}
	for _, a := range e.alerts {
		walk([]string{a.Name})
	}
}
