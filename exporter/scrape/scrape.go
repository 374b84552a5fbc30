// Package scrape is the life of one target's scrape, and of all of them: one round of
// requests in flight per target, a deadline, bounded bodies, and one bad target that hides
// only itself.
//
// A Target asks and remembers; its Session decides what to ask and how to read it. Nothing
// here reads flags, the wall clock or any other global: the clock and the transport come
// with Options, so that recordings are replayed through the same code.
package scrape

import (
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// State is what one scrape of a target found; it never changes once made.
type State struct {
	Backend     string
	URL         string // without credentials and query
	Unscraped   string // the operator's reason, "" if scraped
	Engine      string // title, "" if not recognised
	EngineName  string // value of the label engine
	Version     string
	Models      []string // the first some hundred
	NotServed   []string // expected models that its list lacks
	Healthy, Up engine.Tri
	Reason      catalog.Reason
	Problem     string        // in words
	Notes       []string      // what a person should know though the numbers were read: an odd content type, names that are missing
	At          time.Time     // end of the scrape; zero: never
	LastSuccess time.Time     // of the numbers; zero: never
	Took        time.Duration // of all that was asked
	// Points are the target's numbers and what is known of the scrape itself, sorted by
	// series and labels, each series once.
	Points []catalog.Point
	// Labels are the operator's extra labels of all its series.
	Labels map[string]string
}
