package proof

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/prometheus/prometheus/promql"
)

// errNaN is a recording rule that stores what no comparison lets through, and what makes every
// average over it a NaN too.
var errNaN = errors.New("records NaN")

func hasNaN(m promql.Matrix) bool {
	return slices.ContainsFunc(m, func(s promql.Series) bool {
		return slices.ContainsFunc(s.Floats, func(p promql.FPoint) bool { return math.IsNaN(p.F) })
	})
}

// checkNaN says on which replays a recording rule stores NaN.
func (r *run) checkNaN(ctx context.Context, rule parsedRule) []string {
	var out []string
	for _, p := range r.played {
		if !rule.need.Met(p.has) {
			continue
		}
		if m, err := p.recorded(ctx, rule); err != nil || hasNaN(m) {
			out = append(out, fmt.Sprintf("on %s: %v", p.replay, cmp.Or(err, errNaN)))
		}
	}
	return out
}
