package dashboards

import (
	"fmt"
	"slices"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/rules"
)

// lead says which page the values of a label open.
type lead struct {
	label string // in a row or a line
	uid   string
	fills string // the label whose variable there gets the value
	about string
}

// labelInstance is the scrape's own label; the catalog has none of those.
const labelInstance = "instance"

// leads are all of them. Rows and lines that have one of these labels get the link by themselves.
var leads = []lead{
	{catalog.LabelBackend, rules.BackendDashboardUID, catalog.LabelBackend, "Open the model server"},
	{catalog.LabelWorker, rules.BackendDashboardUID, catalog.LabelBackend, "Open the model server"},
	{catalog.LabelGPU, rules.CardsDashboardUID, catalog.LabelGPU, "Open the card"},
}

// lineLinks lead from each line to the pages of the labels that all lines of the panel have.
func (w *writer) lineLinks(p Panel) ([]dashboard.DashboardFieldConfigSourceOverrides, error) {
	kept, err := w.kept(p)
	if err != nil {
		return nil, err
	}
	var links []map[string]any
	for _, l := range leads {
		if every(kept, l.label) {
			url := w.address(l, func(variable, label string) string { return "var-" + variable + "=${__field.labels." + label + "}" }, every(kept, labelInstance))
			links = append(links, map[string]any{"title": l.about + " ${__field.labels." + l.label + "}", "url": url})
		}
	}
	if links == nil {
		return nil, nil
	}
	return []dashboard.DashboardFieldConfigSourceOverrides{override("byType", "number", property("links", links))}, nil
}

// rowLink leads from a cell to the page of its label; nil: its label has none.
func (w *writer) rowLink(p Panel, c Column) map[string]any {
	for _, l := range leads {
		if l.label == c.Field {
			hasInstance := slices.ContainsFunc(p.Columns, func(c Column) bool { return c.Field == labelInstance })
			url := w.address(l, p.rowChoice, hasInstance)
			return map[string]any{"title": l.about, "url": url}
		}
	}
	return nil
}

// rowChoice is what a row knows of a variable, in the address of a page.
func (p Panel) rowChoice(variable, label string) string {
	if choice := choiceOf(label); slices.Contains(p.choices(), choice) {
		return "${__data.fields." + choice + ":raw}"
	}
	return "var-" + variable + "=${__data.fields." + label + "}"
}

// choiceOf is a label that holds the choice that a link makes by another label, whole, and is not
// there where that one is not.
func choiceOf(label string) string { return "choose_" + label }

// filledBy is the variable that a label of leads fills. Its name is that of the label that it lists.
func filledBy(label string) string {
	return leads[slices.IndexFunc(leads, func(l lead) bool { return l.label == label })].fills
}

// withChoice adds it to the results of an expression.
func withChoice(expr, label string) string {
	choice := choiceOf(label)
	return fmt.Sprintf("label_join(\n  label_replace(\n    %s,\n    %q, %q, %q, \".+\"\n  ),\n  %q, \"\", %q, %q\n)",
		expr, choice, "var-"+filledBy(label)+"=", label, choice, choice, label)
}

// choices are the columns of a table that hold choices: nobody sees them.
func (p Panel) choices() (out []string) {
	for _, q := range p.Queries {
		for _, label := range q.Lacks {
			out = append(out, choiceOf(label))
		}
	}
	return out
}

// unseen hides a column from the eye and keeps it for the links. Releases before 12 know the first property.
func unseen(column string) dashboard.DashboardFieldConfigSourceOverrides {
	return override("byName", column, property("custom.hidden", true),
		property("custom.hideFrom", map[string]any{"viz": true, "legend": false, "tooltip": false}), property("noValue", ""))
}

// address is the page that a lead opens, with what the row or line knows, at the same time and
// of the same Prometheus. Other choices are left behind: they may be of another backend.
func (w *writer) address(l lead, choice func(variable, label string) string, hasInstance bool) string {
	var query []string
	for _, v := range w.lock.Variables(l.uid) {
		switch {
		case v.Label == l.fills:
			query = append(query, choice(v.Name, l.label))
		case v.Label == labelInstance && hasInstance:
			query = append(query, choice(v.Name, labelInstance))
		}
	}
	return "/d/" + l.uid + "?" + strings.Join(append(query, "${datasource:queryparam}", "${__url_time_range}"), "&")
}

// kept are the labels of the results of each query; nil: not all are known.
func (w *writer) kept(p Panel) ([][]string, error) {
	var out [][]string
	for _, t := range p.targets() {
		if t.Blank {
			continue // not drawn
		}
		text, err := w.expand(t.Expr)
		if err != nil {
			return nil, err
		}
		if text, err = Substitute(text, nil, w.settings); err != nil {
			return nil, err
		}
		result, _ := w.vocabulary.Check(p.Key, text, 0)
		labels, known := result.Labels()
		if !known {
			labels = nil
		}
		out = append(out, labels)
	}
	return out, nil
}

func every(kept [][]string, label string) bool {
	return !slices.ContainsFunc(kept, func(labels []string) bool { return !slices.Contains(labels, label) })
}
