package lint

import (
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/prometheus/prometheus/promql/parser"
)

// call works out the facts of a function. Functions that are not listed keep their first
// vector's labels and unit.
func (c *checker) call(e *parser.Call) facts {
	name := e.Func.Name
	switch name {
	case "time":
		return facts{labels: newLabelSet(), unit: catalog.Timestamp, bare: true}
	case "vector", "scalar":
		f := c.facts(e.Args[0], asValue)
		return facts{labels: newLabelSet(), unit: f.unit, literal: f.literal, bare: true}
	case "absent", "absent_over_time":
		c.facts(e.Args[0], asPresence)
		return facts{labels: absentLabels(unwrap(e.Args[0])), bare: true}
	case "histogram_quantile":
		return c.histogramQuantile(e)
	case "quantile_over_time":
		c.quantile(e.Args[0], name)
	}
	f := c.operand(e)
	f.literal = nil
	f.unit = unitAfter(name, f.unit)
	if name == "label_replace" || name == "label_join" {
		f.labels = c.relabelled(e, f.labels)
	}
	return f
}

// operand finds the facts of the vector that a function is about.
func (c *checker) operand(e *parser.Call) facts {
	for i, a := range e.Args {
		if t := a.Type(); t == parser.ValueTypeVector || t == parser.ValueTypeMatrix {
			for _, rest := range e.Args[i+1:] {
				c.facts(rest, asValue)
			}
			return c.facts(a, useOf(e.Func.Name))
		}
	}
	return facts{labels: newLabelSet(), bare: true}
}

// useOf says what a function takes its operand for.
func useOf(function string) use {
	switch function {
	case "rate", "increase", "irate":
		return asCounter
	case "resets", "changes", "timestamp", "present_over_time", "count_over_time":
		return asPresence
	}
	return asValue
}

func unitAfter(function string, u catalog.Unit) catalog.Unit {
	switch function {
	case "rate", "irate", "deriv":
		if u != "" {
			return u + perSecond
		}
	case "resets", "changes", "count_over_time", "present_over_time":
		return catalog.Count
	case "timestamp":
		return catalog.Timestamp
	case "exp", "ln", "log2", "log10", "sqrt", "sgn", "stdvar_over_time":
		return ""
	}
	return u
}

// histogramQuantile needs le, a share, and buckets that were rated.
func (c *checker) histogramQuantile(e *parser.Call) facts {
	c.quantile(e.Args[0], e.Func.Name)
	f := c.facts(e.Args[1], asValue)
	if !f.labels.has("le") {
		c.problem("histogram_quantile: the aggregation drops le, so there are no buckets; add le to its labels")
	}
	f.labels, f.unit, f.quantiles = f.labels.without("le"), "", map[string]bool{}
	parser.Inspect(e.Args[1], func(n parser.Node, _ []parser.Node) error {
		if vs, ok := n.(*parser.VectorSelector); ok {
			if h := c.vocabulary.names[vs.Name].histogram; h != "" {
				f.quantiles[h] = true
				f.unit = c.vocabulary.names[h+"_sum"].unit
			}
		}
		return nil
	})
	return f
}

// relabelled adds the label that label_replace or label_join writes.
func (c *checker) relabelled(e *parser.Call, l labelSet) labelSet {
	text := func(i int) string {
		s, ok := e.Args[i].(*parser.StringLiteral)
		if !ok {
			return ""
		}
		return s.Val
	}
	sources := []string{}
	if e.Func.Name == "label_replace" {
		sources = append(sources, text(3))
	} else {
		for i := 3; i < len(e.Args); i++ {
			sources = append(sources, text(i))
		}
	}
	for _, s := range sources {
		if s != "" && !l.has(s) {
			c.problem("%s: the operand has no label %q; it has %s", e.Func.Name, s, strings.Join(l.sorted(), ", "))
		}
	}
	return l.with(text(1))
}

func unwrap(e parser.Expr) parser.Expr {
	for {
		p, ok := e.(*parser.ParenExpr)
		if !ok {
			return e
		}
		e = p.Expr
	}
}
