package proof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/promql/parser"
)

// otherOperation is what each aggregation and operator is mistaken for.
var otherOperation = map[parser.ItemType]parser.ItemType{
	parser.SUM: parser.MAX, parser.MAX: parser.MIN, parser.MIN: parser.MAX, parser.AVG: parser.MAX, parser.COUNT: parser.MAX,

	parser.EQLC: parser.NEQ, parser.NEQ: parser.EQLC,
	parser.GTR: parser.LTE, parser.LTE: parser.GTR,
	parser.LSS: parser.GTE, parser.GTE: parser.LSS,

	parser.ADD: parser.SUB, parser.SUB: parser.ADD,
	parser.MUL: parser.DIV, parser.DIV: parser.MUL,

	parser.LAND: parser.LUNLESS, parser.LUNLESS: parser.LAND,
}

// turned makes another operation of one.
func turned(what string, op *parser.ItemType) (mutation, error) {
	other, ok := otherOperation[*op]
	if !ok {
		return mutation{}, fmt.Errorf("%s: no mutation of %s is known", what, *op)
	}
	return mutation{name: fmt.Sprintf("%s turned to %s", what, other), apply: func() { *op = other }}, nil
}

// ofAggregation takes another aggregation, and forgets each label.
func ofAggregation(s spot, a *parser.AggregateExpr) ([]mutation, error) {
	out, grouping := ofLabels(a.String(), &a.Grouping), a.Grouping
	if a.Op == parser.SUM && isAgainstZero(s) || isOnlyThere(s) {
		return out, nil
	}
	first, err := turned("aggregation "+a.String(), &a.Op)
	first.shownBy = func(label string) bool { return slices.Contains(grouping, label) == a.Without } // of which it makes one
	return append(out, first), err
}

// isAgainstZero says whether a sum is compared with nothing but zero. What is counted is never negative, so
// that its sum is zero just when its largest part is.
func isAgainstZero(s spot) bool {
	for i := len(s.above) - 1; i >= 0; i-- {
		switch n := s.above[i].(type) {
		case *parser.ParenExpr, *parser.SubqueryExpr:
			continue
		case *parser.Call:
			if strings.HasSuffix(n.Func.Name, "_over_time") && n.Func.Name != "count_over_time" {
				continue
			}
		case *parser.BinaryExpr:
			return n.Op.IsComparisonOperator() && isZero(n.RHS) && isBelow(n.LHS, s, i) && !isReadAsValue(s.above[:i])
		}
		return false
	}
	return false
}

// isReadAsValue says whether what a comparison lets through is an operand: then its number counts too.
func isReadAsValue(above []parser.Expr) bool {
	for i := len(above) - 1; i >= 0; i-- {
		if b, ok := above[i].(*parser.BinaryExpr); ok {
			return !b.Op.IsSetOperator()
		}
		if _, ok := above[i].(*parser.ParenExpr); !ok {
			return true
		}
	}
	return false
}

// isOnlyThere says whether an aggregation is a guard as it stands: only whether it has a result is asked.
func isOnlyThere(s spot) bool {
	for i := len(s.above) - 1; i >= 0; i-- {
		if _, ok := s.above[i].(*parser.ParenExpr); ok {
			continue
		}
		b, ok := s.above[i].(*parser.BinaryExpr)
		return ok && (b.Op == parser.LAND || b.Op == parser.LUNLESS) && isBelow(b.RHS, s, i)
	}
	return false
}

// ofLabels forgets each label of a list.
func ofLabels(what string, list *[]string) []mutation {
	var out []mutation
	for i, label := range *list {
		out = append(out, mutation{
			name:    fmt.Sprintf("label %s of %s dropped", label, what),
			apply:   func() { *list = slices.Delete(slices.Clone(*list), i, i+1) },
			shownBy: func(other string) bool { return other == label },
		})
	}
	return out
}

// ofBinary takes the opposite operator, drops guards, branches and filters, and forgets how two sides
// are matched.
func ofBinary(s spot, b *parser.BinaryExpr) ([]mutation, error) {
	keep := func(name string, side parser.Expr) mutation {
		return mutation{name: name + " dropped", apply: func() { *s.at = side }}
	}
	if b.Op == parser.LOR { // each of its branches without the other says more than another operator would
		return append([]mutation{keep("branch "+b.RHS.String(), b.LHS), keep("branch "+b.LHS.String(), b.RHS)}, ofMatching(b)...), nil
	}
	first, err := turned(operatorName(b), &b.Op)
	out := append([]mutation{first}, ofMatching(b)...)
	switch {
	case b.Op.IsSetOperator():
		out = append(out, keep("guard "+b.Op.String()+" "+b.RHS.String(), b.LHS))
	case b.Op.IsComparisonOperator() && isZero(b.RHS): // of other numbers a tenth is as good as none
		out = append(out, keep("filter of "+b.String(), b.LHS))
	}
	return out, err
}

