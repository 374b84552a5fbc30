package engine

import (
	"net/http"
	"slices"
	"time"

	"github.com/llmfleet/llmfleet/exporter/exposition"
)

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
