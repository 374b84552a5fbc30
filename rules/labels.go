package rules

import (
	"maps"
	"slices"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// labelSet is the labels that a result may carry. An open one may carry others besides.
type labelSet struct {
	names map[string]bool
	open  bool
}

func newLabelSet(names ...string) labelSet {
	s := labelSet{names: map[string]bool{}}
	for _, n := range names {
		s.names[n] = true
	}
	return s
}

func (s labelSet) has(name string) bool { return s.open || s.names[name] }

func (s labelSet) sorted() []string { return slices.Sorted(maps.Keys(s.names)) }

func (s labelSet) with(names ...string) labelSet {
	out := labelSet{names: maps.Clone(s.names), open: s.open}
	if out.names == nil {
		out.names = map[string]bool{}
	}
	for _, n := range names {
		out.names[n] = true
	}
	return out
}

func (s labelSet) without(names ...string) labelSet {
	out := s.with()
	for _, n := range names {
		delete(out.names, n)
	}
	return out
}

// only keeps the given names, as far as the set may have them.
func (s labelSet) only(names ...string) labelSet {
	out := newLabelSet()
	for _, n := range names {
		if s.has(n) {
			out.names[n] = true
		}
	}
	return out
}

func (s labelSet) union(t labelSet) labelSet {
	out := s.with(t.sorted()...)
	out.open = s.open || t.open
	return out
}

// aggregated is what an aggregation leaves of its operand's labels.
func aggregated(a *parser.AggregateExpr, operand labelSet) labelSet {
	switch {
	case a.Op == parser.TOPK || a.Op == parser.BOTTOMK || a.Op == parser.LIMITK:
		return operand
	case a.Without:
		return operand.without(a.Grouping...)
	}
	out := operand.only(a.Grouping...)
	if a.Op == parser.COUNT_VALUES {
		if s, ok := a.Param.(*parser.StringLiteral); ok {
			out = out.with(s.Val)
		}
	}
	return out
}

// matched is what a binary operation between vectors leaves of its operands' labels.
func matched(m *parser.VectorMatching, op parser.ItemType, left, right labelSet) labelSet {
	switch {
	case op == parser.LOR:
		return left.union(right)
	case op == parser.LAND || op == parser.LUNLESS || m.Card == parser.CardManyToMany:
		return left
	case m.Card == parser.CardManyToOne:
		return left.with(m.Include...)
	case m.Card == parser.CardOneToMany:
		return right.with(m.Include...)
	case m.On:
		return left.only(m.MatchingLabels...)
	}
	return left.without(m.MatchingLabels...)
}

// absentLabels are the labels that absent() makes: those of equality matchers.
func absentLabels(arg parser.Expr) labelSet {
	out := newLabelSet()
	vs, ok := arg.(*parser.VectorSelector)
	if ms, isMatrix := arg.(*parser.MatrixSelector); isMatrix {
		vs, ok = ms.VectorSelector.(*parser.VectorSelector)
	}
	if !ok {
		return out
	}
	for _, m := range vs.LabelMatchers {
		if m.Type == labels.MatchEqual && m.Name != model.MetricNameLabel {
			out = out.with(m.Name)
		}
	}
	return out
}

// resultHasLabel says whether a label can be on the result of a rendered expression.
func resultHasLabel(text, label string) bool {
	expr, err := parsePromQL(text)
	if err != nil {
		return false
	}
	c := &checker{vocabulary: NewVocabulary(nil, DefaultSettings()), lenient: true}
	return c.facts(expr, asValue).labels.has(label)
}
