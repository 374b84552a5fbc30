package ruletest

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// inputSeries are the series that an alert selects, directly or through recorded names, and those
// that its texts look up.
func (w *writer) inputSeries(ctx context.Context, p *replay.Prometheus, length time.Duration, a alert) ([]inputSeries, error) {
	series := map[string][]float64{}
	selectors := w.selectors(a.expr, 0)
	for _, text := range a.rule.Annotations {
		for _, name := range w.vocabulary.Names() {
			if strings.Contains(text, name+"{") {
				selectors = append(selectors, []*labels.Matcher{labels.MustNewMatcher(labels.MatchEqual, model.MetricNameLabel, name)})
			}
		}
	}
	for _, matchers := range selectors {
		if err := samples(ctx, p, length, matchers, series); err != nil {
			return nil, err
		}
	}
	var out []inputSeries
	for _, s := range slices.Sorted(maps.Keys(series)) {
		out = append(out, inputSeries{s, notation(sinceStart(s, series[s]))})
	}
	return out, nil
}

func (w *writer) selectors(expr parser.Expr, depth int) [][]*labels.Matcher {
	if depth > 5 {
		return nil
	}
	var out [][]*labels.Matcher
	for _, m := range parser.ExtractSelectors(expr) {
		if record := w.records[nameOf(m)]; record != nil {
			out = append(out, w.selectors(record, depth+1)...)
			continue
		}
		out = append(out, m)
	}
	return out
}

func nameOf(matchers []*labels.Matcher) string {
	for _, m := range matchers {
		if m.Name == model.MetricNameLabel {
			return m.Value
		}
	}
	return ""
}
