package engine

import (
	"context"
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
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

// Answers of Reading that are not always known.
type Tri uint8

// The three answers.
const (
	Unknown Tri = iota
	No
	Yes
)

// Reading is what one scrape of a target found.
type Reading struct {
	Engine  *Engine // nil: not recognised
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
