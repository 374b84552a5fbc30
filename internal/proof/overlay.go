package proof

import (
	"context"
	"slices"
	"time"

	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/util/annotations"
)

// overlay is a replay's storage in which some names have other series: recorded ones those of a mutated
// rule and of the rules that read it, any those of a larger fleet. Who reads them need not be rewritten.
type overlay struct {
	storage.Queryable
	series map[string][]storage.Series // by name; no series hides all of that name
}

func newOverlay(p *played) *overlay {
	return &overlay{Queryable: p.prometheus, series: map[string][]storage.Series{}}
}

// set puts series in the place of those of a name, every sample as it is.
func (o *overlay) set(name string, all []series) {
	out := []storage.Series{} // not nil: there is nothing of this name any more
	for _, s := range all {
		out = append(out, listed(s))
	}
	slices.SortFunc(out, func(a, b storage.Series) int { return labels.Compare(a.Labels(), b.Labels()) })
	o.series[name] = out
}

// listed is a series that is at hand.
func listed(s series) storage.Series {
	samples := chunkenc.NewXORChunk()
	if app, err := samples.Appender(); err == nil { // of an empty chunk there is always one
		for _, p := range s.points {
			app.Append(0, p.T, p.F)
		}
	}
	return &storage.SeriesEntry{Lset: s.labels, SampleIteratorFn: samples.Iterator}
}

// record puts results in the place of a recorded name's series, as a rule evaluated at each step
// would have left them.
func (o *overlay) record(name string, m promql.Matrix, pace, end time.Duration) {
	all := make([]series, len(m))
	for i, s := range m {
		all[i] = series{s.Metric, replay.WithStaleMarkers(s.Floats, pace, end)}
	}
	o.set(name, all)
}

// has says whether a name is one of those that differ.
func (o *overlay) has(name string) bool { return o.series[name] != nil }

// Querier reads over all times.
func (o *overlay) Querier(mint, maxt int64) (storage.Querier, error) {
	below, err := o.Queryable.Querier(mint, maxt)
	return overlayQuerier{below, o}, err
}

type overlayQuerier struct {
	storage.Querier
	*overlay
}

// Select takes the series of a name that differs, and all others from below.
func (q overlayQuerier) Select(ctx context.Context, sorted bool, hints *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	for _, m := range matchers {
		if m.Name == model.MetricNameLabel && m.Type == labels.MatchEqual && q.has(m.Value) {
			return &seriesList{left: slices.DeleteFunc(slices.Clone(q.series[m.Value]), func(s storage.Series) bool { return !matchesAll(s.Labels(), matchers) })}
		}
	}
	return q.Querier.Select(ctx, sorted, hints, matchers...)
}

func matchesAll(ls labels.Labels, matchers []*labels.Matcher) bool {
	return !slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(ls.Get(m.Name)) })
}

// seriesList is series that are at hand.
type seriesList struct {
	now  storage.Series
	left []storage.Series
}

// Next goes on to the next series.
func (l *seriesList) Next() bool {
	if len(l.left) == 0 {
		return false
	}
	l.now, l.left = l.left[0], l.left[1:]
	return true
}

// At is the series.
func (l *seriesList) At() storage.Series { return l.now }

// Err is never one.
func (l *seriesList) Err() error { return nil }

// Warnings are none.
func (l *seriesList) Warnings() annotations.Annotations { return nil }
