// Package recorder brings a live server into a recording: it asks what the exporter asks, at a
// scraper's pace, and keeps the answers without what is private.
package recorder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	promconfig "github.com/prometheus/common/config"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/engine"
	"github.com/llmfleet/llmfleet/exporter/scrape"
	"github.com/llmfleet/llmfleet/internal/conversation"
	"github.com/llmfleet/llmfleet/internal/recording"
)

// Options say how a recording is made.
type Options struct {
	Interval, Length time.Duration
	Dir              string // where it is written
	Story            string
	Out              io.Writer // what a person sees
	Talk             conversation.Options
}

// Bounds of a recording.
const (
	ShortestInterval = time.Second
	LongestLength    = 24 * time.Hour
)

// check refuses what cannot work before anything is asked.
func (o *Options) check() error {
	switch {
	case o.Dir == "":
		return errors.New("record: pass -o DIR, the folder to write")
	case o.Interval < ShortestInterval:
		return fmt.Errorf("--interval=%s: must be at least %s", o.Interval, ShortestInterval)
	case o.Length < 0 || o.Length > LongestLength:
		return fmt.Errorf("--length=%s: must be from 0s to %s", o.Length, LongestLength)
	}
	_, err := os.Stat(filepath.Join(o.Dir, "recording.yml"))
	switch {
	case err == nil:
		return fmt.Errorf("%s is a recording already; pass another folder with -o, or remove it", o.Dir)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return nil
}

// Record records a backend of a configuration. When ctx ends, it writes what it has.
func Record(ctx context.Context, c *config.Config, backend string, o Options) error {
	if err := o.check(); err != nil {
		return err
	}
	c, err := bounded(c, backend, o.Interval)
	if err != nil {
		return err
	}
	talk, err := conversation.Open(c, backend, o.Talk)
	if err != nil {
		return err
	}
	t := &take{options: o, config: c, backend: backend, talk: talk, live: recording.NewLive()}
	ended := t.rounds(ctx)
	talk.Close() // nothing may be asked while it is written
	return t.write(ended)
}

// bounded makes every round end before the next one is due, and every answer fit.
func bounded(c *config.Config, backend string, interval time.Duration) (*config.Config, error) {
	const patience = 10 * time.Second // what Prometheus waits by default
	out := *c
	out.Backends = slices.Clone(c.Backends)
	b, ok := out.Find(backend)
	if !ok {
		return nil, fmt.Errorf("backend %q is not in the configuration", backend)
	}
	b.Limits.Timeout = min(cmp.Or(b.Limits.Timeout, patience), patience, interval)
	b.Limits.BodyBytes = min(cmp.Or(b.Limits.BodyBytes, recording.MostBody), recording.MostBody)
	return &out, nil
}

// take is one recording in the making.
type take struct {
	options Options
	config  *config.Config
	backend string
	talk    *conversation.Conversation
	live    *recording.Live
	known   *scrape.State  // of the last round that recognised the program
	program *engine.Engine // that was recognised
}

// rounds asks until the time is over, and says why it ended.
func (t *take) rounds(ctx context.Context) (why string) {
	tick := time.NewTicker(t.options.Interval)
	defer tick.Stop()
	for at := time.Duration(0); at <= t.options.Length; at += t.options.Interval {
		if at > 0 {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return "interrupted"
			}
		}
		round, err := t.talk.Ask(ctx)
		if err != nil {
			return "interrupted"
		}
		if err := t.keep(round, at); err != nil {
			return err.Error()
		}
		t.progress(round, at)
	}
	return ""
}

// keep adds the answers of a round, all at the time when they were due.
func (t *take) keep(round *conversation.Round, at time.Duration) error {
	if round.Reading.Engine != nil && round.State.EngineName != "" {
		t.known, t.program = round.State, round.Reading.Engine
	}
	for _, e := range round.Exchanges {
		a, why := answerOf(e)
		if why != "" {
			t.live.Leave(why)
			continue
		}
		a.At = at
		if err := t.live.Add(serverOf(e.Port), a); err != nil {
			return err
		}
	}
	return nil
}

