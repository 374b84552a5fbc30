// Package scrape is the life of one target's scrape, and of all of them: one fetch in flight
// per target, a deadline, bounded bodies, and one bad target that hides only itself.
package scrape

import (
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// State is what is known of a target after its last scrape; it never changes once stored.
type State struct {
	Backend     string
	URL         string // without credentials
	Unscraped   string // the operator's reason, "" if scraped
	Engine      string // title, "" if not recognised
	Version     string
	Models      []string
	Healthy, Up engine.Tri
	Reason      catalog.Reason
	Problem     string    // in words
	At          time.Time // end of the last scrape; zero: never
	LastSuccess time.Time // of the numbers; zero: never
	Took        time.Duration
	Points      []catalog.Point
}
