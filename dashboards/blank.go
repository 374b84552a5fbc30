package dashboards

import "fmt"

// Three things leave a gap in a graph, and they are not the same: the engine cannot say it,
// nothing was asked of it, its numbers could not be fetched. Each is said in the legend by a
// query whose value is 0 and whose line is not drawn.
const (
	refUnsupported = "U"
	refIdle        = "I"
	refFailed      = "F"
)

// blanks returns the queries that explain the gaps of a panel.
func (p Panel) blanks() []target {
	if p.Of == nil || p.Kind != Graph {
		return nil
	}
	var out []target
	if !p.Everyone {
		out = append(out, target{
			Ref: refUnsupported, Now: true, Blank: true,
			Query: Query{
				Expr:   fmt.Sprintf(`llm_series_supported{series="%s", instance=~"$instance", backend=~"$backend", engine=~"$engine"} == 0`, p.Of.Name),
				Legend: "{{backend}}: not exported by {{engine}}",
			},
		})
	}
	if p.Idle != "" {
		out = append(out, target{
			Ref: refIdle, Now: true, Blank: true,
			Query: Query{Expr: p.Idle + " == 0", Legend: "{{backend}} {{model}}: no requests"},
		})
	}
	return append(out, target{
		Ref: refFailed, Now: true, Blank: true,
		Query: Query{
			// Minus 1 brings the value to 0, where it cannot stretch the axis.
			Expr:   `(llm_scrape_failed{instance=~"$instance", backend=~"$backend"} == 1` + ofEngine + `) - 1`,
			Legend: "{{backend}}: no numbers ({{reason}})",
		},
	})
}

// target is a query with what Grafana must know to run it.
type target struct {
	Query
	Ref   string
	Now   bool // one value at the end of the range, not a line
	Blank bool // says why a line is missing: it is empty when all is well
}

// most is how many lines a person can tell apart in one graph.
const most = 12

// targets returns every query of a panel, in the form in which Grafana runs it.
func (p Panel) targets() []target {
	now := p.Kind == Stat || p.Kind == Table || p.Kind == Bars
	var out []target
	for i, q := range p.Queries {
		if !now && p.Kind != Heatmap { // whose series are the bounds of one histogram
			q.Expr = p.keep(q.Expr)
		}
		out = append(out, target{Query: q, Ref: letter(i), Now: now})
	}
	return append(out, p.blanks()...)
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
