package gen

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/dashboards"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/prometheus/common/model"
)

func alertsPage(groups []rules.RuleGroup, s rules.Settings) []byte {
	p := newPage("Alerts", "Each alert fires on a recording of a real incident and is quiet on every other one; `llmfleet prove` evaluates it.\n"+
		"*critical* is a page (a client feels it), *warning* a ticket.")
	p.heads("alert", "severity", "for", "what it says")
	for _, g := range groups {
		for _, a := range g.Source.Alerts {
			p.row(fmt.Sprintf("[%s](#%s)", a.Name, strings.ToLower(a.Name)), string(a.Severity), duration(s.For(&a)), readable(expanded(a.Summary, s)))
		}
	}
	p.line("")
	p.line("## What each stands on\n")
	p.heads("alert", "thresholds", "evidence for them", "fires on", "runbook")
	for _, g := range groups {
		for _, a := range g.Source.Alerts {
			p.row(a.Name, thresholdsOf(g.Source, a, s), evidenceOf(g.Source, a), fires(a), fmt.Sprintf("[%s](runbooks/%s)", strings.TrimSuffix(rules.RunbookFile(a.Name), ".md"), rules.RunbookFile(a.Name)))
		}
	}
	p.line("")
	for _, g := range groups {
		p.line("## %s\n\n%s\n", strings.ToUpper(g.Source.Name[:1])+g.Source.Name[1:], g.Source.About)
		for i, a := range g.Source.Alerts {
			p.line("### %s\n", a.Name)
			alertFacts(p, g, i, s, "runbooks/")
		}
		thresholds(p, g.Source.Thresholds, s)
	}
	return p.bytes()
}

// thresholdsOf are the numbers by which an alert decides.
func thresholdsOf(g *rules.Group, a rules.Alert, s rules.Settings) string {
	var out []string
	for _, t := range used(g, a) {
		out = append(out, fmt.Sprintf("`%s` = %s", t.Key, value(t, s)))
	}
	return orDash(strings.Join(out, ", "))
}

// evidenceOf says on how many recordings the thresholds of an alert are recomputed, and which
// of them stand on a measurement made elsewhere.
func evidenceOf(g *rules.Group, a rules.Alert) string {
	recordings := map[string]bool{}
	var elsewhere []string
	for _, t := range used(g, a) {
		computed := false
		for _, e := range t.Evidence {
			for _, name := range slices.Concat(e.Healthy, e.Incident) {
				recordings[name], computed = true, true
			}
		}
		if !computed {
			elsewhere = append(elsewhere, "`"+t.Key+"`")
		}
	}
	var out []string
	if len(recordings) > 0 {
		out = append(out, fmt.Sprintf("recomputed on %d recordings", len(recordings)))
	}
	if len(elsewhere) > 0 {
		out = append(out, "measured or reasoned elsewhere: "+strings.Join(elsewhere, ", "))
	}
	return orDash(strings.Join(out, "; "))
}

// fires names the first recording on which an alert fires, and how many others there are.
func fires(a rules.Alert) string {
	var names []string
	for _, c := range a.Cases {
		if len(c.Fires) == 0 {
			continue
		}
		names = append(names, played([]string{c.Recording}, c.Edit))
	}
	switch len(names) {
	case 0:
		return "every recording"
	case 1:
		return names[0]
	}
	return fmt.Sprintf("%s and %d more", names[0], len(names)-1)
}

// alertFacts is what the definition says of one alert.
func alertFacts(p *page, g rules.RuleGroup, i int, s rules.Settings, runbooks string) {
	a := g.Source.Alerts[i]
	rule := g.Rules.Rules[len(g.Source.Records)+i]
	p.line("%s\n", readable(rule.Annotations["summary"]))
	p.code("promql", rule.Expr)
	facts := []string{"severity " + string(a.Severity), "for " + duration(s.For(&a))}
	if a.KeepFiring > 0 {
		facts = append(facts, "keeps firing for "+duration(a.KeepFiring))
	}
	if _, panel, ok := dashboards.PanelByKey(a.Panel); ok {
		facts = append(facts, "panel "+quoted([]string{a.Panel})+" ("+expanded(panel.Title, s)+")")
	}
	if _, ok := rules.Runbook(a.Name); ok && runbooks != "" {
		facts = append(facts, fmt.Sprintf("[runbook](%s%s)", runbooks, rules.RunbookFile(a.Name)))
	}
	p.line("%s.\n", strings.Join(facts, " · "))
	for _, t := range used(g.Source, a) {
		p.line("- `%s` = %s: %s", t.Key, value(t, s), t.About)
	}
	for _, x := range a.Explains {
		p.line("- holds back %s. %s", heldBack(x), x.Why)
	}
	if fires := firesOn(a); len(fires) > 0 {
		p.line("- fires on %s", strings.Join(fires, "; "))
	}
	p.line("")
}

