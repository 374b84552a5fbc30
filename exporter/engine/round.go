package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/exposition"
)

// question is one path of one of a target's addresses.
type question struct {
	port Port
	path string
}

// reply is what came of a question: an answer or an error, never both.
type reply struct {
	question
	answer *Answer
	err    *FetchError
	at     time.Time
	doc    any    // the JSON document, nil if the body is none
	text   []byte // the body as an exposition would be read, nil if it is a document
	names  names  // of the text's samples, once somebody asked
	reused bool   // from an earlier round
}

// questionOf is what a reply replies to.
func questionOf(re *reply) question {
	if re == nil {
		return question{}
	}
	return re.question
}

// ok says that the server answered with a status that means yes.
func (r *reply) ok() bool { return r != nil && r.answer != nil && r.answer.Status/100 == 2 }

// status is 0 without an answer.
func (r *reply) status() int {
	if r == nil || r.answer == nil {
		return 0
	}
	return r.answer.Status
}

// page returns the body of a good answer as an exposition, nil if it is none.
func (r *reply) page() []byte {
	if !r.ok() {
		return nil
	}
	return r.text
}

// sampleNames are the names in the text, read once for all who ask.
func (r *reply) sampleNames() names {
	if r.names == nil && r.text != nil {
		r.names = namesOf(r.text)
	}
	return r.names
}

// take looks at the body once, for all who will want to know what it is.
func (r *reply) take(answer *Answer) {
	if tooManyValues(answer.Body) {
		r.err = &FetchError{Reason: catalog.ReasonTooLarge, Err: fmt.Errorf("%s answered a JSON document of more than %d values", r.path, mostValues)}
		return
	}
	r.answer = answer
	if r.doc = document(answer.Body); r.doc == nil {
		r.text = exposition.Unwrap(answer.Body)
	}
}

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

// mostValues bounds the values of a JSON document. A decoded value takes up to a hundred
// times the bytes that it has in the body, so the limit of the body is none for the memory.
// The list of a router with a thousand models has a tenth of it.
const mostValues = 200_000

// tooManyValues says whether a body is a JSON document that may have more than mostValues. It
// counts what stands between values; commas within texts count as well.
func tooManyValues(body []byte) bool {
	if len(body) < mostValues || !beginsDocument(body) {
		return false
	}
	values := 0
	for _, between := range []string{",", "[", "{", ":"} {
		values += bytes.Count(body, []byte(between))
	}
	return values > mostValues
}

// beginsDocument says whether a body could be a JSON object or array. A JSON string is none:
// that may be llama.cpp's exposition of late 2025.
func beginsDocument(body []byte) bool {
	text := bytes.TrimLeft(body, " \t\r\n")
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

// document decodes a JSON object or array.
func document(body []byte) any {
	if !beginsDocument(body) {
		return nil
	}
	var doc any
	if json.Unmarshal(body, &doc) != nil {
		return nil
	}
	return doc
}

// refusalAge is how long a key that was refused is taken to be refused still: its file may have
// been corrected, and until a model's name is read its numbers have no label model.
const refusalAge = time.Minute

// due returns the questions of an endpoint that must be asked in this round; a younger
// answer of an earlier round is used instead of asking.
func (r *round) due(q question, every time.Duration) bool {
	kept := r.s.kept[q]
	if status := kept.status(); status == http.StatusUnauthorized || status == http.StatusForbidden {
		every = min(every, refusalAge)
	}
	if kept == nil || every <= 0 {
		return true
	}
	if age := r.now.Sub(kept.at); age < 0 || age >= every { // below 0: the clock was set back
		return true
	}
	if r.claim(q) {
		r.set(kept)
	}
	return false
}

// standIn takes an earlier answer where settings could not be read again: what a model is
// called does not change because a server was too busy to say it.
func (r *round) standIn(q question) {
	re, kept := r.get(q), r.s.kept[q]
	if kept == nil || re == nil || re.reused || re.answer != nil && re.status() < 500 {
		return
	}
	r.failed = append(r.failed, re)
	r.set(kept)
}

// keep remembers the answers of what is not asked every time, a "no" as well as a "yes", and
// forgets what the plan does not name any more. The body is copied: the fetch may use its
// buffer again.
func (r *round) keep() {
	kept := map[question]*reply{}
	for i := range r.plan {
		ep := r.plan[i].endpoint
		numbers := ep.Role == Numbers && ep.Format == Exposition
		if ep.Every <= 0 && !(numbers && r.s.opts.NumbersEvery > 0) {
			continue
		}
		q := r.plan[i].question
		re := r.get(q)
		switch {
		case re != nil && !re.reused && re.answer != nil && (re.ok() || !numbers && re.status() < 500):
			copied, answer := *re, *re.answer
			answer.Body = slices.Clone(answer.Body)
			copied.answer, copied.reused = &answer, true
			if copied.text != nil {
				copied.text = exposition.Unwrap(answer.Body)
			}
			kept[q] = &copied
		case r.s.kept[q] != nil:
			kept[q] = r.s.kept[q]
		}
	}
	r.s.kept = kept
}

// reusedAny says whether the round took an answer from an earlier one.
func (r *round) reusedAny() bool {
	return slices.ContainsFunc(r.all(), func(re *reply) bool { return re.reused })
}

// dropReused makes the round ask what it took from earlier rounds. What it has asked already,
// without an answer, stays so.
func (r *round) dropReused() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for q, re := range r.replies {
		if re != nil && re.reused {
			delete(r.replies, q)
		}
	}
	for _, re := range r.failed {
		r.replies[re.question] = re
	}
	r.failed = nil
}

// fruitless says whether no question brought a usable answer.
func (r *round) fruitless() bool {
	return !slices.ContainsFunc(r.all(), func(re *reply) bool {
		return !re.reused && re.answer != nil && re.status() < 500
	})
}

// isExposition says whether a page declares families or holds samples.
func isExposition(page []byte) bool {
	if len(page) == 0 {
		return false
	}
	return exposition.Read(page, func(*exposition.Sample) {}).IsMetrics()
}

// fill puts the name of a model into the path of an endpoint.
func fill(path, model string) string {
	return strings.ReplaceAll(path, "{model}", url.QueryEscape(model))
}
