package check

import (
	"cmp"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/engine"
	"github.com/llmfleet/llmfleet/internal/promapi"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
)

// fleet is what can be seen of a fleet now: which series there are, and where.
type fleet struct {
	places   map[string]map[owner][]place // by the name of the series
	backends []*backend
	machines []*machine
	rules    map[string]sight // what is wrong with a rule as it is loaded, by its name; nil: nobody can say
	job      sight            // what is wrong with the job that the rules ask for
	notYet   sight            // targets that Prometheus has not scraped yet
	down     sight            // an exporter that does not answer
	alone    bool             // an exporter was asked, and no Prometheus

	byOwner    map[owner]*backend
	byInstance map[string]*machine
	namesakes  map[string]int // backends of a name
}

// owner is whom a series is about: a backend, a machine without a backend, or nobody of both.
type owner struct{ instance, backend string }

// place is where a series is. rank is "" where an engine has but one; an objective is another
// thing for each of its values.
type place struct{ job, instance, backend, rank, objective string }

// placeLabels are the labels of a place, as PromQL names them.
const placeLabels = "job, instance, backend, rank, objective"

// owner is that of a series at a place.
func (p place) owner(of scope) owner {
	switch of {
	case ofBackend:
		return owner{p.instance, p.backend}
	case ofMachine:
		return owner{instance: p.instance}
	}
	return owner{}
}

// backend is one backend of one exporter.
type backend struct {
	name, instance, url string
	program, version    string         // the label engine of llm_backend_info, "" if it is not known
	engine              *engine.Engine // nil: not known, or a mapping of the configuration
	unscraped           string         // why it is not scraped on purpose
	reason              catalog.Reason // why its numbers are missing now
	unsupported         map[string]bool
	missing             float64 // names that its version should send and does not
	router              bool
}

// machine is the host of one exporter.
type machine struct {
	instance string
	gpus     float64 // -1: nothing is read of the machine
	failed   map[catalog.HostSource]catalog.HostReason
	noRights bool // the registers of PCI devices cannot be read
	refused  bool // the exporter did not take its last configuration
}

// facts are the series by which a fleet explains itself, as expressions that ask for no more
// than is used.
func facts() []string {
	return []string{
		`{__name__=~"` + strings.Join([]string{
			catalog.BackendInfo.Name, catalog.Unscraped.Name, catalog.ScrapeMissingSeries.Name,
			catalog.HostGPUs.Name, catalog.HostConfigReadable.Name, catalog.ExporterTargets.Name, catalog.ExporterConfigReloadOK.Name,
		}, "|") + `"}`,
		catalog.ScrapeFailed.Name + " == 1",
		catalog.SeriesSupported.Name + " == 0",
		catalog.HostSourceFailed.Name + " == 1",
	}
}

// newFleet is what the places and facts tell.
func newFleet(present, told []promapi.Sample) *fleet {
	f := &fleet{
		places: map[string]map[owner][]place{}, byOwner: map[owner]*backend{}, byInstance: map[string]*machine{}, namesakes: map[string]int{},
	}
	for _, s := range told {
		f.learn(s.Labels, s.Value)
	}
	for _, s := range present {
		f.place(s.Labels)
	}
	for _, b := range f.backends {
		b.engine = engine.Find(engine.BuiltIn(), b.program)
		b.router = b.router || b.engine != nil && b.engine.Router
		f.namesakes[b.name]++
	}
	slices.SortFunc(f.backends, func(a, b *backend) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.instance, b.instance))
	})
	slices.SortFunc(f.machines, func(a, b *machine) int { return cmp.Compare(a.instance, b.instance) })
	return f
}

// place notes where a series is. A backend with any series of a router is one, also where its
// mapping is the user's own.
func (f *fleet) place(ls labels.Labels) {
	name := ls.Get(model.MetricNameLabel)
	p := place{ls.Get("job"), ls.Get("instance"), ls.Get(catalog.LabelBackend), ls.Get(catalog.LabelRank), ls.Get(catalog.LabelObjective)}
	at := p.owner(scopeOf(name))
	if f.places[name] == nil {
		f.places[name] = map[owner][]place{}
	}
	if all := f.places[name][at]; !slices.Contains(all, p) {
		f.places[name][at] = append(all, p)
	}
	if s := seriesOf(name); s != nil && slices.Contains(s.Labels, catalog.LabelRouter) && at.backend != "" {
		f.backend(at).router = true
	}
}

