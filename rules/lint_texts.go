package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/common/model"
)

// incomplete finds what a person who is called would look for in vain.
func incomplete(annotations map[string]string, s Settings) []string {
	var out []string
	if annotations["summary"] == "" || annotations["description"] == "" {
		out = append(out, "needs a summary and a description")
	}
	if s.RunbookBaseURL != "" && !strings.HasPrefix(annotations["runbook_url"], s.RunbookBaseURL+"/") {
		out = append(out, "has no runbook_url, though the settings give its base")
	}
	if s.DashboardBaseURL != "" && !strings.HasPrefix(annotations["dashboard_url"], s.DashboardBaseURL+"/") {
		out = append(out, "has no dashboard_url, though the settings give its base; name the panel that shows it")
	}
	return out
}

var (
	// The value, or one that the text looks up, through a function that writes it for people.
	formatted = regexp.MustCompile(`\{\{[^}]*(?:\$value|\bvalue) \| (printf|humanize\w*)[^}]*\}\}( times\b)?`)
	// printf with the value as its argument is the same.
	printed  = regexp.MustCompile(`\{\{ printf "[^"]*" \$value \}\}`)
	bareRead = regexp.MustCompile(`\{\{ *\$value *\}\}`)
)

// wrongFormats finds a value that is missing in an alert's texts, or is not written for people.
func wrongFormats(a *Alert, unit catalog.Unit) []string {
	text := a.Summary + a.Description
	given := formatted.FindAllStringSubmatch(text, -1)
	shown := len(given) > 0 || printed.MatchString(text)
	var out []string
	switch {
	case bareRead.MatchString(text):
		out = append(out, "a text gives the value with all its digits; write {{ $value | humanize }} or the like")
	case !shown && a.Valueless == "" && a.Severity != None:
		out = append(out, "no text gives the value; write {{ $value | humanize }} or the like, or say in Valueless why it tells nobody anything")
	case shown && a.Valueless != "":
		out = append(out, "Valueless says that the value tells nobody anything, and a text gives it")
	}
	for _, m := range given {
		want, known := formatOf[unit]
		isFactor := unit == catalog.Ratio && m[2] != ""
		if known && m[1] != want && strings.Contains(m[0], "$value") && !isFactor {
			out = append(out, fmt.Sprintf("the value is in %s, and %s does not write it so; write {{ $value | %s }}", unit, m[1], want))
		}
	}
	return out
}

// formatOf is how a value of a unit is written for people; a ratio that is a factor is "2.5 times".
var formatOf = map[catalog.Unit]string{
	catalog.Ratio:   "humanizePercentage",
	catalog.Seconds: "humanizeDuration",
	catalog.Bytes:   "humanize1024",
}

// typedTime is a time that is written out in a text, or a range of PromQL in it.
var typedTime = regexp.MustCompile(`(\[?)\b(\d+) ?(s|m|h|d|seconds?|minutes?|hours?|days?)\b`)

// lintTexts finds times in an alert's texts that are typed although they are settings: they would
// be wrong for whoever sets another one. Only the alert's own times are looked for, so that a
// number that merely is the same is left alone.
func lintTexts(groups []Group, a *Alert) []lint.Problem {
	var out []lint.Problem
	for _, typed := range typedTimes(groups, a, a.Summary+"\n"+a.Description) {
		out = append(out, lint.Problem{Where: a.Name, Text: "a text types " + typed})
	}
	return out
}

// typedTimes lists the times of a text that are settings by which the alert decides.
func typedTimes(groups []Group, a *Alert, text string) []string {
	byTime := map[time.Duration]string{a.KeepFiring: "keep_firing_for", a.For: "for"}
	for _, t := range slices.Backward(StandsOn(groups, a)) {
		if t.Unit == DurationUnit {
			byTime[time.Duration(t.Default*float64(time.Second))] = t.Key
		}
	}
	var out []string
	for _, m := range typedTime.FindAllStringSubmatch(text, -1) {
		d, err := model.ParseDuration(m[2] + m[3][:1])
		key := byTime[time.Duration(d)]
		isRange := m[1] != "" // an alert's own times are none
		if err == nil && d > 0 && key != "" && !(isRange && strings.HasSuffix(key, "for")) {
			out = append(out, fmt.Sprintf("%q, which is a setting; write ${%s}", strings.TrimPrefix(m[0], "["), key))
		}
	}
	return out
}
