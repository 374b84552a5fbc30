package proof

import (
	"context"
	"math"
	"strconv"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
)

// lastBuckets finds, for each recorded histogram, the smallest last finite bound of all
// engines: above it no quantile can be.
func lastBuckets(ctx context.Context, all []*played) map[string]float64 {
	out := map[string]float64{}
	for _, p := range all {
		vec, _, err := p.prometheus.Instant(ctx, `group by (__name__, backend, model, le) (last_over_time({__name__=~"llm_.+_bucket", le!="+Inf"}[1d]))`, p.replay.Length)
		if err != nil {
			continue
		}
		of := map[string]float64{}
		for _, s := range vec {
			le, err := strconv.ParseFloat(s.Metric.Get(labels.BucketLabel), 64)
			key := s.Metric.Get("backend") + "\x00" + s.Metric.Get("model") + "\x00" + strings.TrimSuffix(s.Metric.Get(model.MetricNameLabel), "_bucket")
			if err == nil && (le > of[key] || of[key] == 0) {
				of[key] = le
			}
		}
		for key, last := range of {
			name := key[strings.LastIndexByte(key, 0)+1:]
			if old, ok := out[name]; !ok || last < old {
				out[name] = math.Min(last, math.MaxFloat64)
			}
		}
	}
	return out
}
