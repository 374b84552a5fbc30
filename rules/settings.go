package rules

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/exporter/nearest"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"
)

// Settings are what a user may change without touching code: names, addresses, thresholds.
// A Settings never changes once it is parsed.
type Settings struct {
	Job              string                   // label job that Prometheus gives the exporter
	ExtraLabels      map[string]string        // labels on every alert, for a route of the user's own
	ResourceLabels   map[string]string        // labels of the PrometheusRule resources, which their operator selects by
	ScrapeInterval   time.Duration            // of the exporter; the rules are evaluated at the same pace
	RunbookBaseURL   string                   // the alert's page is <base>/<RunbookFile>
	DashboardBaseURL string                   // address of Grafana; "": no dashboard_url on alerts
	Thresholds       map[string]float64       // by key; a key that is not here keeps its default
	Hold             map[string]time.Duration // by alert: for how long it must be so before it fires
	Keep             map[string]time.Duration // by alert: for how long it goes on firing when it is no longer so
}

// DefaultSettings is what stands without a settings file.
func DefaultSettings() Settings {
	return Settings{
		Job:              "llmfleet",
		ScrapeInterval:   15 * time.Second,
		RunbookBaseURL:   "https://github.com/llmfleet/llmfleet/blob/main/docs/runbooks",
		DashboardBaseURL: "http://localhost:3000",
	}
}

// Value is the threshold's number: the user's if he set one, else the default.
func (s Settings) Value(t *Threshold) float64 {
	if v, ok := s.Thresholds[t.Key]; ok {
		return v
	}
	return t.Default
}

// For is how long the alert's condition must hold: the user's time if he set one, else the alert's
// own, or two scrapes where these are further apart.
func (s Settings) For(a *Alert) time.Duration {
	if d, ok := s.Hold[a.Name]; ok {
		return d
	}
	if a.For == 0 { // the watchdog has no condition
		return 0
	}
	return max(a.For, s.leastHold())
}

// leastHold is the shortest time that a condition may have to hold: one odd scrape must not fire.
func (s Settings) leastHold() time.Duration { return 2 * s.ScrapeInterval }

// KeepFiring is for how long the alert goes on after its condition has ended: the user's time if
// he set one.
func (s Settings) KeepFiring(a *Alert) time.Duration {
	if d, ok := s.Keep[a.Name]; ok {
		return d
	}
	return a.KeepFiring
}

// DurationUnit is the unit of thresholds that are a span of time. PromQL and settings write
// them as 5m.
const DurationUnit = "duration_seconds"

// Text is the threshold's number as PromQL and people write it.
func (t *Threshold) Text(v float64) string {
	if t.Unit == DurationUnit {
		return model.Duration(time.Duration(v * float64(time.Second)).Round(time.Millisecond)).String()
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// ParseSettings reads a settings file over the defaults. It is strict: every unknown key and
// every value that cannot work is a mistake with its line, and all mistakes come back at once.
func ParseSettings(file string, data []byte, groups []Group) (Settings, error) {
	p := settingsParser{file: file, groups: groups, windows: windowsOf(groups), settings: DefaultSettings(), at: map[string]*yaml.Node{}}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return Settings{}, fmt.Errorf("%s: %w", file, err)
	}
	if len(doc.Content) > 0 { // an empty file is the defaults
		p.section(doc.Content[0], "", p.keys())
	}
	for _, check := range p.whole {
		check()
	}
	if len(p.mistakes) == 0 { // what is half read gives mistakes that help nobody
		p.checkWindows()
		p.checkBudgets()
	}
	if len(p.mistakes) > 0 {
		return Settings{}, errors.Join(p.mistakes...)
	}
	return p.settings, nil
}

// settingsParser walks the file once and collects mistakes.
type settingsParser struct {
	file     string
	groups   []Group
	windows  windows // of the groups
	settings Settings
	at       map[string]*yaml.Node // where each key of the file stands
	whole    []func()              // checks that need the whole file
	mistakes []error
}

func (p *settingsParser) keys() map[string]func(*yaml.Node) {
	s := &p.settings
	return map[string]func(*yaml.Node){
		"job":                p.text(&s.Job),
		"labels":             p.labels,
		"resource_labels":    p.resourceLabels,
		"scrape_interval":    p.interval,
		"runbook_base_url":   p.url(&s.RunbookBaseURL),
		"dashboard_base_url": p.url(&s.DashboardBaseURL),
		"thresholds":         p.thresholds,
		"for":                p.holds,
		"keep_firing_for":    p.keeps,
	}
}

func (p *settingsParser) mistake(n *yaml.Node, format string, args ...any) {
	p.mistakes = append(p.mistakes, fmt.Errorf("%s:%d: %s", p.file, n.Line, fmt.Sprintf(format, args...)))
}

// section calls the function of each key of a mapping and names the keys that have none.
func (p *settingsParser) section(n *yaml.Node, path string, keys map[string]func(*yaml.Node)) {
	p.entries(n, path, func(key, value *yaml.Node) {
		p.at[path+key.Value] = value
		read := keys[key.Value]
		if read == nil {
			p.mistake(key, "unknown key %q%s", path+key.Value, nearest.Hint(key.Value, slices.Sorted(maps.Keys(keys))))
			return
		}
		read(value)
	})
}

// entries calls a function with each key of a mapping and its value, once each.
func (p *settingsParser) entries(n *yaml.Node, path string, do func(key, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		p.mistake(n, "%s is not a mapping; write key: value lines", orWhole(path))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if seen[key.Value] {
			p.mistake(key, "key %q is written twice; keep one", path+key.Value)
			continue
		}
		seen[key.Value] = true
		do(key, value)
	}
}

func orWhole(path string) string {
	if path == "" {
		return "the file"
	}
	return strings.TrimSuffix(path, ".")
}

func (p *settingsParser) text(to *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.Value == "" || strings.ContainsAny(n.Value, "\"\\\n") {
			p.mistake(n, "value %q cannot be a label value here; write a plain, not empty word", n.Value)
			return
		}
		*to = n.Value
	}
}

