package check

import (
	"fmt"

	"github.com/llmfleet/llmfleet/internal/terminal"
	"github.com/llmfleet/llmfleet/rules"
)

// unloaded says of each rule of the bundle that is not loaded why that may be: by file, since that
// is what a person puts in place.
func (b *bundle) unloaded(loaded map[string][]loadedRule) map[string]sight {
	var (
		missing      = map[string][]string{} // rules, by file
		wholly       []string                // files of which no rule is loaded
		all, ofFiles int                     // rules of the bundle, and of the files that miss wholly
	)
	for _, g := range b.groups {
		file := g.FileName()
		missing[file] = missingOf(g, loaded)
		all += len(g.Rules.Rules)
		if n := len(g.Rules.Rules); n > 0 && n == len(missing[file]) {
			wholly, ofFiles = append(wholly, file), ofFiles+n
		}
	}
	out := map[string]sight{}
	for _, g := range b.groups {
		file, n := g.FileName(), len(missing[g.FileName()])
		text := fmt.Sprintf("%s, of %s: that file is of another version", notLoaded(n), file)
		switch {
		case ofFiles == all:
			text = fmt.Sprintf("none of the %d rules is loaded: rule_files matches no file of the bundle (its paths are relative to prometheus.yml)", all)
		case n == len(g.Rules.Rules):
			are := "are"
			if len(wholly) == 1 {
				are = "is"
			}
			text = fmt.Sprintf("%s: %s %s missing", notLoaded(ofFiles), terminal.List(wholly, len(wholly)), are)
		}
		for _, name := range missing[file] {
			out[name] = blindEverywhere(text, loadAgain)
		}
	}
	return out
}

// missingOf lists the rules of a group that are not loaded.
func missingOf(g rules.RuleGroup, loaded map[string][]loadedRule) (out []string) {
	for _, r := range g.Rules.Rules {
		if name := r.Alert + r.Record; len(loaded[name]) == 0 {
			out = append(out, name)
		}
	}
	return out
}

func notLoaded(n int) string {
	if n == 1 {
		return "1 rule is not loaded"
	}
	return fmt.Sprintf("%d rules are not loaded", n)
}
