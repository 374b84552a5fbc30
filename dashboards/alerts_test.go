package dashboards

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

func TestEveryAlertOpensItsPanel(t *testing.T) {
	s := rules.DefaultSettings()
	s.DashboardBaseURL = "http://grafana"
	rendered, err := rules.Render(rules.Groups(), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range rendered {
		for i, a := range g.Source.Alerts {
			link := g.AlertRule(i).Annotations["dashboard_url"]
			page, p, ok := panelOf(a.Panel)
			if !ok {
				t.Errorf("%s: panel %q does not exist", a.Name, a.Panel)
				continue
			}
			for _, c := range a.Cases {
				for _, f := range c.Fires {
					opensPanel(t, a.Name, expandedFor(t, link, labelsIn(t, f.Labels)), page, p, labelsIn(t, f.Labels))
				}
			}
			opensPanel(t, a.Name, expandedFor(t, link, nil), page, p, nil)
		}
	}
}

// panelOf is the page that a panel is on, and the panel.
func panelOf(key string) (Dashboard, Panel, bool) {
	uid, p, ok := PanelByKey(key)
	i := slices.IndexFunc(All(), func(d Dashboard) bool { return d.UID == uid })
	if !ok || i < 0 {
		return Dashboard{}, p, false
	}
	return All()[i], p, true
}

// opensPanel holds a link to the panel of its page, with each choice that the labels know filled.
func opensPanel(t *testing.T, name, link string, page Dashboard, p Panel, known map[string]string) {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	want := url.Values{"viewPanel": {fmt.Sprint(panelJSON(t, p.Key)["id"])}}
	for _, v := range page.Variables {
		if value := known[v.Label]; value != "" {
			want.Set("var-"+v.Name, value)
		}
	}
	got := u.Query()
	if u.Path != "/d/"+page.UID || got.Encode() != want.Encode() {
		t.Errorf("%s opens %s, want /d/%s with %v", name, link, page.UID, want)
	}
}

// expandedFor is a text of an alert as Prometheus expands it for labels.
func expandedFor(t *testing.T, text string, known map[string]string) string {
	t.Helper()
	parsed, err := template.New("").Parse("{{$labels := .}}" + text)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := parsed.Option("missingkey=zero").Execute(&out, known); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// labelsIn are the labels of a firing, with the instance that its exporter has in a replay.
func labelsIn(t *testing.T, text string) map[string]string {
	t.Helper()
	selector, err := parser.NewParser(parser.Options{}).ParseMetricSelector("{" + text + "}")
	if text != "" && err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	out := map[string]string{}
	for _, m := range selector {
		out[m.Name] = m.Value
	}
	if out["instance"] == "" && (out[catalog.LabelBackend] != "" || out[catalog.LabelGPU] != "") {
		out["instance"] = "llmfleet"
	}
	if out["job"] == "prometheus" {
		delete(out, "instance")
	}
	return out
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

// withoutVariables is an expression with numbers for the settings, without what the
// page's variables choose and without an aggregation over exporters.
func withoutVariables(t *testing.T, text string) string {
	t.Helper()
	s := rules.DefaultSettings()
	text, err := rules.Expand(text, rules.Groups(), s)
	if err != nil {
		t.Fatal(err)
	}
	text = strings.ReplaceAll(text, ofEngine, "")
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
