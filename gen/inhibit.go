package gen

import (
	"fmt"
	"strings"

	"github.com/llmfleet/llmfleet/rules"
)

// inhibitRule is one entry under inhibit_rules of Alertmanager's configuration.
type inhibitRule struct {
	Why            string
	Source, Target []string // matchers
	Equal          []string
}

// inhibitRules writes the explanations as Alertmanager reads them.
func inhibitRules(all []rules.Inhibition) []inhibitRule {
	var out []inhibitRule
	for _, i := range all {
		r := inhibitRule{Why: i.Why, Source: []string{fmt.Sprintf("alertname=%q", i.Source)}, Equal: i.By}
		if i.All {
			r.Target = []string{`alertname=~"Llm.+"`, fmt.Sprintf("alertname!~%q", strings.Join(i.Except, "|"))}
		} else {
			r.Target = []string{fmt.Sprintf("alertname=~%q", strings.Join(i.Targets, "|"))}
		}
		for _, label := range i.By {
			// To Alertmanager a label that both alerts lack is equal.
			r.Source = append(r.Source, label+`!=""`)
		}
		out = append(out, r)
	}
	return out
}

// matcherList writes matchers as items of a YAML list.
func matcherList(matchers []string) string {
	quoted := make([]string, len(matchers))
	for i, m := range matchers {
		quoted[i] = "'" + strings.ReplaceAll(m, "'", "''") + "'"
	}
	return strings.Join(quoted, ", ")
}
