package rules

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/dashboards/ids"
	"github.com/llmfleet/llmfleet/exporter/nearest"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
)

// The frozen uids of the dashboards that alerts link to.
const (
	DashboardUID            = "llmfleet-capacity" // the front page
	BackendDashboardUID     = "llmfleet-backend"  // one model server in depth
	LatencyDashboardUID     = "llmfleet-latency"  // latency and objectives
	SpeculationDashboardUID = "llmfleet-speculation"
	RoutersDashboardUID     = "llmfleet-routers"
	CardsDashboardUID       = "llmfleet-cards"
	WatchingDashboardUID    = "llmfleet-watching"
)

// GroupPrefix begins the name of every group that is rendered.
const GroupPrefix = "llm-"

// OldestPrometheus is the oldest that loads the rules: keep_firing_for came with it.
const OldestPrometheus = "2.42"

// RuleGroup is a group as Prometheus reads it: keys replaced, annotations complete.
type RuleGroup struct {
	Source *Group
	Rules  rulefmt.RuleGroup
}

// AlertRule is the rule of the group's i-th alert: alerts stand behind the records.
func (g RuleGroup) AlertRule(i int) rulefmt.Rule { return g.Rules.Rules[len(g.Source.Records)+i] }

// Render replaces every ${key}, and gives each alert its severity, links and extra labels.
// A key that nobody defines, a threshold that nobody uses and a budget that cannot be spent, or
// not fast enough, are errors; all come back at once.
func Render(groups []Group, s Settings) ([]RuleGroup, error) {
	r := newRenderer(groups, s)
	r.vocabulary = NewVocabulary(groups, s)
	var err error
	if r.pages, err = ids.Load(); err != nil {
		return nil, err
	}
	out := make([]RuleGroup, 0, len(groups))
	for i := range groups {
		out = append(out, r.group(&groups[i]))
	}
	r.unused(groups)
	for _, b := range unreachable(groups, s) {
		r.mistakes = append(r.mistakes, b)
	}
	return out, errors.Join(r.mistakes...)
}

// renderer replaces keys and remembers which were used.
type renderer struct {
	settings Settings
	values   map[string]string
	used     map[string]bool
	mistakes []error

	// For the links of alerts; texts alone are expanded without.
	vocabulary *lint.Vocabulary
	pages      ids.Lock
}

func newRenderer(groups []Group, s Settings) *renderer {
	r := &renderer{settings: s, used: map[string]bool{}, values: map[string]string{
		"job":             s.Job,
		"scrape_interval": model.Duration(s.ScrapeInterval).String(),
		"shortest_window": model.Duration(lint.ShortestWindow(s.ScrapeInterval)).String(),
	}}
	for _, g := range groups {
		for _, t := range g.Thresholds {
			if _, ok := r.values[t.Key]; ok {
				r.mistakes = append(r.mistakes, fmt.Errorf("group %s: threshold %q: defined twice", g.Name, t.Key))
			}
			r.values[t.Key] = t.Text(s.Value(t))
		}
	}
	return r
}

// Expand replaces the ${key} of one text by the settings and thresholds.
func Expand(text string, groups []Group, s Settings) (string, error) {
	r := newRenderer(groups, s)
	out := r.expand("text", text)
	return out, errors.Join(r.mistakes...)
}

// ExpandOf is Expand for a text about one alert, which may name the alert's own times too.
func ExpandOf(a *Alert, text string, groups []Group, s Settings) (string, error) {
	r := newRenderer(groups, s)
	r.times(a)
	out := r.expand(a.Name, text)
	return out, errors.Join(r.mistakes...)
}

var keyReference = regexp.MustCompile(`\$\{([^}]*)\}`)

// Keys lists the keys that a text refers to, each once, in order.
func Keys(text string) []string {
	var keys []string
	for _, m := range keyReference.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(keys, m[1]) {
			keys = append(keys, m[1])
		}
	}
	return keys
}

func (r *renderer) expand(where, text string) string {
	return keyReference.ReplaceAllStringFunc(text, func(ref string) string {
		key := ref[2 : len(ref)-1]
		v, ok := r.values[key]
		if !ok {
			r.mistakes = append(r.mistakes, fmt.Errorf("%s: unknown key %q%s", where, ref, nearest.Hint(key, slices.Sorted(maps.Keys(r.values)))))
		}
		r.used[key] = true
		return v
	})
}

// unused finds thresholds that no expression or text names: turning them would do nothing.
func (r *renderer) unused(groups []Group) {
	for _, g := range groups {
		for _, t := range g.Thresholds {
			if !r.used[t.Key] {
				r.mistakes = append(r.mistakes, fmt.Errorf("group %s: threshold %q: no expression uses it", g.Name, t.Key))
			}
		}
	}
}

func (r *renderer) group(g *Group) RuleGroup {
	out := RuleGroup{Source: g, Rules: rulefmt.RuleGroup{
		Name: GroupPrefix + g.Name, Interval: model.Duration(max(g.Interval, r.settings.ScrapeInterval)),
	}}
	for _, rec := range g.Records {
		out.Rules.Rules = append(out.Rules.Rules, rulefmt.Rule{Record: rec.Name, Expr: r.expr(rec.Name, rec.Expr)})
	}
	for i := range g.Alerts {
		out.Rules.Rules = append(out.Rules.Rules, r.alert(&g.Alerts[i]))
	}
	return out
}

func (r *renderer) expr(where, text string) string {
	return dedent(r.expand(where, text))
}

func (r *renderer) alert(a *Alert) rulefmt.Rule {
	rule := rulefmt.Rule{
		Alert: a.Name, Expr: r.expr(a.Name, a.Expr),
		For: model.Duration(r.settings.For(a)), KeepFiringFor: model.Duration(r.settings.KeepFiring(a)),
		Labels:      map[string]string{"severity": string(a.Severity)},
		Annotations: map[string]string{},
	}
	maps.Copy(rule.Labels, r.settings.ExtraLabels)
	set := func(name, value string) {
		if value != "" {
			rule.Annotations[name] = value
		}
	}
	r.times(a)
	set("summary", oneLine(r.expand(a.Name+" summary", a.Summary)))
	set("description", oneLine(r.expand(a.Name+" description", a.Description)))
	r.times(nil)
	if r.settings.RunbookBaseURL != "" {
		set("runbook_url", r.settings.RunbookBaseURL+"/"+RunbookFile(a.Name))
	}
	set("dashboard_url", r.dashboardURL(a, rule.Expr))
	return rule
}

// times gives an alert's texts its own times as ${for} and ${keep_firing_for}; nil takes them away.
func (r *renderer) times(a *Alert) {
	if a == nil {
		delete(r.values, "for")
		delete(r.values, "keep_firing_for")
		return
	}
	r.values["for"] = model.Duration(r.settings.For(a)).String()
	r.values["keep_firing_for"] = model.Duration(r.settings.KeepFiring(a)).String()
}

// oneLine folds a text that was written over several lines of Go.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// dedent takes away the indentation that all lines of a Go raw string share.
func dedent(text string) string {
	lines := strings.Split(strings.Trim(strings.ReplaceAll(text, "\t", "  "), "\n "), "\n")
	indent := -1
	for _, l := range lines[1:] {
		if trimmed := strings.TrimLeft(l, " "); trimmed != "" && (indent < 0 || len(l)-len(trimmed) < indent) {
			indent = len(l) - len(trimmed)
		}
	}
	for i, l := range lines[1:] {
		lines[i+1] = strings.TrimRight(l[min(max(indent, 0), len(l)):], " ")
	}
	return strings.Join(lines, "\n")
}
