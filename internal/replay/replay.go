package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/llmfleet/llmfleet/internal/recording"
)

const (
	// StepLength is the scrape and evaluation interval of every replay.
	StepLength = 15 * time.Second
	// stateLength is how long an answer without a time is played, so that every alert that
	// it could raise has the time to fire.
	stateLength = 20 * time.Minute
	// Instance is the exporter's label instance in replays.
	Instance = "llmfleet"
)

// Replay is one way to play one recording: as it is, as one of its states, slower, or edited.
type Replay struct {
	Recording string        // "vllm-0.32.0/basic", or with a state "llamacpp-0.7.0-b11669/states#asleep"
	Stretch   float64       // recorded seconds are played so many times slower
	Edit      *Edit         // nil: as it was recorded
	Length    time.Duration // of the replay, whole steps

	rec *recording.Recording
}

// String names the replay in messages.
func (r *Replay) String() string {
	name := r.Recording
	if r.Edit != nil {
		name += " edited by " + r.Edit.Name
	}
	if r.Stretch != Stretch(r.rec) {
		name += fmt.Sprintf(" stretched %g×", r.Stretch)
	}
	return name
}

// Corpus is the recordings and machines that can be played, loaded once.
type Corpus struct {
	recordings map[string]*recording.Recording // states under recording#state
}

// hostsFolder goes before the names of machines: "hosts/a1".
const hostsFolder = "hosts/"

// Load reads recordings and, unless hosts is nil, machines, which are named hosts/….
func Load(recordings, hosts fs.FS) (*Corpus, error) {
	c := &Corpus{recordings: map[string]*recording.Recording{}}
	if err := c.load(recordings, ""); err != nil {
		return nil, fmt.Errorf("recordings: %w", err)
	}
	if hosts != nil {
		if err := c.load(hosts, hostsFolder); err != nil {
			return nil, fmt.Errorf("hosts: %w", err)
		}
	}
	return c, nil
}

func (c *Corpus) load(fsys fs.FS, prefix string) error {
	names, err := recording.List(fsys)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return errors.New("none found")
	}
	for _, name := range names {
		rec, err := recording.LoadFS(fsys, name)
		if err == nil {
			rec.Name = prefix + name
			err = rec.Borrow(c.find)
		}
		if err != nil {
			return fmt.Errorf("recording %q: %w", prefix+name, err)
		}
		c.add(rec)
	}
	return nil
}

func (c *Corpus) find(name string) (*recording.Recording, error) {
	if rec := c.recordings[name]; rec != nil {
		return rec, nil
	}
	return nil, fmt.Errorf("recording %q: no such recording", name)
}

// add keeps a recording, and each of its states as a recording of its own.
func (c *Corpus) add(rec *recording.Recording) {
	if len(rec.Servers) > 0 || rec.Host != nil {
		c.recordings[rec.Name] = rec
	}
	for _, s := range rec.States {
		if !isWhole(s) {
			continue
		}
		one := OfState(rec, s)
		c.recordings[one.Name] = one
	}
}

// OfState is a recording of one server that stays in a state of a recording.
func OfState(rec *recording.Recording, s recording.State) *recording.Recording {
	one := *rec
	one.Name = rec.Name + "#" + s.Name
	one.Servers = []*recording.Server{{Name: "service", Answers: s.Answers}}
	one.States = nil
	one.Meta.Interval, one.Meta.Length = StepLength, stateLength
	return &one
}

// isWhole says whether a state holds the answers that decide whether a server is up. A single
// answer cannot be played: the server would seem to lack every other page.
func isWhole(s recording.State) bool {
	asked := map[string]bool{}
	for _, a := range s.Answers {
		asked[a.Path] = true
	}
	return asked["/metrics"] && asked["/health"]
}

// Names lists the recordings, sorted.
func (c *Corpus) Names() []string { return slices.Sorted(maps.Keys(c.recordings)) }

// Replay prepares one way to play a recording. stretch 0 is its own pace brought to a step; edit names
// an Edit, "" for the recording as it is.
func (c *Corpus) Replay(name string, stretch float64, edit string) (*Replay, error) {
	rec, err := c.find(name)
	if err != nil {
		return nil, err
	}
	r := New(rec)
	r.Recording = name
	if stretch != 0 {
		r.Stretch = stretch
	}
	if edit != "" {
		if r.Edit = findEdit(edit); r.Edit == nil {
			return nil, fmt.Errorf("recording %q: no edit %q; known are %q", name, edit, editNames())
		}
		if r.rec, err = r.Edit.apply(rec); err != nil {
			return nil, err
		}
	}
	r.Length = r.length()
	return r, nil
}

