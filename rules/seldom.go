package rules

import (
	"cmp"
	"fmt"
	"time"

	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/prometheus/promql/parser"
)

// lookback is how old a sample may be for Prometheus to take it for the value of now
// (--query.lookback-delta, by default).
const lookback = 5 * time.Minute

// seldomEvaluated finds what would blink because its group is evaluated less often than the
// servers are scraped: a recorded value that is read when it is too old, and alerts, whose
// times the proof counts in scrapes.
func seldomEvaluated(rendered []RuleGroup) []lint.Problem {
	var out []lint.Problem
	seldom := map[string]*Group{} // by recorded name
	for _, g := range rendered {
		if g.Source.Interval == 0 {
			continue
		}
		for _, a := range g.Source.Alerts {
			out = append(out, lint.Problem{Where: a.Name, Text: fmt.Sprintf("is in group %q, which is evaluated every %s only: alerts belong where every scrape is looked at", g.Source.Name, g.Source.Interval)})
		}
		for _, rec := range g.Source.Records {
			// One evaluation may be missed, as when Prometheus starts again.
			if 2*g.Source.Interval >= lookback {
				seldom[rec.Name] = g.Source
			}
		}
	}
	for _, g := range rendered {
		for _, r := range g.Rules.Rules {
			for _, name := range readAsValues(r.Expr) {
				if from := seldom[name]; from != nil && from != g.Source {
					out = append(out, lint.Problem{Where: cmp.Or(r.Alert, r.Record), Text: fmt.Sprintf("reads %s as a value of now, which is recorded every %s: Prometheus forgets a value after %s; ask for a range", name, from.Interval, lookback)})
				}
			}
		}
	}
	return out
}

// readAsValues lists the names that an expression reads otherwise than over a range.
func readAsValues(expr string) []string {
	parsed, err := lint.Parser.ParseExpr(expr)
	if err != nil {
		return nil // found by Check
	}
	var out []string
	parser.Inspect(parsed, func(n parser.Node, path []parser.Node) error {
		vs, ok := n.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		if len(path) > 0 {
			if _, ranged := path[len(path)-1].(*parser.MatrixSelector); ranged {
				return nil
			}
		}
		out = append(out, vs.Name)
		return nil
	})
	return out
}
