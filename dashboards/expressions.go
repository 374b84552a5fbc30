package dashboards

import (
	"errors"
	"fmt"
	"strings"

	"github.com/llmfleet/llmfleet/rules"
)

// Expression is one query of a dashboard with what the proof needs to evaluate it.
type Expression struct {
	Key   string   // "capacity/waiting/A": the panel's key and the query's letter
	Text  string   // as Grafana has it, with variables
	Keys  []string // of settings and thresholds that were replaced in it
	Range bool     // drawn over time; else one value, now
	Cases []Case
	// Explains marks a query that says why a line is missing: it is empty when all is well.
	Explains bool
}

// Expressions lists every query of every panel, variable and annotation, in order, with the
// numbers of the settings in them.
func Expressions(groups []rules.Group, s rules.Settings) ([]Expression, error) {
	var out []Expression
	var mistakes []error
	for _, d := range All() {
		own, err := d.Expressions(groups, s)
		out, mistakes = append(out, own...), append(mistakes, err)
	}
	return out, errors.Join(mistakes...)
}

// Expressions lists those of one dashboard.
func (d Dashboard) Expressions(groups []rules.Group, s rules.Settings) ([]Expression, error) {
	var out []Expression
	for _, v := range d.Variables {
		if v.Query != "" {
			out = append(out, Expression{Key: "variable/" + d.key(v.Name), Text: v.selector(), Cases: v.Cases})
		}
	}
	for _, n := range d.Notes {
		out = append(out, Expression{Key: "annotation/" + d.key(n.Key), Text: n.Expr, Range: true, Cases: n.Cases})
	}
	for _, r := range d.Rows {
		for _, p := range r.Panels {
			out = append(out, p.expressions()...)
		}
	}
	var mistakes []error
	for i, e := range out {
		text, err := rules.Expand(e.Text, groups, s)
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("%s: %w", e.Key, err))
		}
		out[i].Keys, out[i].Text = rules.Keys(e.Text), text
	}
	return out, errors.Join(mistakes...)
}

// key tells variables and annotations of the other dashboards from those of the first.
func (d Dashboard) key(name string) string {
	if d.UID == rules.DashboardUID {
		return name
	}
	return strings.TrimPrefix(d.UID, "llmfleet-") + "/" + name
}

func (p Panel) expressions() []Expression {
	var out []Expression
	for _, t := range p.targets() {
		e := Expression{Key: p.Key + "/" + t.Ref, Text: t.Expr, Range: !t.Now, Explains: t.Blank}
		for _, c := range p.Cases {
			if c.Query == t.Ref || c.Query == "" && t.Ref == letter(0) {
				e.Cases = append(e.Cases, c.choosing(t.Lacks))
			}
		}
		out = append(out, e)
	}
	return out
}

// selector is what a variable's label_values asks Prometheus for, as an expression that gives
// one result for each value.
func (v Variable) selector() string {
	inner := v.Query[len("label_values(") : len(v.Query)-len(", "+v.Label+")")]
	return fmt.Sprintf("group by (%s) (%s)", v.Label, inner)
}

// PanelByKey finds a panel of any dashboard, for links and docs.
func PanelByKey(key string) (uid string, p Panel, ok bool) {
	return pages(All()).find(key)
}
