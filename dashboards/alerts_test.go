package dashboards

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/rules"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

func TestEveryAlertLeadsToAPanel(t *testing.T) {
	for _, g := range rules.Groups() {
		for _, a := range g.Alerts {
			uid, _, ok := PanelByKey(a.Panel)
			if !ok {
				t.Errorf("%s: panel %q does not exist", a.Name, a.Panel)
			}
			if ok && g.Cards != (uid == rules.CardsDashboardUID) {
				t.Errorf("%s: its panel %s is on the dashboard %s, and its link leads to the other", a.Name, a.Panel, uid)
			}
		}
	}
}

// comparison is the quantity and the threshold of an alert: its first comparison with one.
var comparison = regexp.MustCompile(`(?s)^\s*(.+?)\s*(?:>=|<=|>|<)\s*\$\{(\w+)\}`)

func TestPanelsDrawTheAlertsQuantityAndItsLine(t *testing.T) {
	compared := 0
	for _, g := range rules.Groups() {
		for _, a := range g.Alerts {
			m := comparison.FindStringSubmatch(a.Expr)
			if m == nil {
				continue // states and absences have no line
			}
			_, p, _ := PanelByKey(a.Panel)
			if p.Kind == Table {
				continue // shows the state itself
			}
			compared++
			if p.Threshold != m[2] {
				t.Errorf("%s compares with %s; panel %s draws %q", a.Name, m[2], p.Key, p.Threshold)
			}
			quantity := withoutVariables(t, m[1])
			if drawn := drawnBy(t, p); !slices.Contains(drawn, quantity) {
				t.Errorf("%s judges %s; panel %s draws only %q", a.Name, quantity, p.Key, drawn)
			}
		}
	}
	if compared < 6 {
		t.Errorf("only %d alerts compare with a threshold on a graph; the pattern no longer fits", compared)
	}
}

func drawnBy(t *testing.T, p Panel) []string {
	var out []string
	for _, q := range p.Queries {
		out = append(out, withoutVariables(t, q.Expr))
	}
	return out
}

// withoutVariables is an expression with numbers for the settings, without the matchers of
// the page's variables and without an aggregation over exporters.
func withoutVariables(t *testing.T, text string) string {
	t.Helper()
	s := rules.DefaultSettings()
	text, err := rules.Expand(text, rules.Groups(), s)
	if err != nil {
		t.Fatal(err)
	}
	if text, err = Substitute(text, nil, s); err != nil {
		t.Fatal(err)
	}
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	chosen := slices.Collect(maps.Values(Choices()))
	parser.Inspect(expr, func(n parser.Node, _ []parser.Node) error {
		if v, ok := n.(*parser.VectorSelector); ok {
			v.LabelMatchers = slices.DeleteFunc(v.LabelMatchers, func(m *labels.Matcher) bool {
				return slices.Contains(chosen, m.Name)
			})
		}
		return nil
	})
	if by, ok := expr.(*parser.AggregateExpr); ok && by.Op == parser.MAX {
		expr = by.Expr
	}
	return strings.TrimSpace(expr.String())
}

func TestEveryPanelHasACaseFromARecording(t *testing.T) {
	for _, d := range All() {
		for _, r := range d.Rows {
			for _, p := range r.Panels {
				if len(p.Cases) == 0 {
					t.Errorf("%s: has no case", p.Key)
				}
				for _, c := range p.Cases {
					known := slices.ContainsFunc(p.targets(), func(q target) bool { return q.Ref == c.Query || c.Query == "" && q.Ref == letter(0) })
					if !known {
						t.Errorf("%s: a case is about query %q, which it has not", p.Key, c.Query)
					}
				}
			}
		}
	}
}
