package engine

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// Answer is what a server answered to one request.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte // complete, within the limit; valid until the session's next Read
}

// FetchError is a request without a usable answer.
type FetchError struct {
	Reason catalog.Reason
	Err    error // a sentence for a person, without credentials
}

// Error returns the sentence.
func (e *FetchError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *FetchError) Unwrap() error { return e.Err }

// Fetch asks one path of a target. Its errors are *FetchError. A status that is not 2xx is
// an Answer, not an error.
type Fetch func(ctx context.Context, port Port, path string) (*Answer, error)

// Options are what the configuration says of one target.
type Options struct {
	Backend string
	// Engine is the configured engine, nil to recognise it.
	Engine *Engine
	// Engines are tried in this order: own mappings of the configuration, then the built-in ones.
	Engines []*Engine
	// Model is the configured name of the only model, for servers that do not say it.
	Model string
	// HasMetricsPort says that the target has a second address for its metrics.
	HasMetricsPort bool
	// KVCapacityTokens is the operator's statement where the engine cannot say it; 0: none.
	KVCapacityTokens float64
	// MaxSeries and MaxLabelValues bound what one target may add; 0: no bound.
	MaxSeries, MaxLabelValues int
	// NumbersEvery is how old numbers may be before they are asked again, for servers that
	// asking keeps awake. 0: every scrape.
	NumbersEvery time.Duration
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

// Tri is an answer that is not always known.
type Tri uint8

// The three answers.
const (
	Unknown Tri = iota
	No
	Yes
)

// String names the answer.
func (t Tri) String() string { return [...]string{"unknown", "no", "yes"}[t] }

// Reading is what one scrape of a target found.
type Reading struct {
	Engine  *Engine // nil: not recognised
	Sign    *Sign   // what it was recognised by; nil: it was configured, or nothing was recognised
	Version string  // as the server writes it, "" if unknown
	Models  []string

	Healthy Tri
	Up      Tri            // Unknown for a program without numbers
	Reason  catalog.Reason // why Up (or, for a program without numbers, Healthy) is No; "" if it is not
	Problem string         // the same in words for a person, with what to do next

	Points []catalog.Point // complete, backend label included; valid until the session's next Read

	Samples, BodyBytes int      // of the exposition
	Missing            []string // names that this version should have sent
	Unmapped           []string // own families without a uniform series
	Dropped            int      // samples dropped in this scrape
	Folded             int      // series folded into other in this scrape
	Errors             []FetchError
	Supported          map[*catalog.Series]bool // headline series: can this engine and version give it?
}

// Session is the conversation with one target. It remembers what program answers there and
// what does not change with every scrape. Its Reads follow one another, never overlap.
type Session struct {
	opts   Options
	mapper *mapper

	found       *Engine // what answers; nil: not recognised since the start or since it was away
	last        *Engine // what answered last
	sign        *Sign   // by which found was recognised
	version     string  // of what answers, once it was said
	metricsPort bool    // the service address is the program's metrics port
	away        bool    // the last round brought no usable answer: whatever comes next may be another program
	kept        map[question]*reply
	known       known  // of the process that answers
	trouble     string // problem of the last round
}

// NewSession begins a conversation. Nothing is asked yet.
func NewSession(o Options) *Session {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Engines == nil {
		o.Engines = BuiltIn()
	}
	return &Session{opts: o, mapper: newMapper(o), kept: map[question]*reply{}}
}

// Read asks the target, as far as that does no harm, and says what it found. The reading's
// points are valid until the next Read.
func (s *Session) Read(ctx context.Context, fetch Fetch) *Reading {
	if s.away {
		s.forget()
	}
	r := s.newRound(ctx, fetch)
	e := s.converse(r)
	reading := &Reading{}
	if e == nil {
		s.unrecognised(r, reading)
	} else {
		s.read(r, e, reading)
		switch {
		case s.restarted(r, reading):
			e = s.again(r, e, reading)
		case s.surprised(r, reading):
			e = s.anew(r, reading)
		}
	}
	if s.trouble = reading.Problem; e != nil {
		if e != s.found || s.sign == nil {
			s.sign = e.sign(r.all())
		}
		reading.Sign = s.sign
		s.found, s.last = e, e
		s.known.learn(r.shown(reading))
		r.keep()
	}
	reading.Errors = r.errors(e)
	s.away = r.fruitless()
	return reading
}

// forget makes the session begin anew, as with a program it has never seen.
func (s *Session) forget() {
	s.found, s.version, s.metricsPort, s.known = nil, "", false, known{}
	s.kept = map[question]*reply{}
}

// converse finds out what answers and asks all that this program may be asked.
func (s *Session) converse(r *round) *Engine {
	e := s.found
	if e == nil {
		e = s.opts.Engine
	}
	if e == nil {
		e = s.find(r)
	}
	return s.settle(r, e)
}

// settle asks all that a program may be asked, and again where the answers speak for another one.
func (s *Session) settle(r *round, e *Engine) *Engine {
	for range mostTurns {
		if e == nil {
			break
		}
		r.askAll(e)
		better := s.reconsider(r, e)
		if better == e {
			break
		}
		e = better
	}
	return e
}

// reconsider returns the engine that the answers of the round speak for. A configured engine
// stays, except for its own variants; a program with numbers is not taken for one without.
func (s *Session) reconsider(r *round, e *Engine) *Engine {
	other := match(s.opts.Engines, r.all())
	switch {
	case other == nil, other.NoNumbers && !e.NoNumbers:
		return e
	case s.opts.Engine != nil && other.Name != s.opts.Engine.Name:
		return e
	}
	return other
}

// contradiction is the sentence for an engine that was configured and is not what answers.
func (s *Session) contradiction(r *round) string {
	if s.opts.Engine == nil {
		return ""
	}
	other := match(s.opts.Engines, r.all())
	if other == nil || other.NoNumbers || other.Name == s.opts.Engine.Name {
		return ""
	}
	return fmt.Sprintf("configured as %q, but it answers like %s: correct engine, or leave it out", s.opts.Engine.Name, other.Title)
}

// surprised says whether numbers are gone in a way that another program would explain, and
// names or settings of an earlier round were relied on: a server that was replaced between
// two scrapes would be taken for the old one until those are old. Only a problem that is new
// surprises, so that a server without numbers is not asked everything at every scrape.
func (s *Session) surprised(r *round, reading *Reading) bool {
	switch reading.Reason {
	case catalog.ReasonDisabled, catalog.ReasonUnrecognized, catalog.ReasonNotMetrics, catalog.ReasonAuth:
		return reading.Problem != s.trouble && r.reusedAny()
	}
	return false
}

// again asks within the round what was taken from earlier ones: another process gave those answers.
func (s *Session) again(r *round, e *Engine, reading *Reading) *Engine {
	s.kept, s.version = map[question]*reply{}, ""
	r.dropReused()
	clear(r.broken)
	e = s.settle(r, e)
	s.read(r, e, reading)
	return e
}

// anew begins again within the round, with the answers that are its own.
func (s *Session) anew(r *round, reading *Reading) *Engine {
	s.forget()
	r.dropReused()
	clear(r.broken)
	e := s.converse(r)
	*reading = Reading{}
	if e == nil {
		s.unrecognised(r, reading)
	} else {
		s.read(r, e, reading)
	}
	return e
}
