package demo

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path"
	"sync/atomic"
	"time"

	"github.com/llmfleet/llmfleet/exporter"
	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/host"
	"github.com/llmfleet/llmfleet/internal/recording"
	"github.com/llmfleet/llmfleet/internal/replay"
)

// machine is an exporter with what it watches: the backends of all recordings of servers, or
// a machine as text with the backends on it.
type machine struct {
	name     string // label instance
	config   *config.Config
	exporter *exporter.Exporter
	page     *site

	played    *recording.Recording // with a machine; nil: none
	stretch   float64
	dial      map[string]string // where the backends' addresses on the machine really are
	transport *http.Transport   // that dials there; nil: the network's own
}

func newMachine(name string) *machine {
	return &machine{name: name, config: config.Default(), stretch: 1, dial: map[string]string{}}
}

// start starts the exporter on an address, or on a free port when it is taken.
func (m *machine) start(address string, at *atomic.Int64) (err error) {
	o := exporter.Options{
		Now:    func() time.Time { return replay.Epoch.Add(time.Duration(at.Load())) },
		Offset: scrapeTimeout / 7,
	}
	if m.played != nil {
		files := m.played.Host.Play(func() time.Duration { return time.Duration(float64(at.Load()) / m.stretch) })
		o.Host = &host.Options{FS: files, Run: files.Run, KernelLog: files.KernelLog, FileDeadline: time.Minute}
		m.transport = &http.Transport{DialContext: m.dialReal}
		o.Transport = m.transport
	}
	if m.exporter, err = exporter.New(m.config, o); err != nil {
		return fmt.Errorf("demo: exporter of %s: %w", m.name, err)
	}
	if m.page, err = open(address, m.exporter.Handler()); err != nil {
		return fmt.Errorf("demo: exporter of %s: %w", m.name, err)
	}
	return nil
}

// dialReal connects to the port that plays an address of the machine. The address itself must
// stay: by its port the exporter finds the process that listens there.
func (m *machine) dialReal(ctx context.Context, network, address string) (net.Conn, error) {
	if real, ok := m.dial[address]; ok {
		address = real
	}
	return new(net.Dialer).DialContext(ctx, network, address)
}

// add adds a recording's backends to the configuration.
func (m *machine) add(r *recording.Recording, ports *recording.Ports, freeName func(string, *recording.Recording) string) error {
	c, err := config.Parse(path.Join(r.Name, "exporter.yml"), r.Exporter)
	if err != nil {
		return err
	}
	m.config.Engines = append(m.config.Engines, c.Engines...)
	if r.Host != nil {
		m.played, m.stretch, m.config.Host = r, replay.Stretch(r), c.Host
		for address, at := range ports.URLs() {
			m.dial[address] = at[len("http://"):]
		}
	}
	for _, b := range c.Backends {
		if r.Host == nil {
			b.URL = replaceHost(b.URL, ports.URLs())
			b.MetricsURL = replaceHost(b.MetricsURL, ports.URLs())
		}
		b.Name = freeName(b.Name, r)
		b.Limits.Timeout = scrapeTimeout // a server that hung in the recording hangs in the machine's time
		m.config.Backends = append(m.config.Backends, b)
	}
	return nil
}

// sample looks at the machine's links between two scrapes, as the exporter does by itself.
func (m *machine) sample(ctx context.Context, at *atomic.Int64, until time.Duration) {
	if m.played == nil {
		return
	}
	for _, t := range replay.Samples(m.played.Host.Times(), m.stretch, time.Duration(at.Load()), until) {
		at.Store(int64(t))
		m.exporter.SampleHost(ctx)
	}
}

func (m *machine) close() {
	if m.page != nil {
		m.page.close()
	}
	if m.exporter != nil {
		m.exporter.Close()
	}
	if m.transport != nil {
		m.transport.CloseIdleConnections()
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
