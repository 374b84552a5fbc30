package rules

import (
	"fmt"
	"time"

	"github.com/llmfleet/llmfleet/exporter/document"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"
)

// Scrapes further apart than this are refused whatever the rules say: Prometheus forgets a value
// after five minutes.
const mostInterval = 5 * time.Minute

func (p *settingsParser) interval(n *yaml.Node, at document.Path) {
	longest, because := mostInterval, ""
	if most := lint.LongestInterval(p.windows.typed); most > 0 && most < longest {
		longest, because = most, fmt.Sprintf(", since %s looks back %s and must see four scrapes", p.windows.typedBy, model.Duration(p.windows.typed))
	}
	s, ok := p.Scalar(n, at)
	if !ok {
		return
	}
	d, err := model.ParseDuration(s)
	if err != nil || time.Duration(d) < time.Second || time.Duration(d) > longest {
		p.Fail(at, s, "must be from 1s to %s%s; write 15s", model.Duration(longest), because)
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
		if at := thresholdsAt.Key(t.Key); p.Said(at) {
			p.Fail(at, model.Duration(window).String(), "is shorter than four scrapes of %s, so that one lost scrape would blind %s; write %s or more, or a scrape_interval of %s or less",
				model.Duration(interval), rule, model.Duration(least), shortInterval(window))
		} else if p.Said("scrape_interval") {
			p.Fail("scrape_interval", model.Duration(interval).String(), "leaves fewer than four scrapes in %s, by which %s decides (%s without %s in this file); write %s or less, or thresholds: {%s: %s}",
				t.Key, rule, model.Duration(window), at, shortInterval(window), t.Key, model.Duration(least))
		}
	}
}

// shortInterval is the longest scrape interval for a window, in whole seconds.
func shortInterval(window time.Duration) string {
	return model.Duration(lint.LongestInterval(window).Truncate(time.Second)).String()
}

// holds reads how long each alert waits.
func (p *settingsParser) holds(n *yaml.Node, at document.Path) {
	p.settings.Hold = map[string]time.Duration{}
	p.perAlert(n, at, p.hold)
}

func (p *settingsParser) hold(a *Alert, n *yaml.Node, at document.Path) {
	s, ok := p.Scalar(n, at)
	if !ok {
		return
	}
	d, err := model.ParseDuration(s)
	p.settings.Hold[a.Name] = time.Duration(d)
	p.whole = append(p.whole, func() {
		if least := p.settings.leastHold(); err != nil || time.Duration(d) < least || d > model.Duration(24*time.Hour) {
			p.Fail(at, s, "must be from two scrape intervals (%s) to 1d; the default is %s", model.Duration(least), model.Duration(a.For))
		}
	})
}

// longestKeep is a week: what rings longer than that after it ended is a log, not an alert.
const longestKeep = 7 * 24 * time.Hour

// keeps reads how long each alert goes on.
func (p *settingsParser) keeps(n *yaml.Node, at document.Path) {
	p.settings.Keep = map[string]time.Duration{}
	p.perAlert(n, at, func(a *Alert, n *yaml.Node, at document.Path) {
		s, ok := p.Scalar(n, at)
		if !ok {
			return
		}
		d, err := model.ParseDuration(s)
		if err != nil || time.Duration(d) > longestKeep {
			p.Fail(at, s, "must be from 0s to %s; the default is %s", model.Duration(longestKeep), model.Duration(a.KeepFiring))
			return
		}
		p.settings.Keep[a.Name] = time.Duration(d)
	})
}

// perAlert reads a mapping of alerts. The watchdog has no condition to wait for.
func (p *settingsParser) perAlert(n *yaml.Node, at document.Path, read func(*Alert, *yaml.Node, document.Path)) {
	keys := map[string]reading{}
	for _, g := range p.groups {
		for i := range g.Alerts {
			if a := &g.Alerts[i]; a.Severity != None {
				keys[a.Name] = func(n *yaml.Node, at document.Path) { read(a, n, at) }
			}
		}
	}
	p.section(n, at, keys)
}
