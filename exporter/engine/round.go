package engine

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// round is one Read: every question is asked at most once in it.
type round struct {
	s     *Session
	ctx   context.Context
	fetch Fetch
	now   time.Time
	plan  []asking // what the engine's endpoints came to

	failed []*reply // for which an earlier answer stands in

	mapped map[question]bool    // answers that the mapper has
	broken map[question]failure // pages that it could not use

	patience map[question]time.Duration  // for those that must not keep the others waiting
	pattern  map[question]*regexp.Regexp // see Endpoint.Pattern

	mu      sync.Mutex // guards replies
	replies map[question]*reply
}

func (s *Session) newRound(ctx context.Context, fetch Fetch) *round {
	return &round{
		s: s, ctx: ctx, fetch: fetch, now: s.opts.Now(), replies: map[question]*reply{},
		mapped: map[question]bool{}, broken: map[question]failure{}, patience: map[question]time.Duration{},
		pattern: map[question]*regexp.Regexp{},
	}
}

// mostAtOnce bounds the requests that a target gets at the same time.
const mostAtOnce = 8

// ask asks several questions at the same time, so that one that hangs does not keep the
// answers of the others, and waits for all. A panic becomes one of the caller, who may recover.
func (r *round) ask(questions ...question) {
	var wg sync.WaitGroup
	var panicked atomic.Pointer[any]
	gate := make(chan struct{}, mostAtOnce)
	for _, q := range questions {
		if !r.claim(q) {
			continue
		}
		wg.Go(func() {
			gate <- struct{}{}
			defer func() { <-gate }()
			defer func() {
				if p := recover(); p != nil {
					text := any(fmt.Sprintf("%s: %v\n%s", q.path, p, debug.Stack()))
					panicked.CompareAndSwap(nil, &text)
				}
			}()
			r.set(r.request(q))
		})
	}
	wg.Wait()
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
}

// claim says whether a question is still to be asked in this round, and takes it.
func (r *round) claim(q question) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, asked := r.replies[q]; asked {
		return false
	}
	r.replies[q] = nil
	return true
}

func (r *round) set(re *reply) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.replies[re.question] = re
}

// get returns what came of a question in this round, nil if it was not asked.
func (r *round) get(q question) *reply {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.replies[q]
}

// all returns the replies in a fixed order.
func (r *round) all() []*reply {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []*reply
	for _, re := range r.replies {
		if re != nil {
			all = append(all, re)
		}
	}
	slices.SortFunc(all, func(a, b *reply) int {
		if a.port != b.port {
			return int(a.port) - int(b.port)
		}
		return strings.Compare(a.path, b.path)
	})
	return all
}

// request asks one question and looks whether the answer is JSON.
func (r *round) request(q question) *reply {
	re := &reply{question: q, at: r.now}
	ctx := r.ctx
	if enough := r.patience[q]; enough > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, enough)
		defer cancel()
	}
	answer, err := r.fetch(ctx, q.port, q.path)
	switch {
	case err != nil:
		re.err = asFetchError(err)
	case answer == nil:
		re.err = &FetchError{Reason: catalog.ReasonHTTP, Err: errors.New("no answer")}
	default:
		if pattern := r.pattern[q]; pattern != nil && answer.Status/100 == 2 {
			rewritten := *answer
			rewritten.Body = patterned(pattern, answer.Body)
			answer = &rewritten
		}
		re.take(answer)
	}
	return re
}

// asFetchError accepts errors that are not FetchErrors, as a broken Fetch may return them.
func asFetchError(err error) *FetchError {
	var fe *FetchError
	if errors.As(err, &fe) {
		return fe
	}
	reason := catalog.ReasonRefused
	if errors.Is(err, context.DeadlineExceeded) {
		reason = catalog.ReasonTimeout
	}
	return &FetchError{Reason: reason, Err: err}
}

// fruitless says whether no question brought a usable answer.
func (r *round) fruitless() bool {
	return !slices.ContainsFunc(r.all(), func(re *reply) bool {
		return !re.reused && re.answer != nil && re.status() < 500
	})
}

// fill puts the name of a model into the path of an endpoint.
func fill(path, model string) string {
	return strings.ReplaceAll(path, "{model}", url.QueryEscape(model))
}
