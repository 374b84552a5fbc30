package rules

import (
	"regexp"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/document"
	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"
)

// LoadSettings reads a settings file over the defaults.
func LoadSettings(file string, groups []Group) (Settings, error) {
	data, err := document.Load("settings", file)
	if err != nil {
		return Settings{}, err
	}
	return ParseSettings(file, data, groups)
}

// ParseSettings reads the text of a settings file over the defaults. It is strict: every unknown
// key and every value that cannot work is a mistake with its line, and all mistakes come back at
// once, as document.Mistakes.
func ParseSettings(file string, data []byte, groups []Group) (Settings, error) {
	p := settingsParser{
		Reader: document.NewReader(file, "keep what differs from the defaults"),
		groups: groups, windows: windowsOf(groups), settings: DefaultSettings(),
	}
	if n := p.Document(data); n != nil { // an empty file is the defaults
		p.section(n, "", p.keys())
	}
	for _, check := range p.whole {
		check()
	}
	if p.Err() == nil { // what is half read gives mistakes that help nobody
		p.checkWindows()
		p.checkBudgets()
	}
	if err := p.Err(); err != nil {
		return Settings{}, err
	}
	return p.settings, nil
}

// settingsParser walks the file once and collects mistakes.
type settingsParser struct {
	*document.Reader
	groups   []Group
	windows  windows // of the groups
	settings Settings
	whole    []func() // checks that need the whole file
}

// reading reads the value at a place of the file into the settings.
type reading func(n *yaml.Node, at document.Path)

func (p *settingsParser) keys() map[string]reading {
	s := &p.settings
	return map[string]reading{
		"job":                p.job,
		"labels":             p.labels,
		"resource_labels":    p.resourceLabels,
		"scrape_interval":    p.interval,
		"runbook_base_url":   p.address(&s.RunbookBaseURL),
		"dashboard_base_url": p.address(&s.DashboardBaseURL),
		"thresholds":         p.thresholds,
		"for":                p.holds,
		"keep_firing_for":    p.keeps,
	}
}

// section calls the function of each key of a mapping and names the keys that have none.
func (p *settingsParser) section(n *yaml.Node, at document.Path, keys map[string]reading) {
	names := make([]string, 0, len(keys))
	for name := range keys {
		names = append(names, name)
	}
	p.entries(n, at, "keys", func(name string, value *yaml.Node, place document.Path) {
		if read := keys[name]; read != nil {
			read(value, place)
		} else {
			p.Fail(place, "", "is not a key here; %s", document.Choice(name, names))
		}
	})
}

// entries calls a function with each key of a mapping, its value and its place. wants says what
// should stand there.
func (p *settingsParser) entries(n *yaml.Node, at document.Path, wants string, do func(name string, value *yaml.Node, place document.Path)) {
	if n = p.Open(n, at); n == nil {
		return
	}
	for _, e := range p.Entries(n, at, wants) {
		if !p.Full() {
			do(e.Name, e.Value, at.Key(document.Shortened(e.Name)))
		}
	}
}

// plainText reads a text that is written into rules, where {{ begins a template of Prometheus.
func (p *settingsParser) plainText(n *yaml.Node, at document.Path) (string, bool) {
	s, ok := p.Scalar(n, at)
	if !ok {
		return "", false
	}
	wrong := document.CheckText(s)
	if wrong == "" && strings.Contains(s, "{{") {
		wrong = "has {{, which Prometheus takes for a template; write it without"
	}
	if wrong != "" {
		p.Fail(at, s, "%s", wrong)
	}
	return s, wrong == ""
}

func (p *settingsParser) job(n *yaml.Node, at document.Path) {
	s, ok := p.plainText(n, at)
	if ok && strings.ContainsAny(s, `"\`) {
		p.Fail(at, s, "has a quote or a backslash, which stands in no expression; write a plain word, like llmfleet")
		return
	}
	if ok {
		p.settings.Job = s
	}
}

// address reads the base of links; "" is none.
func (p *settingsParser) address(to *string) reading {
	return func(n *yaml.Node, at document.Path) {
		s, ok := p.Scalar(n, at)
		if !ok {
			return
		}
		if s == "" {
			*to = ""
			return
		}
		clean, got, wrong := document.Address(s, "write it without them, for every alert shows it")
		if wrong == "" && strings.Contains(s, "{{") {
			wrong = "has {{, which Prometheus takes for a template; write it without"
		}
		if wrong != "" {
			p.Fail(at, got, `%s, or "" for no links`, wrong)
			return
		}
		*to = clean
	}
}

// reserved labels are written by the rules themselves; an extra label would overwrite them.
var reserved = []string{"alertname", "severity", "backend", "engine", "model", "rank", "router", "target", "reason", "objective", "instance", "job"}

func (p *settingsParser) labels(n *yaml.Node, at document.Path) {
	p.settings.ExtraLabels = map[string]string{}
	p.entries(n, at, "labels", func(name string, value *yaml.Node, place document.Path) {
		switch {
		case !model.LegacyValidation.IsValidLabelName(name) || strings.HasPrefix(name, "__"):
			p.Fail(place, "", "is no label name; use letters, digits and _")
		case slices.Contains(reserved, name):
			p.Fail(place, "", "is a label that the rules use; choose another name")
		default:
			if s, ok := p.plainText(value, place); ok {
				p.settings.ExtraLabels[name] = s
			}
		}
	})
}

// Kubernetes' form of a label's key, with or without a prefix, and of its value.
var (
	resourceLabelKey   = regexp.MustCompile(`^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`)
	resourceLabelValue = regexp.MustCompile(`^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$`)
)

func (p *settingsParser) resourceLabels(n *yaml.Node, at document.Path) {
	p.settings.ResourceLabels = map[string]string{}
	p.entries(n, at, "labels", func(name string, value *yaml.Node, place document.Path) {
		s, ok := p.Scalar(value, place)
		switch {
		case !ok:
		case !resourceLabelKey.MatchString(name):
			p.Fail(place, "", "is no key of a label of Kubernetes; write one like release or app.kubernetes.io/name")
		case !resourceLabelValue.MatchString(s):
			p.Fail(place, s, "is no value of a label of Kubernetes; write letters, digits, -, _ and . alone")
		default:
			p.settings.ResourceLabels[name] = s
		}
	})
}
