package check

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/internal/promapi"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
)

// loadAgain is what mends rules that are not those of the bundle.
const loadAgain = "put prometheus/rules/llm-*.yml of the bundle under rule_files and reload Prometheus; " +
	"if they were generated with a settings file, pass it here too (--settings=FILE)"

// loadedRule is a rule as a Prometheus has it.
type loadedRule struct {
	promapi.Rule
	group promapi.RuleGroup
}

func (r loadedRule) where() string { return fmt.Sprintf("%s (group %s)", r.group.File, r.group.Name) }

// loadedRules are those of groups that a bundle may have made, by name.
func loadedRules(all promapi.Rules) map[string][]loadedRule {
	out := map[string][]loadedRule{}
	for _, g := range all.Groups {
		if !strings.HasPrefix(g.Name, rules.GroupPrefix) {
			continue
		}
		for _, r := range g.Rules {
			out[r.Name] = append(out[r.Name], loadedRule{r, g})
		}
	}
	return out
}

// compareRules holds what is loaded against the bundle. It says of each rule of the bundle what
// is wrong with it; the zero sight if nothing is. since is how long ago the configuration was
// loaded.
func (b *bundle) compareRules(loaded map[string][]loadedRule, since time.Duration, r *Report) (problems map[string]sight) {
	problems = b.unloaded(loaded)
	for _, g := range b.groups {
		for i := range g.Rules.Rules {
			rule := &g.Rules.Rules[i]
			name := rule.Alert + rule.Record
			if found := loaded[name]; len(found) > 0 {
				problems[name] = problemOf(rule, found, time.Duration(g.Rules.Interval), since)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(loaded)) {
		_, ours := problems[name]
		if found := loaded[name]; !ours {
			r.add(Cause{
				What: fmt.Sprintf("%s in %s is of another version: this bundle has no such rule", name, found[0].where()),
				Do:   "remove the old rule files, then put those of one version in their place and reload Prometheus",
			})
		}
	}
	for _, found := range groupsOf(loaded) {
		if found.Interval > 0 && found.EvaluationTime > found.Interval {
			r.add(Cause{
				What: fmt.Sprintf("group %s takes %.1f s to evaluate and is due every %.0f s", found.Name, found.EvaluationTime, found.Interval),
				Do:   "give Prometheus more processor, or a longer scrape_interval in the settings and generate again",
			})
		}
	}
	return problems
}

// problemOf says what is wrong with a rule as it is loaded, once at least.
func problemOf(want *rulefmt.Rule, loaded []loadedRule, interval, since time.Duration) sight {
	if len(loaded) > 1 {
		return blindEverywhere(fmt.Sprintf("the rule is loaded %d times, from %s and from %s", len(loaded), loaded[0].where(), loaded[1].where()),
			"take one of the files out of rule_files and reload Prometheus")
	}
	got := loaded[0]
	switch differs := differences(want, got, interval); {
	case got.Health == "err":
		return blindEverywhere("the evaluation of the rule fails: "+got.LastError, "evaluate the expression in Prometheus, and see which series it names are there twice")
	case len(differs) > 0:
		return blindEverywhere("the rule is stale: loaded with another "+strings.Join(differs, ", "), loadAgain)
	case got.LastEvaluation.IsZero() && since <= interval: // groups take turns within their interval
		return sight{rank: quiet, why: "loaded a moment ago, and due within " + model.Duration(interval).String(), whole: true}
	case got.LastEvaluation.IsZero():
		return blindEverywhere("the rule is loaded, and has never been evaluated", "read the log of Prometheus")
	}
	return sight{}
}

// differences lists the parts in which a loaded rule is not that of the bundle.
func differences(want *rulefmt.Rule, got loadedRule, interval time.Duration) (out []string) {
	differs := func(part string, is bool) {
		if is {
			out = append(out, part)
		}
	}
	differs("expression", lint.Canonical(want.Expr) != lint.Canonical(got.Query))
	differs("interval of its group", !sameSeconds(interval, got.group.Interval))
	if got.AlertState == nil {
		return out
	}
	differs("for", !sameSeconds(time.Duration(want.For), got.Duration))
	differs("keep_firing_for", !sameSeconds(time.Duration(want.KeepFiringFor), got.KeepFiringFor))
	differs("label", !maps.Equal(want.Labels, got.Labels))
	differs("text", !maps.Equal(want.Annotations, got.Annotations))
	return out
}

func sameSeconds(d time.Duration, seconds float64) bool {
	return math.Abs(d.Seconds()-seconds) < 0.001
}

// groupsOf lists the groups of rules, each once, by name.
func groupsOf(loaded map[string][]loadedRule) []promapi.RuleGroup {
	byName := map[string]promapi.RuleGroup{}
	for _, all := range loaded {
		for _, r := range all {
			byName[r.group.Name+"\x00"+r.group.File] = r.group
		}
	}
	var out []promapi.RuleGroup
	for _, key := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, byName[key])
	}
	return out
}
