package ruletest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
)

// absent marks a step at which a series has no sample. It is a NaN of its own.
var absent = math.Float64frombits(0x7ff80000000a5a5a)

// samples adds the raw samples of the selected series, one slot per step.
func samples(ctx context.Context, p *replay.Prometheus, length time.Duration, matchers []*labels.Matcher, into map[string][]float64) error {
	q, err := p.Querier(replay.Millis(0), replay.Millis(length))
	if err != nil {
		return err
	}
	defer q.Close()
	steps := int(length/replay.StepLength) + 1
	set := q.Select(ctx, false, nil, matchers...)
	var it chunkenc.Iterator
	for set.Next() {
		s := set.At()
		values := make([]float64, steps)
		for i := range values {
			values[i] = absent
		}
		it = s.Iterator(it)
		for it.Next() == chunkenc.ValFloat {
			t, v := it.At()
			values[replay.TimeOf(t)/replay.StepLength] = v
		}
		if err := it.Err(); err != nil {
			return err
		}
		into[seriesText(s.Labels())] = values
	}
	return set.Err()
}

// seriesText is a series as people write it: the name before the labels.
func seriesText(ls labels.Labels) string {
	return fmt.Sprintf("%s{%s}", ls.Get(model.MetricNameLabel), replay.LabelText(ls, model.MetricNameLabel))
}

// sinceStart moves the values of a series of timestamps, which are seconds since 1970, to seconds
// since the start of the replay: promtool begins its tests in 1970.
func sinceStart(series string, values []float64) []float64 {
	name, _, _ := strings.Cut(series, "{")
	if !isTimestamp(name) {
		return values
	}
	out := slices.Clone(values)
	for i, v := range out {
		if !math.IsNaN(v) {
			out[i] = v - float64(replay.Epoch.Unix())
		}
	}
	return out
}

func isTimestamp(name string) bool {
	s := catalog.ByName(name)
	return s != nil && s.Unit == catalog.Timestamp
}

// notation writes samples as promtool reads them: 1x3 is four ones, 1+2x3 is 1 3 5 7, _x3 is
// three times nothing. What was never there after its last sample is left out.
func notation(values []float64) string {
	var out []string
	for i := 0; i < len(values); {
		item, n := nextItem(values[i:])
		out = append(out, item)
		i += n
	}
	return strings.Join(out, " ")
}

func nextItem(v []float64) (item string, n int) {
	same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
	n = 1
	for n < len(v) && same(v[n], v[0]) {
		n++
	}
	switch {
	case same(v[0], absent):
		return fmt.Sprintf("_x%d", n), n
	case value.IsStaleNaN(v[0]):
		return "stale", 1
	case n > 1:
		return fmt.Sprintf("%sx%d", number(v[0]), n-1), n
	}
	if n = linear(v); n > 2 {
		return fmt.Sprintf("%s%s%sx%d", number(v[0]), sign(v[1]-v[0]), number(math.Abs(v[1]-v[0])), n-1), n
	}
	return number(v[0]), 1
}

// linear counts how many values from the first on differ by the same step, added up as
// promtool does.
func linear(v []float64) int {
	if len(v) < 2 {
		return 1
	}
	step, sum := v[1]-v[0], v[0]
	n := 1
	for n < len(v) && sum+step == v[n] {
		sum += step
		n++
	}
	return n
}

func sign(f float64) string {
	if f < 0 {
		return "-"
	}
	return "+"
}

func number(f float64) string {
	if math.IsNaN(f) {
		return "NaN"
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}