// heldBack says which alerts Alertmanager keeps to itself while another one fires.
func heldBack(x rules.Explanation) string {
	which := "every other alert"
	if len(x.Alerts) > 0 {
		which = strings.Join(x.Alerts, ", ")
	}
	return which + " with the same " + strings.Join(x.By, ", ")
}

// used are the thresholds that an alert's own text names.
func used(g *rules.Group, a rules.Alert) []*rules.Threshold {
	keys := rules.Keys(a.Expr)
	var out []*rules.Threshold
	for _, t := range g.Thresholds {
		if slices.Contains(keys, t.Key) {
			out = append(out, t)
		}
	}
	return out
}

// played names recordings, and the edit with which they are played.
func played(recordings []string, edit string) string {
	if edit == "" {
		return quoted(recordings)
	}
	return quoted(recordings) + " (edited: " + edit + ")"
}

// firesOn lists the cases in which an alert fires; several of one kind share their reason.
func firesOn(a rules.Alert) []string {
	var out []string
	var recordings []string
	for i, c := range a.Cases {
		if len(c.Fires) == 0 {
			continue
		}
		recordings = append(recordings, c.Recording)
		if i+1 < len(a.Cases) && len(a.Cases[i+1].Fires) > 0 && a.Cases[i+1].Edit == c.Edit && a.Cases[i+1].Why == c.Why {
			continue
		}
		text := played(recordings, c.Edit)
		if c.Why != "" {
			text += " (" + c.Why + ")"
		}
		out, recordings = append(out, text), nil
	}
	return out
}

// thresholds is the table of what can be turned, with the evidence for where it stands.
func thresholds(p *page, all []*rules.Threshold, s rules.Settings) {
	if len(all) == 0 {
		return
	}
	p.line("### Thresholds and their evidence\n")
	p.heads("key", "value", "meaning", "evidence")
	for _, t := range all {
		var evidence []string
		for _, e := range t.Evidence {
			evidence = append(evidence, evidenceText(e))
		}
		p.row("`"+t.Key+"`", value(t, s), t.About, strings.Join(evidence, "; "))
	}
	p.line("")
}

func evidenceText(e rules.Evidence) string {
	var out []string
	if e.Statistic != "" {
		side := "below"
		if e.Above {
			side = "above"
		}
		out = append(out, fmt.Sprintf("`%s`", e.Statistic))
		if len(e.Healthy) > 0 {
			out = append(out, "healthy on "+quoted(e.Healthy))
		}
		if len(e.Incident) > 0 {
			out = append(out, side+" on "+quoted(e.Incident))
		}
		if e.Margin > 0 {
			out = append(out, fmt.Sprintf("margin at least %v×", e.Margin))
		}
	}
	if e.Source != "" {
		out = append(out, e.Source)
	}
	return strings.Join(out, ", ")
}

// value is a threshold with its unit; a duration carries its own.
func value(t *rules.Threshold, s rules.Settings) string {
	text := t.Text(s.Value(t))
	if t.Unit != rules.DurationUnit && t.Unit != "" {
		text += " " + t.Unit
	}
	return text
}

var (
	labelOf = regexp.MustCompile(`\{\{ \$labels\.(\w+) \}\}`)
	withOf  = regexp.MustCompile(`\{\{ with (?:\$labels\.|label ")(\w+)(?:" \.)? \}\}(.*?)\{\{ \. \}\}`)
	valueOf = regexp.MustCompile(`\{\{ (?:printf "[^"]*" )?\$value[^}]*\}\}`)
	saidOf  = regexp.MustCompile(`\{\{ label "(\w+)" \. \}\}`)
	elseOf  = regexp.MustCompile(`\{\{ else \}\}`)
	remains = regexp.MustCompile(`\{\{.*?\}\}`)
)

// readable puts names in the place of an alert's template, for a page that has no alert.
func readable(text string) string {
	text = withOf.ReplaceAllString(text, "$2‹$1›")
	text = labelOf.ReplaceAllString(text, "‹$1›")
	text = saidOf.ReplaceAllString(text, "‹$1›")
	text = valueOf.ReplaceAllString(text, "‹value›")
	text = elseOf.ReplaceAllString(text, " / ")
	return strings.Join(strings.Fields(remains.ReplaceAllString(text, "")), " ")
}

func duration(d time.Duration) string { return model.Duration(d).String() }

func expanded(text string, s rules.Settings) string {
	out, err := rules.Expand(text, rules.Groups(), s)
	if err != nil {
		return text // the writer of dashboards refuses it with the reason
	}
	return out
}
