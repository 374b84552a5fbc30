package engine

import (
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// said is what a fake server says to one path.
type said struct {
	status int
	kind   string // Content-Type
	server string // header Server
	body   string
	fail   catalog.Reason // no answer at all
	hang   bool           // no answer before the deadline

	process string // header by which a page names its process
}

// fakeTarget is a server in memory. It fails the test when it is asked what it must not be.
type fakeTarget struct {
	t       *testing.T
	program string // key of harmless: an engine's title, or a situation
	service map[string]said
	metrics map[string]said // the other port, nil: there is none
	other   said            // what the service says to every other path; zero: 404

	mu    sync.Mutex
	asked []string // in order, the metrics port's with a leading ":"
}

func (f *fakeTarget) fetch(ctx context.Context, port Port, path string) (*Answer, error) {
	f.check(port, path)
	answers := f.service
	if port == MetricsPort {
		answers = f.metrics
	}
	s, ok := answers[path]
	if !ok {
		s = f.other
	}
	switch {
	case s.hang:
		<-ctx.Done()
		return nil, &FetchError{Reason: catalog.ReasonTimeout, Err: errors.New(path + ": no answer before the deadline")}
	case s.fail != "":
		return nil, &FetchError{Reason: s.fail, Err: errors.New(path + ": " + string(s.fail))}
	case s.status == 0:
		s.status = http.StatusNotFound
	}
	h := http.Header{}
	h.Set("Content-Type", s.kind)
	h.Set("Server", s.server)
	if s.process != "" {
		h.Set(ProcessHeader, s.process)
	}
	return &Answer{Status: s.status, Header: h, Body: []byte(s.body)}, nil
}

func (f *fakeTarget) check(port Port, path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name := path
	program := f.program
	if port == MetricsPort {
		name, program = ":"+path, metricsPort
	}
	f.asked = append(f.asked, name)
	if port == MetricsPort && f.metrics == nil {
		f.t.Errorf("the metrics port was asked for %s, and there is none", path)
	}
	if !slices.Contains(harmless[program], path) && !slices.Contains(harmless[anyProgram], path) && !f.allowedChild(path) &&
		!(f.service["/v1/models"].status == http.StatusOK && slices.Contains(harmless[listsModels], path)) {
		f.t.Errorf("%s was asked for %s, which is not harmless there", program, path)
	}
}

// allowedChild accepts the numbers of a model behind a llama.cpp router if the router is
// told not to load it and the fake has an answer, that is, the model is there.
func (f *fakeTarget) allowedChild(path string) bool {
	_, there := f.service[path]
	return f.program == "llama.cpp router" && there && strings.HasPrefix(path, "/metrics?model=") && strings.HasSuffix(path, "&autoload=false")
}

// paths returns what was asked since the last call, sorted.
func (f *fakeTarget) paths() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	asked := slices.Sorted(slices.Values(f.asked))
	f.asked = nil
	return strings.Join(asked, " ")
}

// body reads a file of testdata/bodies.
func body(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/bodies/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func ok(kind, body string) said { return said{status: 200, kind: kind, body: body} }

func jsonOf(body string) said  { return ok("application/json", body) }
func metrics(body string) said { return ok("text/plain; version=0.0.4", body) }

// from adds the header Server to all answers that have none.
func from(server string, answers map[string]said) map[string]said {
	for path, s := range answers {
		if s.server == "" {
			s.server = server
		}
		answers[path] = s
	}
	return answers
}

// testClock is a clock that stands still unless it is moved.
type testClock struct{ now time.Time }

func newClock() *testClock { return &testClock{time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)} }

func (c *testClock) options() Options {
	return Options{Backend: "b", Now: func() time.Time { return c.now }}
}
