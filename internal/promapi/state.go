package promapi

import (
	"cmp"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	promrules "github.com/prometheus/prometheus/rules"
)

// call calls a function that may be nil.
func call[T any](f func() T) (out T) {
	if f != nil {
		out = f()
	}
	return out
}

// shown is a time of the storage's clock as one of the asker's. The zero time means never.
func (s Source) shown(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(s.ahead)
}

func (s Source) rules(r *http.Request) (result, error) {
	only := r.Form.Get("type")
	if only != "" && only != "alert" && only != "record" {
		return result{}, badData{fmt.Errorf("invalid parameter %q: not supported value %q", "type", only)}
	}
	kept := func(name string, values []string) bool { return len(values) == 0 || slices.Contains(values, name) }
	out := Rules{Groups: []RuleGroup{}}
	for _, g := range call(s.Rules) {
		if !kept(g.Name(), r.Form["rule_group[]"]) || !kept(g.File(), r.Form["file[]"]) {
			continue
		}
		group := s.groupOf(g)
		group.Rules = slices.DeleteFunc(group.Rules, func(rule Rule) bool {
			return !kept(rule.Name, r.Form["rule_name[]"]) || only == "alert" && rule.Type != Alerting || only == "record" && rule.Type != Recording
		})
		if len(group.Rules) > 0 {
			out.Groups = append(out.Groups, group)
		}
	}
	return result{data: out}, nil
}

func (s Source) groupOf(g *promrules.Group) RuleGroup {
	out := RuleGroup{
		Name: g.Name(), File: g.File(), Interval: g.Interval().Seconds(), Limit: g.Limit(),
		EvaluationTime: g.GetEvaluationTime().Seconds(), LastEvaluation: g.GetLastEvaluation(),
	}
	for _, rule := range g.Rules() {
		r := s.ruleOf(rule)
		out.Rules = append(out.Rules, r)
		// A group that is evaluated by hand does not know when.
		if r.LastEvaluation.After(out.LastEvaluation) {
			out.LastEvaluation = r.LastEvaluation
		}
	}
	return out
}

func (s Source) ruleOf(rule promrules.Rule) Rule {
	out := Rule{
		Type: Recording, Name: rule.Name(), Query: rule.Query().String(), Labels: rule.Labels().Map(), Health: string(rule.Health()),
		EvaluationTime: rule.GetEvaluationDuration().Seconds(), LastEvaluation: rule.GetEvaluationTimestamp(), // by the clock on the wall, as Prometheus notes it
	}
	if err := rule.LastError(); err != nil {
		out.LastError = err.Error()
	}
	if a, ok := rule.(*promrules.AlertingRule); ok {
		out.Type = Alerting
		out.AlertState = &AlertState{
			State: a.State().String(), Duration: a.HoldDuration().Seconds(), KeepFiringFor: a.KeepFiringFor().Seconds(),
			Annotations: a.Annotations().Map(), Alerts: s.alertsOf(a),
		}
	}
	return out
}

func (s Source) alertsOf(rule *promrules.AlertingRule) []Alert {
	active := rule.ActiveAlerts()
	slices.SortFunc(active, func(a, b *promrules.Alert) int { return labels.Compare(a.Labels, b.Labels) })
	out := []Alert{}
	for _, a := range active {
		since := s.shown(a.ActiveAt)
		alert := Alert{
			Labels: a.Labels.Map(), Annotations: a.Annotations.Map(), State: a.State.String(), ActiveAt: &since,
			Value: strconv.FormatFloat(a.Value, 'e', -1, 64),
		}
		if !a.KeepFiringSince.IsZero() {
			kept := s.shown(a.KeepFiringSince)
			alert.KeepFiringSince = &kept
		}
		out = append(out, alert)
	}
	return out
}

func (s Source) alerts(*http.Request) (result, error) {
	out := Alerts{Alerts: []Alert{}}
	for _, g := range call(s.Rules) {
		for _, rule := range g.AlertingRules() {
			out.Alerts = append(out.Alerts, s.alertsOf(rule)...)
		}
	}
	return result{data: out}, nil
}

func (s Source) targets(r *http.Request) (result, error) {
	out := Targets{Active: []Target{}, Dropped: []DroppedTarget{}}
	if r.Form.Get("state") != "dropped" {
		out.Active = append(out.Active, call(s.Targets)...)
	}
	for i := range out.Active {
		out.Active[i].LastScrape = s.shown(out.Active[i].LastScrape)
	}
	slices.SortStableFunc(out.Active, func(a, b Target) int { return cmp.Compare(a.ScrapePool, b.ScrapePool) })
	return result{data: out}, nil
}

func (s Source) alertmanagers(*http.Request) (result, error) {
	out := Alertmanagers{Active: []Alertmanager{}, Dropped: []Alertmanager{}}
	for _, url := range call(s.Alertmanagers) {
		out.Active = append(out.Active, Alertmanager{url})
	}
	return result{data: out}, nil
}

func (s Source) buildInfo(*http.Request) (result, error) {
	return result{data: BuildInfo{Version: s.Version, GoVersion: runtime.Version()}}, nil
}

func (s Source) runtimeInfo(*http.Request) (result, error) {
	return result{data: struct {
		RuntimeInfo
		ServerTime time.Time `json:"serverTime"`
	}{RuntimeInfo{s.shown(s.Started), new(true), s.shown(s.Started)}, s.shown(s.Now())}}, nil
}

func (s Source) config(*http.Request) (result, error) {
	return result{data: Config{call(s.Config)}}, nil
}
