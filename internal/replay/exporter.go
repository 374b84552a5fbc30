package replay

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/llmfleet/llmfleet/exporter"
	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/host"
	"github.com/llmfleet/llmfleet/internal/recording"
)

// inProcess is the real exporter in front of recorded servers, without a network between
// them: what Prometheus would get, at simulated times.
type inProcess struct {
	exporter *exporter.Exporter
	at       atomic.Int64 // time of the replay, nanoseconds; set by Scrape, read by the exporter's clock
	stretch  float64
	changes  []time.Duration // times of the recording at which its machine changes
}

// newExporter starts the exporter with a recording's configuration.
func newExporter(rec *recording.Recording, stretch float64) (*inProcess, error) {
	c, err := config.Parse(rec.Name+"/exporter.yml", rec.Exporter)
	if err != nil {
		return nil, err
	}
	p := &inProcess{stretch: stretch}
	o := exporter.Options{
		Now:       func() time.Time { return Epoch.Add(p.now()) },
		Transport: recording.NewPlayer(rec, p.recorded),
		// Memory and goroutines of this process are no part of a recording.
		NoProcessMetrics: true,
	}
	if rec.Host != nil {
		machine := rec.Host.Play(p.recorded)
		o.Host, p.changes = &host.Options{FS: machine, Run: machine.Run, KernelLog: machine.KernelLog, FileDeadline: time.Minute}, rec.Host.Times()
	}
	p.exporter, err = exporter.New(c, o)
	return p, err
}

func (p *inProcess) now() time.Duration { return time.Duration(p.at.Load()) }

// recorded is the time of the recording.
func (p *inProcess) recorded() time.Duration { return time.Duration(float64(p.now()) / p.stretch) }

// sample looks at the machine's links up to a time, as the exporter does by itself.
func (p *inProcess) sample(ctx context.Context, until time.Duration) {
	for _, at := range Samples(p.changes, p.stretch, p.now(), until) {
		p.at.Store(int64(at))
		p.exporter.SampleHost(ctx)
	}
}

// sampleEvery is how often the exporter looks at links between scrapes unless it is told otherwise.
const sampleEvery = 2 * time.Second

// Samples are the times of a replay between two scrapes at which an exporter looks at the links
// of its machine by itself. Where the machine does not change there is nothing to see.
func Samples(changes []time.Duration, stretch float64, from, until time.Duration) []time.Duration {
	if !slices.ContainsFunc(changes, func(t time.Duration) bool {
		t = time.Duration(float64(t) * stretch)
		return t > from && t <= until
	}) {
		return nil
	}
	var out []time.Duration
	for at := from + sampleEvery; at < until; at += sampleEvery {
		out = append(out, at)
	}
	return out
}

// Close ends the exporter.
func (p *inProcess) Close() { p.exporter.Close() }

// Scrape asks the exporter's handler for /metrics as Prometheus does.
func (p *inProcess) Scrape(ctx context.Context, at time.Duration) (Page, error) {
	p.sample(ctx, at)
	p.at.Store(int64(at))
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "/metrics", nil)
	if err != nil {
		return Page{}, err
	}
	req.Header.Set("Accept", "text/plain;version=0.0.4")
	w := answer{header: http.Header{}, status: http.StatusOK}
	p.exporter.Handler().ServeHTTP(&w, req)
	if w.status != http.StatusOK {
		return Page{}, fmt.Errorf("exporter: status %d: %s", w.status, w.body.String())
	}
	return Page{Body: w.body.Bytes(), ContentType: w.header.Get("Content-Type")}, nil
}

// answer keeps what a handler writes.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header is the answer's header.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader keeps the status.
func (a *answer) WriteHeader(status int) { a.status = status }

// Write keeps a part of the body.
func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }
