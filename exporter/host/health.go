package host

import (
	"log/slog"
	"sync"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// health is what is known of the sources: what the exporter says about its own blindness.
type health struct {
	log *slog.Logger

	mu       sync.Mutex // guards all below
	sources  map[catalog.HostSource]*sourceHealth
	errors   map[errorKey]float64
	timeouts map[catalog.HostSource]float64
	said     map[saidKey]bool // failures that were logged
}

type sourceHealth struct {
	used   bool               // the machine has a use for it
	reason catalog.HostReason // "": it is well
	last   time.Time          // zero: never well
}

type errorKey struct {
	source catalog.HostSource
	reason catalog.HostReason
}

type saidKey struct {
	name   string
	reason catalog.HostReason
}

// mostSaid bounds the memory of what was logged. Beyond it nothing new is logged.
const mostSaid = 1000

func newHealth(log *slog.Logger) *health {
	return &health{
		log: log, sources: map[catalog.HostSource]*sourceHealth{}, errors: map[errorKey]float64{},
		timeouts: map[catalog.HostSource]float64{}, said: map[saidKey]bool{},
	}
}

// fileFailed counts a failure and logs it once for each file and reason, not once a scrape.
func (h *health) fileFailed(source catalog.HostSource, name string, reason catalog.HostReason, err error) {
	h.mu.Lock()
	h.errors[errorKey{source, reason}]++
	if reason == catalog.HostTimeout {
		h.timeouts[source]++
	}
	key := saidKey{name, reason}
	first := !h.said[key] && len(h.said) < mostSaid
	if first {
		h.said[key] = true
	}
	h.mu.Unlock()
	if first {
		h.log.Warn("Host fact cannot be read; its series are missing", "source", source, "file", name, "reason", reason, "err", err)
	}
}

// report says how a source did in a round.
func (h *health) report(source catalog.HostSource, reason catalog.HostReason, now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sources[source]
	if s == nil {
		s = new(sourceHealth)
		h.sources[source] = s
	}
	s.used, s.reason = true, reason
	if reason == "" {
		s.last = now
	}
}

// unused says that the machine has no use for a source now.
func (h *health) unused(source catalog.HostSource) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.sources[source]; s != nil {
		s.used = false
	}
}

// points are the series about the sources.
func (h *health) points(p *points) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, source := range catalog.HostSources() {
		name := string(source)
		for _, reason := range catalog.HostReasons() {
			if n := h.errors[errorKey{source, reason}]; n > 0 {
				p.add(catalog.HostReadErrors, n, name, string(reason))
			}
		}
		s := h.sources[source]
		if s == nil || !s.used {
			continue
		}
		p.flag(catalog.HostSourceUp, s.reason == "", name)
		p.add(catalog.HostSourceTimeouts, h.timeouts[source], name)
		if !s.last.IsZero() {
			p.add(catalog.HostSourceLastSuccess, float64(s.last.UnixMilli())/1000, name)
		}
		for _, reason := range catalog.HostReasons() {
			if reason == catalog.HostAsleep { // a file's reason: sleep is no failure of a source
				continue
			}
			p.flag(catalog.HostSourceFailed, s.reason == reason, name, string(reason))
		}
	}
}
