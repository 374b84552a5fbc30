package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"

	"github.com/llmfleet/llmfleet/exporter/scrape"
)

// metrics scrapes all targets.
func (s *site) metrics(w http.ResponseWriter, r *http.Request) {
	s.expose(w, r, s.exporter.Targets(), true)
}

// probe scrapes one target. Only names of the configuration are accepted: a free address
// would let any caller send this exporter, and its credentials, anywhere.
func (s *site) probe(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("target")
	if name == "" {
		http.Error(w, "Name a target: /probe?target=NAME. "+s.whereNames(), http.StatusBadRequest)
		return
	}
	t := s.exporter.Target(name)
	if t == nil {
		http.Error(w, fmt.Sprintf("No target %q in the configuration; addresses are not accepted here. %s", cut(name, 100), s.whereNames()), http.StatusNotFound)
		return
	}
	s.expose(w, r, []*scrape.Target{t}, false)
}

// whereNames says how names are found, and some of them.
func (s *site) whereNames() string {
	const most = 20
	var names []string
	for _, t := range s.exporter.Targets() {
		names = append(names, t.Backend().Name)
	}
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	return fmt.Sprintf("Names are on the page / and in /api/v1/targets: %s%s.", strings.Join(names, ", "), more)
}

func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// expose answers with the metrics of targets in the format that the scraper prefers.
func (s *site) expose(w http.ResponseWriter, r *http.Request, targets []*scrape.Target, own bool) {
	ctx, cancel := s.withDeadline(r)
	defer cancel()
	g := gatherer{ctx, s.exporter, targets, own}
	w, end := s.zip.wrap(w, r)
	defer end()
	promhttp.HandlerForTransactional(g, promhttp.HandlerOpts{
		ErrorLog:           errorLog{s.Log},
		ErrorHandling:      promhttp.ContinueOnError,
		EnableOpenMetrics:  true,
		DisableCompression: true, // zip does it
	}).ServeHTTP(w, r)
}

// gatherer is one request's scrape in the form that promhttp takes.
type gatherer struct {
	ctx      context.Context
	exporter Exporter
	targets  []*scrape.Target
	own      bool
}

// Gather scrapes.
func (g gatherer) Gather() ([]*dto.MetricFamily, func(), error) {
	return g.exporter.Families(g.ctx, g.targets, g.own)
}

// errorLog logs what promhttp reports.
type errorLog struct{ log *slog.Logger }

// Println logs a failure to write a page, mostly a scraper that hung up.
func (l errorLog) Println(v ...any) {
	l.log.Warn("Metrics page", "err", strings.TrimSpace(fmt.Sprintln(v...)))
}
