package promapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
)

// mostPoints is how many points of one series a question may ask for, as in Prometheus: a
// screen is not wider, and the mistake of a too small step costs memory.
const mostPoints = 11000

func (s Source) query(r *http.Request) (result, error) {
	at, err := s.timeOf(r, "time", s.Now())
	if err != nil {
		return result{}, err
	}
	return s.exec(r, func(ctx context.Context, expr string) (promql.Query, error) {
		return s.engine.NewInstantQuery(ctx, s.Queryable, nil, expr, at)
	})
}

func (s Source) queryRange(r *http.Request) (result, error) {
	start, err := s.timeOf(r, "start", time.Time{})
	if err != nil {
		return result{}, err
	}
	end, err := s.timeOf(r, "end", time.Time{})
	if err != nil {
		return result{}, err
	}
	step, err := durationOf(r, "step")
	switch {
	case err != nil:
		return result{}, err
	case r.Form.Get("start") == "" || r.Form.Get("end") == "":
		return result{}, badData{errors.New(`parameters "start" and "end" are needed`)}
	case end.Before(start):
		return result{}, badData{errors.New(`invalid parameter "end": end timestamp must not be before start time`)}
	case step <= 0:
		return result{}, badData{errors.New(`invalid parameter "step": zero or negative query resolution step widths are not accepted`)}
	case step < time.Millisecond:
		return result{}, badData{errors.New(`invalid parameter "step": must be at least one millisecond`)}
	case (end.UnixMilli()-start.UnixMilli())/step.Milliseconds() > mostPoints:
		return result{}, badData{errors.New("exceeded maximum resolution of 11,000 points per timeseries: try a longer step")}
	}
	return s.exec(r, func(ctx context.Context, expr string) (promql.Query, error) {
		return s.engine.NewRangeQuery(ctx, s.Queryable, nil, expr, start, end, step)
	})
}

// queryData is the data of a query's answer.
type queryData struct {
	Type   parser.ValueType `json:"resultType"`
	Result parser.Value     `json:"result"`
}

// exec runs a query, within the asker's own limit of time if he gives one.
func (s Source) exec(r *http.Request, prepare func(context.Context, string) (promql.Query, error)) (result, error) {
	ctx := r.Context()
	if r.Form.Get("timeout") != "" {
		timeout, err := durationOf(r, "timeout")
		if err != nil {
			return result{}, err
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	expr := r.Form.Get("query")
	q, err := prepare(ctx, expr)
	if err != nil {
		return result{}, badData{err}
	}
	res := q.Exec(ctx)
	if res.Err != nil {
		q.Close()
		return result{}, res.Err
	}
	out := result{data: queryData{res.Value.Type(), s.asAsked(res.Value)}, done: q.Close}
	out.warnings, out.infos = res.Warnings.AsStrings(expr, 10, 10)
	return out, nil
}

// asAsked gives a result the times of the asker's clock, and writes an empty one as [].
func (s Source) asAsked(v parser.Value) parser.Value {
	by := s.ahead.Milliseconds()
	switch v := v.(type) {
	case promql.Vector:
		for i := range v {
			v[i].T += by
		}
		if v == nil {
			return promql.Vector{}
		}
	case promql.Matrix:
		for _, series := range v {
			for i := range series.Floats {
				series.Floats[i].T += by
			}
		}
		if v == nil {
			return promql.Matrix{}
		}
	case promql.Scalar:
		v.T += by
		return v
	case promql.String:
		v.T += by
		return v
	}
	return v
}

// noExemplars answers what dashboards ask beside every graph: nothing here has exemplars.
func (s Source) noExemplars(*http.Request) (result, error) { return result{data: []any{}}, nil }