func (p *settingsParser) url(to *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		u, err := url.Parse(n.Value)
		if n.Value != "" && (err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https")) {
			p.mistake(n, "value %q is not an address; write https://host/path, or \"\" for none", n.Value)
			return
		}
		*to = strings.TrimSuffix(n.Value, "/")
	}
}

// Scrapes further apart than this are refused whatever the rules say: Prometheus forgets a value
// after five minutes.
const mostInterval = 5 * time.Minute

func (p *settingsParser) interval(n *yaml.Node) {
	longest, because := mostInterval, ""
	if most := lint.LongestInterval(p.windows.typed); most > 0 && most < longest {
		longest, because = most, fmt.Sprintf(", since %s looks back %s and must see four scrapes", p.windows.typedBy, model.Duration(p.windows.typed))
	}
	d, err := model.ParseDuration(n.Value)
	if err != nil || time.Duration(d) < time.Second || time.Duration(d) > longest {
		p.mistake(n, "scrape_interval %q must be from 1s to %s%s; write 15s", n.Value, model.Duration(longest), because)
		return
	}
	p.settings.ScrapeInterval = time.Duration(d)
}

// checkWindows refuses windows that hold fewer than four scrapes: one lost scrape would blind a
// rule. Either the file sets the window, or it leaves a default that its scrape_interval is too long for.
func (p *settingsParser) checkWindows() {
	interval := p.settings.ScrapeInterval
	least := lint.ShortestWindow(interval)
	for _, t := range AllThresholds(p.groups) {
		rule, isWindow := p.windows.keys[t]
		window := time.Duration(p.settings.Value(t) * float64(time.Second))
		if !isWindow || window >= least {
			continue
		}
		if n := p.at["thresholds."+t.Key]; n != nil {
			p.mistake(n, "thresholds.%s %q is shorter than four scrapes of %s, so that one lost scrape would blind %s; write %s or more, or a scrape_interval of %s or less",
				t.Key, n.Value, model.Duration(interval), rule, model.Duration(least), shortInterval(window))
		} else if n := p.at["scrape_interval"]; n != nil {
			p.mistake(n, "scrape_interval %q leaves fewer than four scrapes in %s, by which %s decides (%s without thresholds.%s in this file); write %s or less, or thresholds: {%s: %s}",
				n.Value, t.Key, rule, model.Duration(window), t.Key, shortInterval(window), t.Key, model.Duration(least))
		}
	}
}

// shortInterval is the longest scrape interval for a window, in whole seconds.
func shortInterval(window time.Duration) string {
	return model.Duration(lint.LongestInterval(window).Truncate(time.Second)).String()
}

// checkBudgets refuses targets that an alert cannot judge, at the number that the file sets.
func (p *settingsParser) checkBudgets() {
	for _, b := range unreachable(p.groups, p.settings) {
		n := p.at["thresholds."+b.target]
		if n == nil {
			n = p.at["thresholds."+b.burn]
		}
		p.mistake(n, "%s", b)
	}
}

// reserved labels are written by the rules themselves; an extra label would overwrite them.
var reserved = []string{"alertname", "severity", "backend", "engine", "model", "rank", "router", "target", "reason", "objective", "instance", "job"}

