package proof

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/prometheus/prometheus/model/labels"
)

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
		if p.replay.IsDefault() && !slices.ContainsFunc(names, func(name string) bool { return !p.has(name) }) {
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
	out["instance"] = cmp.Or(out["instance"], replay.Instance)
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
	return slices.DeleteFunc(p.labelValues(ctx, label), func(s string) bool { return s == replay.PrometheusProgram })
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
