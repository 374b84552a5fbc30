package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/prometheus/promql/parser"
)

// NewVocabulary knows the catalog, the foreign series and the recorded names of the groups.
func NewVocabulary(groups []Group, s Settings) *lint.Vocabulary {
	v := lint.NewVocabulary()
	for _, g := range groups {
		for _, rec := range g.Records {
			expr, err := Expand(rec.Expr, groups, s)
			if err != nil {
				expr = rec.Expr // rendering refuses it with the reason
			}
			v.Record(rec.Name, catalog.Unit(rec.Unit), rec.Labels, expr)
		}
	}
	return v
}

// Lint checks every record and alert of the groups. The groups must render.
func Lint(v *lint.Vocabulary, groups []Group, s Settings) ([]lint.Problem, error) {
	rendered, err := Render(groups, s)
	if err != nil {
		return nil, err
	}
	var out []lint.Problem
	for _, g := range rendered {
		for i, rec := range g.Source.Records {
			out = append(out, lintRecord(v, rec, g.Rules.Rules[i].Expr, s)...)
		}
		for i := range g.Source.Alerts {
			a := &g.Source.Alerts[i]
			rule := g.AlertRule(i)
			out = append(out, lintAlert(v, a, rule.Expr, rule.Annotations, s)...)
			out = append(out, lintTexts(groups, a)...)
		}
	}
	out = append(out, seldomEvaluated(rendered)...)
	return append(out, duplicates(groups)...), nil
}

var recordName = regexp.MustCompile(`^` + recordedForm + `$`)

func lintRecord(v *lint.Vocabulary, rec Record, expr string, s Settings) []lint.Problem {
	f, out := v.Check(rec.Name, expr, s.ScrapeInterval)
	bad := func(format string, args ...any) {
		out = append(out, lint.Problem{Where: rec.Name, Text: fmt.Sprintf(format, args...)})
	}
	if !recordName.MatchString(rec.Name) {
		bad("a recorded name is level:metric:operation")
	}
	if len(out) > 0 { // facts of a mistaken expression would only add noise
		return out
	}
	if !f.MayCarry("instance") {
		bad("the aggregation drops instance: two exporters would be added up")
	}
	want := lint.WithScrapeLabels(rec.Labels)
	if got, known := f.Labels(); known && !slices.Equal(want, got) {
		bad("declares labels %s, the expression gives %s", strings.Join(want, ", "), strings.Join(got, ", "))
	}
	if u := catalog.Unit(rec.Unit); strict(u) && strict(f.Unit) && u != f.Unit {
		bad("declares unit %s, the expression gives %s", u, f.Unit)
	}
	return out
}

// strict units are those that the inference gets right and a panel would draw wrongly.
func strict(u catalog.Unit) bool {
	return slices.Contains([]catalog.Unit{catalog.Seconds, catalog.Ratio, catalog.Bytes, catalog.Timestamp}, u)
}

func lintAlert(v *lint.Vocabulary, a *Alert, expr string, annotations map[string]string, s Settings) []lint.Problem {
	f, out := v.Check(a.Name, expr, s.ScrapeInterval)
	bad := func(format string, args ...any) {
		out = append(out, lint.Problem{Where: a.Name, Text: fmt.Sprintf(format, args...)})
	}
	if !strings.HasPrefix(a.Name, "Llm") {
		bad("an alert's name begins with Llm")
	}
	if !slices.Contains([]Severity{Critical, Warning, Info, None}, a.Severity) {
		bad("unknown severity %q", a.Severity)
	}
	if a.Severity != None && (a.For < DefaultSettings().leastHold() || s.For(a) < s.leastHold()) {
		bad("for %s is shorter than two evaluations: one odd scrape would page", min(a.For, s.For(a)))
	}
	for _, p := range incomplete(annotations, s) {
		bad("%s", p)
	}
	for _, p := range wrongFormats(a, f.Unit) {
		bad("%s", p)
	}
	if parsed, err := lint.Parser.ParseExpr(expr); err == nil && a.Severity != None && !decides(parsed) {
		bad("has no comparison and no absent: it would fire on every value")
	}
	if !f.Bare && len(out) == 0 && !f.MayCarry("instance") {
		bad("the expression drops instance: two exporters would be mixed up")
	}
	for _, text := range annotations {
		for _, l := range templateLabels(text) {
			if !f.MayCarry(l) {
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

func duplicates(groups []Group) []lint.Problem {
	var out []lint.Problem
	seen := map[string]bool{}
	for _, g := range groups {
		for _, r := range g.Records {
			if seen[r.Name] {
				out = append(out, lint.Problem{Where: r.Name, Text: "is recorded twice"})
			}
			seen[r.Name] = true
		}
		for _, a := range g.Alerts {
			if seen[a.Name] {
				out = append(out, lint.Problem{Where: a.Name, Text: "is defined twice"})
			}
			seen[a.Name] = true
		}
	}
	return out
}
