package demo

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/llmfleet/llmfleet/internal/replay"
)

// httpScraper asks the exporter for its metrics over HTTP, as a Prometheus would.
type httpScraper struct{ url string }

// Scrape asks once. The deadline is the machine's, not that of simulated time.
func (h httpScraper) Scrape(ctx context.Context, _ time.Duration) (replay.Page, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*scrapeTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url+"/metrics", nil)
	if err != nil {
		return replay.Page{}, err
	}
	req.Header.Set("Accept", "text/plain;version=0.0.4")
	req.Header.Set("X-Prometheus-Scrape-Timeout-Seconds", strconv.FormatFloat(scrapeTimeout.Seconds(), 'g', -1, 64))
	began := time.Now()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return replay.Page{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return replay.Page{}, fmt.Errorf("exporter: %w", err)
	case resp.StatusCode != http.StatusOK:
		return replay.Page{}, fmt.Errorf("exporter: status %s", resp.Status)
	}
	return replay.Page{Body: body, ContentType: resp.Header.Get("Content-Type"), Took: time.Since(began)}, nil
}
