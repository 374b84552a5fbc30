package scrape

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// rests are the questions of a target that are left alone for a while, because they were not
// answered in time. A server that hangs may keep what it was asked in its queue although nobody
// waits for it any more (SGLang's generation for /health), so asking again at once makes it worse.
// What such a question gives meanwhile is its last failure.
type rests struct {
	mu sync.Mutex // guards of
	of map[asked]rest
}

// asked is one path of one of a target's addresses.
type asked struct {
	port engine.Port
	path string
}

type rest struct {
	until time.Time
	long  time.Duration
	why   *engine.FetchError // its Err is a restingError
}

// restingError is the last failure of a question that is not asked just now. It is no failed
// request of its own.
type restingError struct {
	last         error
	waited, long time.Duration
}

func (e *restingError) Error() string {
	return fmt.Sprintf("%v (after %s; left alone for %s then)", e.last, e.waited.Round(time.Millisecond), e.long.Round(time.Millisecond))
}

func (e *restingError) Unwrap() error { return e.last }

// longestRest bounds how late the return of a server is noticed.
const longestRest = time.Minute

// mostRests bounds the memory: a router may have any number of models.
const mostRests = 256

// failure is that of a question that is to be left alone now, nil if it may be asked.
func (r *rests) failure(q asked, now time.Time) *engine.FetchError {
	r.mu.Lock()
	defer r.mu.Unlock()
	if rest, ok := r.of[q]; ok && now.Before(rest.until) {
		return rest.why
	}
	return nil
}

// note keeps what came of a question. One that ran out of time is left alone for as long as it
// was waited for, and twice as long after each further time in a row. Where the callers went
// away nothing is known.
func (r *rests) note(ctx context.Context, q asked, err error, began, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) || err == nil {
		delete(r.of, q)
		return
	}
	before, again := r.of[q]
	if !again && len(r.of) >= mostRests {
		return
	}
	if r.of == nil {
		r.of = make(map[asked]rest)
	}
	waited := now.Sub(began)
	long := min(max(waited, 2*before.long), longestRest)
	r.of[q] = rest{now.Add(long), long, &engine.FetchError{Reason: catalog.ReasonTimeout, Err: &restingError{err, waited, long}}}
}
