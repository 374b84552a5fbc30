package proof

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
)

// An incident is the same incident on a larger fleet: with another host, backend, model or card
// beside it, in whatever state, and with its work done by several ranks, targets or kinds of request
// where there was one. Labels in on(…), without (…) and by (…) are there for that. So the firing
// case of an alert is seen in such views too; they are made of replays that are there already.

// view is an alert's firing case on a larger fleet.
type view struct {
	name string
	rules.Case
	on    *played
	data  *overlay
	label string // that is another, or of which there are several
	other string // the neighbour's, whose own alerts do not count; "" without a neighbour
}

// views are an alert's, made when they are first asked for.
func (r *run) views(ctx context.Context, a *rules.Alert, rule rulefmt.Rule) []view {
	once, _ := r.viewsOnce.LoadOrStore(a.Name, sync.OnceValue(func() []view { return r.viewsOf(ctx, a, rule) }))
	return once.(func() []view)()
}

// viewsOf makes the views of an alert in which it does what its case says.
func (r *run) viewsOf(ctx context.Context, a *rules.Alert, rule rulefmt.Rule) []view {
	var split, beside []view
	names, own := r.namesBehind(rule.Expr), incidentLabels(a)
	var firing, quiet int
	for _, c := range a.Cases {
		p := r.caseReplay(c)
		if p == nil || p.isFleet() {
			continue
		}
		if len(c.Fires) == 0 {
			if quiet++; quiet <= casesPerAlert {
				beside = append(beside, r.besideViews(ctx, a, c, p.labelsLike(ctx, own), names)...)
			}
			continue
		}
		if firing++; firing > casesPerAlert {
			continue
		}
		if firing == 1 {
			beside = append(beside, r.besideViews(ctx, a, c, own, names)...)
		}
		for _, s := range r.splits(ctx, p, rule.Expr, names) {
			split = append(split, view{name: s.name, Case: c, on: p, data: s.data, label: s.label})
		}
	}
	return slices.DeleteFunc(append(split, beside...), func(v view) bool {
		noticed, err := v.notices(ctx, r, v.data, a, rule)
		return noticed || err != nil
	})
}

// isFleet says whether a replay is one of several hosts already: a view of ten would be of a hundred.
func (p *played) isFleet() bool { return p.replay.Edit != nil && len(p.replay.Edit.Beside) > 0 }

// casesPerAlert is how many of an alert's firing cases, and of its quiet ones, are seen on larger fleets.
const casesPerAlert = 3

// notices says whether an alert does something else in a view than its case says.
func (v view) notices(ctx context.Context, r *run, data storage.Queryable, a *rules.Alert, rule rulefmt.Rule) (bool, error) {
	spans, err := spansOf(ctx, data, rule, v.on.replay.Length, StepLength)
	if err != nil {
		return true, ctx.Err()
	}
	spans = slices.DeleteFunc(r.asWritten(spans), func(s *Span) bool { return v.other != "" && s.Labels.Get(v.label) == v.other })
	return len(checkCase(v.Case, a.Name, v.name, withSummaries(ctx, data, rule, spans), true)) > 0, nil
}

// shownView is a panel's case on a larger fleet.
type shownView struct {
	Expression
	Shown
	on    *played
	data  *overlay
	label string
}

// shownViews are a panel's, made when they are first asked for.
func (r *run) shownViews(ctx context.Context, e Expression) []shownView {
	once, _ := r.viewsOnce.LoadOrStore(e.Key, sync.OnceValue(func() (out []shownView) {
		for _, s := range e.Shows {
			p := r.byDefault[s.Recording]
			if p == nil {
				continue
			}
			for _, split := range r.splits(ctx, p, e.Text, r.namesBehind(e.Text)) {
				if len(shownIn(ctx, split.data, e, s)) == 0 {
					out = append(out, shownView{e, s, p, split.data, split.label})
				}
			}
		}
		return out
	}))
	return once.(func() []shownView)()
}

// namesBehind are the names that an expression selects, and those behind recorded ones.
func (r *run) namesBehind(text string) []string {
	var out []string
	var add func(text string)
	add = func(text string) {
		expr, err := lint.Parser.ParseExpr(text)
		if err != nil {
			return
		}
		for _, name := range lint.Names(expr) {
			if slices.Contains(out, name) {
				continue
			}
			out = append(out, name)
			for _, rule := range allRules(r.rendered) {
				if rule.Record == name {
					add(rule.Expr)
				}
			}
		}
	}
	add(text)
	return out
}

// splitReplay is a replay with several of a label where there was one.
type splitReplay struct {
	name, label string
	data        *overlay
}

// splits are a replay whose work is done by several where there was one: for each label that an
// expression adds up over, with levels that are shared, lower or higher elsewhere.
func (r *run) splits(ctx context.Context, p *played, text string, names []string) []splitReplay {
	var out []splitReplay
	for _, label := range r.labelsAddedUp(text, names) {
		for _, levels := range []struct {
			name   string
			factor float64
		}{{"shared", 0}, {"lower", 0.5}, {"higher", 2}} {
			if levels.factor > 0 && !slices.ContainsFunc(names, func(name string) bool { return isLevelOf(name, label) }) {
				continue
			}
			o := newOverlay(p)
			for _, name := range names {
				var all []series
				for _, s := range p.seriesOf(ctx, name) {
					all = append(all, s.split(label, levels.factor)...)
				}
				o.set(name, all)
			}
			out = append(out, splitReplay{fmt.Sprintf("several of each %s, %s levels", label, levels.name), label, o})
		}
	}
	return out
}

