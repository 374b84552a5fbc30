package dashboards

import (
	"fmt"
	"regexp"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// Three things leave a gap in a graph, and they are not the same: the numbers could not be
// fetched, the engine cannot say it, nothing was asked of it. Each is said in the legend, before
// the lines, by a query whose value is 0 and whose line is not drawn. A legend shows its first
// entries only, so reasons are few however large the fleet is.
const (
	refFailed      = "F"
	refUnsupported = "U"
	refIdle        = "I"
)

// named is how many backends without numbers are named; the panel about them names all.
const named = 3

// blanks returns the queries that explain the gaps of a panel.
func (p Panel) blanks() []target {
	if p.Of == nil || p.Kind != Graph {
		return nil
	}
	out := []target{{
		Ref: refFailed, Now: true, Blank: true,
		Query: Query{
			// Minus 1 brings the value to 0, where it cannot stretch the axis.
			Expr:   fmt.Sprintf(`topk(%d, llm_scrape_failed{instance=~"$instance", backend=~"$backend"} == 1%s) - 1`, named, ofEngine),
			Legend: "{{backend}}: no numbers ({{reason}})",
		},
	}}
	if !p.Everyone {
		out = append(out, target{
			Ref: refUnsupported, Now: true, Blank: true,
			Query: Query{
				Expr: counted("engine", fmt.Sprintf(
					`llm_series_supported{series="%s", instance=~"$instance", backend=~"$backend", engine=~"$engine"} == 0`, p.Of.Name)),
				Legend: "not exported by {{engine}} ({{count}})",
			},
		})
	}
	if p.Idle != "" {
		out = append(out, target{
			Ref: refIdle, Now: true, Blank: true,
			Query: Query{Expr: counted("", p.Idle+" == 0"), Legend: "no requests ({{count}})"},
		})
	}
	return out
}

// counted is one result of 0 for each value of a label, with the number of series in a label of
// its own: a legend can show labels alone.
func counted(by, series string) string {
	return fmt.Sprintf("0 * count_values by (%s) (\"count\",\n  count by (%s) (%s)\n)", by, by, series)
}

// target is a query with what Grafana must know to run it.
type target struct {
	Query
	Ref   string
	Now   bool // one value at the end of the range, not a line
	Blank bool // says why a line is missing: it is empty when all is well
}

// undrawn keeps a reason in the legend and out of the graph. It is matched by its name and not
// by its query: a query has the field of time too, and with it the axis below would be hidden.
func (t target) undrawn() dashboard.DashboardFieldConfigSourceOverrides {
	name := regexp.MustCompile(`\\\{\\\{\w+\\\}\\\}`).ReplaceAllString(regexp.QuoteMeta(t.Legend), ".*")
	return override("byRegexp", "/^"+name+"$/",
		property("color", dashboard.FieldColor{Mode: dashboard.FieldColorModeIdFixed, FixedColor: ptr(dull)}),
		property("custom.lineWidth", 0), property("custom.fillOpacity", 0), property("custom.showPoints", "never"),
		property("mappings", mappings([]Word{{0, "–", dull}})),
		// On an axis of its own, without a threshold: the word for 0 would stand at the lines' axis.
		property("custom.axisPlacement", "hidden"),
		property("custom.thresholdsStyle", map[string]string{"mode": "off"}),
		property("links", []any{}),
	)
}

// most is how many lines a person can tell apart in one graph.
const most = 12

// targets returns every query of a panel, in the form in which Grafana runs it and in the order
// of its legend.
func (p Panel) targets() []target {
	now := p.Kind == Stat || p.Kind == Table || p.Kind == Bars
	out := p.blanks()
	for i, q := range p.Queries {
		if !now && p.Kind != Heatmap { // whose series are the bounds of one histogram
			q.Expr = p.keep(q.Expr)
		}
		for _, label := range q.Lacks {
			q.Expr = withChoice(q.Expr, label)
		}
		out = append(out, target{Query: q, Ref: letter(i), Now: now})
	}
	return out
}

// keep bounds the series of a graph; several queries share the bound.
func (p Panel) keep(expr string) string {
	pick := "topk"
	if p.Least {
		pick = "bottomk"
	}
	return fmt.Sprintf("%s(%d,\n  %s\n)", pick, most/len(p.Queries), expr)
}

// letter is the name of the nth query.
func letter(n int) string { return string(rune('A' + n)) }
