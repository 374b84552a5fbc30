package proof

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// mutation is one mistake that can be made at one place of an expression.
type mutation struct {
	name    string
	apply   func()                  // changes the tree
	shownBy func(label string) bool // as in mutant
}

// spot is a node and where it hangs, so that it can be replaced.
type spot struct {
	at    *parser.Expr
	above []parser.Expr // its ancestors, the nearest last
}

// mutations lists those of a tree. A kind of node, an operator or a function that is not known here
// is an error: whatever rules begin to use must be mutated.
func mutations(root *parser.Expr, sibling func(series string) string) ([]mutation, error) {
	var out []mutation
	err := walk(spot{at: root}, func(s spot) error {
		found, err := mutationsAt(s, sibling)
		for i := range found {
			found[i].name = strings.Join(strings.Fields(found[i].name), " ")
			if n := timesNamed(out, found[i].name); n > 0 {
				found[i].name += fmt.Sprintf(" (place %d)", n+1)
			}
		}
		out = append(out, found...)
		return err
	})
	return out, err
}

func timesNamed(all []mutation, name string) int {
	n := 0
	for _, m := range all {
		if m.name == name || strings.HasPrefix(m.name, name+" (place ") {
			n++
		}
	}
	return n
}

// walk visits a node and all below it.
func walk(s spot, visit func(spot) error) error {
	if err := visit(s); err != nil {
		return err
	}
	below, err := children(*s.at)
	if err != nil {
		return err
	}
	above := append(slices.Clone(s.above), *s.at)
	for _, child := range below {
		if err := walk(spot{child, above}, visit); err != nil {
			return err
		}
	}
	return nil
}

func children(n parser.Expr) ([]*parser.Expr, error) {
	switch n := n.(type) {
	case *parser.AggregateExpr:
		if n.Param != nil {
			return []*parser.Expr{&n.Param, &n.Expr}, nil
		}
		return []*parser.Expr{&n.Expr}, nil
	case *parser.BinaryExpr:
		return []*parser.Expr{&n.LHS, &n.RHS}, nil
	case *parser.Call:
		var args []*parser.Expr
		for i := range n.Args {
			args = append(args, &n.Args[i])
		}
		return args, nil
	case *parser.MatrixSelector:
		return []*parser.Expr{&n.VectorSelector}, nil
	case *parser.SubqueryExpr:
		return []*parser.Expr{&n.Expr}, nil
	case *parser.ParenExpr:
		return []*parser.Expr{&n.Expr}, nil
	case *parser.VectorSelector, *parser.NumberLiteral, *parser.StringLiteral:
		return nil, nil
	}
	return nil, fmt.Errorf("%s: no mutation of a %T is known", n, n)
}

func mutationsAt(s spot, sibling func(string) string) ([]mutation, error) {
	switch n := (*s.at).(type) {
	case *parser.AggregateExpr:
		return ofAggregation(s, n)
	case *parser.BinaryExpr:
		return ofBinary(s, n)
	case *parser.Call:
		return ofCall(s, n)
	case *parser.MatrixSelector:
		return ofDuration("window "+n.String(), &n.Range), nil
	case *parser.SubqueryExpr:
		// Its step is the pace of the scrapes, which is a setting.
		return ofDuration("window "+n.String(), &n.Range), nil
	case *parser.VectorSelector:
		return ofSelector(n, sibling), nil
	case *parser.NumberLiteral:
		return ofNumber(s, n), nil
	}
	return nil, nil // parentheses and texts decide nothing by themselves; children knows all other kinds
}

// ofDuration makes a window or an offset ten times longer and shorter, as with thresholds: most
// windows then hold another incident whole, or no two scrapes.
func ofDuration(what string, d *time.Duration) []mutation {
	was := *d
	if was == 0 {
		return nil
	}
	var out []mutation
	if was < longestIncident {
		out = append(out, mutation{name: what + " ×10", apply: func() { *d = was * 10 }})
	}
	if was/10 < longestIncident {
		out = append(out, mutation{name: what + " ÷10", apply: func() { *d = was / 10 }})
	}
	return out
}

// longestIncident is how long recordings are at most that tell of an incident. Of windows that are longer
// none can show how much longer, so they are not tried.
const longestIncident = time.Hour

// ofNumber makes a number ten times larger and smaller. A zero becomes one.
func ofNumber(s spot, n *parser.NumberLiteral) []mutation {
	parent := s.above[len(s.above)-1]
	if call, ok := parent.(*parser.Call); ok && call.Func.Name == "vector" {
		return nil // only whether it is there is asked
	}
	was, where := n.Val, fmt.Sprintf("number %s in %s", n, parent)
	switch {
	case was == 0 && isCountAbove(parent):
		return nil
	case was == 0:
		return []mutation{{name: where + " made 1", apply: func() { n.Val = 1 }}}
	}
	return []mutation{
		{name: where + " ×10", apply: func() { n.Val = was * 10 }},
		{name: where + " ÷10", apply: func() { n.Val = was / 10 }},
	}
}

// otherMatch turns the ways to match a label round.
var otherMatch = map[labels.MatchType]labels.MatchType{
	labels.MatchEqual: labels.MatchNotEqual, labels.MatchNotEqual: labels.MatchEqual,
	labels.MatchRegexp: labels.MatchNotRegexp, labels.MatchNotRegexp: labels.MatchRegexp,
}

// ofSelector asks for another name, turns label matches round, and moves an offset.
func ofSelector(vs *parser.VectorSelector, sibling func(string) string) []mutation {
	var out []mutation
	for i, was := range vs.LabelMatchers {
		set := func(typ labels.MatchType, value string) func() {
			return func() { vs.LabelMatchers[i] = labels.MustNewMatcher(typ, was.Name, value) }
		}
		if was.Name != model.MetricNameLabel {
			out = append(out, mutation{name: "match " + vs.Name + "{" + was.String() + "} turned round", apply: set(otherMatch[was.Type], was.Value)})
			continue
		}
		other := sibling(vs.Name)
		out = append(out, mutation{name: fmt.Sprintf("name %s for %s", other, vs), apply: func() {
			vs.Name = other
			set(labels.MatchEqual, other)()
		}})
	}
	return append(out, ofDuration("offset "+vs.String(), &vs.OriginalOffset)...)
}
