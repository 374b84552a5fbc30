package promapi

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
)

// The ends of time, where a question names none.
var (
	earliest = time.UnixMilli(math.MinInt64 / 2)
	latest   = time.UnixMilli(math.MaxInt64 / 2)
)

// The first and the last time that a question may name: PromQL's engine counts nanoseconds, and
// would take what lies beyond for another time.
var (
	firstAsked = time.Unix(0, math.MinInt64)
	lastAsked  = time.Unix(0, math.MaxInt64)
)

// timeOf reads a time of the asker's clock, Unix seconds or RFC 3339, as one of the storage's.
func (s Source) timeOf(r *http.Request, name string, otherwise time.Time) (time.Time, error) {
	text := r.Form.Get(name)
	if text == "" {
		return otherwise, nil
	}
	t, ok := readTime(text)
	if !ok {
		return time.Time{}, badData{fmt.Errorf("invalid parameter %q: cannot parse %q to a valid timestamp", name, text)}
	}
	t = t.Add(-s.ahead)
	if t.Before(firstAsked) || t.After(lastAsked) {
		return time.Time{}, badData{fmt.Errorf("invalid parameter %q: %q is outside the years %d to %d", name, text, firstAsked.Year()+1, lastAsked.Year()-1)}
	}
	return t, nil
}

func readTime(text string) (time.Time, bool) {
	if v, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(v) < 1e12 {
		return time.UnixMilli(int64(math.Round(v * 1000))), true
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	return t, err == nil
}

// durationOf reads a span: seconds, or a number with a unit.
func durationOf(r *http.Request, name string) (time.Duration, error) {
	text := r.Form.Get(name)
	if v, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(v) < 1e9 {
		return time.Duration(v * float64(time.Second)), nil
	}
	if d, err := model.ParseDuration(text); err == nil {
		return time.Duration(d), nil
	}
	return 0, badData{fmt.Errorf("invalid parameter %q: cannot parse %q to a valid duration", name, text)}
}

// limitOf reads how many results are wanted; 0: all.
func limitOf(r *http.Request) (int, error) {
	text := r.Form.Get("limit")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, badData{fmt.Errorf("invalid parameter %q: %q is not a number from 0 on", "limit", text)}
	}
	return n, nil
}

// cut keeps the first results and says that there were more.
func cut[T any](all []T, most int) ([]T, []string) {
	if most > 0 && len(all) > most {
		return all[:most], []string{"results truncated due to limit"}
	}
	return all, nil
}

// selection is what a question about series is about.
type selection struct {
	start, end time.Time
	matchers   [][]*labels.Matcher
	limit      int
}

func (s Source) selectionOf(r *http.Request) (out selection, err error) {
	if out.start, err = s.timeOf(r, "start", earliest); err != nil {
		return out, err
	}
	if out.end, err = s.timeOf(r, "end", latest); err != nil {
		return out, err
	}
	if out.limit, err = limitOf(r); err != nil {
		return out, err
	}
	for _, text := range r.Form["match[]"] {
		m, err := s.Parser.ParseMetricSelector(text)
		if err != nil {
			return out, badData{fmt.Errorf("invalid parameter %q: %w", "match[]", err)}
		}
		out.matchers = append(out.matchers, m)
	}
	return out, nil
}
