package dashboards

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/llmfleet/llmfleet/rules"
)

// mappings put words in the place of numbers.
func mappings(words []Word) []dashboard.ValueMapping {
	if len(words) == 0 {
		return nil
	}
	results := map[string]dashboard.ValueMappingResult{}
	for i, w := range words {
		results[strconv.FormatFloat(w.Value, 'f', -1, 64)] = dashboard.ValueMappingResult{
			Text: ptr(w.Text), Color: ptr(w.Color), Index: ptr(int32(i)),
		}
	}
	return []dashboard.ValueMapping{{ValueMap: &dashboard.ValueMap{Type: dashboard.MappingTypeValueToText, Options: results}}}
}

// colorSteps are colors from a value upward; Grafana wants the first to begin nowhere.
func colorSteps(colors ...Color) *dashboard.ThresholdsConfig {
	out := &dashboard.ThresholdsConfig{Mode: dashboard.ThresholdsModeAbsolute}
	for i, c := range colors {
		step := dashboard.Threshold{Color: c.Name}
		if i > 0 {
			step.Value = ptr(c.From)
		}
		out.Steps = append(out.Steps, step)
	}
	return out
}

// about is the description of a panel, with what the eye cannot see.
func (p Panel) about(at *limit) string {
	text := []string{p.About}
	switch {
	case at != nil && p.Kind == Graph:
		text = append(text, fmt.Sprintf("The dashed line is at %s, where an alert decides.", at.text))
	case at != nil:
		text = append(text, fmt.Sprintf("Red is above %s, where an alert decides.", at.text))
	}
	if p.Kind == Graph || p.Kind == Steps {
		which := "highest"
		if p.Least {
			which = "lowest"
		}
		text = append(text, fmt.Sprintf("Of more than %d lines the %s are shown.", most, which))
	}
	if len(p.blanks()) > 0 {
		text = append(text, fmt.Sprintf("Why lines are missing stands first in the legend, with the number of backends; of those without numbers %d are named.", named))
	}
	return strings.Join(text, " ")
}

// links lead from a panel to the runbooks of the alerts on its quantity.
func (w *writer) links(p Panel) []dashboard.DashboardLink {
	var out []dashboard.DashboardLink
	for _, g := range w.groups {
		for _, a := range g.Alerts {
			if (a.Panel == p.Key || a.Panel == p.Repeats) && w.settings.RunbookBaseURL != "" {
				runbook := link("Runbook of "+a.Name, w.settings.RunbookBaseURL+"/"+rules.RunbookFile(a.Name))
				runbook.TargetBlank = true
				out = append(out, runbook)
			}
		}
	}
	return out
}