func (p *settingsParser) labels(n *yaml.Node) {
	p.settings.ExtraLabels = map[string]string{}
	p.entries(n, "labels.", func(key, value *yaml.Node) {
		switch {
		case !model.LegacyValidation.IsValidLabelName(key.Value) || strings.HasPrefix(key.Value, "__"):
			p.mistake(key, "label %q is no label name; use letters, digits and _", key.Value)
		case slices.Contains(reserved, key.Value):
			p.mistake(key, "label %q is used by the rules; choose another name", key.Value)
		case value.Kind != yaml.ScalarNode:
			p.mistake(value, "label %q needs a text", key.Value)
		default:
			p.settings.ExtraLabels[key.Value] = value.Value
		}
	})
}

// Kubernetes' form of a label's key, with or without a prefix, and of its value.
var (
	resourceLabelKey   = regexp.MustCompile(`^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`)
	resourceLabelValue = regexp.MustCompile(`^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$`)
)

func (p *settingsParser) resourceLabels(n *yaml.Node) {
	p.settings.ResourceLabels = map[string]string{}
	p.entries(n, "resource_labels.", func(key, value *yaml.Node) {
		if !resourceLabelKey.MatchString(key.Value) || value.Kind != yaml.ScalarNode || !resourceLabelValue.MatchString(value.Value) {
			p.mistake(key, "label %q: %q is no label of Kubernetes; write release: monitoring", key.Value, value.Value)
			return
		}
		p.settings.ResourceLabels[key.Value] = value.Value
	})
}

// holds reads how long each alert waits.
func (p *settingsParser) holds(n *yaml.Node) {
	p.settings.Hold = map[string]time.Duration{}
	p.perAlert(n, "for.", p.hold)
}

func (p *settingsParser) hold(a *Alert, n *yaml.Node) {
	d, err := model.ParseDuration(n.Value)
	p.settings.Hold[a.Name] = time.Duration(d)
	p.whole = append(p.whole, func() {
		if least := p.settings.leastHold(); err != nil || time.Duration(d) < least || d > model.Duration(24*time.Hour) {
			p.mistake(n, "for.%s %q must be from two scrape intervals (%s) to 1d; the default is %s", a.Name, n.Value, model.Duration(least), model.Duration(a.For))
		}
	})
}

// longestKeep is a week: what rings longer than that after it ended is a log, not an alert.
const longestKeep = 7 * 24 * time.Hour

// keeps reads how long each alert goes on.
func (p *settingsParser) keeps(n *yaml.Node) {
	p.settings.Keep = map[string]time.Duration{}
	p.perAlert(n, "keep_firing_for.", func(a *Alert, n *yaml.Node) {
		d, err := model.ParseDuration(n.Value)
		if err != nil || time.Duration(d) > longestKeep {
			p.mistake(n, "keep_firing_for.%s %q must be from 0s to %s; the default is %s", a.Name, n.Value, model.Duration(longestKeep), model.Duration(a.KeepFiring))
			return
		}
		p.settings.Keep[a.Name] = time.Duration(d)
	})
}

// perAlert reads a mapping of alerts. The watchdog has no condition to wait for.
func (p *settingsParser) perAlert(n *yaml.Node, path string, read func(*Alert, *yaml.Node)) {
	keys := map[string]func(*yaml.Node){}
	for _, g := range p.groups {
		for i := range g.Alerts {
			if a := &g.Alerts[i]; a.Severity != None {
				keys[a.Name] = func(n *yaml.Node) { read(a, n) }
			}
		}
	}
	p.section(n, path, keys)
}

func (p *settingsParser) thresholds(n *yaml.Node) {
	p.settings.Thresholds = map[string]float64{}
	keys := map[string]func(*yaml.Node){}
	for _, g := range p.groups {
		for _, t := range g.Thresholds {
			keys[t.Key] = func(n *yaml.Node) { p.threshold(t, n) }
		}
	}
	p.section(n, "thresholds.", keys)
}

func (p *settingsParser) threshold(t *Threshold, n *yaml.Node) {
	v, err := t.parse(n.Value)
	if err != nil {
		p.mistake(n, "thresholds.%s %q is no value of unit %s; the default is %s", t.Key, n.Value, orNone(t.Unit), t.Text(t.Default))
		return
	}
	if b := t.bounds(); !b.hold(v) {
		p.mistake(n, "thresholds.%s %s is out of range; allowed is %s, the default is %s", t.Key, n.Value, b.text(t), t.Text(t.Default))
		return
	}
	p.settings.Thresholds[t.Key] = v
}

func orNone(unit string) string {
	if unit == "" {
		return "number"
	}
	return unit
}

func (t *Threshold) parse(text string) (float64, error) {
	if t.Unit == DurationUnit {
		d, err := model.ParseDuration(text)
		return time.Duration(d).Seconds(), err
	}
	v, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = fmt.Errorf("not finite")
	}
	return v, err
}
