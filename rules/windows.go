package rules

import (
	"time"

	"github.com/llmfleet/llmfleet/rules/lint"
)

// windows are the times that rules look back over.
type windows struct {
	typed   time.Duration         // the shortest that no setting changes; 0: there is none
	typedBy string                // the rule that it stands in
	keys    map[*Threshold]string // those that are settings, each with the first rule that looks back so far
}

// thousandDays is more than any window that a rule types.
const thousandDays = 1000 * 24 * time.Hour

// windowsOf reads the windows out of the rules. Each setting that is a time gets a value of its own
// beyond all typed ones, by which it is known again.
func windowsOf(groups []Group) windows {
	marks := Settings{Job: "any", ScrapeInterval: 20 * thousandDays, Thresholds: map[string]float64{}}
	byMark := map[time.Duration]*Threshold{}
	for i, t := range AllThresholds(groups) {
		if t.Unit == DurationUnit {
			mark := thousandDays + time.Duration(i)*24*time.Hour
			byMark[mark], marks.Thresholds[t.Key] = t, mark.Seconds()
		}
	}
	out := windows{keys: map[*Threshold]string{}}
	note := func(rule, text string) {
		for _, window := range windowsIn(text, groups, marks) {
			switch t := byMark[window]; {
			case t != nil && out.keys[t] == "":
				out.keys[t] = rule
			case window < thousandDays && (out.typed == 0 || window < out.typed):
				out.typed, out.typedBy = window, rule
			}
		}
	}
	for _, g := range groups {
		for _, rec := range g.Records {
			note(rec.Name, rec.Expr)
		}
		for _, a := range g.Alerts {
			note(a.Name, a.Expr)
		}
	}
	return out
}

// windowsIn are the windows of one expression. What cannot be read has none: rendering refuses it
// with the reason.
func windowsIn(text string, groups []Group, s Settings) []time.Duration {
	expr, err := Expand(text, groups, s)
	if err != nil {
		return nil
	}
	parsed, err := lint.Parser.ParseExpr(expr)
	if err != nil {
		return nil
	}
	return lint.Windows(parsed)
}
