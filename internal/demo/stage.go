package demo

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/llmfleet/llmfleet/internal/recording"
	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/llmfleet/llmfleet/rules"
)

// scrapeTimeout is what the demo's Prometheus allows a scrape. It is short, since a server that
// hangs in a recording hangs for real, and simulated time does not wait for it.
const scrapeTimeout = time.Second

// stage is the recorded servers on their ports and the exporters in front of them: one for all
// servers whose machine is not known, and one for each machine as text.
type stage struct {
	at       atomic.Int64 // simulated time since the start
	length   time.Duration
	ports    []*recording.Ports
	machines []*machine
	job      string
}

func newStage(o Options) (*stage, error) {
	if len(o.Recordings) == 0 {
		return nil, errors.New("demo: no recording to play")
	}
	s := &stage{job: o.Settings.Job}
	for _, r := range o.Recordings {
		if err := s.enter(r); err != nil {
			s.close()
			return nil, fmt.Errorf("recording %q: %w", r.Name, err)
		}
	}
	for _, m := range s.machines {
		if err := m.start(o.ExporterAddress, &s.at); err != nil {
			s.close()
			return nil, err
		}
	}
	return s, nil
}

// enter opens a recording's ports and gives its backends to an exporter.
func (s *stage) enter(r *recording.Recording) error {
	stretch := replay.Stretch(r)
	player := recording.NewPlayer(r, func() time.Duration { return time.Duration(float64(s.now()) / stretch) })
	ports, err := player.Listen()
	if err != nil {
		return err
	}
	s.ports = append(s.ports, ports)
	s.length = max(s.length, time.Duration(float64(r.Meta.Length)*stretch))
	name := replay.Instance
	if r.Host != nil {
		name = path.Base(r.Name)
	}
	return s.machine(name).add(r, ports, s.freeName)
}

// machine finds an exporter by its name, or makes one.
func (s *stage) machine(name string) *machine {
	for _, m := range s.machines {
		if m.name == name {
			return m
		}
	}
	m := newMachine(name)
	s.machines = append(s.machines, m)
	return m
}

// isTaken says whether a backend of any exporter has a name.
func (s *stage) isTaken(name string) bool {
	return slices.ContainsFunc(s.machines, func(m *machine) bool {
		_, taken := m.config.Find(name)
		return taken
	})
}

// freeName keeps a backend's name, unless two recordings have one of that name.
func (s *stage) freeName(name string, r *recording.Recording) string {
	candidates := []string{name, path.Base(r.Name), name + "-" + path.Base(r.Name)}
	switch {
	case r.Host != nil:
		candidates = []string{name, name + "-" + path.Base(r.Name)} // not the machine's name
	case len(r.Servers) == 1:
		candidates = candidates[1:] // "overload-long" says more than "llamacpp"
	}
	for n := 2; ; n++ {
		for _, c := range candidates {
			if !s.isTaken(c) {
				return c
			}
		}
		candidates = []string{fmt.Sprintf("%s-%d", name, n)}
	}
}

// prometheus scrapes the exporters over HTTP and loads the rules.
func (s *stage) prometheus(settings rules.Settings) (*replay.Prometheus, error) {
	files, err := rules.Files(rules.Groups(), settings)
	if err != nil {
		return nil, fmt.Errorf("demo: rules: %w", err)
	}
	targets := []replay.Target{{Job: "prometheus", Instance: "demo", Scraper: listener(files)}}
	for _, m := range s.machines {
		targets = append(targets, replay.Target{Job: s.job, Instance: m.name, Scraper: httpScraper{m.page.url}})
	}
	return replay.NewPrometheus(targets, files)
}

// alertmanager is who is told of the demo's alerts: the person in front of it.
const alertmanager = "you"

// listener is what the demo's Prometheus says of itself, by the rule files that it has. A rule that fails ends the demo, so
// there is never one to count.
type listener []rules.File

// Scrape answers as a Prometheus with one Alertmanager does.
func (files listener) Scrape(context.Context, time.Duration) (replay.Page, error) {
	var page strings.Builder
	page.WriteString("# TYPE prometheus_notifications_alertmanagers_discovered gauge\nprometheus_notifications_alertmanagers_discovered 1\n")
	fmt.Fprintf(&page, "# TYPE prometheus_notifications_errors_total counter\nprometheus_notifications_errors_total{alertmanager=%q} 0\n", alertmanager)
	for _, name := range []string{"prometheus_rule_evaluation_failures_total", "prometheus_rule_group_iterations_missed_total"} {
		fmt.Fprintf(&page, "# TYPE %s counter\n", name)
		for _, f := range files {
			fmt.Fprintf(&page, "%s{rule_group=%q} 0\n", name, f.Name+";"+strings.TrimSuffix(f.Name, ".yml"))
		}
	}
	return replay.Page{Body: []byte(page.String()), ContentType: "text/plain; version=0.0.4"}, nil
}

func (s *stage) now() time.Duration { return time.Duration(s.at.Load()) }

// advance goes to a time: links are looked at on the way, and ports open and close as the
// recordings say.
func (s *stage) advance(ctx context.Context, at time.Duration) {
	from := s.at.Load()
	for _, m := range s.machines {
		m.sample(ctx, &s.at, at)
		s.at.Store(from)
	}
	s.at.Store(int64(at))
	for _, p := range s.ports {
		p.Sync()
	}
}

func (s *stage) close() {
	for _, m := range s.machines {
		m.close()
	}
	for _, p := range s.ports {
		p.Close()
	}
}
