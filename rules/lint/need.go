package lint

import (
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// Need is what an expression must find to have a result: one name, all of several needs, or any
// one of them. The zero Need is met by nothing: vector(1), or absent(x), whose sign is absence.
type Need struct {
	Name     string
	Matchers []*labels.Matcher // of Name
	All, Any []Need
}

// NeedOf works out what an expression needs. What an unless takes away may be absent. A selector
// without a name may find anything, and needs nothing that could be told.
func NeedOf(e parser.Expr) Need {
	switch e := e.(type) {
	case *parser.ParenExpr:
		return NeedOf(e.Expr)
	case *parser.StepInvariantExpr:
		return NeedOf(e.Expr)
	case *parser.UnaryExpr:
		return NeedOf(e.Expr)
	case *parser.AggregateExpr:
		return NeedOf(e.Expr)
	case *parser.MatrixSelector:
		return NeedOf(e.VectorSelector)
	case *parser.SubqueryExpr:
		return NeedOf(e.Expr)
	case *parser.VectorSelector:
		return Need{Name: Name(e), Matchers: e.LabelMatchers}
	case *parser.BinaryExpr:
		return needOfBoth(e)
	case *parser.Call:
		return needOfCall(e)
	}
	return Need{}
}

func needOfBoth(b *parser.BinaryExpr) Need {
	left, right := NeedOf(b.LHS), NeedOf(b.RHS)
	switch {
	case b.Op == parser.LUNLESS:
		return left
	case b.Op == parser.LOR:
		if left.empty() || right.empty() {
			return Need{}
		}
		return Need{Any: []Need{left, right}}
	}
	return allOf(left, right)
}

func needOfCall(c *parser.Call) Need {
	if c.Func.Name == "scalar" || strings.HasPrefix(c.Func.Name, "absent") {
		return Need{} // of nothing they make NaN and 1
	}
	var needs []Need
	for _, a := range c.Args {
		needs = append(needs, NeedOf(a))
	}
	return allOf(needs...)
}

func allOf(needs ...Need) Need {
	out := slices.DeleteFunc(slices.Clone(needs), Need.empty)
	switch len(out) {
	case 0:
		return Need{}
	case 1:
		return out[0]
	}
	return Need{All: out}
}

// empty says that nothing has to be there.
func (n Need) empty() bool { return n.Name == "" && n.All == nil && n.Any == nil }

// Met says whether a need is met where only some names are there.
func (n Need) Met(has func(name string) bool) bool {
	met := func(part Need) bool { return part.Met(has) }
	switch {
	case n.Name != "":
		return has(n.Name)
	case n.Any != nil:
		return slices.ContainsFunc(n.Any, met)
	}
	return !slices.ContainsFunc(n.All, func(part Need) bool { return !met(part) })
}

// Leaves calls a function with every name of a need.
func (n Need) Leaves(do func(Need)) {
	if n.Name != "" {
		do(n)
	}
	for _, part := range slices.Concat(n.All, n.Any) {
		part.Leaves(do)
	}
}

// Name is the name that a selector asks for, also in the form {__name__="x"}; "" if it asks for none.
func Name(vs *parser.VectorSelector) string {
	for _, m := range vs.LabelMatchers {
		if m.Name == model.MetricNameLabel && m.Type == labels.MatchEqual {
			return m.Value
		}
	}
	return vs.Name
}

// Names lists the names of the series that an expression selects, each once.
func Names(e parser.Expr) []string {
	var out []string
	parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
		if vs, ok := n.(*parser.VectorSelector); ok {
			if name := Name(vs); name != "" && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
		return nil
	})
	return out
}
