package dashboards

import (
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
			url := w.address(l, func(label string) string { return "${__field.labels." + label + "}" }, every(kept, labelInstance))
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
			url := w.address(l, func(label string) string { return "${__data.fields." + label + "}" }, hasInstance)
			return map[string]any{"title": l.about, "url": url}
		}
	}
	return nil
}

// address is the page that a lead opens, with what the row or line knows, at the same time and
// of the same Prometheus. Other choices are left behind: they may be of another backend.
func (w *writer) address(l lead, value func(label string) string, hasInstance bool) string {
	var query []string
	for _, v := range w.lock.Variables(l.uid) {
		switch {
		case v.Label == l.fills:
			query = append(query, "var-"+v.Name+"="+value(l.label))
		case v.Label == labelInstance && hasInstance:
			query = append(query, "var-"+v.Name+"="+value(labelInstance))
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
