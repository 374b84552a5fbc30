package gen

import (
	"strings"

	"github.com/llmfleet/llmfleet/dashboards"
	"github.com/llmfleet/llmfleet/rules"
)

func dashboardsPage(s rules.Settings) ([]byte, error) {
	groups := rules.Groups()
	expressions, err := dashboards.Expressions(groups, s)
	if err != nil {
		return nil, err
	}
	p := newPage("Dashboards", "Every panel with its question and its expressions. `$instance`, `$backend` and the like are the choices at the top of a page; All is `.*`.\n"+
		"Why a line is missing stands first in a legend: no numbers, not exported by an engine, or no requests. The pictures show the demo's fleet during its\n"+
		"overload, drawn by [drawing](../drawing/README.md).")
	for _, d := range dashboards.All() {
		p.line("## %s\n\n%s\n\n![%s](pictures/%s.webp)\n\nuid `%s`.\n", d.Title, d.About, d.Title, d.UID, d.UID)
		for _, v := range d.Variables {
			p.line("- `$%s`: %s", v.Name, v.About)
		}
		p.line("")
		for _, r := range d.Rows {
			p.line("### %s\n", r.Title)
			for _, panel := range r.Panels {
				panelSection(p, panel, expressions, alertsOf(groups, panel.Key), s)
			}
		}
	}
	return p.bytes(), nil
}

func panelSection(p *page, panel dashboards.Panel, expressions []dashboards.Expression, alerts []string, s rules.Settings) {
	p.line("#### %s\n\n%s", expanded(panel.Title, s), expanded(panel.About, s))
	if len(alerts) > 0 {
		p.line("Shows what %s judges.", strings.Join(alerts, ", "))
	}
	p.line("")
	var texts []string
	for _, e := range expressions {
		if strings.HasPrefix(e.Key, panel.Key+"/") && !e.Explains {
			texts = append(texts, e.Text)
		}
	}
	p.code("promql", strings.Join(texts, "\n\n"))
}

func alertsOf(groups []rules.Group, panel string) []string {
	var out []string
	for _, g := range groups {
		for _, a := range g.Alerts {
			if a.Panel == panel {
				out = append(out, "["+a.Name+"](alerts.md#"+strings.ToLower(a.Name)+")")
			}
		}
	}
	return out
}
