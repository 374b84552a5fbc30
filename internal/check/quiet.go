package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/engine"
	"github.com/llmfleet/llmfleet/internal/terminal"
)

// quietGroup is what shares a good reason.
type quietGroup struct {
	rules, panels []string
	where         map[string]bool
	names         map[string]bool // that are not sent
}

func (g *quietGroup) add(it Item) {
	if it.Kind == Panel {
		g.panels = append(g.panels, it.name())
	} else {
		g.rules = append(g.rules, it.name())
	}
}

// quietGroups brings together what is quiet for the same reason, of the items with a verdict.
func (r *Report) quietGroups(v Verdict) map[string]*quietGroup {
	groups := map[string]*quietGroup{}
	for _, it := range r.Items {
		if it.Verdict != v {
			continue
		}
		counted := map[string]bool{} // reasons that have the item
		for where, reasons := range it.Quiet {
			for _, reason := range reasons {
				names, why := unsent(reason)
				g := groups[why]
				if g == nil {
					g = &quietGroup{where: map[string]bool{}, names: map[string]bool{}}
					groups[why] = g
				}
				for _, name := range names {
					g.names[name] = true
				}
				if where != "" {
					g.where[where] = true
				}
				if !counted[why] {
					counted[why] = true
					g.add(it)
				}
			}
		}
	}
	return groups
}

// unsent splits a reason into the names that are not sent and what they share.
func unsent(reason string) (names []string, why string) {
	if list, ok := strings.CutSuffix(reason, ": "+engine.OnlySometimes); ok {
		return strings.Split(list, ", "), engine.OnlySometimes
	}
	return nil, reason
}

// quiet lists the good reasons, with who is quiet for each.
func (r *Report) quiet(b *strings.Builder, v Verdict, heading string) {
	groups := r.quietGroups(v)
	if len(groups) == 0 {
		return
	}
	fmt.Fprintf(b, "%s\n\n", heading)
	reasons := sortedKeys(groups)
	slices.SortStableFunc(reasons, func(x, y string) int {
		return cmp.Compare(len(groups[y].rules)+len(groups[y].panels), len(groups[x].rules)+len(groups[x].panels))
	})
	for _, why := range reasons {
		g := groups[why]
		if len(g.names) > 0 {
			why += ": " + terminal.List(sortedKeys(g.names), mostNamed)
		}
		if len(g.where) > 0 {
			why += " (" + terminal.List(sortedKeys(g.where), mostNamed) + ")"
		}
		fmt.Fprintf(b, "– %s\n    %s\n", terminal.Wrap(why, "  "), terminal.Wrap(blinded(g.rules, g.panels), "    "))
	}
	b.WriteByte('\n')
}
