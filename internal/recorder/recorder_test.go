package recorder

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/llmfleet/llmfleet/exporter"
	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/engine"
	"github.com/llmfleet/llmfleet/internal/conversation"
	"github.com/llmfleet/llmfleet/internal/recording"
)

const pace = 15 * time.Second

// recordFor records a transport in simulated time and returns what was printed.
func recordFor(t *testing.T, c *config.Config, transport http.RoundTripper, length time.Duration, dir string) string {
	t.Helper()
	var out bytes.Buffer
	err := Record(t.Context(), c, c.Backends[0].Name, Options{
		Interval: pace, Length: length, Dir: dir, Out: &out, Talk: conversation.Options{Transport: transport},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func parsed(t *testing.T, text string) *config.Config {
	t.Helper()
	c, err := config.Parse("test.yml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestARecordedServerGivesTheSamePagesAgain plays a recording to the recorder, and then both
// recordings to an exporter each: no page may differ.
func TestARecordedServerGivesTheSamePagesAgain(t *testing.T) {
	root, err := recording.Root()
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		length      time.Duration
		metricsPort string // of the source
	}{
		"vllm-0.32.0/restart":          {length: 4 * time.Minute},
		"llamacpp-0.7.0-b11669/router": {length: time.Minute},
		"vllm-router-0.1.17/outage":    {length: 3 * time.Minute, metricsPort: "metrics"},
	} {
		t.Run(name, func(t *testing.T) {
			source, err := recording.Load(filepath.Join(root, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			yml := "backends:\n  - {name: b, url: \"http://service\"}\n"
			if tt.metricsPort != "" {
				yml = "backends:\n  - {name: b, url: \"http://service\", metrics_url: \"http://metrics\"}\n"
			}
			dir := filepath.Join(t.TempDir(), "copy")
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				player := recording.NewPlayer(source, func() time.Duration { return time.Since(began) })
				recordFor(t, parsed(t, yml), player, tt.length, dir)
			})
			again, err := recording.Load(dir)
			if err != nil {
				t.Fatal(err)
			}
			want, got := play(t, source, yml, tt.length), play(t, again, yml, tt.length)
			for at := range want {
				if want[at] != got[at] {
					t.Errorf("second %v: the page differs:\n%s", pace.Seconds()*float64(at), difference(want[at], got[at]))
				}
			}
			if found, err := recording.CheckPrivate(dir); err != nil || len(found) > 0 {
				t.Errorf("the check of what was recorded finds %v, %v", found, err)
			}
			if _, err := config.Parse("exporter.yml", again.Exporter); err != nil {
				t.Errorf("its exporter.yml: %v", err)
			}
		})
	}
}

// play scrapes a recording at the recorder's pace.
func play(t *testing.T, r *recording.Recording, yml string, length time.Duration) (pages []string) {
	t.Helper()
	var at time.Duration
	epoch := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	e, err := exporter.New(parsed(t, yml), exporter.Options{
		Now: func() time.Time { return epoch.Add(at) }, NoProcessMetrics: true,
		Transport: recording.NewPlayer(r, func() time.Duration { return at }),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for ; at <= length; at += pace {
		answer := httptest.NewRecorder()
		e.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		pages = append(pages, ours.ReplaceAllString(answer.Body.String(), ""))
	}
	return pages
}

// ours are lines about the exporter's own work.
var ours = regexp.MustCompile(`(?m)^(# |llmfleet_exporter_|llm_scrape_duration_seconds).*\n`)

func difference(want, got string) string {
	var b strings.Builder
	for line := range strings.Lines(want) {
		if !strings.Contains(got, line) {
			b.WriteString("-" + line)
		}
	}
	for line := range strings.Lines(got) {
		if !strings.Contains(want, line) {
			b.WriteString("+" + line)
		}
	}
	return b.String()
}

// server answers a few paths and counts what it was asked.
type server struct {
	pages map[string]string
	after func(asked int) // called after each question

	mu    sync.Mutex // guards asked
	asked map[string]int
}

func (s *server) RoundTrip(req *http.Request) (*http.Response, error) {
	path := req.URL.RequestURI()
	n := s.count(path)
	answer := httptest.NewRecorder()
	answer.Header().Set("Server", "llama.cpp")
	body, ok := s.pages[path]
	switch {
	case !ok:
		answer.WriteHeader(http.StatusNotFound)
	case strings.HasPrefix(body, "{"):
		answer.Header().Set("Content-Type", "application/json")
	default:
		answer.Header().Set("Content-Type", "text/plain; version=0.0.4")
		answer.Header().Set(engine.ProcessHeader, "40289624907")
	}
	answer.WriteString(body)
	if s.after != nil {
		s.after(n)
	}
	return answer.Result(), nil
}

func (s *server) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked == nil {
		s.asked = map[string]int{}
	}
	s.asked[path]++
	return s.asked[path]
}

func llama() *server {
	return &server{pages: map[string]string{
		"/health":    `{"status":"ok"}`,
		"/v1/models": `{"data":[{"id":"/home/ann/tiny.gguf","owned_by":"llamacpp"}]}`,
		"/props":     `{"build_info":"b11669-abc","model_path":"/home/ann/tiny.gguf","is_sleeping":false,"total_slots":2,"chat_template":"You are Ann's butler."}`,
		"/metrics":   "llamacpp:requests_processing 1\nllamacpp:requests_deferred 0\nllamacpp:tokens_predicted_total 7\nllamacpp:n_decode_total 3\n",
	}}
}

const one = "backends:\n  - {name: b, url: \"http://127.0.0.1:8080\"}\n"

func TestOnlyTheEnginesOwnPathsAreAskedAndNothingPrivateIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "live")
	s := llama()
	var said string
	synctest.Test(t, func(t *testing.T) { said = recordFor(t, parsed(t, one), s, time.Minute, dir) })
	// Five rounds; /readiness is asked to recognise it, the list of models at most every five
	// minutes, and /props each time: it says whether asking for numbers would wake the model.
	want := map[string]int{"/health": 5, "/metrics": 5, "/v1/models": 1, "/props": 5, "/readiness": 1}
	if fmt.Sprint(s.asked) != fmt.Sprint(want) {
		t.Errorf("asked %v, want %v", s.asked, want)
	}
	for _, line := range []string{
		"removed from /props: a chat template (1 different), a path of somebody's home (1 different)\n",
		"removed from /v1/models: a path of somebody's home (1 different)\n",
	} {
		if !strings.Contains(said, line) {
			t.Errorf("it said\n%swant in it\n%s", said, line)
		}
	}
	for _, file := range []string{"service.txt", "recording.yml", "exporter.yml"} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "nn/") || strings.Contains(string(text), "butler") || strings.Contains(string(text), "8080") {
			t.Errorf("%s still has what is private:\n%s", file, text)
		}
	}
	r, err := recording.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if m := r.Meta; m.Program != "llamacpp" || m.Version != "b11669-abc" || m.Interval != pace || m.Length != time.Minute || m.Headers["service"]["Server"] != "llama.cpp" {
		t.Errorf("described as %+v", m)
	}
	if page, ok := r.Server("service").At(0, "/metrics"); !ok || page.Header[engine.ProcessHeader] != "40289624907" {
		t.Errorf("headers %v of the page, want the name of its process", page.Header)
	}
}

func TestAnInterruptWritesWhatThereIs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "live")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := llama()
		s.after = func(n int) {
			if n == 3 { // in the midst of the third round
				cancel()
			}
		}
		var out bytes.Buffer
		err := Record(ctx, parsed(t, one), "b", Options{Interval: pace, Length: time.Hour, Dir: dir, Out: &out, Talk: conversation.Options{Transport: s}})
		if err != nil || !strings.Contains(out.String(), "ended early: interrupted") {
			t.Errorf("record = %v, and it said\n%s", err, out.String())
		}
	})
	r, err := recording.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if r.Meta.Length != pace {
		t.Errorf("it holds %s, want the two whole rounds: %s", r.Meta.Length, pace)
	}
}

