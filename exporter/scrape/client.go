package scrape

import (
	"context"
	"fmt"
	"net/http"
	"time"

	promconfig "github.com/prometheus/common/config"

	"github.com/llmfleet/llmfleet/exporter/config"
)

// idleTimeout closes connections between two scrapes. Several servers give each open
// connection a thread or close it after 5 s themselves; within a round it is reused.
const idleTimeout = 2 * time.Second

// newClient makes the HTTP client of one backend: authorization, TLS and proxy as its
// configuration says. Secrets and certificates that are named by file are read again when
// they change.
func newClient(b config.Backend, userAgent string) (*http.Client, error) {
	rt, err := promconfig.NewRoundTripperFromConfigWithContext(context.Background(), b.HTTP, b.Name,
		promconfig.WithIdleConnTimeout(idleTimeout), promconfig.WithUserAgent(userAgent))
	if err != nil {
		return nil, fmt.Errorf("backend %q: HTTP client: %w", b.Name, err)
	}
	return plainClient(rt), nil
}

// plainClient never follows a redirect by itself: next decides about each.
func plainClient(rt http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     rt,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
