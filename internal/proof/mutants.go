package proof

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/rules"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// mutant is an alert with one mistake in it.
type mutant struct {
	Alert string
	Name  string // what was done; Alert.Survivors names it by this text
	Rule  rulefmt.Rule
}

// mutantsOf makes every mutant of an alert: other comparisons, thresholds ten times larger
// and smaller, guards and branches dropped, no hold time, label matches turned round.
func mutantsOf(groups []rules.Group, s rules.Settings, g *rules.RuleGroup, a *rules.Alert) ([]mutant, error) {
	rule, ok := ruleOf(g, a.Name)
	if !ok {
		return nil, fmt.Errorf("alert %q: not rendered", a.Name)
	}
	m := mutator{rule: rule, seen: map[string]bool{lint.Canonical(rule.Expr): true}}
	if err := m.thresholds(groups, s, a); err != nil {
		return nil, err
	}
	for i := range mutationCount(rule.Expr) {
		if err := m.expression(i); err != nil {
			return nil, err
		}
	}
	if rule.For > 0 {
		without := rule
		without.For = 0
		m.out = append(m.out, mutant{a.Name, "for dropped", without})
	}
	if rule.KeepFiringFor > 0 {
		without := rule
		without.KeepFiringFor = 0
		m.out = append(m.out, mutant{a.Name, "keep_firing_for dropped", without})
	}
	return m.out, nil
}

func ruleOf(g *rules.RuleGroup, alert string) (rulefmt.Rule, bool) {
	for _, r := range g.Rules.Rules {
		if r.Alert == alert {
			return r, true
		}
	}
	return rulefmt.Rule{}, false
}

type mutator struct {
	rule rulefmt.Rule
	seen map[string]bool // expressions that are there already
	out  []mutant
}

func (m *mutator) add(name, expr string) {
	if expr = lint.Canonical(expr); m.seen[expr] {
		return
	}
	m.seen[expr] = true
	r := m.rule
	r.Expr = expr
	m.out = append(m.out, mutant{m.rule.Alert, name, r})
}

// thresholds renders the alert's expression with each of its keys ten times larger and smaller.
func (m *mutator) thresholds(groups []rules.Group, s rules.Settings, a *rules.Alert) error {
	for _, t := range rules.AllThresholds(groups) {
		if !slices.Contains(rules.Keys(a.Expr), t.Key) {
			continue
		}
		v := s.Value(t)
		for _, f := range []struct {
			sign  string
			value float64
		}{{"×10", v * 10}, {"÷10", v / 10}} {
			other := s
			other.Thresholds = maps.Clone(s.Thresholds)
			if other.Thresholds == nil {
				other.Thresholds = map[string]float64{}
			}
			other.Thresholds[t.Key] = f.value
			expr, err := rules.Expand(a.Expr, groups, other)
			if err != nil {
				return err
			}
			m.add("threshold "+t.Key+" "+f.sign, expr)
		}
	}
	return nil
}

// mutationCount counts the places of an expression where something can be mutated.
func mutationCount(expr string) int {
	n, _ := lint.Parser.ParseExpr(expr)
	return len(places(n))
}

// place is one spot in a tree and what a mutation does there.
type place struct {
	name  string
	apply func()
}

// places lists the mutations of a tree. Applying one changes the tree.
func places(root parser.Expr) []place {
	var out []place
	parser.Inspect(root, func(n parser.Node, _ []parser.Node) error {
		switch n := n.(type) {
		case *parser.BinaryExpr:
			out = append(out, binaryPlaces(n)...)
		case *parser.VectorSelector:
			out = append(out, matcherPlaces(n)...)
		}
		return nil
	})
	return out
}

// turned is the other comparison of each.
var turned = map[parser.ItemType]parser.ItemType{
	parser.EQLC: parser.NEQ, parser.NEQ: parser.EQLC,
	parser.GTR: parser.LTE, parser.LTE: parser.GTR,
	parser.LSS: parser.GTE, parser.GTE: parser.LSS,
}

func binaryPlaces(b *parser.BinaryExpr) []place {
	if other, ok := turned[b.Op]; ok {
		was := b.String()
		return append([]place{{"comparison " + was + " turned to " + other.String(), func() { b.Op = other }}}, literalPlaces(b)...)
	}
	drop := func(what string, keep, gone *parser.Expr) place {
		return place{what + (*gone).String() + " dropped", func() { *b = *dropTo(*keep) }}
	}
	switch b.Op {
	case parser.LAND, parser.LUNLESS:
		return []place{drop("guard "+b.Op.String()+" ", &b.LHS, &b.RHS)}
	case parser.LOR:
		return []place{drop("branch ", &b.LHS, &b.RHS), drop("branch ", &b.RHS, &b.LHS)}
	}
	return nil
}

// dropTo wraps what is left of an operation, since the tree's node must stay a binary one:
// x or x is x.
func dropTo(e parser.Expr) *parser.BinaryExpr {
	return &parser.BinaryExpr{
		Op: parser.LOR, LHS: e, RHS: e,
		VectorMatching: &parser.VectorMatching{Card: parser.CardManyToMany},
	}
}

// literalPlaces mutates a number that is compared with and is written in the expression
// itself. Named thresholds are mutated by their key, and come out the same.
func literalPlaces(b *parser.BinaryExpr) []place {
	number, ok := b.RHS.(*parser.NumberLiteral)
	if !ok || number.Val == 0 {
		return nil
	}
	was, v := b.String(), number.Val
	return []place{
		{"number in " + was + " ×10", func() { number.Val = v * 10 }},
		{"number in " + was + " ÷10", func() { number.Val = v / 10 }},
	}
}

func matcherPlaces(vs *parser.VectorSelector) []place {
	var out []place
	for i, was := range vs.LabelMatchers {
		if was.Name == model.MetricNameLabel {
			continue
		}
		opposite := map[labels.MatchType]labels.MatchType{
			labels.MatchEqual: labels.MatchNotEqual, labels.MatchNotEqual: labels.MatchEqual,
			labels.MatchRegexp: labels.MatchNotRegexp, labels.MatchNotRegexp: labels.MatchRegexp,
		}[was.Type]
		out = append(out, place{"match " + vs.Name + "{" + was.String() + "} turned round", func() {
			vs.LabelMatchers[i] = labels.MustNewMatcher(opposite, was.Name, was.Value)
		}})
	}
	return out
}

// expression applies the i-th mutation to a fresh tree.
func (m *mutator) expression(i int) error {
	root, err := lint.Parser.ParseExpr(m.rule.Expr)
	if err != nil {
		return fmt.Errorf("alert %q: %w", m.rule.Alert, err)
	}
	p := places(root)[i]
	p.apply()
	expr := root.String()
	if _, err := lint.Parser.ParseExpr(expr); err != nil {
		return fmt.Errorf("alert %q: mutant %q: %w", m.rule.Alert, p.name, err)
	}
	m.add(strings.Join(strings.Fields(p.name), " "), expr)
	return nil
}
