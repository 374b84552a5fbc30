package scrape

import (
	"slices"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// points collects what the exporter itself says of one backend.
type points struct {
	backend string
	out     []catalog.Point
}

// add appends a value of a series whose labels are backend and the ones given.
func (p *points) add(s *catalog.Series, value float64, more ...string) {
	p.out = append(p.out, catalog.Point{Series: s, Labels: append([]string{p.backend}, more...), Value: value})
}

func (p *points) time(s *catalog.Series, t time.Time) {
	if !t.IsZero() {
		p.add(s, float64(t.UnixMilli())/1000)
	}
}

// tri adds nothing for what is not known.
func (p *points) tri(s *catalog.Series, v engine.Tri) {
	if v != engine.Unknown {
		p.add(s, boolean(v == engine.Yes))
	}
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// stated adds what the configuration says of the backend, scraped or not.
func (p *points) stated(b config.Backend) {
	if b.Unscraped != "" {
		p.add(catalog.Unscraped, 1, b.Unscraped)
	}
	for _, m := range b.Expect.Models {
		p.add(catalog.ExpectedModel, 1, m)
	}
	if b.Expect.Loaded {
		p.add(catalog.ExpectedLoaded, 1)
	}
	if b.Expect.Speculation != nil {
		p.add(catalog.ExpectedSpeculation, boolean(*b.Expect.Speculation))
	}
	if b.Expect.Replicas > 0 {
		p.add(catalog.ExpectedReplicas, float64(b.Expect.Replicas))
	}
}

// notServed are the expected models that are not in the backend's list. ok is false for a backend
// that cannot be asked: it has no list, and then nothing is said.
func notServed(b config.Backend, s *State) (missing []string, ok bool) {
	if s.Models == nil || s.Healthy != engine.Yes {
		return nil, false
	}
	for _, m := range b.Expect.Models {
		if !slices.Contains(s.Models, m) {
			missing = append(missing, m)
		}
	}
	return missing, true
}

// served says of each expected model whether it is in the backend's list.
func (p *points) served(b config.Backend, s *State) {
	missing, ok := notServed(b, s)
	if !ok {
		return
	}
	for _, m := range b.Expect.Models {
		p.add(catalog.ExpectedModelServed, boolean(!slices.Contains(missing, m)), m)
	}
}

// found adds how the scrape went.
func (p *points) found(s *State) {
	p.add(catalog.BackendInfo, 1, s.EngineName, s.Version, s.URL)
	p.tri(catalog.Up, s.Up)
	p.tri(catalog.Healthy, s.Healthy)
	for _, r := range catalog.Reasons() {
		p.add(catalog.ScrapeFailed, boolean(r == s.Reason), string(r))
	}
	p.add(catalog.ScrapeDuration, s.Took.Seconds())
	p.time(catalog.ScrapeLastSuccess, s.LastSuccess)
}

// counted adds the target's counters, at zero too: the first failure must be an increase.
func (p *points) counted(c *counters) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range catalog.Reasons() {
		p.add(catalog.ScrapeErrors, float64(c.errors[r]), string(r))
	}
	p.add(catalog.ScrapeDroppedSamples, float64(c.dropped))
	p.add(catalog.ScrapeFolded, float64(c.folded))
	p.add(catalog.EngineChanges, float64(c.engineChanges))
}

// page adds what is known of the exposition, only when one was read.
func (p *points) page(r *engine.Reading) {
	if r.Up == engine.Yes {
		p.add(catalog.ScrapeSamples, float64(r.Samples))
		p.add(catalog.ScrapeBody, float64(r.BodyBytes))
		p.add(catalog.ScrapeMissingSeries, float64(len(r.Missing)))
		p.add(catalog.ScrapeUnmappedSeries, float64(len(r.Unmapped)))
	}
	if r.Engine == nil {
		return
	}
	for s, can := range r.Supported {
		p.add(catalog.SeriesSupported, boolean(can), r.Engine.Name, s.Name)
	}
}
