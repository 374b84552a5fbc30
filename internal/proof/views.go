package proof

import (
	"context"
	"slices"

	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/prometheus/model/rulefmt"
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
func (r *run) views(ctx context.Context, a alertRule) []view {
	return r.alertViews.of(a.Name, func() []view { return r.viewsOf(ctx, a) })
}

// viewsOf makes the views of an alert in which it does what its case says.
func (r *run) viewsOf(ctx context.Context, a alertRule) []view {
	var split, beside []view
	names, own := r.namesBehind(a.rule.names), incidentLabels(a.Alert)
	var firing, quiet int
	for _, c := range a.Cases {
		p := r.caseReplay(c)
		if p == nil || p.isFleet() {
			continue
		}
		if len(c.Fires) == 0 {
			if quiet++; quiet <= casesPerAlert {
				beside = append(beside, r.besideViews(ctx, a.Alert, c, p.labelsLike(ctx, own), names)...)
			}
			continue
		}
		if firing++; firing > casesPerAlert {
			continue
		}
		if firing == 1 {
			beside = append(beside, r.besideViews(ctx, a.Alert, c, own, names)...)
		}
		for _, s := range r.splits(ctx, p, a.rule.expr, names) {
			split = append(split, view{name: s.name, Case: c, on: p, data: s.data, label: s.label})
		}
	}
	return slices.DeleteFunc(append(split, beside...), func(v view) bool {
		noticed, err := v.notices(ctx, r, v.data, a.Alert, a.rule.Rule)
		return noticed || err != nil
	})
}

// isFleet says whether a replay is one of several hosts already: a view of ten would be of a hundred.
func (p *played) isFleet() bool { return p.replay.Edit != nil && len(p.replay.Edit.Beside) > 0 }

// casesPerAlert is how many of an alert's firing cases, and of its quiet ones, are seen on larger fleets.
const casesPerAlert = 3

// notices says whether an alert does something else in a view than its case says.
func (v view) notices(ctx context.Context, r *run, data storage.Queryable, a *rules.Alert, rule rulefmt.Rule) (bool, error) {
	spans, err := replay.SpansOf(ctx, data, rule, v.on.replay.Length)
	if err != nil {
		return true, ctx.Err()
	}
	spans = slices.DeleteFunc(r.asWritten(spans), func(s *replay.Span) bool { return v.other != "" && s.Labels.Get(v.label) == v.other })
	return len(checkCase(v.Case, a.Name, v.name, replay.WithSummaries(ctx, data, rule, spans), true)) > 0, nil
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
	return r.panelViews.of(e.Key, func() []shownView { return r.shownViewsOf(ctx, e) })
}

// shownViewsOf makes the views of a panel in which it shows what its cases say.
func (r *run) shownViewsOf(ctx context.Context, e Expression) []shownView {
	expr, err := lint.Parser.ParseExpr(e.Text)
	if err != nil {
		return nil // said when it is evaluated
	}
	var out []shownView
	for _, s := range e.Shows {
		p := r.byDefault[s.Recording]
		if p == nil {
			continue
		}
		for _, split := range r.splits(ctx, p, expr, r.namesBehind(lint.Names(expr))) {
			if len(shownIn(ctx, split.data, e, s)) == 0 {
				out = append(out, shownView{e, s, p, split.data, split.label})
			}
		}
	}
	return out
}
