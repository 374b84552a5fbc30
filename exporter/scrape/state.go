package scrape

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// blank is a state with what never changes.
func (t *Target) blank() *State {
	return &State{Backend: t.backend.Name, URL: t.shown, Unscraped: t.backend.Unscraped, Labels: t.backend.Labels}
}

// unscraped is the state of a backend that is only named.
func (t *Target) unscraped() *State {
	s := t.blank()
	p := points{backend: s.Backend}
	p.stated(t.backend)
	p.add(catalog.BackendInfo, 1, "", "", s.URL)
	sortPoints(p.out)
	s.Points = p.out
	return s
}

// conclude makes the state that a reading found.
func (t *Target) conclude(r *round, reading *engine.Reading, began time.Time) *State {
	s := t.blank()
	s.At = t.now()
	s.Took = s.At.Sub(began)
	s.Healthy, s.Up, s.Reason, s.Problem = reading.Healthy, reading.Up, reading.Reason, t.told(reading.Problem)
	s.Models = listed(reading.Models, t.backend.Expect.Models)
	s.Version = bounded(t.told(reading.Version), longestName)
	if reading.Engine != nil {
		s.Engine, s.EngineName = reading.Engine.Title, reading.Engine.Name
	}
	s.NotServed, _ = notServed(t.backend, s)
	missed := t.recall(s, r, reading.Engine)
	// Numbers that were used again are no new success: their age must show.
	again := t.backend.MetricsInterval > 0 && !r.log.askedForNumbers() && !s.LastSuccess.IsZero()
	if reading.Up == engine.Yes && !again {
		s.LastSuccess = s.At
	}
	if reading.Up == engine.Yes {
		s.Notes = slices.Concat(t.notes(r), missingNote(reading.Missing))
	}
	if e := reading.Engine; e != nil && !e.Router && t.backend.Expect.Replicas > 0 {
		s.Notes = append(s.Notes, "expect.replicas is for routers, and "+e.Title+" is none: nothing is compared with it")
	}
	t.fill(s, r, reading, missed)
	return s
}

// recall adds what outlives a failure, and says whether a caller has missed the round.
func (t *Target) recall(s *State, r *round, program *engine.Engine) (missed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if program != nil {
		t.program = program
	}
	if known := t.known; known != nil {
		s.LastSuccess = known.LastSuccess
		if s.Version == "" && s.EngineName == known.EngineName {
			s.Version = known.Version
		}
	}
	return r.missed
}

// fill adds the points: the target's own first, since of two that clash the first stays.
func (t *Target) fill(s *State, r *round, reading *engine.Reading, missed bool) {
	own := ownCopy(reading.Points)
	sortPoints(own)
	own, clashes := withoutClashes(own)
	t.counts.read(reading, clashes, missed)

	p := points{backend: s.Backend, out: own}
	p.page(reading)
	p.judged(t.backend, own)
	p.joined(t.shared.workers.Load(), t.backend, own)
	t.about(&p, s, r)
	sortPoints(p.out)
	s.Points, _ = withoutClashes(p.out)
}

// about adds what the exporter says of a scrape, whatever came of it.
func (t *Target) about(p *points, s *State, r *round) {
	p.stated(t.backend)
	p.found(s)
	p.served(t.backend, s)
	p.counted(t.counts)
	if r != nil {
		p.time(catalog.ScrapeCertificateExpiry, r.log.expiry())
	}
}

// missed is the state of a scrape whose time ran out: no numbers, and why. What the round
// has learned so far about the server's health is said, because a server that answers and
// is merely busy is not down.
func (t *Target) missed(r *round, reason catalog.Reason, began time.Time) *State {
	s := t.blank()
	s.At = t.now()
	s.Took = s.At.Sub(began)
	s.Up, s.Reason = engine.No, reason
	t.mu.Lock()
	program := t.program
	if t.known != nil {
		s.Engine, s.EngineName, s.Version = t.known.Engine, t.known.EngineName, t.known.Version
		s.LastSuccess = t.known.LastSuccess
	}
	t.mu.Unlock()
	if program != nil && program.NoNumbers {
		s.Up = engine.Unknown
	}
	s.Problem = t.missedProblem(s, r, program)
	t.counts.failed(reason)
	p := points{backend: s.Backend}
	t.about(&p, s, r)
	sortPoints(p.out)
	s.Points = p.out
	return s
}

// missedProblem says in words what is being waited for, and fills in the health.
func (t *Target) missedProblem(s *State, r *round, program *engine.Engine) string {
	if r == nil {
		return "not asked: the exporter is stopping"
	}
	health := t.paths.health
	if program != nil {
		health = pathsOf(program).health
	}
	s.Healthy = r.log.health(func(p string) bool { return among(health, p) })
	path := r.log.waitingFor()
	if path == "" {
		path = "its turn"
	}
	if s.Reason == catalog.ReasonSkipped {
		return fmt.Sprintf("the round before is still waiting for %s; its numbers come with the next scrape if they arrive", path)
	}
	return fmt.Sprintf("no complete answer within %s: still waiting for %s", s.Took.Round(time.Millisecond), path)
}

// notes says what is odd about answers that were read all the same, and logs it once.
func (t *Target) notes(r *round) []string {
	odd, isOdd := r.log.oddType()
	if !isOdd {
		return nil
	}
	note := fmt.Sprintf("the numbers come with the content type %q, which Prometheus itself would refuse; they were read all the same", bounded(t.told(odd), longestName))
	t.mu.Lock()
	first := t.warned != note
	t.warned = note
	t.mu.Unlock()
	if first {
		t.shared.log.Warn("Odd content type", "backend", t.backend.Name, "note", note)
	}
	return []string{note}
}

// missingNote names what llm_scrape_missing_series only counts: the alert on it sends a person
// to the page on which the notes are.
func missingNote(names []string) []string {
	if len(names) == 0 {
		return nil
	}
	const most = 20
	text := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return []string{"this version should send these names and did not: " + text}
}