func TestAServerThatDiesIsRecordedAsOneThatRefuses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "live")
	l := httptest.NewServer(http.NotFoundHandler())
	l.Close()
	var out bytes.Buffer
	c := parsed(t, "backends:\n  - {name: b, url: \""+l.URL+"\"}\n")
	if err := Record(t.Context(), c, "b", Options{Interval: time.Second, Dir: dir, Out: &out}); err != nil {
		t.Fatal(err)
	}
	r, err := recording.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range r.Servers[0].Answers {
		if a.Failure != recording.Refused {
			t.Errorf("%s is recorded as %+v", a.Path, a)
		}
	}
}

func TestAMistakeIsSaidBeforeAnythingIsAsked(t *testing.T) {
	taken := t.TempDir()
	if err := os.WriteFile(filepath.Join(taken, "recording.yml"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]Options{
		"pass -o DIR":            {Interval: pace},
		"--interval=1ms":         {Interval: time.Millisecond, Dir: "x"},
		"--length=48h0m0s":       {Interval: pace, Length: 48 * time.Hour, Dir: "x"},
		"is a recording already": {Interval: pace, Dir: taken},
	} {
		s := llama()
		o.Out, o.Talk = &bytes.Buffer{}, conversation.Options{Transport: s}
		if err := Record(t.Context(), parsed(t, one), "b", o); err == nil || !strings.Contains(err.Error(), want) || len(s.asked) > 0 {
			t.Errorf("record = %v after %v, want %q", err, s.asked, want)
		}
	}
}

func TestAProgramOfAnOwnMappingIsRecordedWithTheMapping(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "live")
	yml := one + `engines:
  - name: acme
    detect: [{sample: acme_active}]
    endpoints: [{path: /metrics, format: exposition, probe: not_for_models}]
    map: [{from: acme_active, to: llm_requests_running}]
`
	s := &server{pages: map[string]string{"/metrics": "acme_active 4\n"}}
	synctest.Test(t, func(t *testing.T) { recordFor(t, parsed(t, yml), s, pace, dir) })
	r, err := recording.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if page := play(t, r, string(r.Exporter), 0)[0]; !strings.Contains(page, `llm_requests_running{backend="acme",engine="acme"} 4`) {
		t.Errorf("played, it gives\n%s", page)
	}
}
