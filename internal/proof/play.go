package proof

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/llmfleet/llmfleet/internal/recording"
	"github.com/llmfleet/llmfleet/rules"
)

// PlayOptions say what is played, and how fast.
type PlayOptions struct {
	Targets []Target
	Files   []rules.File
	Length  time.Duration
	// Wait is called before each step; it may let real time pass. nil: as fast as it goes.
	Wait func(ctx context.Context, at time.Duration) error
}

// Play scrapes and evaluates from second 0 to the end, and calls a function after each step.
// It is what the proof does; the demo shows it. The Prometheus is closed when Play returns.
func Play(ctx context.Context, o PlayOptions, each func(Step, *Prometheus) error) ([]*Span, error) {
	p, err := NewPrometheus(o.Targets, o.Files)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	for at := time.Duration(0); at <= o.Length; at += StepLength {
		if o.Wait != nil {
			if err := o.Wait(ctx, at); err != nil {
				return p.Spans(), err
			}
		}
		step, err := p.Step(ctx, at)
		if err != nil {
			return p.Spans(), err
		}
		if err := each(step, p); err != nil {
			return p.Spans(), err
		}
	}
	return p.Spans(), nil
}

// NewReplay prepares a recording of the caller's at its own pace brought to a step.
func NewReplay(rec *recording.Recording) *Replay {
	c := &corpus{recordings: map[string]*recording.Recording{rec.Name: rec}}
	r, _ := c.replay(rec.Name, 0, "") // fails for unknown names only
	return r
}

// HTTP scrapes a real address, as Prometheus does.
type HTTP struct {
	URL     string // of /metrics
	Client  *http.Client
	Timeout time.Duration
}

// maxPage bounds what a page may be.
const maxPage = 64 << 20

// Scrape asks for the page. The time of the replay is the server's affair.
func (h HTTP) Scrape(ctx context.Context, _ time.Duration) (Page, error) {
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.URL, nil)
	if err != nil {
		return Page{}, fmt.Errorf("scrape %s: %w", h.URL, err)
	}
	req.Header.Set("Accept", "text/plain;version=0.0.4")
	req.Header.Set("X-Prometheus-Scrape-Timeout-Seconds", fmt.Sprintf("%g", h.Timeout.Seconds()))
	began := time.Now()
	resp, err := h.Client.Do(req)
	if err != nil {
		return Page{}, fmt.Errorf("scrape %s: %w", h.URL, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxPage))
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %s", resp.Status)
	}
	if err != nil {
		return Page{}, fmt.Errorf("scrape %s: %w", h.URL, err)
	}
	return Page{Body: body, ContentType: resp.Header.Get("Content-Type"), Took: time.Since(began)}, nil
}
