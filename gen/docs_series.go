package gen

import (
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/rules"
)

// concern is a section of the page of series.
type concern struct {
	title, about string
	holds        func(*catalog.Series) bool
}

// concerns are tried in order; the last holds what is left.
var concerns = []concern{
	{"The exporter itself", "Go, process and HTTP metrics of the usual names come with these.", func(s *catalog.Series) bool {
		return strings.HasPrefix(s.Name, "llmfleet_exporter_")
	}},
	{"Routers", "As the router sees it. `target` is the worker's address without credentials, or its id.", func(s *catalog.Series) bool {
		return slices.Contains(s.Labels, catalog.LabelRouter)
	}},
	{"Models and engines", "`model` is the served name; `rank` is there only where an engine has several data-parallel ranks.", func(s *catalog.Series) bool {
		return slices.Contains(s.Labels, catalog.LabelEngine) && s.Name != "llm_backend_info" && s.Name != "llm_series_supported"
	}},
	{"GPUs", "Of the exporter's own host. `gpu` is the PCI address; `llm_gpu_info` has the other names of a card.", func(s *catalog.Series) bool {
		return s.Origin == catalog.Host && slices.Contains(s.Labels, catalog.LabelGPU) && s.Name != "llm_pci_chain_info"
	}},
	{"PCI Express", "The devices between a GPU and the processor. `device` is a PCI address; `llm_pci_chain_info` says which GPU's chain it belongs to.", func(s *catalog.Series) bool {
		return strings.HasPrefix(s.Name, "llm_pci_")
	}},
	{"The host", "The machine on which the exporter runs, and whether it can be seen.", func(s *catalog.Series) bool {
		return s.Origin == catalog.Host
	}},
	{"Backends", "Their labels do not change when a server dies: an alert stays the same alert.", func(*catalog.Series) bool { return true }},
}

func seriesPage(groups []rules.RuleGroup) []byte {
	p := newPage("Series", "Every series that `llmfleet_exporter` may emit. What a server does not say is absent: never 0, never -1, never NaN.\n"+
		"Which engine gives which series: [engines.md](engines.md). Prometheus adds `instance` and `job`.\n\n"+
		"Origin: *native* is a sample of the server, unmodified; *computed* is arithmetic on such samples; *json* is read from a JSON answer;\n"+
		"*configured* comes from the exporter's configuration; *observed* is what the exporter saw while it asked;\n"+
		"*host* is read from the machine (sysfs, procfs, a vendor's tool). An engine may differ from the usual origin.")
	left := catalog.All()
	for _, c := range concerns {
		var here, rest []*catalog.Series
		for _, s := range left {
			if c.holds(s) {
				here = append(here, s)
			} else {
				rest = append(rest, s)
			}
		}
		left = rest
		p.line("## %s\n\n%s\n", c.title, c.about)
		p.heads("name", "type", "unit", "labels", "origin", "meaning")
		for _, s := range here {
			p.row("`"+s.Name+"`", s.Kind.String(), orDash(string(s.Unit)), orDash(quoted(s.Labels)), s.Origin.String(), s.Help)
		}
		p.line("")
	}
	recordedSeries(p, groups)
	p.line("## Series of others that rules and panels use\n")
	p.heads("name", "type", "unit", "from")
	for _, f := range catalog.ForeignSeries() {
		p.row("`"+f.Name+"`", f.Kind.String(), orDash(string(f.Unit)), f.From)
	}
	return p.bytes()
}

func recordedSeries(p *page, groups []rules.RuleGroup) {
	p.line("## Recorded by the rules\n\nPanels and alerts share them.\n")
	p.heads("name", "unit", "labels", "meaning", "expression")
	for _, g := range groups {
		for i, r := range g.Source.Records {
			p.row("`"+r.Name+"`", orDash(r.Unit), quoted(r.Labels), r.About, "`"+g.Rules.Rules[i].Expr+"`")
		}
	}
	p.line("")
}
