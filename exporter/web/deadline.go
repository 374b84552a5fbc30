package web

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// timeoutHeader is what Prometheus sends with each scrape, in seconds.
const timeoutHeader = "X-Prometheus-Scrape-Timeout-Seconds"

const (
	// usualTimeout stands for the header when it is missing: Prometheus' own default.
	usualTimeout = 10 * time.Second
	// longestTimeout bounds what a caller may ask for.
	longestTimeout = 10 * time.Minute
)

// deadline is how long a scrape may take: the scraper's timeout less the offset. An offset
// that would leave nothing takes half.
func deadline(h http.Header, offset time.Duration) time.Duration {
	timeout := usualTimeout
	if seconds, err := strconv.ParseFloat(h.Get(timeoutHeader), 64); err == nil && seconds > 0 {
		timeout = longestTimeout
		if seconds < longestTimeout.Seconds() {
			timeout = time.Duration(seconds * float64(time.Second))
		}
	}
	if timeout-offset < timeout/2 {
		return timeout / 2
	}
	return timeout - offset
}

// writing is how long the page of one target takes to be made and sent, where the machine has
// little time to spare: of two thousand targets the offset alone would not do.
const writing = 250 * time.Microsecond

// withDeadline returns the request's context, ending in time to write a page of so many targets.
func (s *site) withDeadline(r *http.Request, targets int) (context.Context, context.CancelFunc) {
	return context.WithTimeout(r.Context(), deadline(r.Header, s.Offset+time.Duration(targets)*writing))
}

// readWithin is how long a scraper may take to read a page that is ready.
const readWithin = 30 * time.Second

// boundReading ends a page that nobody reads on: a scraper that stopped in the middle would
// hold its place for ever. The connection may serve other pages afterwards.
func boundReading(w http.ResponseWriter, r *http.Request, offset time.Duration) (end func()) {
	control := http.NewResponseController(w)
	control.SetWriteDeadline(time.Now().Add(deadline(r.Header, offset) + readWithin)) // fails for a writer that is no connection
	return func() {
		control.Flush()
		control.SetWriteDeadline(time.Time{})
	}
}
