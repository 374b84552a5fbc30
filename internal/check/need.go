package check

import (
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// need is what an expression must find to have a result: one name, all of several needs, or any
// one of them. The empty need is met by nothing: vector(1), or absent(x), whose sign is absence.
type need struct {
	name     string
	matchers []*labels.Matcher
	all, any []need
}

// empty says that nothing has to be there.
func (n need) empty() bool { return n.name == "" && n.all == nil && n.any == nil }

// needOf works out what an expression needs. What an unless takes away may be absent.
func needOf(e parser.Expr) need {
	switch e := e.(type) {
	case *parser.ParenExpr:
		return needOf(e.Expr)
	case *parser.StepInvariantExpr:
		return needOf(e.Expr)
	case *parser.UnaryExpr:
		return needOf(e.Expr)
	case *parser.AggregateExpr:
		return needOf(e.Expr)
	case *parser.MatrixSelector:
		return needOf(e.VectorSelector)
	case *parser.SubqueryExpr:
		return needOf(e.Expr)
	case *parser.VectorSelector:
		return need{name: nameIn(e), matchers: e.LabelMatchers}
	case *parser.BinaryExpr:
		return needOfBoth(e)
	case *parser.Call:
		return needOfCall(e)
	}
	return need{}
}

// nameIn is the name that a selector asks for, also in the form {__name__="x"}.
func nameIn(vs *parser.VectorSelector) string {
	for _, m := range vs.LabelMatchers {
		if m.Name == model.MetricNameLabel && m.Type == labels.MatchEqual {
			return m.Value
		}
	}
	return vs.Name
}

func needOfBoth(b *parser.BinaryExpr) need {
	left, right := needOf(b.LHS), needOf(b.RHS)
	switch {
	case b.Op == parser.LUNLESS:
		return left
	case b.Op == parser.LOR:
		if left.empty() || right.empty() {
			return need{}
		}
		return need{any: []need{left, right}}
	}
	return allOf(left, right)
}

func needOfCall(c *parser.Call) need {
	if strings.HasPrefix(c.Func.Name, "absent") {
		return need{}
	}
	var needs []need
	for _, a := range c.Args {
		needs = append(needs, needOf(a))
	}
	return allOf(needs...)
}

func allOf(needs ...need) need {
	var out []need
	for _, n := range needs {
		if !n.empty() {
			out = append(out, n)
		}
	}
	switch len(out) {
	case 0:
		return need{}
	case 1:
		return out[0]
	}
	return need{all: out}
}

// leaves calls a function with every name of a need.
func (n need) leaves(do func(need)) {
	if n.name != "" {
		do(n)
	}
	for _, part := range n.all {
		part.leaves(do)
	}
	for _, part := range n.any {
		part.leaves(do)
	}
}

// with adds the matchers of a recorded name to the series below it that have such labels.
func (n need) with(matchers []*labels.Matcher) need {
	out := need{name: n.name, matchers: n.matchers}
	for _, m := range matchers {
		if s := seriesOf(n.name); s != nil && slices.Contains(s.Labels, m.Name) {
			out.matchers = append(slices.Clone(out.matchers), m)
		}
	}
	if n.name != "" && seriesOf(n.name) == nil { // a recorded name: it hands them on
		out.matchers = append(slices.Clone(n.matchers), withoutName(matchers)...)
	}
	for _, part := range n.all {
		out.all = append(out.all, part.with(matchers))
	}
	for _, part := range n.any {
		out.any = append(out.any, part.with(matchers))
	}
	return out
}

func withoutName(matchers []*labels.Matcher) []*labels.Matcher {
	return slices.DeleteFunc(slices.Clone(matchers), func(m *labels.Matcher) bool { return m.Name == model.MetricNameLabel })
}
