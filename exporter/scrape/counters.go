package scrape

import (
	"sync"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// counters are what a target has counted since the exporter started. They outlive a reload
// of the configuration that changes the target.
type counters struct {
	mu            sync.Mutex // guards all fields
	errors        map[catalog.Reason]int
	dropped       int
	folded        int
	engineChanges int
	engine        string // that answered last, "" if never
	version       string // likewise
}

func newCounters() *counters { return &counters{errors: make(map[catalog.Reason]int)} }

// failed counts a request, or a whole scrape, that ended for a reason.
func (c *counters) failed(reason catalog.Reason) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errors[reason]++
}

// read counts what a reading says. A timeout whose scrape has counted it already is left out,
// and so is what was not asked.
func (c *counters) read(r *engine.Reading, clashes int, missed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropped += r.Dropped + clashes
	c.folded += r.Folded
	for i := range r.Errors {
		if missed && r.Errors[i].Reason == catalog.ReasonTimeout || is[*restingError](&r.Errors[i]) {
			continue
		}
		c.errors[r.Errors[i].Reason]++
	}
	if r.Engine != nil {
		c.answeredAs(r.Engine.Name, r.Version)
	}
}

// answeredAs counts a change of program or version. A version that is not known, because
// the server is away, is no change. c.mu is held.
func (c *counters) answeredAs(name, version string) {
	if c.engine != "" && (c.engine != name || version != "" && c.version != "" && c.version != version) {
		c.engineChanges++
	}
	if c.engine != name || version != "" {
		c.engine, c.version = name, version
	}
}
