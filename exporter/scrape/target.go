package scrape

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// Session decides what a target is asked and turns the answers into series. One Read at a
// time; what it returns is used up before the next.
type Session interface {
	Read(ctx context.Context, fetch engine.Fetch) *engine.Reading
}

// lateFor is how old a result may be that came after its scrape's deadline, for the next
// scrape to use it: the longest interval in common use. Such a result is younger than one
// interval anyhow, since any scrape in between would have used it; the bound drops it when
// the scraper was away.
const lateFor = time.Minute

// Target is one backend and what is known of it.
//
// At most one round of requests is in flight. Callers that come meanwhile share it; it ends
// when the last of them has gone away, but not when they ran out of time: then it goes on to
// the target's own limit, and the next scrape uses what it found. So a server that is slower
// than the scraper's deadline still shows its numbers, and never has two rounds to serve.
type Target struct {
	backend config.Backend // never changes
	shown   string         // its address without credentials
	engines []*engine.Engine
	paths   paths
	fetcher *fetcher
	rests   rests
	session Session // used by the round in flight alone
	counts  *counters
	shared  *shared

	last atomic.Pointer[State] // of the last scrape; stored by Scrape, loaded by anybody

	mu      sync.Mutex     // guards what follows
	flight  *round         // nil: none
	late    *State         // found after its callers' deadline and not used yet
	known   *State         // of the last round that ended, for what outlives a failure
	program *engine.Engine // that answered last
	warned  string         // odd content type that was logged
}

// Backend returns the target's configuration.
func (t *Target) Backend() config.Backend { return t.backend }

// Last returns the state after the last scrape without asking anything. Before the first
// one it says who the target is, and its At is zero.
func (t *Target) Last() *State {
	if s := t.last.Load(); s != nil {
		return s
	}
	return t.blank()
}

// Scrape returns what the target says, at the latest when ctx ends. It never returns nil.
func (t *Target) Scrape(ctx context.Context) *State {
	state := t.scrape(ctx)
	t.last.Store(state)
	return state
}

func (t *Target) scrape(ctx context.Context) *State {
	if t.backend.Unscraped != "" {
		return t.unscraped()
	}
	began := t.now()
	for {
		r, reason, late := t.join()
		switch {
		case late != nil:
			return late
		case r == nil:
			return t.missed(nil, catalog.ReasonSkipped, began)
		}
		r.wait(ctx, reason == catalog.ReasonSkipped)
		t.leave(r, ctx.Err())
		select {
		case <-r.done:
			if r.state != nil {
				return r.state
			}
			if ctx.Err() == nil {
				continue // abandoned by others in the moment when this caller came
			}
		default:
		}
		return t.missed(r, reason, began)
	}
}

// impatience is how long a scrape waits for a round that another one has missed already: that
// server is slow, and the others' numbers must not wait for it a second time.
const impatience = 500 * time.Millisecond

// wait waits for the end of a round.
func (r *round) wait(ctx context.Context, missed bool) {
	if missed {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, impatience)
		defer cancel()
	}
	select {
	case <-r.done:
	case <-ctx.Done():
	}
}

// join finds the round in flight or starts one. reason is what a scrape that misses it will
// give. r is nil when nothing can be started any more.
func (t *Target) join() (r *round, reason catalog.Reason, late *State) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if late, t.late = t.late, nil; late != nil && t.now().Sub(late.At) <= lateFor {
		return nil, "", late
	}
	reason = catalog.ReasonTimeout
	if t.flight == nil {
		if !t.start() {
			return nil, "", nil
		}
	} else if t.flight.missed {
		reason = catalog.ReasonSkipped
	}
	t.flight.waiting++
	return t.flight, reason, nil
}

// leave ends a caller's interest. The last one that went away by itself takes the round
// along; one that ran out of time leaves it running.
func (t *Target) leave(r *round, why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.waiting--
	if errors.Is(why, context.DeadlineExceeded) && r.running {
		r.missed = true
	}
	if r.waiting == 0 && !r.missed {
		r.cancel()
	}
}

// start begins a round. t.mu is held.
func (t *Target) start() bool {
	if !t.shared.begin() {
		return false
	}
	ctx, cancel := context.WithCancel(t.shared.ctx)
	r := &round{done: make(chan struct{}), cancel: cancel}
	t.flight = r
	go func() {
		defer t.shared.end()
		defer cancel()
		var state *State
		if release, ok := t.shared.place(ctx); ok {
			state = t.run(ctx, r)
			release()
		}
		t.finish(r, state, ctx.Err() != nil)
	}()
	return true
}

// run asks everything once, within the target's own limit.
func (t *Target) run(ctx context.Context, r *round) *State {
	t.mu.Lock()
	r.running = true
	t.mu.Unlock()
	if limit := t.backend.Limits.Timeout; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	a := &asker{target: t, round: r}
	defer a.takeBack()
	began := t.now()
	reading := t.read(ctx, a)
	return t.conclude(r, reading, began)
}

// read lets the session work. A mistake in a mapping that makes it panic must not take the
// other targets along.
func (t *Target) read(ctx context.Context, a *asker) (reading *engine.Reading) {
	defer func() {
		if p := recover(); p != nil {
			t.shared.log.Error("Reading a backend failed; this is a mistake in llmfleet", "backend", t.backend.Name, "panic", p, "stack", string(debug.Stack()))
			t.session = t.shared.newSession(t.options())
			reading = &engine.Reading{Up: engine.No, Reason: catalog.ReasonNotMetrics, Problem: fmt.Sprintf("internal error while reading the answer: %v; please report it", p)}
		}
	}()
	return t.session.Read(ctx, a.fetch)
}

// finish hands the round's result to whom it concerns: those who wait, or the next scrape.
func (t *Target) finish(r *round, state *State, abandoned bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.flight == r {
		t.flight = nil
	}
	if !abandoned && state != nil {
		r.state = state
		t.known = state
		if r.missed && r.waiting == 0 {
			t.late = state
		}
	}
	close(r.done)
}

func (t *Target) now() time.Time { return t.shared.now() }

// options are what the session needs to know of the backend.
func (t *Target) options() engine.Options {
	b := t.backend
	return engine.Options{
		Backend: b.Name, Engine: engine.Find(t.engines, b.Engine), Engines: t.engines, Model: b.Model,
		HasMetricsPort: b.MetricsURL != "", KVCapacityTokens: b.KVCapacityTokens, NumbersEvery: b.MetricsInterval,
		MaxSeries: b.Limits.Series, MaxLabelValues: b.Limits.LabelValues, Now: t.shared.now,
	}
}

func shownURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return redacted(u)
}
