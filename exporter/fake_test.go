package exporter_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/exporter"
	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/internal/recording"
)

// server is a fake that keeps what it was asked and answers 404 to what it does not know.
type server struct {
	*httptest.Server
	pages map[string]http.HandlerFunc // by path

	mu    sync.Mutex // guards asked
	asked []string
}

func serve(t testing.TB, pages map[string]http.HandlerFunc) *server {
	t.Helper()
	s := &server{pages: pages}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// ServeHTTP answers and takes a note.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.Method+" "+r.URL.RequestURI())
	s.mu.Unlock()
	if h := s.pages[r.URL.Path]; h != nil {
		h(w, r)
		return
	}
	http.NotFound(w, r)
}

// questions are the distinct requests so far.
func (s *server) questions() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := slices.Clone(s.asked)
	slices.Sort(asked)
	return slices.Compact(asked)
}

// text answers with a body of a type.
func text(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// hangs answers nothing until the client goes away.
func hangs(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

const promText = "text/plain; version=0.0.4; charset=utf-8"

// recorded returns the newest body of a path of a recording.
func recorded(t testing.TB, name, server, path string) string {
	t.Helper()
	r, err := recording.Load(filepath.Join("..", "testdata", "recordings", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	a, ok := r.Server(server).At(r.Meta.Length, path)
	if !ok {
		t.Fatalf("%s has no answer to %s", name, path)
	}
	return string(a.Body)
}

// vllm is a healthy vLLM as recorded.
func vllm(t testing.TB) map[string]http.HandlerFunc {
	t.Helper()
	const name = "vllm-0.32.0/kv-full-long"
	return map[string]http.HandlerFunc{
		"/metrics":   text(200, promText, recorded(t, name, "service", "/metrics")),
		"/health":    text(200, "text/plain", ""),
		"/version":   text(200, "application/json", `{"version":"0.32.0"}`),
		"/v1/models": text(200, "application/json", `{"object":"list","data":[{"id":"tiny","object":"model","owned_by":"vllm","max_model_len":2048}]}`),
	}
}

// llamacpp is a llama.cpp that idles.
func llamacpp(t testing.TB) map[string]http.HandlerFunc {
	t.Helper()
	return map[string]http.HandlerFunc{
		"/metrics":   text(200, promText, "# TYPE llamacpp:requests_processing gauge\nllamacpp:requests_processing 1\nllamacpp:requests_deferred 0\nllamacpp:n_decode_total 9\n"),
		"/health":    text(200, "application/json", `{"status":"ok"}`),
		"/props":     text(200, "application/json", `{"total_slots":4,"build_info":"b11669-abc","default_generation_settings":{"n_ctx":4096},"is_sleeping":false}`),
		"/v1/models": text(200, "application/json", `{"object":"list","data":[{"id":"small","object":"model","owned_by":"llamacpp"}]}`),
	}
}

// with replaces some pages.
func with(pages map[string]http.HandlerFunc, path string, h http.HandlerFunc) map[string]http.HandlerFunc {
	pages[path] = h
	return pages
}

// start makes an exporter of a configuration file's text.
func start(t testing.TB, yaml string, o exporter.Options) *exporter.Exporter {
	t.Helper()
	file := filepath.Join(t.TempDir(), "llmfleet.yml")
	write(t, file, yaml)
	o.NoProcessMetrics = true
	if o.Load == nil {
		o.Load = func() (*config.Config, error) { return config.Load(file) }
	}
	c, err := o.Load()
	if err != nil {
		t.Fatal(err)
	}
	e, err := exporter.New(c, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// backends is a configuration of servers by name.
func backends(servers map[string]*server) string {
	var b strings.Builder
	b.WriteString("backends:\n")
	for name, s := range servers {
		fmt.Fprintf(&b, "  - name: %s\n    url: %s\n", name, s.URL)
	}
	return b.String()
}

// request asks the exporter for a page.
func request(t testing.TB, e *exporter.Exporter, method, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, method, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	e.Handler().ServeHTTP(w, r)
	return w
}

// wantLines fails unless a page has each line.
func wantLines(t testing.TB, page string, lines ...string) {
	t.Helper()
	for _, l := range lines {
		if !strings.Contains("\n"+page, "\n"+l+"\n") {
			t.Errorf("the page lacks %q; it has\n%s", l, grep(page, l))
		}
	}
}

// grep returns the lines of the series that a line is of, for a readable failure.
func grep(page, line string) string {
	name, _, _ := strings.Cut(line, "{")
	var out []string
	for l := range strings.Lines(page) {
		if strings.HasPrefix(l, name) {
			out = append(out, l)
		}
	}
	return strings.Join(out, "")
}

// noLeaks fails when goroutines outlive the test's exporters and servers.
func noLeaks(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		var now int
		for range 100 {
			if now = runtime.NumGoroutine(); now <= before {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		stacks := make([]byte, 1<<20)
		t.Errorf("%d goroutines, %d before the test:\n%s", now, before, stacks[:runtime.Stack(stacks, true)])
	})
}