func operatorName(b *parser.BinaryExpr) string {
	if b.Op.IsComparisonOperator() {
		return "comparison " + b.String()
	}
	return fmt.Sprintf("operator %s before %s", b.Op, b.RHS)
}

func isZero(e parser.Expr) bool {
	n, ok := e.(*parser.NumberLiteral)
	return ok && n.Val == 0
}

// ofMatching forgets each label by which two sides are matched, and that one side may have several.
func ofMatching(b *parser.BinaryExpr) []mutation {
	m := b.VectorMatching
	if m == nil {
		return nil
	}
	word := "ignoring"
	if m.On {
		word = "on"
	}
	out := ofLabels(fmt.Sprintf("%s before %s", word, b.RHS), &m.MatchingLabels)
	group := map[parser.VectorMatchCardinality]string{parser.CardManyToOne: "group_left", parser.CardOneToMany: "group_right"}[m.Card]
	if group == "" {
		return out
	}
	out = append(out, ofLabels(fmt.Sprintf("%s before %s", group, b.RHS), &m.Include)...)
	return append(out, mutation{name: fmt.Sprintf("%s before %s dropped", group, b.RHS), apply: func() {
		m.Card, m.Include = parser.CardOneToOne, nil
	}})
}

// otherFunction is what each function is mistaken for; "" means that it is left out.
var otherFunction = map[string]string{
	"increase": "rate", "rate": "increase",
	"changes": "resets", "resets": "changes",
	"min_over_time": "max_over_time", "max_over_time": "min_over_time", "avg_over_time": "max_over_time",
	"count_over_time": "sum_over_time", "sum_over_time": "avg_over_time",
	"last_over_time": "", "abs": "", "floor": "", "absent": "", "timestamp": "", "label_replace": "",
}

// withoutMutation are the functions that say nothing without their arguments.
var withoutMutation = []string{
	"histogram_quantile", // its number is mutated
	"vector",             // only whether it is there is asked
}

// ofCall calls another function, or none.
func ofCall(s spot, c *parser.Call) ([]mutation, error) {
	other, ok := otherFunction[c.Func.Name]
	switch {
	case slices.Contains(withoutMutation, c.Func.Name), isWithoutScale(s):
		return nil, nil
	case !ok:
		return nil, fmt.Errorf("%s: no mutation of %s is known", c, c.Func.Name)
	case other != "":
		return []mutation{{name: fmt.Sprintf("function %s turned to %s", c, other), apply: func() { c.Func = parser.Functions[other] }}}, nil
	}
	return []mutation{{name: fmt.Sprintf("function %s dropped", c), apply: func() { *s.at = withoutCall(c) }}}, nil
}

// withoutCall is what a function is called with, in parentheses where it is an operation.
func withoutCall(c *parser.Call) parser.Expr {
	switch arg := c.Args[0].(type) {
	case *parser.BinaryExpr:
		return &parser.ParenExpr{Expr: arg}
	case *parser.MatrixSelector:
		return arg.VectorSelector
	default:
		return arg
	}
}

// isWithoutScale says whether a rate or an increase is compared with nothing but zero, or only its
// quantile is asked for. They differ by a factor, so one says there what the other does.
func isWithoutScale(s spot) bool {
	call, ok := (*s.at).(*parser.Call)
	if !ok || call.Func.Name != "rate" && call.Func.Name != "increase" {
		return false
	}
	for i := len(s.above) - 1; i >= 0; i-- {
		switch n := s.above[i].(type) {
		case *parser.ParenExpr, *parser.AggregateExpr:
			continue
		case *parser.BinaryExpr:
			return n.Op.IsComparisonOperator() && isZero(n.RHS) && isBelow(n.LHS, s, i)
		case *parser.Call:
			return n.Func.Name == "histogram_quantile"
		}
		return false
	}
	return false
}

// isBelow says whether a spot hangs under a node, which is the one above it at i+1, or is it itself.
func isBelow(n parser.Expr, s spot, i int) bool {
	if i+1 < len(s.above) {
		return s.above[i+1] == n
	}
	return *s.at == n
}

// isCountAbove says whether something that is counted in ones is asked for having moved at all. There is
// no number between that says something else.
func isCountAbove(e parser.Expr) bool {
	b, ok := e.(*parser.BinaryExpr)
	return ok && b.Op == parser.GTR && isCount(b.LHS)
}

func isCount(e parser.Expr) bool {
	switch e := e.(type) {
	case *parser.ParenExpr:
		return isCount(e.Expr)
	case *parser.AggregateExpr:
		return isCount(e.Expr)
	case *parser.MatrixSelector:
		return isCount(e.VectorSelector)
	case *parser.VectorSelector: // recorded
		return strings.Contains(e.Name, ":increase") || strings.Contains(e.Name, ":rate")
	case *parser.Call:
		if strings.HasSuffix(e.Func.Name, "_over_time") && isCount(e.Args[0]) {
			return true
		}
		return slices.Contains([]string{"increase", "rate", "changes", "resets", "count_over_time"}, e.Func.Name)
	}
	return false
}
