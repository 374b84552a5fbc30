// Package conversation is the talk with one server as the exporter would have it: the same
// client, the same session, the same questions, and each of them remembered.
//
// Nothing here decides what is asked. Whoever shows or keeps what a server answers stands on
// this package, so that it can never ask more than the exporter does.
package conversation

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/common/version"

	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/engine"
	"github.com/llmfleet/llmfleet/exporter/scrape"
)

// Options are what a conversation gets from outside. The zero value is that of one on the network.
type Options struct {
	Transport http.RoundTripper // makes the requests instead of the network
	Now       func() time.Time  // nil: time.Now
}

// Exchange is one question and what came of it.
type Exchange struct {
	Port   engine.Port
	Path   string // with its query
	Answer *engine.Answer
	Err    error // why there is no answer
	Took   time.Duration
}

// Round is all that was asked once, and what the exporter makes of it.
type Round struct {
	State     *scrape.State   // what the exporter would show
	Reading   *engine.Reading // what the session found; its points are those of State
	Exchanges []Exchange      // by port and path
}

// Conversation is the talk with one backend. Close it in the end.
type Conversation struct {
	fleet  *scrape.Fleet
	target *scrape.Target
	tap    *tap
}

// Open begins a conversation with a backend of a configuration. Nothing is asked yet.
func Open(c *config.Config, backend string, o Options) (*Conversation, error) {
	b, ok := c.Find(backend)
	switch {
	case !ok:
		return nil, fmt.Errorf("backend %q is not in the configuration; it has %s", backend, names(c))
	case b.Unscraped != "":
		return nil, fmt.Errorf("backend %q is never asked: %s", backend, b.Unscraped)
	}
	one := *c
	one.Backends = []config.Backend{*b}
	now := o.Now
	if now == nil {
		now = time.Now
	}
	t := &tap{now: now}
	fleet := scrape.New(scrape.Options{
		Now: now, Transport: o.Transport, Engines: engine.BuiltIn(),
		NewSession: func(eo engine.Options) scrape.Session { return t.into(engine.NewSession(eo)) },
		UserAgent:  "llmfleet/" + cmp.Or(version.Version, "dev"),
	})
	if err := fleet.Load(&one); err != nil {
		fleet.Close()
		return nil, err
	}
	return &Conversation{fleet: fleet, target: fleet.Target(backend), tap: t}, nil
}

func names(c *config.Config) string {
	var all []string
	for _, b := range c.Backends {
		all = append(all, b.Name)
	}
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, ", ")
}

// Ask asks all once. Its error is that of ctx, when that ended before the answers were there.
func (c *Conversation) Ask(ctx context.Context) (*Round, error) {
	state := c.target.Scrape(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := c.tap.take()
	r.State = state
	return r, nil
}

// Close ends what is still in flight and waits for it.
func (c *Conversation) Close() { c.fleet.Close() }

// tap stands between the session and the client, and keeps what goes through.
type tap struct {
	now func() time.Time

	mu      sync.Mutex // guards what follows
	session scrape.Session
	asked   map[string]Exchange // by port and path
	reading *engine.Reading
}

// into puts the tap in front of a session.
func (t *tap) into(s scrape.Session) scrape.Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.session = s
	return t
}

// Read lets the session read, and keeps what it asked and found.
func (t *tap) Read(ctx context.Context, fetch engine.Fetch) *engine.Reading {
	reading := t.session.Read(ctx, func(ctx context.Context, port engine.Port, path string) (*engine.Answer, error) {
		began := t.now()
		answer, err := fetch(ctx, port, path)
		t.keep(Exchange{Port: port, Path: path, Answer: copied(answer), Err: err, Took: t.now().Sub(began)})
		return answer, err
	})
	found := *reading
	found.Points = nil // they are the session's, and State has them
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reading = &found
	return reading
}

func (t *tap) keep(e Exchange) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.asked == nil {
		t.asked = map[string]Exchange{}
	}
	t.asked[fmt.Sprint(e.Port, e.Path)] = e
}

// take returns what was kept since the last call.
func (t *tap) take() *Round {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := &Round{Reading: t.reading}
	for _, key := range slices.Sorted(maps.Keys(t.asked)) {
		r.Exchanges = append(r.Exchanges, t.asked[key])
	}
	t.asked, t.reading = nil, nil
	if r.Reading == nil {
		r.Reading = &engine.Reading{}
	}
	return r
}

// copied is an answer of its own: the client lends the memory of the body for one round.
func copied(a *engine.Answer) *engine.Answer {
	if a == nil {
		return nil
	}
	return &engine.Answer{Status: a.Status, Header: a.Header, Body: slices.Clone(a.Body)}
}
