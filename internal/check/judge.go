package check

import (
	"cmp"
	"slices"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/prometheus/model/labels"
)

// subject is what an item is about: a backend, a machine, or (neither) the fleet as a whole.
type subject struct {
	backend *backend
	machine *machine
}

// subjects are those that a need is about.
func (f *fleet) subjects(n lint.Need) []subject {
	widest := ofAll
	n.Leaves(func(leaf lint.Need) { widest = max(widest, scopeOf(leaf.Name)) })
	var out []subject
	switch widest {
	case ofBackend:
		for _, b := range f.backends {
			out = append(out, subject{backend: b, machine: f.machine(b.instance)})
		}
	case ofMachine:
		for _, m := range f.machines {
			out = append(out, subject{machine: m})
		}
	default:
		out = []subject{{}}
	}
	return out
}

func (f *fleet) name(s subject) string {
	switch {
	case s.backend != nil:
		return f.called(s.backend)
	case s.machine != nil:
		return s.machine.instance
	}
	return ""
}

// see judges a need at a subject: of all parts the worst counts, of any the best.
func (f *fleet) see(n lint.Need, at subject) sight {
	byRank := func(a, b sight) int { return cmp.Compare(a.rank, b.rank) }
	switch {
	case n.Name != "":
		return f.seeName(n, at)
	case n.All != nil:
		return slices.MaxFunc(f.seeEach(n.All, at), byRank)
	case n.Any != nil:
		return slices.MinFunc(f.seeEach(n.Any, at), byRank)
	}
	return sight{}
}

func (f *fleet) seeEach(parts []lint.Need, at subject) []sight {
	out := make([]sight, len(parts))
	for i, part := range parts {
		out[i] = f.see(part, at)
	}
	return out
}

func (f *fleet) seeName(n lint.Need, at subject) sight {
	s := seriesOf(n.Name)
	if s == nil {
		return f.seeForeign(n)
	}
	whose := place{instance: at.machine.instance}
	if at.backend != nil {
		whose.backend = at.backend.name
	}
	of := scopeOf(n.Name)
	here := f.places[n.Name][whose.owner(of)]
	switch {
	case slices.ContainsFunc(here, func(p place) bool { return p.matches(n.Matchers) }):
		return sight{}
	case slices.ContainsFunc(n.Matchers, isJob) && f.job.rank != seen:
		return f.job
	case len(here) > 0 && slices.ContainsFunc(n.Matchers, isRank):
		return quietFor("one rank only")
	case of == ofBackend:
		return f.absenceOf(at.backend, s, n.Matchers)
	}
	return at.machine.absence(s)
}

// watchdog is the alert that always fires: where it does not, no alert is there for a panel to show.
const watchdog = "LlmWatchdog"

// seeForeign judges what neither an engine nor the exporter sends.
func (f *fleet) seeForeign(n lint.Need) sight {
	problem, isRule := f.rules[n.Name]
	switch {
	case isRule:
		return problem
	case slices.ContainsFunc(n.Matchers, isJob) && f.job.rank != seen:
		return f.job
	case len(f.places[n.Name]) > 0: // with which labels depends on what happens
		return sight{}
	case f.alone:
		return onlyPrometheus
	case n.Name == "ALERTS" && f.rules[watchdog].rank != seen:
		return f.rules[watchdog]
	case n.Name == "ALERTS":
		return blindEverywhere("no alert is pending or firing, not even the watchdog", loadAgain)
	}
	return f.absenceOfForeign(n.Name)
}

// absenceOfForeign tells a series that its sender does not have now from one whose sender nobody
// scrapes.
func (f *fleet) absenceOfForeign(name string) sight {
	all := catalog.ForeignSeries()
	i := slices.IndexFunc(all, func(s catalog.Foreign) bool { return s.Name == name })
	if i < 0 {
		return blindEverywhere("nobody sends "+name, loadAgain)
	}
	from := all[i].From
	for _, s := range all {
		if s.From == from && len(f.places[s.Name]) > 0 {
			return quietFor("not sent now by " + from)
		}
	}
	if f.notYet.rank == blind {
		return f.notYet
	}
	return blindEverywhere("no series of "+from, "add its job to Prometheus' configuration, as the bundle's prometheus.yml has it, and reload")
}

// matches looks at the labels that a place has; of the others it cannot know.
func (p place) matches(matchers []*labels.Matcher) bool {
	for _, m := range matchers {
		value, known := p.label(m.Name)
		if known && !m.Matches(value) {
			return false
		}
	}
	return true
}

// label is the value of one of the labels that a place has.
func (p place) label(name string) (value string, known bool) {
	switch name {
	case "job":
		return p.job, true
	case "instance":
		return p.instance, true
	case catalog.LabelBackend:
		return p.backend, true
	case catalog.LabelRank:
		return p.rank, true
	case catalog.LabelObjective:
		return p.objective, true
	}
	return "", false
}

func isJob(m *labels.Matcher) bool  { return m.Name == "job" }
func isRank(m *labels.Matcher) bool { return m.Name == catalog.LabelRank }
