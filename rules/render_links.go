package rules

import (
	"fmt"
	"slices"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// dashboardURL opens the panel of an alert on its page, with every choice of the page that the
// alert knows.
func (r *renderer) dashboardURL(a *Alert, expr string) string {
	if r.settings.DashboardBaseURL == "" || a.Panel == "" {
		return ""
	}
	uid, id, ok := r.pages.Find(a.Panel)
	if !ok {
		r.mistakes = append(r.mistakes, fmt.Errorf("%s: panel %q is on no page; its key is in the dashboards, and go test ./dashboards -update gives it an id", a.Name, a.Panel))
		return ""
	}
	link := fmt.Sprintf("%s/d/%s?viewPanel=%d", r.settings.DashboardBaseURL, uid, id)
	for _, v := range r.pages.Variables(uid) {
		if r.knows(expr, v.Label) {
			// An empty choice would blank the page: the label is not on every alert of a rule.
			link += "{{ with $labels." + v.Label + " }}&var-" + v.Name + "={{ . | urlquery }}{{ end }}"
		}
	}
	return link
}

// knows says whether the alerts of an expression may carry a label that means there what it
// means on the pages: the instance of Prometheus' own series is no exporter's.
func (r *renderer) knows(expr, label string) bool {
	result, _ := r.vocabulary.Check("", expr, 0)
	names, known := result.Labels()
	return known && slices.Contains(names, label) && (label != "instance" || ofExporters(expr, r.settings.Job))
}

// ofExporters says whether all series of an expression come from exporters: those that are not
// their own are asked for by their job.
func ofExporters(expr, job string) bool {
	parsed, err := lint.Parser.ParseExpr(expr)
	if err != nil {
		return false
	}
	all := true
	parser.Inspect(parsed, func(n parser.Node, _ []parser.Node) error {
		if vs, ok := n.(*parser.VectorSelector); ok && isForeign(vs.Name) {
			all = all && slices.ContainsFunc(vs.LabelMatchers, func(m *labels.Matcher) bool { return m.Name == "job" && m.Type == labels.MatchEqual && m.Value == job })
		}
		return nil
	})
	return all
}

func isForeign(name string) bool {
	return slices.ContainsFunc(catalog.ForeignSeries(), func(f catalog.Foreign) bool { return f.Name == name })
}
