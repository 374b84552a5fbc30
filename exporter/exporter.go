// Package exporter is the whole exporter in one value: the command starts it, and tests,
// the proof and the demo start the same one.
//
// It reads no flags, no environment and no wall clock of its own. With a transport and a
// clock from Options it plays recordings at any speed; nothing in it is shared between two
// exporters of one process.
package exporter

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	versioncollector "github.com/prometheus/client_golang/prometheus/collectors/version"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/version"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/engine"
	"github.com/llmfleet/llmfleet/exporter/family"
	"github.com/llmfleet/llmfleet/exporter/host"
	"github.com/llmfleet/llmfleet/exporter/scrape"
	"github.com/llmfleet/llmfleet/exporter/web"
)

// DefaultOffset is what a scrape leaves of its time for the way back to the scraper.
const DefaultOffset = 500 * time.Millisecond

// Options are what an exporter gets besides its configuration. The zero value is that of
// an exporter on the network with no log.
type Options struct {
	// Now is the clock; nil: time.Now. Deadlines run on the machine's clock all the same.
	Now func() time.Time
	// Transport makes the requests to backends; nil: the network. It gets them as they
	// would go out, but for credentials and TLS.
	Transport http.RoundTripper
	// Log gets what an operator must know; nil: nobody does.
	Log *slog.Logger
	// Load reads the configuration again at a reload; nil: it cannot be reloaded.
	Load func() (*config.Config, error)
	// Offset is taken off the scraper's timeout; 0: DefaultOffset.
	Offset time.Duration
	// MetricsPath is where the metrics are; "": /metrics.
	MetricsPath string
	// MaxRequests bounds the scrapes that are served at the same time; 0: no bound.
	MaxRequests int
	// AtOnce bounds the backends that are asked at the same time; 0: a sensible number.
	AtOnce int
	// Host is the machine to be read besides; nil: none is. Its clock and log are those of
	// these options where it has none of its own.
	Host *host.Options
	// NoProcessMetrics leaves out go_* and process_*.
	NoProcessMetrics bool
}

// Exporter is a running exporter. Close it in the end.
type Exporter struct {
	options  Options
	fleet    *scrape.Fleet
	host     *host.Host // nil: not read
	builder  *family.Builder
	registry *prometheus.Registry // of the exporter's own process
	handler  http.Handler

	reloading sync.Mutex             // one reload at a time
	status    atomic.Pointer[status] // stored by New and Reload
}

// status is what is known of the configuration; it never changes once stored.
type status struct {
	config *config.Config // in force
	loaded time.Time
	err    error // of the last reload
}

// New makes an exporter of a configuration.
func New(c *config.Config, o Options) (*Exporter, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Offset == 0 {
		o.Offset = DefaultOffset
	}
	e := &Exporter{options: o, builder: family.NewBuilder(), registry: prometheus.NewRegistry()}
	e.registry.MustRegister(versioncollector.NewCollector("llmfleet_exporter"))
	if !o.NoProcessMetrics {
		e.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	}
	e.fleet = scrape.New(scrape.Options{
		Now: o.Now, Transport: o.Transport, Log: o.Log, AtOnce: o.AtOnce,
		Engines:    engine.BuiltIn(),
		NewSession: func(eo engine.Options) scrape.Session { return engine.NewSession(eo) },
		UserAgent:  "llmfleet_exporter/" + cmp.Or(version.Version, "dev"),
	})
	if err := e.fleet.Load(c); err != nil {
		e.fleet.Close()
		return nil, err
	}
	if o.Host != nil {
		ho := *o.Host
		if ho.Now == nil {
			ho.Now = o.Now
		}
		if ho.Log == nil {
			ho.Log = o.Log
		}
		e.host = host.New(ho)
		e.host.Load(hostConfig(c))
	}
	e.status.Store(&status{config: c, loaded: o.Now()})
	e.handler = web.Handler(e, web.Options{
		MetricsPath: o.MetricsPath, Offset: o.Offset, MaxRequests: o.MaxRequests,
		Version: version.Version, Now: o.Now, Log: o.Log,
	})
	return e, nil
}

// Handler serves all pages.
func (e *Exporter) Handler() http.Handler { return e.handler }

// Close ends all requests to backends, and what reads the machine, and waits for them.
func (e *Exporter) Close() {
	e.fleet.Close()
	if e.host != nil {
		e.host.Close()
	}
}

// SampleHost looks at the links of the machine's cards, as the exporter does by itself between
// scrapes. It is for machines that are played from a recording.
func (e *Exporter) SampleHost(ctx context.Context) {
	if e.host != nil {
		e.host.Sample(ctx)
	}
}

// Scrape asks all targets, at the latest until ctx ends.
func (e *Exporter) Scrape(ctx context.Context) []*scrape.State { return e.fleet.Scrape(ctx) }

// Targets returns the targets in the order of their names.
func (e *Exporter) Targets() []*scrape.Target { return e.fleet.Targets() }

// Target returns the target of a name, nil if the configuration has none.
func (e *Exporter) Target(name string) *scrape.Target { return e.fleet.Target(name) }

// Each scrapes some targets and calls yield with one family after the other; own adds those
// of the exporter itself. A family is valid until yield returns.
func (e *Exporter) Each(ctx context.Context, targets []*scrape.Target, own bool, yield func(*dto.MetricFamily) error) error {
	if err := e.builder.Each(e.sources(ctx, targets, own), yield); err != nil || !own {
		return err
	}
	process, err := e.registry.Gather()
	if err != nil {
		e.options.Log.Warn("Metrics of the exporter's process", "err", err) // the others are there
	}
	for _, f := range process {
		if err := yield(f); err != nil {
			return err
		}
	}
	return nil
}

// sources are the points of targets, scraped now.
func (e *Exporter) sources(ctx context.Context, targets []*scrape.Target, own bool) []family.Source {
	var machine chan []catalog.Point
	if own && e.host != nil {
		machine = make(chan []catalog.Point, 1)
		go func() { machine <- e.host.Collect(ctx) }() // beside the targets
	}
	var sources []family.Source
	for _, s := range scrape.All(ctx, targets) {
		sources = append(sources, family.Source{Points: s.Points, Labels: s.Labels})
	}
	if own {
		sources = append(sources, family.Source{Points: e.points()})
	}
	if machine != nil {
		sources = append(sources, family.Source{Points: <-machine})
	}
	return sources
}
