package demo

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"sync/atomic"
	"time"

	"github.com/llmfleet/llmfleet/exporter"
	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/internal/proof"
	"github.com/llmfleet/llmfleet/internal/recording"
	"github.com/llmfleet/llmfleet/rules"
)

// scrapeTimeout is what the demo's Prometheus allows a scrape. It is short, since a server that
// hangs in a recording hangs for real, and simulated time does not wait for it.
const scrapeTimeout = time.Second

// stage is the recorded servers on their ports and the exporter in front of them.
type stage struct {
	at       atomic.Int64 // simulated time since the start
	length   time.Duration
	ports    []*recording.Ports
	config   *config.Config
	exporter *exporter.Exporter
	page     *site // of the exporter
	job      string
}

func newStage(o Options) (*stage, error) {
	if len(o.Recordings) == 0 {
		return nil, errors.New("demo: no recording to play")
	}
	s := &stage{config: config.Default(), job: o.Settings.Job}
	for _, r := range o.Recordings {
		if err := s.enter(r); err != nil {
			s.close()
			return nil, fmt.Errorf("recording %q: %w", r.Name, err)
		}
	}
	e, err := exporter.New(s.config, exporter.Options{
		Now:    func() time.Time { return proof.Epoch.Add(s.now()) },
		Offset: scrapeTimeout / 7,
	})
	if err != nil {
		s.close()
		return nil, fmt.Errorf("demo: exporter: %w", err)
	}
	s.exporter = e
	if s.page, err = open(o.ExporterAddress, e.Handler()); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// enter opens a recording's ports and adds its backends to the configuration.
func (s *stage) enter(r *recording.Recording) error {
	stretch := proof.Stretch(r)
	player := recording.NewPlayer(r, func() time.Duration { return time.Duration(float64(s.now()) / stretch) })
	ports, err := player.Listen()
	if err != nil {
		return err
	}
	s.ports = append(s.ports, ports)
	s.length = max(s.length, time.Duration(float64(r.Meta.Length)*stretch))
	c, err := config.Parse(path.Join(r.Name, "exporter.yml"), r.Exporter)
	if err != nil {
		return err
	}
	s.config.Engines = append(s.config.Engines, c.Engines...)
	for _, b := range c.Backends {
		b.URL = replaceHost(b.URL, ports.URLs())
		b.MetricsURL = replaceHost(b.MetricsURL, ports.URLs())
		b.Name = s.freeName(b.Name, r)
		b.Limits.Timeout = scrapeTimeout // a server that hung in the recording hangs in the machine's time
		s.config.Backends = append(s.config.Backends, b)
	}
	return nil
}

// freeName keeps a backend's name, unless two recordings have one of that name.
func (s *stage) freeName(name string, r *recording.Recording) string {
	candidates := []string{name, path.Base(r.Name), name + "-" + path.Base(r.Name)}
	if len(r.Servers) == 1 {
		candidates = candidates[1:] // "overload-long" says more than "llamacpp"
	}
	for n := 2; ; n++ {
		for _, c := range candidates {
			if _, taken := s.config.Find(c); !taken {
				return c
			}
		}
		candidates = []string{fmt.Sprintf("%s-%d", name, n)}
	}
}

// replaceHost puts a server's real address in place of its name.
func replaceHost(address string, urls map[string]string) string {
	u, err := url.Parse(address)
	if err != nil || urls[u.Host] == "" {
		return address
	}
	return urls[u.Host] + u.Path
}

// prometheus scrapes the exporter over HTTP and loads the rules.
func (s *stage) prometheus(settings rules.Settings) (*proof.Prometheus, error) {
	files, err := rules.Files(rules.Groups(), settings)
	if err != nil {
		return nil, fmt.Errorf("demo: rules: %w", err)
	}
	return proof.NewPrometheus([]proof.Target{
		{Job: s.job, Instance: proof.Instance, Scraper: httpScraper{s.page.url}},
		{Job: "prometheus", Instance: "demo", Scraper: listener{}},
	}, files)
}

// listener is what the demo's Prometheus says of itself. Somebody is told of its alerts: the
// person in front of the demo.
type listener struct{}

// Scrape answers as a Prometheus with one Alertmanager does.
func (listener) Scrape(context.Context, time.Duration) (proof.Page, error) {
	const page = "# TYPE prometheus_notifications_alertmanagers_discovered gauge\nprometheus_notifications_alertmanagers_discovered 1\n"
	return proof.Page{Body: []byte(page), ContentType: "text/plain; version=0.0.4"}, nil
}

func (s *stage) now() time.Duration { return time.Duration(s.at.Load()) }

// sync opens and closes the ports as the recordings say for the time that has just come.
func (s *stage) sync() {
	for _, p := range s.ports {
		p.Sync()
	}
}

func (s *stage) close() {
	if s.page != nil {
		s.page.close()
	}
	if s.exporter != nil {
		s.exporter.Close()
	}
	for _, p := range s.ports {
		p.Close()
	}
}
