package scrape

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/llmfleet/llmfleet/exporter/engine"
)

// shared is what the targets of one exporter have in common.
type shared struct {
	ctx        context.Context // ends when the exporter closes
	cancel     context.CancelFunc
	now        func() time.Time
	log        *slog.Logger
	newSession func(engine.Options) Session
	buffers    buffers
	places     chan struct{}           // one for each round that may run at once
	workers    atomic.Pointer[workers] // of the configuration in force; stored by Fleet

	mu      sync.Mutex // guards closing and the rounds' Add
	closing bool
	rounds  sync.WaitGroup
}

// begin counts a round, unless the exporter is closing.
func (s *shared) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return false
	}
	s.rounds.Add(1)
	return true
}

func (s *shared) end() { s.rounds.Done() }

// close ends all rounds and waits for them.
func (s *shared) close() {
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	s.cancel()
	s.rounds.Wait()
}

// patience is how long a round waits for its place, and how long it keeps it: servers that
// hang cost neither processor nor memory, and the others must not wait for them.
const patience = time.Second

// place waits for the right to run; ok is false when nobody waits for the round any more.
func (s *shared) place(ctx context.Context) (release func(), ok bool) {
	enough := time.NewTimer(patience)
	defer enough.Stop()
	select {
	case s.places <- struct{}{}:
		give := sync.OnceFunc(func() { <-s.places })
		late := time.AfterFunc(patience, give)
		return func() { late.Stop(); give() }, true
	case <-enough.C:
		return func() {}, true
	case <-ctx.Done():
		return nil, false
	}
}