func serverOf(p engine.Port) string {
	if p == engine.MetricsPort {
		return "metrics"
	}
	return "service"
}

// answerOf is an exchange in the recording's form; why says that it has none.
func answerOf(e conversation.Exchange) (a recording.Answer, why string) {
	a = recording.Answer{Path: e.Path, Latency: e.Took}
	if e.Answer != nil {
		a.Status, a.Body = e.Answer.Status, e.Answer.Body
		a.ContentType = e.Answer.Header.Get("Content-Type")
		for _, name := range []string{"Server", engine.ProcessHeader} { // what engines are told by
			if value := e.Answer.Header.Get(name); value != "" {
				if a.Header == nil {
					a.Header = map[string]string{}
				}
				a.Header[name] = value
			}
		}
		return a, ""
	}
	var failed *engine.FetchError
	switch {
	case errors.Is(e.Err, syscall.ECONNRESET), errors.Is(e.Err, io.EOF), errors.Is(e.Err, io.ErrUnexpectedEOF):
		a.Failure = recording.Reset
	case errors.As(e.Err, &failed) && failed.Reason == catalog.ReasonRefused:
		a.Failure = recording.Refused
	case failed != nil && failed.Reason == catalog.ReasonTimeout:
		a.Failure = recording.TimedOut
	case failed != nil:
		return a, fmt.Sprintf("requests without an answer (%s)", failed.Reason)
	default:
		return a, "requests without an answer"
	}
	return a, ""
}

// progress says in a line what the first round found, and what changes.
func (t *take) progress(round *conversation.Round, at time.Duration) {
	if at > 0 {
		return
	}
	name := cmp.Or(round.State.Engine, "a program that is not known")
	if v := round.State.Version; v != "" {
		name += " " + v
	}
	fmt.Fprintf(t.options.Out, "%s: %s; every %s for %s. Ctrl-C ends it and writes what there is.\n", round.State.URL, name, t.options.Interval, t.options.Length)
}

// write writes the recording and says what it holds and lacks.
func (t *take) write(ended string) error {
	meta := recording.Meta{
		Program: "unknown", Recorded: t.now().UTC().Format(time.DateOnly), Interval: t.options.Interval,
		Story: cmp.Or(t.options.Story, "Recorded from a live server; say here what happens."),
	}
	if t.known != nil {
		meta.Program, meta.Version = t.known.EngineName, t.known.Version
	}
	r, err := t.live.Recording(meta, t.exporter())
	if err != nil {
		return fmt.Errorf("record: %w (%s)", err, cmp.Or(ended, "no answer"))
	}
	if err := recording.Write(r, t.options.Dir); err != nil {
		return err
	}
	fmt.Fprintf(t.options.Out, "%s: %d answers in %s\n%s", t.options.Dir, t.live.Answers(), r.Meta.Length, t.live.Removed())
	if ended != "" {
		fmt.Fprintf(t.options.Out, "ended early: %s\n", ended)
	}
	fmt.Fprintln(t.options.Out, "Names of models stay. Read the files before you share them, and run llmfleet record --check on the folder.")
	return nil
}

func (t *take) now() time.Time {
	if t.options.Talk.Now != nil {
		return t.options.Talk.Now()
	}
	return time.Now()
}

// exporter is the exporter.yml of a program that only a mapping of the configuration knows, nil
// for any other: that follows from the servers.
func (t *take) exporter() []byte {
	i := slices.Index(t.config.Engines, t.program)
	if t.program == nil || i < 0 {
		return nil
	}
	b, _ := t.config.Find(t.backend)
	mine := config.Config{Defaults: config.Default().Defaults, Engines: t.config.Engines[i : i+1]}
	one := config.Backend{
		Name: t.program.Name, URL: "http://service", Engine: t.program.Name, Model: b.Model,
		HTTP: promconfig.DefaultHTTPClientConfig, Limits: mine.Defaults, KVCapacityTokens: b.KVCapacityTokens,
	}
	if b.MetricsURL != "" {
		one.MetricsURL = "http://metrics"
	}
	mine.Backends = []config.Backend{one}
	return mine.Redacted()
}
