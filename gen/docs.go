package gen

import (
	"fmt"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/rules"
)

// docs returns the reference pages, by path below the folder of docs.
func docs(s rules.Settings) (map[string][]byte, error) {
	groups, err := rules.Render(rules.Groups(), s)
	if err != nil {
		return nil, err
	}
	seen, err := sightings()
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{
		"series.md":        seriesPage(groups),
		"engines.md":       enginesPage(seen),
		"alerts.md":        alertsPage(groups, s),
		"configuration.md": withMark(config.Reference()),
	}
	if out["dashboards.md"], err = dashboardsPage(s); err != nil {
		return nil, err
	}
	runbooks, err := runbookPages(groups, s)
	if err != nil {
		return nil, err
	}
	for name, data := range runbooks {
		out["runbooks/"+name] = data
	}
	return out, nil
}

// page is a Markdown page under construction.
type page struct{ strings.Builder }

func newPage(title, about string) *page {
	p := &page{}
	p.line("<!-- %s -->", mark)
	p.line("# %s", title)
	p.line("")
	if about != "" {
		p.line("%s", about)
		p.line("")
	}
	return p
}

func withMark(text []byte) []byte {
	if strings.Contains(string(text[:min(len(text), 400)]), mark) {
		return text
	}
	return append([]byte("<!-- "+mark+" -->\n"), text...)
}

func (p *page) line(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// heads begins a table.
func (p *page) heads(names ...string) {
	p.row(names...)
	p.line("|%s", strings.Repeat(" --- |", len(names)))
}

// row is one row of a table; a bar in a cell would end it.
func (p *page) row(cells ...string) {
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(strings.Join(strings.Fields(c), " "), "|", `\|`)
	}
	p.line("| %s |", strings.Join(cells, " | "))
}

// code is a block of PromQL or another language.
func (p *page) code(language, text string) {
	p.line("```%s\n%s\n```\n", language, strings.TrimSpace(text))
}

func (p *page) bytes() []byte { return []byte(strings.TrimRight(p.String(), "\n") + "\n") }

// quoted lists names as code.
func quoted(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = "`" + n + "`"
	}
	return strings.Join(out, ", ")
}

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}
