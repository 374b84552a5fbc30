package replay

import (
	"slices"

	"github.com/llmfleet/llmfleet/rules/lint"
	promrules "github.com/prometheus/prometheus/rules"
)

// idleGroups leaves out groups of rules that cannot have a result yet, because nothing that
// they select was ever scraped or recorded. Most replays touch few of the groups. That they
// are right to be left out is shown with every alert: range queries must find the same.
type idleGroups struct {
	inputs map[*promrules.Group]groupInput
	busy   map[*promrules.Group]bool
}

// groupInput is what a group's rules select, and what they record.
type groupInput struct {
	needs   []lint.Need // of each rule
	selects []string
	records []string
}

func newIdleGroups(groups []*promrules.Group) idleGroups {
	out := idleGroups{inputs: map[*promrules.Group]groupInput{}, busy: map[*promrules.Group]bool{}}
	for _, g := range groups {
		var in groupInput
		for _, r := range g.Rules() {
			in.selects = append(in.selects, lint.Names(r.Query())...)
			in.needs = append(in.needs, lint.NeedOf(r.Query()))
			if _, ok := r.(*promrules.RecordingRule); ok {
				in.records = append(in.records, r.Name())
			}
		}
		out.inputs[g] = in
	}
	return out
}

// wakes says whether a group has to be evaluated now; it stays so. Groups are asked in the
// order in which they are evaluated.
func (p *Prometheus) wakes(g *promrules.Group) bool {
	if p.idle.busy[g] {
		return true
	}
	in := p.idle.inputs[g]
	if !slices.ContainsFunc(in.needs, func(n lint.Need) bool { return n.Met(p.Has) }) {
		return false
	}
	p.idle.busy[g] = true
	for _, name := range in.records {
		p.seen[name] = true
	}
	return true
}

// Has says whether samples of a name were scraped, or may be recorded. Those of other rules' alerts
// always may be.
func (p *Prometheus) Has(name string) bool { return name == alertsName || p.seen[name] }
