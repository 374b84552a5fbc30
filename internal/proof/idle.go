package proof

import (
	"github.com/prometheus/prometheus/promql/parser"
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
	always  bool // a rule has results of its own: absent(x), vector(1)
	selects []string
	records []string
}

func newIdleGroups(groups []*promrules.Group) idleGroups {
	out := idleGroups{inputs: map[*promrules.Group]groupInput{}, busy: map[*promrules.Group]bool{}}
	for _, g := range groups {
		var in groupInput
		for _, r := range g.Rules() {
			in.selects = append(in.selects, namesIn(r.Query())...)
			in.always = in.always || hasOwnResults(r.Query())
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
func (i idleGroups) wakes(g *promrules.Group, seen map[string]bool) bool {
	if i.busy[g] {
		return true
	}
	in := i.inputs[g]
	for _, name := range in.selects {
		in.always = in.always || seen[name]
	}
	if in.always {
		i.busy[g] = true
		for _, name := range in.records {
			seen[name] = true
		}
	}
	return in.always
}

// hasOwnResults says whether an expression may have a result where no series is.
func hasOwnResults(e parser.Expr) bool {
	own, selects := false, false
	parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
		switch n := n.(type) {
		case *parser.VectorSelector:
			selects = true
			own = own || n.Name == "" || n.Name == alertsName // of any name, or of other rules
		case *parser.Call:
			switch n.Func.Name {
			case "absent", "absent_over_time", "vector", "scalar", "time":
				own = true
			}
		}
		return nil
	})
	return own || !selects
}
