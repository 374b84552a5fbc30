package proof

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
)

// series is one series with all its samples, stale markers too.
type series struct {
	labels labels.Labels
	points []promql.FPoint
}

// seriesOf reads all series of a name.
func (p *played) seriesOf(ctx context.Context, name string) []series {
	q, err := p.prometheus.Querier(replay.Millis(0), replay.Millis(p.replay.Length))
	if err != nil {
		return nil
	}
	defer q.Close()
	var out []series
	set := q.Select(ctx, true, nil, labels.MustNewMatcher(labels.MatchEqual, model.MetricNameLabel, name))
	for set.Next() {
		s := series{labels: set.At().Labels()}
		for it := set.At().Iterator(nil); it.Next() == chunkenc.ValFloat; {
			t, v := it.At()
			s.points = append(s.points, promql.FPoint{T: t, F: v})
		}
		out = append(out, s)
	}
	return out
}

// parts is how many a split makes of one.
const parts = 5

// split makes several series of one, each with its part of what was counted. Levels are so many times that of
// the first elsewhere; 0: an amount is shared like a count. What is no number both have.
func (s series) split(label string, elsewhere float64) []series {
	known, was := catalogSeries(s.labels.Get(model.MetricNameLabel)), s.labels.Get(label)
	if known == nil || !slices.Contains(known.Labels, label) || label == catalog.LabelRank && was != "" {
		return []series{s}
	}
	out := make([]series, parts)
	for i := range out {
		own := was
		if i > 0 || was == "" {
			own += fmt.Sprint(i)
		}
		out[i].labels = labels.NewBuilder(s.labels).Set(label, own).Labels()
		factor := s.partOf(known, i, elsewhere)
		for _, p := range s.points {
			if !value.IsStaleNaN(p.F) {
				p.F *= factor
			}
			out[i].points = append(out[i].points, p)
		}
	}
	return out
}

// isLevelOf says whether a name is a level, and may have a label.
func isLevelOf(name, label string) bool {
	known := catalogSeries(name)
	return known != nil && known.Kind == catalog.Gauge && slices.Contains(known.Labels, label)
}

// partOf is the i-th part of a series.
func (s series) partOf(known *catalog.Series, i int, elsewhere float64) float64 {
	le := s.labels.Get(catalog.LabelLE)
	switch {
	case le != "" && le[len(le)-1]%2 == 0: // not every bucket alike: what is slow for one is not for all
		return []float64{0.6, 0.1, 0.1, 0.1, 0.1}[i]
	case known.Kind == catalog.Counter || known.Kind == catalog.Histogram || known.Kind == catalog.Gauge && isAmount(known.Unit) && elsewhere == 0:
		return 1.0 / parts
	case known.Kind != catalog.Gauge || known.Unit == catalog.Boolean || i == 0 || elsewhere == 0:
		return 1
	}
	return elsewhere
}

func isAmount(u catalog.Unit) bool {
	return u == catalog.Requests || u == catalog.Tokens || u == catalog.Count
}

// catalogSeries finds what a sample's name is of, nil if it is not of the catalog.
func catalogSeries(name string) *catalog.Series {
	for _, suffix := range []string{"", "_bucket", "_sum", "_count"} {
		if s := catalog.ByName(strings.TrimSuffix(name, suffix)); s != nil && strings.HasSuffix(name, suffix) {
			return s
		}
	}
	return nil
}
