// Package lint works out what can be known of a PromQL expression without evaluating it: the
// labels that its result may carry, its unit, and mistakes that an evaluation alone would not
// show, such as a rate of a gauge or a label that nothing has.
package lint

import (
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/prometheus/prometheus/promql/parser"
)

// Parser reads every expression of the bundle. It refuses experimental functions, so that the
// bundle loads in a Prometheus with default settings.
var Parser = parser.NewParser(parser.Options{})

// Canonical is an expression as this parser prints it, so that two spellings of one are one and
// versions of Prometheus, which print differently, agree. What cannot be parsed comes back as it is.
func Canonical(expr string) string {
	e, err := Parser.ParseExpr(expr)
	if err != nil {
		return expr
	}
	return e.String()
}

// Problem is something in a definition that evaluation alone would not show.
type Problem struct {
	Where string // LlmQueueStuck, model:llm_x:rate5m, capacity/waiting
	Text  string
}

// String is the problem in one line.
func (p Problem) String() string { return p.Where + ": " + p.Text }

// Result is what can be known of the result of an expression.
type Result struct {
	Unit   catalog.Unit // "": not known, or a plain number
	Bare   bool         // without series behind it: vector(1), absent(x)
	labels labelSet
}

// MayCarry says whether the result may have a label.
func (r Result) MayCarry(label string) bool { return r.labels.has(label) }

// Labels are all labels that the result may have, in order; ok is false when they are not
// all known.
func (r Result) Labels() (names []string, ok bool) { return r.labels.sorted(), !r.labels.open }

// Check works out the result of an expression that Prometheus can parse (a panel's with its
// variables substituted), and finds its mistakes. interval is that of the scrapes.
func (v *Vocabulary) Check(where, expr string, interval time.Duration) (Result, []Problem) {
	parsed, err := Parser.ParseExpr(expr)
	if err != nil {
		return Result{}, []Problem{{where, err.Error()}}
	}
	c := &checker{vocabulary: v, interval: interval}
	f := c.facts(parsed, asValue)
	var out []Problem
	for _, p := range c.problems {
		out = append(out, Problem{where, p})
	}
	return Result{f.unit, f.bare, f.labels}, out
}
