package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/prometheus/prometheus/promql/parser"
)

// Problem is something in a definition that evaluation alone would not show.
type Problem struct {
	Where string // LlmQueueStuck, model:llm_x:rate5m, capacity/waiting
	Text  string
}

// String is the problem in one line.
func (p Problem) String() string { return p.Where + ": " + p.Text }

// Lint checks every record and alert of the groups. The groups must render.
func Lint(v *Vocabulary, groups []Group, s Settings) ([]Problem, error) {
	rendered, err := Render(groups, s)
	if err != nil {
		return nil, err
	}
	var out []Problem
	for _, g := range rendered {
		for i, rec := range g.Source.Records {
			out = append(out, v.lintRecord(rec, g.Rules.Rules[i].Expr, s)...)
		}
		for i := range g.Source.Alerts {
			a := &g.Source.Alerts[i]
			rule := g.Rules.Rules[len(g.Source.Records)+i]
			out = append(out, v.lintAlert(a, rule.Expr, rule.Annotations, s)...)
		}
	}
	return append(out, duplicates(groups)...), nil
}

// LintExpr checks one expression that Prometheus can parse: a panel's with its variables
// substituted.
func (v *Vocabulary) LintExpr(where, expr string, interval time.Duration) []Problem {
	_, problems := v.check(where, expr, interval)
	return problems
}

func (v *Vocabulary) check(where, expr string, interval time.Duration) (facts, []Problem) {
	parsed, err := parsePromQL(expr)
	if err != nil {
		return facts{}, []Problem{{where, err.Error()}}
	}
	c := &checker{vocabulary: v, interval: interval}
	f := c.facts(parsed, asValue)
	var out []Problem
	for _, p := range c.problems {
		out = append(out, Problem{where, p})
	}
	return f, out
}

var recordName = regexp.MustCompile(`^[a-z_]+:[a-z0-9_]+:[a-z0-9_]+$`)

func (v *Vocabulary) lintRecord(rec Record, expr string, s Settings) []Problem {
	f, out := v.check(rec.Name, expr, s.ScrapeInterval)
	bad := func(format string, args ...any) { out = append(out, Problem{rec.Name, fmt.Sprintf(format, args...)}) }
	if !recordName.MatchString(rec.Name) {
		bad("a recorded name is level:metric:operation")
	}
	if len(out) > 0 { // facts of a mistaken expression would only add noise
		return out
	}
	if !f.labels.has("instance") {
		bad("the aggregation drops instance: two exporters would be added up")
	}
	want := newLabelSet(append(slices.Clone(rec.Labels), prometheusLabels...)...)
	if !f.labels.open && !slices.Equal(want.sorted(), f.labels.sorted()) {
		bad("declares labels %s, the expression gives %s", strings.Join(want.sorted(), ", "), strings.Join(f.labels.sorted(), ", "))
	}
	if u := catalog.Unit(rec.Unit); strict(u) && strict(f.unit) && u != f.unit {
		bad("declares unit %s, the expression gives %s", u, f.unit)
	}
	return out
}

// strict units are those that the inference gets right and a panel would draw wrongly.
func strict(u catalog.Unit) bool {
	return slices.Contains([]catalog.Unit{catalog.Seconds, catalog.Ratio, catalog.Bytes, catalog.Timestamp}, u)
}

func (v *Vocabulary) lintAlert(a *Alert, expr string, annotations map[string]string, s Settings) []Problem {
	f, out := v.check(a.Name, expr, s.ScrapeInterval)
	bad := func(format string, args ...any) { out = append(out, Problem{a.Name, fmt.Sprintf(format, args...)}) }
	if !strings.HasPrefix(a.Name, "Llm") {
		bad("an alert's name begins with Llm")
	}
	if !slices.Contains([]Severity{Critical, Warning, Info, None}, a.Severity) {
		bad("unknown severity %q", a.Severity)
	}
	if a.Severity != None && a.For < 2*s.ScrapeInterval {
		bad("for %s is shorter than two evaluations: one odd scrape would page", a.For)
	}
	if a.Summary == "" || a.Description == "" {
		bad("needs a summary and a description")
	}
	if parsed, err := parsePromQL(expr); err == nil && a.Severity != None && !decides(parsed) {
		bad("has no comparison and no absent: it would fire on every value")
	}
	if !f.bare && len(out) == 0 && !f.labels.has("instance") {
		bad("the expression drops instance: two exporters would be mixed up")
	}
	for _, text := range annotations {
		for _, l := range templateLabels(text) {
			if !f.labels.has(l) {
				bad("a text names label %q, which the expression drops", l)
			}
		}
	}
	return out
}

// decides says whether an expression can be without result: it compares, or asks for absence.
func decides(e parser.Expr) bool {
	found := false
	parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
		switch n := n.(type) {
		case *parser.BinaryExpr:
			found = found || n.Op.IsComparisonOperator() && !n.ReturnBool || n.Op == parser.LUNLESS
		case *parser.Call:
			found = found || strings.HasPrefix(n.Func.Name, "absent")
		}
		return nil
	})
	return found
}

var templateLabel = regexp.MustCompile(`(?:\$labels|\.Labels)\.([a-zA-Z_][a-zA-Z0-9_]*)`)

func templateLabels(text string) []string {
	var out []string
	for _, m := range templateLabel.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

func duplicates(groups []Group) []Problem {
	var out []Problem
	seen := map[string]bool{}
	for _, g := range groups {
		for _, r := range g.Records {
			if seen[r.Name] {
				out = append(out, Problem{r.Name, "is recorded twice"})
			}
			seen[r.Name] = true
		}
		for _, a := range g.Alerts {
			if seen[a.Name] {
				out = append(out, Problem{a.Name, "is defined twice"})
			}
			seen[a.Name] = true
		}
	}
	return out
}
