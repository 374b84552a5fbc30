package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/dashboards"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// Kind says what an item of the bundle is.
type Kind string

// The kinds.
const (
	Alert  Kind = "alert"
	Record Kind = "record" // a recording rule
	Panel  Kind = "panel"
)

// item is a rule or a panel of the bundle. A panel is judged by each of its queries.
type item struct {
	kind  Kind
	key   string // LlmQueueStuck, capacity/waiting
	title string // of a panel: Capacity and reuse › Requests waiting
	exprs []parser.Expr
	rule  *rulefmt.Rule // nil: a panel
}

// bundle is everything that is checked, and the means to see through recorded names.
type bundle struct {
	settings rules.Settings
	groups   []rules.RuleGroup
	items    []*item
	records  map[string]parser.Expr // of the recording rules, by name
}

// newBundle is what llmfleet generate writes with these settings.
func newBundle(s rules.Settings) (*bundle, error) {
	groups, err := rules.Render(rules.Groups(), s)
	if err != nil {
		return nil, err
	}
	b := &bundle{settings: s, groups: groups, records: map[string]parser.Expr{}}
	for _, g := range groups {
		for i := range g.Rules.Rules {
			if err := b.addRule(&g.Rules.Rules[i]); err != nil {
				return nil, err
			}
		}
	}
	// A person knows the alerts; what is recorded for them comes after.
	slices.SortStableFunc(b.items, func(x, y *item) int { return cmp.Compare(x.kind, y.kind) })
	return b, b.addPanels()
}

func (b *bundle) addRule(r *rulefmt.Rule) error {
	it := &item{kind: Alert, key: r.Alert, rule: r}
	if r.Record != "" {
		it.kind, it.key = Record, r.Record
	}
	expr, err := lint.Parser.ParseExpr(r.Expr)
	if err != nil {
		return fmt.Errorf("rule %q: %w", it.key, err)
	}
	if r.Record != "" {
		b.records[r.Record] = expr
	}
	it.exprs = []parser.Expr{expr}
	b.items = append(b.items, it)
	return nil
}

// addPanels adds the panels with everything chosen. Queries that only explain a gap are empty
// when all is well, and variables and annotations stand on what panels stand on.
func (b *bundle) addPanels() error {
	all, err := dashboards.Expressions(rules.Groups(), b.settings)
	if err != nil {
		return err
	}
	titles, err := panelTitles(b.settings)
	if err != nil {
		return err
	}
	for _, e := range all {
		if e.Explains || strings.HasPrefix(e.Key, "variable/") || strings.HasPrefix(e.Key, "annotation/") {
			continue
		}
		text, err := dashboards.Substitute(e.Text, nil, b.settings)
		if err != nil {
			return fmt.Errorf("panel query %q: %w", e.Key, err)
		}
		expr, err := lint.Parser.ParseExpr(text)
		if err != nil {
			return fmt.Errorf("panel query %q: %w", e.Key, err)
		}
		panel := e.Key[:strings.LastIndex(e.Key, "/")]
		b.addQuery(panel, titles[panel], expr)
	}
	return nil
}

// panelTitles are what a person looks for in Grafana, by the panel's key: the page and the panel.
func panelTitles(s rules.Settings) (map[string]string, error) {
	out, groups := map[string]string{}, rules.Groups()
	for _, d := range dashboards.All() {
		for _, r := range d.Rows {
			for _, p := range r.Panels {
				title, err := rules.Expand(p.Title, groups, s)
				if err != nil {
					return nil, fmt.Errorf("panel %q: title: %w", p.Key, err)
				}
				out[p.Key] = d.Name() + " › " + title
			}
		}
	}
	return out, nil
}

func (b *bundle) addQuery(panel, title string, expr parser.Expr) {
	i := slices.IndexFunc(b.items, func(it *item) bool { return it.kind == Panel && it.key == panel })
	if i < 0 {
		i = len(b.items)
		b.items = append(b.items, &item{kind: Panel, key: panel, title: title})
	}
	b.items[i].exprs = append(b.items[i].exprs, expr)
}

// seenThrough puts in the place of a recorded name what its rule needs: whether the record has a
// value now depends on the traffic, and whether it can have one on the series below. The name
// itself stays, as a need of a rule that is loaded.
func (b *bundle) seenThrough(n lint.Need, depth int) lint.Need {
	switch {
	case n.Name != "":
		if expr := b.records[n.Name]; expr != nil && depth < len(b.records) {
			return lint.Need{All: []lint.Need{n, b.seenThrough(narrowed(lint.NeedOf(expr), n.Matchers), depth+1)}}
		}
		return n
	case n.Any != nil:
		return lint.Need{Any: b.eachSeenThrough(n.Any, depth)}
	case n.All != nil:
		return lint.Need{All: b.eachSeenThrough(n.All, depth)}
	}
	return n
}

func (b *bundle) eachSeenThrough(parts []lint.Need, depth int) []lint.Need {
	out := make([]lint.Need, len(parts))
	for i, part := range parts {
		out[i] = b.seenThrough(part, depth)
	}
	return out
}

// narrowed adds the matchers of a recorded name to the series below it that have such labels.
func narrowed(n lint.Need, matchers []*labels.Matcher) lint.Need {
	out := lint.Need{Name: n.Name, Matchers: slices.Clone(n.Matchers)}
	s := seriesOf(n.Name)
	for _, m := range matchers {
		recorded := n.Name != "" && s == nil // hands them on
		if m.Name != model.MetricNameLabel && (recorded || s != nil && slices.Contains(s.Labels, m.Name)) {
			out.Matchers = append(out.Matchers, m)
		}
	}
	for _, part := range n.All {
		out.All = append(out.All, narrowed(part, matchers))
	}
	for _, part := range n.Any {
		out.Any = append(out.Any, narrowed(part, matchers))
	}
	return out
}

// needs are those of each expression of an item.
func (b *bundle) needs(it *item) []lint.Need {
	var out []lint.Need
	for _, e := range it.exprs {
		out = append(out, b.seenThrough(lint.NeedOf(e), 0))
	}
	return out
}

// names lists the series that the bundle stands on, the recorded ones left out, sorted.
func (b *bundle) names() []string {
	var out []string
	for _, it := range b.items {
		for _, n := range b.needs(it) {
			n.Leaves(func(leaf lint.Need) {
				if b.records[leaf.Name] == nil {
					out = append(out, leaf.Name)
				}
			})
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// asksForJob says whether an item asks for the exporter by its job.
func (it *item) asksForJob() bool {
	return it.selects(func(vs *parser.VectorSelector) bool { return slices.ContainsFunc(vs.LabelMatchers, isJob) })
}

// selects says whether an item has a selector of a kind.
func (it *item) selects(is func(*parser.VectorSelector) bool) bool {
	found := false
	for _, e := range it.exprs {
		parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
			vs, ok := n.(*parser.VectorSelector)
			found = found || ok && is(vs)
			return nil
		})
	}
	return found
}

// shortWindow is the shortest window of an item that holds fewer scrapes than it must; 0: none.
func (it *item) shortWindow(interval time.Duration) (shortest time.Duration) {
	for _, e := range it.exprs {
		for _, d := range lint.ShortWindows(e, interval) {
			if shortest == 0 || d < shortest {
				shortest = d
			}
		}
	}
	return shortest
}
