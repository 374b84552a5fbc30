package replay

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/timestamp"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
	"github.com/prometheus/prometheus/util/annotations"
)

// Epoch is second 0 of every replay. It lies after the recordings were made, so that start
// times in them are in the past.
var Epoch = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)

// engine evaluates for every storage; it holds no state of any.
var engine = promql.NewEngine(promql.EngineOpts{
	MaxSamples:           50_000_000,
	Timeout:              time.Minute,
	LookbackDelta:        5 * time.Minute,
	EnableAtModifier:     true,
	EnableNegativeOffset: true,
	Parser:               lint.Parser,
})

// Storage is the time series of one replay: Prometheus' own storage in a temporary folder,
// without a log, since it lives no longer than the process.
type Storage struct {
	*tsdb.DB
	dir string
}

func newStorage() (*Storage, error) {
	dir, err := os.MkdirTemp("", "llmfleet-replay-")
	if err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	opts := tsdb.DefaultOptions()
	opts.WALSegmentSize = -1 // no write-ahead log
	opts.RetentionDuration = 0
	opts.MinBlockDuration = (240 * time.Hour).Milliseconds() // everything stays in the head, and half of it may still be written
	opts.MaxBlockDuration = opts.MinBlockDuration
	opts.BlockReloadInterval = 24 * time.Hour // nothing in the background: it would write to the folder
	opts.StripeSize = 1024                    // a replay has hundreds of series, not millions
	db, err := tsdb.Open(dir, nil, nil, opts, tsdb.NewDBStats())
	if err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("storage: %w", err)
	}
	db.DisableCompactions()
	return &Storage{DB: db, dir: dir}, nil
}

// Close frees the storage and its folder.
func (s *Storage) Close() error {
	err := s.DB.Close()
	if removeErr := os.RemoveAll(s.dir); err == nil {
		err = removeErr
	}
	return err
}

// Instant evaluates an expression at one second of the replay.
func (s *Storage) Instant(ctx context.Context, expr string, at time.Duration) (promql.Vector, []string, error) {
	return Instant(ctx, s, expr, at)
}

// Instant evaluates an expression over any data at one second of a replay. remarks are PromQL's warnings
// and infos.
func Instant(ctx context.Context, data storage.Queryable, expr string, at time.Duration) (promql.Vector, []string, error) {
	q, err := engine.NewInstantQuery(ctx, data, nil, expr, Epoch.Add(at))
	if err != nil {
		return nil, nil, err
	}
	defer q.Close()
	res := q.Exec(ctx)
	if res.Err != nil {
		return nil, nil, res.Err
	}
	vec, err := asVector(res)
	return vec, remarks(expr, res.Warnings), err
}

// asVector turns any instant result into a vector that outlives its query.
func asVector(res *promql.Result) (promql.Vector, error) {
	switch v := res.Value.(type) {
	case promql.Vector:
		return append(promql.Vector(nil), v...), nil
	case promql.Scalar:
		return promql.Vector{{T: v.T, F: v.V, Metric: labels.EmptyLabels()}}, nil
	}
	return nil, fmt.Errorf("result is a %s, not a vector", res.Value.Type())
}

// Range evaluates an expression at every step from second 0 to the end, as a panel does.
func (s *Storage) Range(ctx context.Context, expr string, end, step time.Duration) (promql.Matrix, []string, error) {
	return Range(ctx, s, expr, end, step)
}

// Range evaluates an expression over any data at every step from second 0 to the end.
func Range(ctx context.Context, data storage.Queryable, expr string, end, step time.Duration) (promql.Matrix, []string, error) {
	q, err := engine.NewRangeQuery(ctx, data, nil, expr, Epoch, Epoch.Add(end), step)
	if err != nil {
		return nil, nil, err
	}
	defer q.Close()
	res := q.Exec(ctx)
	if res.Err != nil {
		return nil, nil, res.Err
	}
	m, err := res.Matrix()
	if err != nil {
		return nil, nil, err
	}
	return copyMatrix(m), remarks(expr, res.Warnings), nil
}

// copyMatrix keeps a result after its query gave its memory back.
func copyMatrix(m promql.Matrix) promql.Matrix {
	out := make(promql.Matrix, len(m))
	for i, s := range m {
		out[i] = promql.Series{Metric: s.Metric, Floats: append([]promql.FPoint(nil), s.Floats...)}
	}
	return out
}

// remarks are PromQL's warnings and infos; to the proof each is a mistake.
func remarks(expr string, a annotations.Annotations) []string {
	warnings, infos := a.AsStrings(expr, 0, 0)
	return append(warnings, infos...)
}

// Millis is a time of a replay as storage keeps it.
func Millis(at time.Duration) int64 { return timestamp.FromTime(Epoch.Add(at)) }

// TimeOf is the time of a replay that storage keeps as Millis.
func TimeOf(millis int64) time.Duration { return time.Duration(millis-Millis(0)) * time.Millisecond }
