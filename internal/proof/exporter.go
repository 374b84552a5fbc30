package proof

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/llmfleet/llmfleet/exporter"
	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/internal/recording"
)

// inProcess is the real exporter in front of recorded servers, without a network between
// them: what Prometheus would get, at simulated times.
type inProcess struct {
	exporter *exporter.Exporter
	at       atomic.Int64 // time of the replay, nanoseconds; set by Scrape, read by the exporter's clock
	stretch  float64
}

// newExporter starts the exporter with a recording's configuration.
func newExporter(rec *recording.Recording, stretch float64) (*inProcess, error) {
	c, err := config.Parse(rec.Name+"/exporter.yml", rec.Exporter)
	if err != nil {
		return nil, err
	}
	p := &inProcess{stretch: stretch}
	p.exporter, err = exporter.New(c, exporter.Options{
		Now:       func() time.Time { return Epoch.Add(p.now()) },
		Transport: recording.NewPlayer(rec, func() time.Duration { return time.Duration(float64(p.now()) / stretch) }),
		// Memory and goroutines of the proof's own process are no part of a recording.
		NoProcessMetrics: true,
	})
	return p, err
}

func (p *inProcess) now() time.Duration { return time.Duration(p.at.Load()) }

// Close ends the exporter.
func (p *inProcess) Close() { p.exporter.Close() }

// Scrape asks the exporter's handler for /metrics as Prometheus does.
func (p *inProcess) Scrape(ctx context.Context, at time.Duration) (Page, error) {
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
