package gen

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/dashboards"
	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/prometheus/common/model"
)

func alertsPage(groups []rules.RuleGroup, s rules.Settings) []byte {
	p := newPage("Alerts", "Each alert fires on a recording of a real incident and is quiet on every other one; `llmfleet prove` evaluates it.\n"+
		"*critical* is a page (a client feels it), *warning* a ticket.")
	p.heads("alert", "severity", "for", "what it says")
	for _, g := range groups {
		for i, a := range g.Source.Alerts {
			p.row(fmt.Sprintf("[%s](#%s)", a.Name, strings.ToLower(a.Name)), string(a.Severity), duration(s.For(&a)), readable(g.AlertRule(i).Annotations["summary"]))
		}
	}
	p.line("")
	standsTable(p, groups, s)
	p.line("")
	for _, g := range groups {
		p.line("## %s\n\n%s\n", strings.ToUpper(g.Source.Name[:1])+g.Source.Name[1:], g.Source.About)
		for i, a := range g.Source.Alerts {
			p.line("### %s\n", a.Name)
			alertFacts(p, g, i, s, false)
		}
		thresholds(p, g.Source.Thresholds, s)
	}
	return p.bytes()
}

// standsTable shows beside each alert what decides it, why the numbers are where they are, and
// where it was seen to fire.
func standsTable(p *page, groups []rules.RuleGroup, s rules.Settings) {
	p.line("## What each stands on\n")
	p.heads("alert", "severity", "thresholds", "evidence for them", "fires on", "runbook")
	for _, g := range groups {
		for _, a := range g.Source.Alerts {
			file := rules.RunbookFile(a.Name)
			stands := rules.StandsOn(rules.Groups(), &a)
			p.row(a.Name, string(a.Severity), thresholdsOf(stands, s), evidenceOf(stands), fires(a), fmt.Sprintf("[%s](runbooks/%s)", strings.TrimSuffix(file, ".md"), file))
		}
	}
}

// thresholdsOf are the numbers by which an alert decides.
func thresholdsOf(stands []rules.Stand, s rules.Settings) string {
	var out []string
	for _, t := range stands {
		out = append(out, fmt.Sprintf("`%s` = %s", t.Key, value(t.Threshold, s)))
	}
	return cmp.Or(strings.Join(out, ", "), "no number decides")
}

// evidenceOf says on how many recordings the thresholds of an alert are computed again, and which
// of them stand on a measurement made elsewhere.
func evidenceOf(stands []rules.Stand) string {
	recordings := map[string]bool{}
	var elsewhere []string
	for _, t := range stands {
		for _, e := range t.Evidence {
			for _, name := range slices.Concat(e.Healthy, e.Incident) {
				recordings[name] = true
			}
		}
		if !t.Computed() {
			elsewhere = append(elsewhere, "`"+t.Key+"`")
		}
	}
	var out []string
	switch n := len(recordings); {
	case n == 1:
		out = append(out, "computed on 1 recording")
	case n > 1:
		out = append(out, fmt.Sprintf("computed on %d recordings", n))
	}
	if len(elsewhere) > 0 {
		out = append(out, "measured elsewhere: "+strings.Join(elsewhere, ", "))
	}
	return cmp.Or(strings.Join(out, "; "), "none needed")
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

// alertFacts is what the definition says of one alert. On its runbook the evidence stands beside
// each threshold; on the page of all alerts a link to the runbook, and tables of evidence below.
func alertFacts(p *page, g rules.RuleGroup, i int, s rules.Settings, onRunbook bool) {
	a := g.Source.Alerts[i]
	rule := g.AlertRule(i)
	p.line("%s\n", readable(rule.Annotations["summary"]))
	p.code("promql", rule.Expr)
	facts := []string{"severity " + string(a.Severity), "for " + duration(s.For(&a))}
	if keep := s.KeepFiring(&a); keep > 0 {
		facts = append(facts, "keeps firing for "+duration(keep))
	}
	if _, panel, ok := dashboards.PanelByKey(a.Panel); ok {
		facts = append(facts, "panel "+quoted([]string{a.Panel})+" ("+expanded(panel.Title, s)+")")
	}
	if !onRunbook {
		facts = append(facts, fmt.Sprintf("[runbook](runbooks/%s)", rules.RunbookFile(a.Name)))
	}
	p.line("%s.\n", strings.Join(facts, " · "))
	for _, t := range rules.StandsOn(rules.Groups(), &a) {
		p.line("- `%s` = %s%s: %s", t.Key, value(t.Threshold, s), standsIn(t), t.About)
		if onRunbook {
			for _, e := range t.Evidence {
				p.line("  - %s", evidenceText(e, s))
			}
		}
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

// standsIn names the recording rule of a threshold that the alert's own expression does not show.
func standsIn(t rules.Stand) string {
	if t.Record == "" {
		return ""
	}
	return " (in `" + t.Record + "`)"
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
			evidence = append(evidence, evidenceText(e, s))
		}
		p.row("`"+t.Key+"`", value(t, s), t.About, strings.Join(evidence, "; "))
	}
	p.line("")
}

// evidenceText says what a statistic must be on which recordings, and where else a threshold comes from.
func evidenceText(e rules.Evidence, s rules.Settings) string {
	if e.Statistic == "" {
		return "measured elsewhere: " + e.Source
	}
	quiet, loud := "above", "below"
	if e.Above {
		quiet, loud = loud, quiet
	}
	var sides []string
	if len(e.Healthy) > 0 {
		sides = append(sides, quiet+" on the healthy "+quoted(e.Healthy))
	}
	if len(e.Incident) > 0 {
		sides = append(sides, loud+" on the incidents "+quoted(e.Incident))
	}
	text := fmt.Sprintf("`%s` is %s, by a factor of %v at least", expanded(e.Statistic, s), strings.Join(sides, " and "), e.Margin)
	if e.Source != "" {
		text += "; elsewhere: " + e.Source
	}
	return text
}

// value is a threshold with its unit; a duration carries its own.
func value(t *rules.Threshold, s rules.Settings) string {
	text := t.Text(s.Value(t))
	if t.Unit != rules.DurationUnit && t.Unit != "" {
		text += " " + t.Unit
	}
	if t.Unit == string(catalog.Bytes) {
		text += fmt.Sprintf(" (%.3g GiB)", s.Value(t)/(1<<30))
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