// labelsAddedUp are those that an expression, or a recording rule behind it, adds up over.
func (r *run) labelsAddedUp(text string, names []string) []string {
	found := map[string]bool{}
	add := func(text string) {
		expr, err := lint.Parser.ParseExpr(text)
		if err != nil {
			return
		}
		parser.Inspect(expr, func(n parser.Node, _ []parser.Node) error {
			if a, ok := n.(*parser.AggregateExpr); ok && a.Without {
				for _, l := range a.Grouping {
					found[l] = true
				}
			}
			return nil
		})
	}
	add(text)
	for _, rule := range allRules(r.rendered) {
		if slices.Contains(names, rule.Record) {
			add(rule.Expr)
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// besideViews are those of a case with a neighbour that differs in one label from what is looked at.
func (r *run) besideViews(ctx context.Context, a *rules.Alert, c rules.Case, own map[string]string, names []string) []view {
	p := r.caseReplay(c)
	var out []view
	tried := map[*played]bool{}
	for _, q := range r.neighboursOf(a, names) {
		if tried[q] {
			continue
		}
		tried[q] = true
		for _, label := range slices.Sorted(maps.Keys(own)) {
			for _, swaps := range q.swapsTo(ctx, own, label) {
				v := view{name: fmt.Sprintf("beside %s with another %s", q.replay, label), Case: c, on: p, data: newOverlay(p), label: label, other: swaps[label].to}
				for _, name := range names {
					v.data.set(name, append(p.seriesOf(ctx, name), asNeighbours(q.seriesOf(ctx, name), swaps, label)...))
				}
				out = append(out, v)
			}
		}
	}
	return out
}

// neighboursOf are the replays of an alert's other cases, and some that have all that it reads.
func (r *run) neighboursOf(a *rules.Alert, names []string) []*played {
	var out, more []*played
	for _, c := range a.Cases {
		if p := r.caseReplay(c); p != nil && !p.isFleet() {
			out = append(out, p)
		}
	}
	for _, p := range r.played {
		if r.isDefault(p) && !slices.ContainsFunc(names, func(name string) bool { return !p.has(name) }) {
			more = append(more, p)
		}
	}
	const enough = 8
	for i := 0; i < len(more); i += 1 + len(more)/enough {
		out = append(out, more[i])
	}
	return out
}

// incidentLabels are those of an alert's first firing, with instance and job.
func incidentLabels(a *rules.Alert) map[string]string {
	i := slices.IndexFunc(a.Cases, func(c rules.Case) bool { return len(c.Fires) > 0 })
	if i < 0 {
		return nil
	}
	ls, _ := parseLabels(a.Cases[i].Fires[0].Labels)
	out := ls.Map()
	out["instance"] = cmp.Or(out["instance"], Instance)
	out["job"] = cmp.Or(out["job"], rules.DefaultSettings().Job)
	delete(out, catalog.LabelObjective) // a closed set: no neighbour has another
	return out
}

// labelsLike are labels of the same names in another replay.
func (p *played) labelsLike(ctx context.Context, own map[string]string) map[string]string {
	out := map[string]string{}
	for l, v := range own {
		if values := p.valuesOf(ctx, l); len(values) > 0 && !slices.Contains(values, v) {
			v = values[0]
		}
		out[l] = v
	}
	return out
}

// valuesOf are the values of a label, without those of Prometheus itself.
func (p *played) valuesOf(ctx context.Context, label string) []string {
	return slices.DeleteFunc(p.labelValues(ctx, label), func(s string) bool { return s == prometheusProgram })
}

// swap renames one value of a label, and the value that it gets to the one that it had.
type swap struct{ from, to string }

// swapsTo give a neighbour the labels of what is looked at, but for one: each way for what it has several of.
func (p *played) swapsTo(ctx context.Context, own map[string]string, label string) []map[string]swap {
	const ways = 3
	var out []map[string]swap
	for way := range ways {
		swaps, more := map[string]swap{}, false
		for l, v := range own {
			values := p.valuesOf(ctx, l)
			if len(values) == 0 {
				continue
			}
			more = more || way < len(values)
			if l == label {
				v += "-2"
			}
			swaps[l] = swap{values[way%len(values)], v}
		}
		if more {
			out = append(out, swaps)
		}
	}
	return out
}

// asNeighbours renames labels, and leaves out what would be the incident's own.
func asNeighbours(all []series, swaps map[string]swap, label string) []series {
	var out []series
	for _, s := range all {
		b := labels.NewBuilder(s.labels)
		for l, sw := range swaps {
			switch s.labels.Get(l) {
			case sw.from:
				b.Set(l, sw.to)
			case sw.to:
				b.Set(l, sw.from)
			}
		}
		if s.labels.Get(label) == swaps[label].from && swaps[label].from != "" {
			out = append(out, series{b.Labels(), s.points})
		}
	}
	return out
}
