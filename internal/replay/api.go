package replay

import (
	"regexp"
	"runtime/debug"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/internal/promapi"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/common/model"
)

// Source is what this Prometheus answers from when it is asked over HTTP (promapi.Handler),
// also while it steps on. now is the time of a query that names none, in simulated time.
//
// The clock of whoever asks is another one: Grafana asks for its own now.
func (p *Prometheus) Source(now func() time.Time) promapi.Source {
	return promapi.Source{
		Queryable: p.Storage,
		Parser:    lint.Parser,
		Now:       now,
		Rules:     p.Groups,
		Targets:   p.targets,
		Metadata:  metadata,
		Version:   prometheusVersion(),
		Started:   Epoch,
	}
}

// EvaluateAll makes every group be evaluated at each step, also one that can have no result
// yet: whoever asks for the state of the rules would take it for one that never is.
func (p *Prometheus) EvaluateAll() {
	for _, g := range p.groups {
		p.idle.busy[g] = true
	}
}

// EvaluateEveryStep does so whatever the interval of a group is, as promtool does.
func (p *Prometheus) EvaluateEveryStep() {
	p.paceless = true
	p.EvaluateAll()
}

// targets are the targets as the last step found them.
func (p *Prometheus) targets() []promapi.Target {
	if last := p.scraped.Load(); last != nil {
		return *last
	}
	return nil
}

// note keeps what a step found of a target, for who asks.
func (l *scrapeLoop) note(at time.Duration, problem string) promapi.Target {
	labels := map[string]string{"job": l.target.Job, "instance": l.target.Instance}
	out := promapi.Target{
		DiscoveredLabels: map[string]string{"__address__": l.target.Instance, "job": l.target.Job},
		Labels:           labels, ScrapePool: l.target.Job,
		ScrapeURL: "http://" + l.target.Instance + "/metrics", GlobalURL: "http://" + l.target.Instance + "/metrics",
		LastError: problem, LastScrape: Epoch.Add(at), Health: promapi.TargetUp,
		ScrapeInterval: model.Duration(StepLength).String(), ScrapeTimeout: "10s",
	}
	if problem != "" {
		out.Health = promapi.TargetDown
	}
	return out
}

// metadata is what the exporter's page says of its families.
func metadata() map[string]promapi.Metadata {
	out := map[string]promapi.Metadata{}
	for _, s := range catalog.All() {
		kind := s.Kind
		if kind == catalog.Info || kind == catalog.StateSet {
			kind = catalog.Gauge // as the text format has it
		}
		out[s.Name] = promapi.Metadata{Type: kind.String(), Help: s.Help}
	}
	return out
}

// prometheusVersion is the version of the Prometheus that is built in, "" if it is not known: a
// test binary does not know.
func prometheusVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, dep := range info.Deps {
		if dep.Path == "github.com/prometheus/prometheus" {
			return ofModule(dep.Version)
		}
	}
	return ""
}

// moduleVersion is the form in which Prometheus 3.16.0 is a Go module: v0.316.0.
var moduleVersion = regexp.MustCompile(`^v0\.([3-9])(?:0(\d)|([1-9]\d))\.(\d+)`)

// ofModule is Prometheus' own version, by that of its module since Prometheus 3.
func ofModule(version string) string {
	m := moduleVersion.FindStringSubmatch(version)
	if m == nil {
		return ""
	}
	return m[1] + "." + m[2] + m[3] + "." + m[4]
}
