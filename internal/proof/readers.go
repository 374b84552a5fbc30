package proof

import (
	"slices"

	"github.com/llmfleet/llmfleet/rules/lint"
)

// readers are what reads a recorded name, directly or through other recorded names.
type readers struct {
	records     []parsedRule // each after those that it reads
	alerts      []alertRule
	expressions []Expression // that say what they show
	own         bool         // one of them decides by numbers of the user's own, and its cases say nothing
}

// readersOf finds them among all rules and panels.
func (r *run) readersOf(record string) readers {
	var out readers
	reached := map[string]bool{record: true}
	reads := func(names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return reached[name] })
	}
	for range r.rendered { // a name may be recorded in a later group than its reader
		for _, rec := range r.recordRules {
			if !reached[rec.Name] && reads(rec.rule.names) {
				reached[rec.Name] = true
				out.records = append(out.records, rec.rule)
			}
		}
	}
	for _, a := range r.alertRules {
		if reads(a.rule.names) {
			out.own = out.own || len(r.own.Of(a.Alert)) > 0
			out.alerts = append(out.alerts, a)
		}
	}
	for _, e := range r.Expressions {
		if len(e.Shows) > 0 && reads(namesIn(e.Text)) {
			out.own = out.own || moves(r.own, e)
			out.expressions = append(out.expressions, e)
		}
	}
	return out
}

// namesIn are the names that a panel's expression selects; one that cannot be parsed has none, which is said
// when it is evaluated.
func namesIn(text string) []string {
	expr, err := lint.Parser.ParseExpr(text)
	if err != nil {
		return nil
	}
	return lint.Names(expr)
}

// casesFirst are all replays that show something: those of the readers' cases before the others.
func (r *run) casesFirst(who readers) []*played {
	var out []*played
	seen := map[*played]bool{}
	add := func(p *played) {
		if p != nil && !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	for _, a := range who.alerts {
		for _, c := range a.Cases {
			add(r.caseReplay(c))
		}
	}
	for _, e := range who.expressions {
		for _, s := range e.Shows {
			add(r.byDefault[s.Recording])
		}
	}
	for _, p := range r.played {
		if p.replay.IsDefault() {
			add(p)
		}
	}
	return out
}

// readsWanted says whether an alert reads a recorded name that is to be tried: its cases are those of the record.
func (r *run) readsWanted(alert string) bool {
	if r.Only == nil {
		return false
	}
	found := false
	r.records(func(rec recordRule) {
		found = found || slices.ContainsFunc(r.readersOf(rec.Name).alerts, func(a alertRule) bool { return a.Name == alert })
	})
	return found
}
