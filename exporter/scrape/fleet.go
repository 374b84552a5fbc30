package scrape

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// Options are what the targets of one exporter get from outside.
type Options struct {
	// Now is the clock; nil: time.Now.
	Now func() time.Time
	// Transport makes the requests instead of one per backend with its authorization and
	// TLS settings: recordings are replayed through it. nil: the network.
	Transport http.RoundTripper
	// Log gets what an operator must know; nil: nobody does.
	Log *slog.Logger
	// NewSession makes the part that decides what to ask.
	NewSession func(engine.Options) Session
	// Engines are the built-in ones, tried after those of the configuration.
	Engines []*engine.Engine
	// AtOnce is how many targets are asked at the same time; 0: a sensible number.
	AtOnce int
	// UserAgent is what the servers see.
	UserAgent string
}

// atOnce is the usual number of targets that are asked at the same time.
const atOnce = 16

// Fleet is the targets of one exporter. Its zero value is of no use; see New.
type Fleet struct {
	options Options
	shared  *shared

	mu      sync.RWMutex // guards what follows
	targets []*Target    // by name
	byName  map[string]*Target
	counts  map[string]*counters // by backend; they outlive a reload
}

// New makes a fleet without targets; Load gives it some.
func New(o Options) *Fleet {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.AtOnce <= 0 {
		o.AtOnce = atOnce
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Fleet{
		options: o,
		shared:  &shared{ctx: ctx, cancel: cancel, now: o.Now, log: o.Log, newSession: o.NewSession, places: make(chan struct{}, o.AtOnce)},
		byName:  make(map[string]*Target),
		counts:  make(map[string]*counters),
	}
}

// Load replaces the targets by those of a configuration. A backend that did not change
// keeps its target with all that it has learned. On an error nothing changes.
func (f *Fleet) Load(c *config.Config) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	engines := slices.Concat(c.Engines, f.options.Engines)
	targets := make([]*Target, 0, len(c.Backends))
	var errs []error
	for _, b := range c.Backends {
		if old := f.byName[b.Name]; old != nil && old.same(b, engines) {
			targets = append(targets, old)
			continue
		}
		t, err := f.target(b, engines)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		targets = append(targets, t)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	f.put(targets)
	f.shared.workers.Store(workersOf(c.Backends))
	return nil
}

// put makes the targets the fleet's. f.mu is held.
func (f *Fleet) put(targets []*Target) {
	slices.SortFunc(targets, func(a, b *Target) int { return cmp.Compare(a.backend.Name, b.backend.Name) })
	f.targets = targets
	f.byName = make(map[string]*Target, len(targets))
	counts := make(map[string]*counters, len(targets))
	for _, t := range targets {
		f.byName[t.backend.Name] = t
		counts[t.backend.Name] = t.counts
	}
	f.counts = counts
}

// same says whether a configuration asks for the target as it is.
func (t *Target) same(b config.Backend, engines []*engine.Engine) bool {
	return reflect.DeepEqual(t.backend, b) && reflect.DeepEqual(t.engines, engines)
}

// target makes one target. f.mu is held.
func (f *Fleet) target(b config.Backend, engines []*engine.Engine) (*Target, error) {
	t := &Target{backend: b, shown: shownURL(b.URL), engines: engines, shared: f.shared, counts: f.counts[b.Name]}
	if t.counts == nil {
		t.counts = newCounters()
	}
	if b.Unscraped != "" {
		return t, nil
	}
	client, err := f.client(b)
	if err != nil {
		return nil, err
	}
	t.paths = pathsOf(engines...)
	t.fetcher = newFetcher(b, client, &f.shared.buffers)
	t.session = f.shared.newSession(t.options())
	return t, nil
}

func (f *Fleet) client(b config.Backend) (*http.Client, error) {
	if f.options.Transport != nil {
		return plainClient(f.options.Transport), nil
	}
	if b.HTTP.TLSConfig.InsecureSkipVerify {
		f.shared.log.Warn("Certificate of a backend is not verified: whoever stands in between can read its credentials", "backend", b.Name)
	}
	return newClient(b, f.options.UserAgent)
}

// Targets returns the targets in the order of their names.
func (f *Fleet) Targets() []*Target {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.targets
}

// Target returns the target of a name, nil if there is none.
func (f *Fleet) Target(name string) *Target {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.byName[name]
}

// Scrape asks all targets, at the latest until ctx ends.
func (f *Fleet) Scrape(ctx context.Context) []*State { return All(ctx, f.Targets()) }

// All asks targets at the same time, at the latest until ctx ends, and returns a state for
// each, in their order.
func All(ctx context.Context, targets []*Target) []*State {
	states := make([]*State, len(targets))
	var all sync.WaitGroup
	for i, t := range targets {
		all.Go(func() { states[i] = t.Scrape(ctx) })
	}
	all.Wait()
	return states
}

// Close ends all rounds in flight and waits for them. Scrapes after it find nothing.
func (f *Fleet) Close() { f.shared.close() }
