package proof

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/llmfleet/llmfleet/rules"
	"github.com/prometheus/prometheus/promql"
)

// checkAllEvidence computes every statistic of every threshold, and refuses a threshold that
// nothing speaks for.
func (r *run) checkAllEvidence(ctx context.Context) error {
	for _, t := range rules.AllThresholds(r.Groups) {
		r.report.threshold(t)
		for _, e := range t.Evidence {
			if e.Statistic == "" {
				continue
			}
			problems := r.checkEvidence(ctx, t, e)
			r.report.Evidence++
			r.report.count(&r.report.Within, len(problems) == 0)
			for _, p := range problems {
				r.report.fail("evidence: %s", p)
			}
		}
	}
	return nil
}

// checkEvidence computes a threshold's statistic on its recordings again, and compares both
// sides' distance from the threshold. Evidence without a statistic names a source only.
func (r *run) checkEvidence(ctx context.Context, t *rules.Threshold, e rules.Evidence) []string {
	limit := r.Settings.Value(t)
	expr, err := rules.Expand(e.Statistic, r.Groups, r.Settings)
	if err != nil {
		return []string{err.Error()}
	}
	var problems []string
	if e.Margin <= 1 {
		problems = append(problems, fmt.Sprintf("margin %g is no distance; it must be above 1", e.Margin))
	}
	side := func(recordings []string, loud bool) {
		for _, name := range recordings {
			if p := r.checkSide(ctx, expr, name, sideOf{limit, e.Margin, e.Above, loud}); p != "" {
				problems = append(problems, fmt.Sprintf("threshold %s = %s: %s: %s", t.Key, t.Text(limit), name, p))
			}
		}
	}
	side(e.Healthy, false)
	side(e.Incident, true)
	if len(e.Healthy)+len(e.Incident) == 0 {
		problems = append(problems, "a statistic without recordings proves nothing")
	}
	return problems
}

// sideOf says on which side of a threshold a value must lie, and how far from it.
type sideOf struct {
	limit, margin float64
	above         bool // loud is above
	loud          bool
}

// holds compares one value.
func (s sideOf) holds(v float64) bool {
	if s.above == s.loud {
		return v >= s.limit*s.margin
	}
	return v*s.margin <= s.limit
}

func (s sideOf) String() string {
	name := map[bool]string{true: "incident", false: "healthy"}[s.loud]
	if s.above == s.loud {
		return fmt.Sprintf("%s side is at least %.4g", name, s.limit*s.margin)
	}
	return fmt.Sprintf("%s side is at most %.4g", name, s.limit/s.margin)
}

// checkSide evaluates a statistic at the end of a recording: of a healthy one every result
// must be on the quiet side, of an incident at least one on the loud side.
func (r *run) checkSide(ctx context.Context, expr, name string, s sideOf) string {
	p := r.byDefault[name]
	if p == nil {
		return "no such recording"
	}
	vec, remarks, err := p.prometheus.Instant(ctx, expr, p.replay.Length)
	switch {
	case err != nil:
		return err.Error()
	case len(remarks) > 0:
		return "PromQL remarks: " + remarks[0]
	}
	if vec = numbers(vec); len(vec) == 0 {
		return "the statistic has no result"
	}
	holds := func(v promql.Sample) bool { return s.holds(v.F) }
	failing := slices.IndexFunc(vec, func(v promql.Sample) bool { return !holds(v) })
	if failing < 0 || s.loud && slices.ContainsFunc(vec, holds) {
		return ""
	}
	return fmt.Sprintf("the statistic is %.4g, the %s", vec[failing].F, s)
}

func numbers(vec promql.Vector) promql.Vector {
	var out promql.Vector
	for _, s := range vec {
		if !math.IsNaN(s.F) {
			out = append(out, s)
		}
	}
	return out
}
