package check

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/internal/promapi"
	"github.com/llmfleet/llmfleet/internal/recording"
	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/llmfleet/llmfleet/rules/lint"
)

// stage is a Prometheus that scrapes recorded fleets and has rules, as a test wants it.
type stage struct {
	recordings []string // "fleet-incidents", "hosts/a1", with a state "llamacpp-…/states#name"
	companion  string   // recording of a Prometheus that is scraped too; "": none is
	job        string
	instances  []string // of the exporters; default: their recordings' names
	edit       func(*recording.Recording)
	files      func([]rules.File) []rules.File
	second     int
	waiting    bool // the rules are loaded, and none has had its turn yet
	failing    bool // a rule fails, at which the proof would stop
	source     func(*promapi.Source)
	answers    map[string]func(string) string // by path of the API: what it answers, changed
	jobs       []string                       // that scrape the first exporter too
	exposes    func(page string) string       // what the exporters send, changed
	left       []string                       // series that were stored 45 s ago, and are neither sent nor marked as gone since
}

// healthy is the recorded fleet before anything goes wrong, with all that belongs to it.
func healthy() stage {
	return stage{
		recordings: []string{"fleet-incidents"}, companion: "prometheus-2.42.0/with-alertmanager",
		job: "llmfleet", second: 60,
		files: func(f []rules.File) []rules.File { return f },
		source: func(s *promapi.Source) {
			s.Version = "3.16.0"
			s.Alertmanagers = func() []string { return []string{"http://127.0.0.1:9093/api/v2/alerts"} }
		},
	}
}

// and is a stage with another change.
func (s stage) and(change func(*stage)) stage {
	change(&s)
	return s
}

// asked changes what the API answers.
func (s stage) asked(change func(*promapi.Source)) stage {
	before := s.source
	s.source = func(src *promapi.Source) { before(src); change(src) }
	return s
}

// told says which Alertmanagers are named.
func (s stage) told(addresses ...string) stage {
	return s.asked(func(src *promapi.Source) { src.Alertmanagers = func() []string { return addresses } })
}

func load(t *testing.T, name string) *recording.Recording {
	t.Helper()
	root, err := recording.Root()
	if err != nil {
		t.Fatal(err)
	}
	folder, state, hasState := strings.Cut(name, "#")
	dir := filepath.Join(root, filepath.FromSlash(folder))
	if strings.HasPrefix(folder, "hosts/") {
		dir = filepath.Join(filepath.Dir(root), filepath.FromSlash(folder))
	}
	rec, err := recording.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if hasState {
		s := rec.State(state)
		if s == nil {
			t.Fatalf("recording %s has no state %s", folder, state)
		}
		rec = replay.OfState(rec, *s)
	}
	return rec
}

// targets are the exporters of the stage.
func (s stage) targets(t *testing.T) []replay.Target {
	t.Helper()
	var out []replay.Target
	for i, name := range s.recordings {
		rec := load(t, name)
		if s.edit != nil {
			s.edit(rec)
		}
		targets, end, err := replay.New(rec).Targets(s.job, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(end)
		targets[0].Instance = name + ":10770"
		if i < len(s.instances) {
			targets[0].Instance = s.instances[i]
		}
		if s.exposes != nil {
			targets[0].Scraper = changedPage{targets[0].Scraper, s.exposes}
		}
		out = append(out, targets[0])
	}
	for _, job := range s.jobs {
		again := out[0]
		again.Job = job
		out = append(out, again)
	}
	if s.companion != "" {
		targets, end, err := replay.New(load(t, s.recordings[0])).Targets(s.job, load(t, s.companion))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(end)
		out = append(out, targets[1])
	}
	return out
}

// changedPage is an exporter that says something else than it would.
type changedPage struct {
	replay.Scraper
	change func(string) string
}

func (c changedPage) Scrape(ctx context.Context, at time.Duration) (replay.Page, error) {
	page, err := c.Scraper.Scrape(ctx, at)
	page.Body = []byte(c.change(string(page.Body)))
	return page, err
}

// play steps to the second and answers the API from then on.
func (s stage) play(t *testing.T) (address string) {
	t.Helper()
	files, err := rules.Files(rules.Groups(), rules.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	p, err := replay.NewPrometheus(s.targets(t), s.files(files))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	p.EvaluateAll()
	for at := time.Duration(0); at <= time.Duration(s.second)*time.Second; at += replay.StepLength {
		if _, err := p.Step(t.Context(), at); err != nil && !s.failing {
			t.Fatal(err)
		}
	}
	s.leave(t, p)
	source := p.Source(func() time.Time { return replay.Epoch.Add(time.Duration(s.second) * time.Second) })
	if s.waiting {
		fresh, err := replay.NewPrometheus(nil, s.files(files))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { fresh.Close() })
		source.Rules = fresh.Source(source.Now).Rules
	}
	s.source(&source)
	server := httptest.NewServer(s.changed(promapi.Handler(source)))
	t.Cleanup(server.Close)
	return server.URL
}

// leave stores what a change of Prometheus' own configuration leaves behind.
func (s stage) leave(t *testing.T, p *replay.Prometheus) {
	t.Helper()
	app := p.Storage.Appender(t.Context())
	for _, series := range s.left {
		ls, err := lint.Parser.ParseMetric(series)
		if err != nil {
			t.Fatal(err)
		}
		at := replay.Epoch.Add(time.Duration(s.second-45) * time.Second)
		if _, err := app.Append(0, ls, at.UnixMilli(), 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := app.Commit(); err != nil {
		t.Fatal(err)
	}
}

// changed answers as a handler does, some paths with a change: what a Prometheus in this process
// cannot get into.
func (s stage) changed(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		change := s.answers[r.URL.Path]
		if change == nil {
			h.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		io.WriteString(w, change(answer.Body.String()))
	})
}

// options are those of a check with the default settings.
func options() Options {
	return Options{Settings: rules.DefaultSettings(), Client: http.DefaultClient, Timeout: time.Minute}
}

// check asks the stage's Prometheus.
func (s stage) check(t *testing.T) *Report {
	t.Helper()
	r, err := Prometheus(t.Context(), s.play(t), options())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// exporterPage serves what the exporter in front of the stage's first recording gives.
func (s stage) exporterPage(t *testing.T) (address string) {
	t.Helper()
	scraper := s.targets(t)[0].Scraper
	for at := time.Duration(0); at < time.Duration(s.second)*time.Second; at += replay.StepLength {
		if _, err := scraper.Scrape(t.Context(), at); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, err := scraper.Scrape(context.WithoutCancel(r.Context()), time.Duration(s.second)*time.Second)
		if err != nil || r.URL.Path != "/metrics" {
			http.Error(w, "no such page", http.StatusNotFound)
			return
		}
		w.Write(page.Body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// item finds an item of a report.
func (r *Report) item(t *testing.T, key string) Item {
	t.Helper()
	for _, it := range r.Items {
		if it.Key == key {
			return it
		}
	}
	t.Fatalf("no rule or panel %q in the report", key)
	return Item{}
}

// cause finds the cause that says a text.
func (r *Report) cause(t *testing.T, text string) Cause {
	t.Helper()
	for _, c := range r.Causes {
		if strings.Contains(c.What, text) {
			return c
		}
	}
	t.Errorf("no cause says %q:\n%s", text, r.Page(false))
	return Cause{}
}
