package proof

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/llmfleet/llmfleet/rules/lint"
)

// mutant is a rule with one mistake in it.
type mutant struct {
	Name string // what was done; rules/survivors.go lists it by this text
	Rule parsedRule
	// shownBy says whether a larger fleet, with several of a label or another one beside, may show it;
	// nil: none may.
	shownBy func(label string) bool
}

// mutantsOf makes every mutant of a rule: those of its thresholds, of each place of its expression, and
// of an alert's hold times. expr is the expression before keys were replaced.
func mutantsOf(groups []rules.Group, s rules.Settings, rule parsedRule, expr string) ([]mutant, error) {
	m := mutator{rule: rule, siblings: siblingsIn(groups), seen: map[string]bool{rule.expr.String(): true}}
	err := m.thresholds(groups, s, expr)
	if err == nil {
		err = m.expressions()
	}
	if err != nil {
		return nil, fmt.Errorf("rule %q: %w", cmp.Or(rule.Alert, rule.Record), err)
	}
	if rule.For > 0 {
		without := rule
		without.For = 0
		m.out = append(m.out, mutant{Name: "for dropped", Rule: without})
	}
	if rule.KeepFiringFor > 0 {
		without := rule
		without.KeepFiringFor = 0
		m.out = append(m.out, mutant{Name: "keep_firing_for dropped", Rule: without})
	}
	return m.out, nil
}

type mutator struct {
	rule     parsedRule
	siblings map[string]string
	seen     map[string]bool // expressions that are there already
	out      []mutant
}

// add makes a mutant of what a rule's expression has become, unless there is one already.
func (m *mutator) add(name, expr string, shownBy func(label string) bool) error {
	other := m.rule.Rule
	if other.Expr = lint.Canonical(expr); m.seen[other.Expr] {
		return nil
	}
	m.seen[other.Expr] = true
	r, err := parsed(other)
	if err != nil {
		return fmt.Errorf("mutant %q: %w", name, err)
	}
	m.out = append(m.out, mutant{name, r, shownBy})
	return nil
}

// thresholds renders the expression with each of its keys ten times larger and smaller.
func (m *mutator) thresholds(groups []rules.Group, s rules.Settings, source string) error {
	for _, t := range rules.AllThresholds(groups) {
		if !slices.Contains(rules.Keys(source), t.Key) {
			continue
		}
		v := s.Value(t)
		tooLong := func(v float64) bool { return t.Unit == rules.DurationUnit && v >= longestIncident.Seconds() }
		for _, f := range []struct {
			sign  string
			value float64
		}{{"×10", v * 10}, {"÷10", v / 10}} {
			if tooLong(v) && tooLong(f.value) {
				continue
			}
			other := s
			other.Thresholds = maps.Clone(s.Thresholds)
			if other.Thresholds == nil {
				other.Thresholds = map[string]float64{}
			}
			other.Thresholds[t.Key] = f.value
			expr, err := rules.Expand(source, groups, other)
			if err != nil {
				return err
			}
			if err := m.add("threshold "+t.Key+" "+f.sign, expr, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// expressions applies each mutation to a tree of its own.
func (m *mutator) expressions() error {
	for i := 0; ; i++ {
		root, err := lint.Parser.ParseExpr(m.rule.Expr)
		if err != nil {
			return err
		}
		all, err := mutations(&root, m.sibling)
		if err != nil || i >= len(all) {
			return err
		}
		all[i].apply()
		if err := m.add(all[i].name, root.String(), all[i].shownBy); err != nil {
			return err
		}
	}
}

// sibling is the series whose name is written in place of another's by mistake: one of the same kind,
// unit and labels. Where there is none it is a name that does not exist.
func (m *mutator) sibling(name string) string {
	if other := m.siblings[name]; other != "" {
		return other
	}
	for _, suffix := range []string{"_bucket", "_sum", "_count"} { // of histograms
		if stem, ok := strings.CutSuffix(name, suffix); ok && m.siblings[stem] != "" {
			return m.siblings[stem] + suffix
		}
	}
	return name + "_renamed"
}

// siblingsIn finds for each series and recorded name the one that it is most easily mistaken for.
func siblingsIn(groups []rules.Group) map[string]string {
	alike := map[string][]string{} // by what they measure, of what
	add := func(name string, labels []string, kind ...any) {
		key := fmt.Sprint(kind, slices.Sorted(slices.Values(labels)))
		alike[key] = append(alike[key], name)
	}
	for _, s := range catalog.All() {
		add(s.Name, s.Labels, s.Kind, s.Unit)
	}
	for _, g := range groups {
		for _, r := range g.Records {
			add(r.Name, r.Labels, "record", r.Unit)
		}
	}
	out := map[string]string{}
	for _, names := range alike {
		for _, name := range names {
			out[name] = mostAlike(name, names)
		}
	}
	return out
}

// mostAlike is the other name that begins most like a name, "" if there is no other.
func mostAlike(name string, names []string) string {
	best, length := "", -1
	for _, other := range names {
		if n := sharedBeginning(name, other); other != name && n > length {
			best, length = other, n
		}
	}
	return best
}

func sharedBeginning(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