// learn takes one fact.
func (f *fleet) learn(ls labels.Labels, v float64) {
	at := func() *backend { return f.backend(owner{ls.Get("instance"), ls.Get(catalog.LabelBackend)}) }
	m := f.machine(ls.Get("instance"))
	switch ls.Get(model.MetricNameLabel) {
	case catalog.BackendInfo.Name:
		b := at()
		b.program, b.version, b.url = ls.Get(catalog.LabelEngine), ls.Get(catalog.LabelVersion), ls.Get(catalog.LabelURL)
	case catalog.Unscraped.Name:
		at().unscraped = ls.Get(catalog.LabelReason)
	case catalog.ScrapeMissingSeries.Name:
		at().missing = v
	case catalog.ScrapeFailed.Name:
		if v == 1 {
			at().reason = catalog.Reason(ls.Get(catalog.LabelReason))
		}
	case catalog.SeriesSupported.Name:
		if v == 0 {
			at().unsupported[ls.Get(catalog.LabelSeries)] = true
		}
	case catalog.HostGPUs.Name:
		m.gpus = v
	case catalog.HostConfigReadable.Name:
		m.noRights = v == 0
	case catalog.ExporterConfigReloadOK.Name:
		m.refused = v == 0
	case catalog.HostSourceFailed.Name:
		if v == 1 {
			m.failed[catalog.HostSource(ls.Get(catalog.LabelSource))] = catalog.HostReason(ls.Get(catalog.LabelReason))
		}
	}
}

// report adds what is wrong with the exporters themselves, by what they say.
func (f *fleet) report(r *Report) {
	for _, m := range f.machines {
		if m.refused {
			r.add(Cause{What: "the exporter " + m.instance + " refused its last configuration and works with the one before",
				Do: "its log and its start page say which line; correct that, run llmfleet_exporter --config.check, and reload the exporter"})
		}
	}
	f.readTwice(r)
}

func (f *fleet) backend(at owner) *backend {
	if b := f.byOwner[at]; b != nil {
		return b
	}
	b := &backend{name: at.backend, instance: at.instance, unsupported: map[string]bool{}}
	f.byOwner[at], f.backends = b, append(f.backends, b)
	return b
}

func (f *fleet) machine(instance string) *machine {
	if m := f.byInstance[instance]; m != nil {
		return m
	}
	m := &machine{instance: instance, gpus: -1, failed: map[catalog.HostSource]catalog.HostReason{}}
	f.byInstance[instance], f.machines = m, append(f.machines, m)
	return m
}

// called is a backend's name, with that of its exporter where another has one of that name.
func (f *fleet) called(b *backend) string {
	if f.namesakes[b.name] > 1 {
		return b.name + " of " + b.instance
	}
	return b.name
}

// seriesOf is the series of the catalog that a sample's name belongs to, nil for others' names.
func seriesOf(name string) *catalog.Series {
	if s := catalog.ByName(name); s != nil {
		return s
	}
	for _, suffix := range []string{"_bucket", "_count", "_sum"} {
		if stem, ok := strings.CutSuffix(name, suffix); ok {
			if s := catalog.ByName(stem); s != nil && s.Kind == catalog.Histogram {
				return s
			}
		}
	}
	return nil
}

// scope says to what a series belongs.
type scope int

const (
	ofAll     scope = iota // Prometheus, or the fleet as a whole
	ofMachine              // one exporter, or the machine that it runs on
	ofBackend
)

// scopeOf a name. Who holds a card is a fact of the machine, though it names a backend.
func scopeOf(name string) scope {
	s := seriesOf(name)
	switch {
	case s == nil:
		return ofAll
	case slices.Contains(s.Labels, catalog.LabelBackend) && s.Origin != catalog.Host:
		return ofBackend
	}
	return ofMachine
}
