package proof

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/prometheus/prometheus/promql/parser"
)

// namesBehind are some names and, where they are recorded, those behind them.
func (r *run) namesBehind(names []string) []string {
	var out []string
	var add func(names []string)
	add = func(names []string) {
		for _, name := range names {
			if slices.Contains(out, name) {
				continue
			}
			out = append(out, name)
			for _, rec := range r.recordRules {
				if rec.Name == name {
					add(rec.rule.names)
				}
			}
		}
	}
	add(names)
	return out
}

// splitReplay is a replay with several of a label where there was one.
type splitReplay struct {
	name, label string
	data        *overlay
}

// splits are a replay whose work is done by several where there was one: for each label that an
// expression adds up over, with levels that are shared, lower or higher elsewhere.
func (r *run) splits(ctx context.Context, p *played, expr parser.Expr, names []string) []splitReplay {
	var out []splitReplay
	for _, label := range r.labelsAddedUp(expr, names) {
		for _, levels := range []struct {
			name   string
			factor float64
		}{{"shared", 0}, {"lower", 0.5}, {"higher", 2}} {
			if levels.factor > 0 && !slices.ContainsFunc(names, func(name string) bool { return isLevelOf(name, label) }) {
				continue
			}
			o := newOverlay(p)
			for _, name := range names {
				var all []series
				for _, s := range p.seriesOf(ctx, name) {
					all = append(all, s.split(label, levels.factor)...)
				}
				o.set(name, all)
			}
			out = append(out, splitReplay{fmt.Sprintf("several of each %s, %s levels", label, levels.name), label, o})
		}
	}
	return out
}

// labelsAddedUp are those that an expression, or a recording rule behind it, adds up over.
func (r *run) labelsAddedUp(expr parser.Expr, names []string) []string {
	found := map[string]bool{}
	add := func(expr parser.Expr) {
		parser.Inspect(expr, func(n parser.Node, _ []parser.Node) error {
			if a, ok := n.(*parser.AggregateExpr); ok && a.Without {
				for _, l := range a.Grouping {
					found[l] = true
				}
			}
			return nil
		})
	}
	add(expr)
	for _, rec := range r.recordRules {
		if slices.Contains(names, rec.Name) {
			add(rec.rule.expr)
		}
	}
	return slices.Sorted(maps.Keys(found))
}
