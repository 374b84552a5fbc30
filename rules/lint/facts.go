package lint

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/nearest"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// use says what an expression's operand is taken for; it decides whether a bare counter is a mistake.
type use int

const (
	asValue    use = iota
	asCounter      // inside rate, increase and others that know resets
	asPresence     // only whether it is there
)

// facts are what can be known of an expression's result without evaluating it.
type facts struct {
	labels    labelSet
	unit      catalog.Unit    // "": not known, or a plain number
	quantiles map[string]bool // histograms whose quantile the value is
	literal   *float64        // the value of a number
	bare      bool            // a result without series behind it: vector(1), absent(x)
}

// checker walks one expression, works out facts and notes mistakes.
type checker struct {
	vocabulary *Vocabulary
	interval   time.Duration // of the scrapes; 0: ranges are not checked
	problems   []string
}

func (c *checker) problem(format string, args ...any) {
	if p := fmt.Sprintf(format, args...); !slices.Contains(c.problems, p) {
		c.problems = append(c.problems, p)
	}
}

func (c *checker) facts(e parser.Expr, u use) facts {
	switch e := e.(type) {
	case *parser.NumberLiteral:
		return facts{literal: &e.Val, labels: newLabelSet(), bare: true}
	case *parser.StringLiteral:
		return facts{labels: newLabelSet(), bare: true}
	case *parser.ParenExpr:
		return c.facts(e.Expr, u)
	case *parser.StepInvariantExpr:
		return c.facts(e.Expr, u)
	case *parser.UnaryExpr:
		return c.negated(c.facts(e.Expr, u))
	case *parser.VectorSelector:
		return c.selector(e, u)
	case *parser.MatrixSelector:
		c.window(e.Range, e.String())
		return c.facts(e.VectorSelector, u)
	case *parser.SubqueryExpr:
		c.window(e.Range, e.String())
		return c.facts(e.Expr, asValue)
	case *parser.AggregateExpr:
		return c.aggregate(e, u)
	case *parser.BinaryExpr:
		return c.binary(e, u)
	case *parser.Call:
		return c.call(e)
	}
	return facts{labels: labelSet{open: true}}
}

func (c *checker) negated(f facts) facts {
	if f.literal != nil {
		v := -*f.literal
		f.literal = &v
	}
	return f
}

// scrapesOfWindow is how many scrapes a window must hold at least: a rate needs two, and one may
// be lost or late at either end.
const scrapesOfWindow = 4

// ShortestWindow is the shortest time that an expression may look back over at an interval of scrapes.
func ShortestWindow(interval time.Duration) time.Duration { return scrapesOfWindow * interval }

// LongestInterval is the longest interval of scrapes at which a window holds enough of them.
func LongestInterval(window time.Duration) time.Duration { return window / scrapesOfWindow }

func (c *checker) window(d time.Duration, text string) {
	if isShort(d, c.interval) {
		c.problem("%s: range %s is shorter than four scrapes (%s); one lost scrape would blank it", text, model.Duration(d), model.Duration(ShortestWindow(c.interval)))
	}
}

func isShort(window, interval time.Duration) bool {
	return interval > 0 && window < ShortestWindow(interval)
}

// Windows are the times that an expression looks back over, in its order.
func Windows(e parser.Expr) (all []time.Duration) {
	parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
		switch n := n.(type) {
		case *parser.MatrixSelector:
			all = append(all, n.Range)
		case *parser.SubqueryExpr:
			all = append(all, n.Range)
		}
		return nil
	})
	return all
}

// ShortWindows are the windows of an expression that hold fewer than four scrapes at an interval.
func ShortWindows(e parser.Expr, interval time.Duration) []time.Duration {
	return slices.DeleteFunc(Windows(e), func(window time.Duration) bool { return !isShort(window, interval) })
}

func (c *checker) selector(vs *parser.VectorSelector, u use) facts {
	if vs.Name == "" {
		return c.anyOf(vs, u)
	}
	n, ok := c.vocabulary.names[vs.Name]
	if !ok {
		c.problem("%s: unknown name%s", vs.Name, nearest.Hint(vs.Name, c.vocabulary.Names()))
		return facts{labels: labelSet{open: true}}
	}
	for _, m := range vs.LabelMatchers {
		if m.Name != model.MetricNameLabel && !n.labels.has(m.Name) {
			c.problem("%s: no label %q; it has %s", vs.Name, m.Name, strings.Join(n.labels.sorted(), ", "))
		}
		if m.Name == labels.BucketLabel && m.Type == labels.MatchEqual && !strings.Contains(m.Value, ".") && m.Value != "+Inf" {
			c.problem("%s: le=%q matches nothing in Prometheus 3, which stores %q; match both with =~", vs.Name, m.Value, m.Value+".0")
		}
	}
	if n.kind == catalog.Counter && u == asValue {
		c.problem("%s: a counter without rate or increase says how long the server has run", vs.Name)
	}
	if n.kind != catalog.Counter && u == asCounter {
		c.problem("%s: rate or increase of %s; only counters reset", vs.Name, withArticle(n.kind.String()))
	}
	return facts{labels: n.labels, unit: n.unit, quantiles: n.quantiles}
}

