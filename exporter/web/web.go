// Package web is the exporter's HTTP: the pages that Prometheus reads, the page that a
// person reads, health, and reload.
//
// Every answer comes in time: what has not arrived by the scraper's deadline is missing
// from the page and named on it. Nothing a caller sends chooses an address to be asked.
package web

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	pathpkg "path"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/llmfleet/llmfleet/exporter/scrape"
)

// Exporter is what the pages show.
type Exporter interface {
	// Each scrapes targets and calls yield with one family after the other; own adds those
	// of the exporter itself. A family is valid until yield returns.
	Each(ctx context.Context, targets []*scrape.Target, own bool, yield func(*dto.MetricFamily) error) error
	// Targets are in the order of their names.
	Targets() []*scrape.Target
	// Target returns nil for a name that is not in the configuration.
	Target(name string) *scrape.Target
	// Config describes the configuration in force.
	Config() ConfigStatus
	// Reload reads the configuration again; on an error the one in force stays.
	Reload() (Reloaded, error)
}

// Reloaded is what a reload changed.
type Reloaded struct{ Before, Now int } // backends

// String is a sentence for who reloaded.
func (r Reloaded) String() string {
	return fmt.Sprintf("The new configuration is in force. Backends: %d before, %d now.", r.Before, r.Now)
}

// ConfigStatus is what is known of the configuration.
type ConfigStatus struct {
	File   string    // "" when made from flags
	Loaded time.Time // when the one in force was read
	Error  string    // why the last reload was refused, "" if it was not
	Text   string    // the one in force, secrets redacted
}

// Options are what the pages need besides.
type Options struct {
	MetricsPath string        // "" is /metrics
	Offset      time.Duration // taken off the scraper's timeout, for the way back
	MaxRequests int           // scrapes of one page served at the same time; 0: no bound
	Version     string        // for the page
	Now         func() time.Time
	Log         *slog.Logger
}

// Reserved are the paths that --web.telemetry-path cannot take.
var reserved = []string{"/", "/probe", "/config", "/-/healthy", "/-/ready", "/-/reload", "/api/v1/targets"}

// CheckMetricsPath says what is wrong with a path for the metrics.
func CheckMetricsPath(path string) error {
	if len(path) < 2 || path[0] != '/' {
		return fmt.Errorf("metrics path %q: must begin with / and have a name", path)
	}
	for _, r := range reserved {
		if path == r {
			return fmt.Errorf("metrics path %q: is taken by another page; choose another, such as /metrics", path)
		}
	}
	if clean := pathpkg.Clean(path); clean != path { // also a / at the end, which would stand for all below it
		return fmt.Errorf("metrics path %q: is not plain; write %s", path, clean)
	}
	for _, c := range path {
		if c <= ' ' || c > '~' || c == '{' || c == '}' || c == '?' || c == '#' || c == '%' {
			return fmt.Errorf("metrics path %q: %q is not allowed in it", path, c)
		}
	}
	return nil
}

// site is the handler of all pages.
type site struct {
	Options
	exporter Exporter
	zip      zippers
	places   places
}

// Handler returns all pages.
func Handler(e Exporter, o Options) http.Handler {
	if o.MetricsPath == "" {
		o.MetricsPath = "/metrics"
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &site{Options: o, exporter: e, places: places{most: o.MaxRequests}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+o.MetricsPath, s.metrics)
	mux.HandleFunc("GET /probe", s.probe)
	mux.HandleFunc("GET /-/healthy", says("llmfleet_exporter is healthy.\n"))
	// A handler exists only once there is a configuration, so it is ready from its first answer.
	mux.HandleFunc("GET /-/ready", says("llmfleet_exporter is ready.\n"))
	mux.Handle("POST /-/reload", http.NewCrossOriginProtection().Handler(http.HandlerFunc(s.reload)))
	mux.HandleFunc("GET /-/reload", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "Reload with POST: curl -X POST …/-/reload", http.StatusMethodNotAllowed)
	})
	mux.HandleFunc("GET /config", s.config)
	mux.HandleFunc("GET /api/v1/targets", s.targetsJSON)
	mux.HandleFunc("GET /{$}", s.page)
	return mux
}

// says answers with a text.
func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		io.WriteString(w, text)
	}
}

// reload reads the configuration again, and says why when the new one is refused.
func (s *site) reload(w http.ResponseWriter, _ *http.Request) {
	changed, err := s.exporter.Reload()
	if err != nil {
		http.Error(w, "The configuration before it stays in force.\n"+err.Error(), http.StatusBadRequest)
		return
	}
	says(changed.String()+"\n")(w, nil)
}

// config shows the configuration in force, without secrets.
func (s *site) config(w http.ResponseWriter, r *http.Request) {
	says(s.exporter.Config().Text)(w, r)
}