// New plays a recording as it is, at its own pace brought to a step.
func New(rec *recording.Recording) *Replay {
	r := &Replay{Recording: rec.Name, Stretch: Stretch(rec), rec: rec}
	r.Length = r.length()
	return r
}

func (r *Replay) length() time.Duration {
	length := time.Duration(float64(r.rec.Meta.Length) * r.Stretch)
	return (length + StepLength - 1) / StepLength * StepLength
}

// Stretch plays a recording at the pace at which it was made, one scrape per step.
func Stretch(rec *recording.Recording) float64 {
	if rec.Meta.Interval <= 0 {
		return 1
	}
	return StepLength.Seconds() / rec.Meta.Interval.Seconds()
}

// IsDefault says whether a recording is played as it is, at its own pace brought to a step.
func (r *Replay) IsDefault() bool { return r.Edit == nil && r.Stretch == Stretch(r.rec) }

func cloneRecording(r *recording.Recording) *recording.Recording {
	out := *r
	out.Exporter = bytes.Clone(r.Exporter)
	out.Servers = nil
	for _, s := range r.Servers {
		out.Servers = append(out.Servers, s.Clone())
	}
	return &out
}

// Targets are what Prometheus scrapes in the replay: the real exporter in front of the
// recorded servers, once for each instance. A recorded Prometheus is a target itself. close
// frees them.
func (r *Replay) Targets(job string, companion *recording.Recording) (targets []Target, close func(), err error) {
	var exporters []*inProcess
	close = func() {
		for _, e := range exporters {
			e.Close()
		}
	}
	for _, instance := range r.instances() {
		e, err := newExporter(r.rec, r.Stretch)
		if err != nil {
			close()
			return nil, nil, err
		}
		exporters = append(exporters, e)
		targets = append(targets, Target{Job: job, Instance: instance, Scraper: r.edited(job, e)})
	}
	if r.rec.Meta.Program == PrometheusProgram {
		companion = r.rec
	}
	if companion != nil {
		t := prometheusTarget(companion, r.Stretch)
		t.Scraper = r.edited(t.Job, t.Scraper)
		targets = append(targets, t)
	}
	return targets, close, nil
}

// instances names the exporters that read the servers.
func (r *Replay) instances() []string {
	out := []string{Instance}
	if r.Edit != nil {
		out = append(out, r.Edit.Beside...)
	}
	return out
}

// PrometheusProgram is the program whose recordings are scraped as they are, and its job.
const PrometheusProgram = "prometheus"

func (r *Replay) edited(job string, s Scraper) Scraper {
	if r.Edit == nil || r.Edit.Scrape == nil {
		return s
	}
	return editedScraper{s, job, r.Edit.Scrape}
}

// direct scrapes a recorded server without an exporter.
type direct struct {
	server  *recording.Server
	stretch float64
}

func (d direct) Scrape(_ context.Context, at time.Duration) (Page, error) {
	a, ok := d.server.At(time.Duration(float64(at)/d.stretch), "/metrics")
	switch {
	case !ok:
		return Page{}, fmt.Errorf("%s: /metrics was not recorded", d.server.Name)
	case a.Failure != recording.Answered:
		return Page{}, fmt.Errorf("%s: %s", d.server.Name, a.Failure)
	case a.Status != 200:
		return Page{}, fmt.Errorf("%s: status %d", d.server.Name, a.Status)
	}
	return Page{Body: a.Body, ContentType: a.ContentType, Took: a.Latency}, nil
}

// companionName is the recording of a Prometheus that is well: a target beside the exporter
// in every replay, so that alerts about Prometheus itself are judged everywhere.
const companionName = "prometheus-2.42.0/with-alertmanager"

// Companion is the recording of a Prometheus that is well; nil if it is not among those loaded.
func (c *Corpus) Companion() *recording.Recording { return c.recordings[companionName] }

// prometheusTarget scrapes the one server of a recorded Prometheus.
func prometheusTarget(rec *recording.Recording, stretch float64) Target {
	return Target{PrometheusProgram, "prometheus", direct{rec.Servers[0], stretch}}
}