// anyOf works out the labels that a selector of several names may carry.
func (c *checker) anyOf(vs *parser.VectorSelector, u use) facts {
	out := facts{labels: newLabelSet(), unit: catalog.Count}
	for _, m := range vs.LabelMatchers {
		for name, n := range c.vocabulary.names {
			if m.Name == model.MetricNameLabel && m.Type == labels.MatchRegexp && m.Matches(name) {
				out.labels = out.labels.with(n.labels.sorted()...)
			}
		}
	}
	if len(out.labels.names) == 0 {
		c.problem("%s: selector without a name", vs)
	} else if u != asPresence {
		c.problem("%s: series of several names have nothing in common but that they are there; count or group them", vs)
	}
	for _, m := range vs.LabelMatchers {
		if m.Name != model.MetricNameLabel && len(out.labels.names) > 0 && !out.labels.has(m.Name) {
			c.problem("%s: no label %q; it has %s", vs, m.Name, strings.Join(out.labels.sorted(), ", "))
		}
	}
	return out
}

func (c *checker) aggregate(a *parser.AggregateExpr, u use) facts {
	if a.Op == parser.COUNT || a.Op == parser.GROUP || a.Op == parser.COUNT_VALUES {
		u = asPresence
	}
	f := c.facts(a.Expr, u)
	for _, l := range a.Grouping {
		if !f.labels.has(l) {
			c.problem("%s (%s): the operand has no label %q", a.Op, strings.Join(a.Grouping, ", "), l)
		}
	}
	if a.Op == parser.QUANTILE {
		c.quantile(a.Param, "quantile")
	}
	f.labels = aggregated(a, f.labels)
	f.literal = nil
	switch a.Op {
	case parser.COUNT, parser.GROUP, parser.COUNT_VALUES:
		f.unit, f.quantiles = catalog.Count, nil
	}
	return f
}

// quantile checks that a share is given, not percent.
func (c *checker) quantile(arg parser.Expr, fn string) {
	if f := c.facts(arg, asValue); f.literal != nil && (*f.literal < 0 || *f.literal > 1) {
		c.problem("%s: quantile %v is not between 0 and 1; write 0.95 for the 95th percentile", fn, *f.literal)
	}
}

func (c *checker) binary(b *parser.BinaryExpr, u use) facts {
	leftUse, rightUse := u, u
	if b.Op == parser.LAND || b.Op == parser.LUNLESS {
		rightUse = asPresence
	}
	left, right := c.facts(b.LHS, leftUse), c.facts(b.RHS, rightUse)
	out := left
	if right.labels.names != nil && left.bare && !right.bare {
		out = right
	}
	out.literal = nil
	out.bare = left.bare && right.bare
	if b.Op != parser.LOR || u != asPresence { // of "this or that is there" nobody reads the value
		out.unit = c.unitOf(b, left, right)
	}
	if !b.Op.IsComparisonOperator() && !b.Op.IsSetOperator() {
		out.quantiles = nil
	}
	c.beyondLastBucket(b, left, right)
	if b.VectorMatching != nil {
		c.matching(b, left.labels, right.labels)
		out.labels = matched(b.VectorMatching, b.Op, left.labels, right.labels)
	}
	return out
}

// matching finds labels that one side cannot have: the match would never succeed, or join
// what does not belong together.
func (c *checker) matching(b *parser.BinaryExpr, left, right labelSet) {
	if !b.VectorMatching.On {
		return
	}
	for _, l := range b.VectorMatching.MatchingLabels {
		if !left.has(l) || !right.has(l) {
			c.problem("%s on (%s): label %q is not on both sides", b.Op, strings.Join(b.VectorMatching.MatchingLabels, ", "), l)
		}
	}
}

// beyondLastBucket finds comparisons that a quantile can never meet, because it is capped at
// the last finite bound.
func (c *checker) beyondLastBucket(b *parser.BinaryExpr, left, right facts) {
	if !b.Op.IsComparisonOperator() || right.literal == nil || (b.Op != parser.GTR && b.Op != parser.GTE) {
		return
	}
	for h := range left.quantiles {
		if last, ok := c.vocabulary.LastBucket[h]; ok && *right.literal >= last {
			c.problem("%s: threshold %v is at or beyond the last finite bucket %v; the quantile cannot exceed it", h, *right.literal, last)
		}
	}
}

// withArticle puts the right one of a and an before a word.
func withArticle(word string) string {
	if word != "" && strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}
