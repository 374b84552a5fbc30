package web

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/llmfleet/llmfleet/exporter/scrape"
)

// metrics scrapes all targets.
func (s *site) metrics(w http.ResponseWriter, r *http.Request) {
	s.expose(w, r, "", s.exporter.Targets())
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
	s.expose(w, r, name, []*scrape.Target{t})
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

// expose answers with the metrics of targets in the format that the scraper prefers; without
// the name of a target they are all, and the exporter's own come along. One family is made
// and written after the other: a whole page in memory would be the most that the exporter
// ever holds.
func (s *site) expose(w http.ResponseWriter, r *http.Request, name string, targets []*scrape.Target) {
	if !s.places.take(name) {
		http.Error(w, fmt.Sprintf("%d scrapes are being served already; try again later, or raise --web.max-requests.", s.MaxRequests), http.StatusServiceUnavailable)
		return
	}
	defer s.places.leave(name)
	ctx, cancel := s.withDeadline(r, len(targets))
	defer cancel()
	defer boundReading(w, r, s.Offset)()
	w, end := s.zip.wrap(w, r)
	defer end()
	format := expfmt.NegotiateAccept(r.Header, expfmt.DefaultOpenMetricsAcceptedFormats()...)
	w.Header().Set("Content-Type", string(format))
	w.Header().Add("Vary", "Accept")
	encoder := expfmt.NewEncoder(w, format)
	err := s.exporter.Each(ctx, targets, name == "", only(r.URL.Query()["name[]"], encoder.Encode))
	if closer, ok := encoder.(expfmt.Closer); ok && err == nil {
		err = closer.Close()
	}
	if err != nil {
		s.Log.Debug("Metrics page not sent", "err", err) // the scraper hung up
	}
}

// only leaves out the families that were not asked for by name; no names ask for all.
func only(names []string, yield func(*dto.MetricFamily) error) func(*dto.MetricFamily) error {
	if len(names) == 0 {
		return yield
	}
	return func(f *dto.MetricFamily) error {
		if !slices.Contains(names, f.GetName()) {
			return nil
		}
		return yield(f)
	}
}
