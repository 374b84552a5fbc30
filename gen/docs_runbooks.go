package gen

import (
	"fmt"
	"strings"

	"github.com/llmfleet/llmfleet/rules"
)

// runbookPages are the written pages, with the numbers of the settings in them and the
// definition's facts below, and an index where a dashboard's link by name arrives.
func runbookPages(groups []rules.RuleGroup, s rules.Settings) (map[string][]byte, error) {
	out := map[string][]byte{}
	index := newPage("Runbooks", "One page for each alert: what it means, how to confirm it, what to do, and what not to do.")
	for _, g := range groups {
		for i, a := range g.Source.Alerts {
			text, ok := rules.Runbook(a.Name)
			if !ok {
				return nil, fmt.Errorf("alert %s: has no runbook; write rules/runbooks/%s", a.Name, rules.RunbookFile(a.Name))
			}
			text, err := rules.ExpandOf(&a, text, rules.Groups(), s)
			if err != nil {
				return nil, fmt.Errorf("runbook of %s: %w", a.Name, err)
			}
			p := &page{}
			p.line("<!-- %s -->", mark)
			p.line("%s\n\n## The alert\n", strings.TrimSpace(text))
			alertFacts(p, g, i, s, true)
			p.line("All alerts and thresholds: [alerts.md](../alerts.md#%s).", strings.ToLower(a.Name))
			out[rules.RunbookFile(a.Name)] = p.bytes()
			// The anchor is the name as it stands in the alert: a panel's link ends in it.
			index.line("- <a id=%q></a>[%s](%s) (%s)", a.Name, a.Name, rules.RunbookFile(a.Name), a.Severity)
		}
	}
	out["README.md"] = index.bytes()
	return out, nil
}
