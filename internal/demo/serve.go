package demo

import (
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/llmfleet/llmfleet/internal/promapi"
	"github.com/llmfleet/llmfleet/internal/replay"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// site is a handler on a port.
type site struct {
	url    string
	taken  string // the address that it should have had; "": it has it
	server *http.Server
}

// open serves a handler until the site is closed.
func open(address string, h http.Handler) (*site, error) {
	l, taken, err := listen(address)
	if err != nil {
		return nil, err
	}
	s := &site{url: "http://" + l.Addr().String(), server: &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}}
	if taken {
		s.taken = address
	}
	go func() { _ = s.server.Serve(l) }() // ends with close
	return s, nil
}

func (s *site) close() { s.server.Close() }

// listen opens an address, or a free port of the same host when the port is taken.
func listen(address string) (l net.Listener, taken bool, err error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil || port == "" { // without a port, any would be opened, and without a host on every network
		return nil, false, fmt.Errorf("listen on %q: is no address; write host:port", address)
	}
	l, err = net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		taken = true
		l, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return nil, false, fmt.Errorf("listen on %q: %w", address, err)
	}
	return l, taken, nil
}

// sites are what the demo serves besides the exporters.
type sites []*site

func (s sites) close() {
	for _, one := range s {
		one.close()
	}
}

// serve opens the fleet's page and the query API, and says where everything is.
func (s *show) serve() (sites, error) {
	api, err := open(s.opts.PrometheusAddress, s.prometheus())
	if err != nil {
		return nil, fmt.Errorf("demo: query API: %w", err)
	}
	fleet, err := open(s.opts.PageAddress, http.HandlerFunc(s.page))
	if err != nil {
		api.close()
		return nil, fmt.Errorf("demo: page of the fleet: %w", err)
	}
	first, others := s.stage.machines[0], ""
	for _, m := range s.stage.machines[1:] {
		others += fmt.Sprintf("The exporter on %-10s %s/\n", m.name, m.page.url)
	}
	taken := ""
	for _, one := range []*site{fleet, first.page, api} {
		if one.taken != "" {
			taken += fmt.Sprintf("%s is taken, by another demo perhaps; a free port was opened instead.\n", one.taken)
		}
	}
	fmt.Fprintf(s.opts.Out, `The fleet and its alerts   %s/
The exporter's page        %s/
What Prometheus scrapes    %s/metrics
%sPrometheus, for Grafana    %s
%s%s of a fleet at %g times the clock. Ctrl-C ends it.

second  alert is  alert                     labels
`, fleet.url, first.page.url, first.page.url, others, api.url, taken, s.stage.length, s.opts.Speed)
	return sites{fleet, api}, nil
}

// prometheus answers the query API, and says to a browser what is here.
func (s *show) prometheus() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/api/", promapi.Handler(s.source()))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprintln(w, "This is the query API of the demo's Prometheus, for Grafana (a data source of the type Prometheus with this address) and for llmfleet check. It has no pages.")
	})
	return mux
}

// source is the demo's Prometheus as its API answers. Who asks for the last half hour gets the
// half hour up to the simulated now.
func (s *show) source() promapi.Source {
	now := func() time.Time { return replay.Epoch.Add(s.stage.now()) }
	source := s.prom.Source(now)
	source.Alertmanagers = func() []string { return []string{alertmanager} }
	source.Ahead = func() time.Duration { return time.Since(now()) }
	return source
}

// page shows the fleet as it was after the last step.
func (s *show) page(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/" {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	v := s.view
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if err := page.Execute(w, v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
