package doctor

import (
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/internal/conversation"
	"github.com/llmfleet/llmfleet/internal/recording"
)

var update = flag.Bool("update", false, "rewrite the golden pages")

// server answers a few paths, on any address, and notes what it was asked.
type server struct {
	pages  map[string]string // by path, or by ":" and path for the metrics address
	status int               // of every page; 0: 200
	dead   bool

	mu    sync.Mutex // guards asked
	asked []string
}

func (s *server) RoundTrip(req *http.Request) (*http.Response, error) {
	path := req.URL.RequestURI()
	if req.URL.Host == "metrics" {
		path = ":" + path
	}
	s.mu.Lock()
	s.asked = append(s.asked, path)
	s.mu.Unlock()
	if s.dead {
		return nil, syscall.ECONNREFUSED
	}
	answer := httptest.NewRecorder()
	body, ok := s.pages[path]
	switch {
	case !ok:
		answer.WriteHeader(http.StatusNotFound)
	case strings.HasPrefix(body, "{"):
		answer.Header().Set("Content-Type", "application/json")
	default:
		answer.Header().Set("Content-Type", "text/plain; version=0.0.4")
	}
	if ok && s.status != 0 {
		answer.WriteHeader(s.status)
	}
	answer.WriteString(body)
	return answer.Result(), nil
}

func examine(t *testing.T, yml string, transport http.RoundTripper) *Examination {
	t.Helper()
	c, err := config.Parse("", []byte(yml))
	if err != nil {
		t.Fatal(err)
	}
	x, err := Examine(t.Context(), c, c.Backends[0].Name, conversation.Options{Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

const (
	service = "backends:\n  - {name: b, url: \"http://service\"}\n"
	router  = "backends:\n  - {name: b, url: \"http://service\", metrics_url: \"http://metrics\"}\n"
)

const acmePage = `# TYPE acme_requests_active gauge
acme_requests_active{model="m"} 3
# TYPE acme_queue_depth gauge
acme_queue_depth{model="m"} 2
# TYPE acme_prompt_tokens_total counter
acme_prompt_tokens_total{model="m"} 100
# TYPE acme_output_tokens_total counter
acme_output_tokens_total{model="m"} 200
# TYPE acme_kv_cache_percent gauge
acme_kv_cache_percent{model="m"} 43
# TYPE acme_requests_finished_total counter
acme_requests_finished_total{model="m",finish_reason="stop"} 5
acme_requests_finished_total{model="m",finish_reason="tired"} 1
# TYPE acme_ttft_milliseconds histogram
acme_ttft_milliseconds_bucket{model="m",le="100"} 2
acme_ttft_milliseconds_bucket{model="m",le="+Inf"} 4
acme_ttft_milliseconds_sum{model="m"} 500
acme_ttft_milliseconds_count{model="m"} 4
# TYPE acme_flux_capacitor gauge
acme_flux_capacitor 88
# TYPE process_cpu_seconds_total counter
process_cpu_seconds_total 3
`

const gatePage = `# TYPE gate_worker_up gauge
gate_worker_up{worker="http://127.0.0.1:1"} 1
gate_worker_up{worker="http://127.0.0.1:2"} 0
# TYPE gate_requests_total counter
gate_requests_total{worker="http://127.0.0.1:1"} 40
# TYPE gate_active_requests gauge
gate_active_requests{worker="http://127.0.0.1:1"} 4
# TYPE gate_retries_total counter
gate_retries_total 6
`

// at plays a recording at one moment.
func at(t *testing.T, name string, second time.Duration) http.RoundTripper {
	t.Helper()
	root, err := recording.Root()
	if err != nil {
		t.Fatal(err)
	}
	r, err := recording.Load(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return recording.NewPlayer(r, func() time.Duration { return second * time.Second })
}

// TestThePageIsWhatAPersonWasShown holds the pages of servers of every kind; testdata has them as
// they were read and found clear.
func TestThePageIsWhatAPersonWasShown(t *testing.T) {
	for name, tt := range map[string]struct {
		yml       string
		transport http.RoundTripper
		arrive    bool
	}{
		"llamacpp":             {service, at(t, "llamacpp-0.7.0-b11669/overload-long", 600), true},
		"llamacpp-old":         {service, at(t, "llamacpp-b9294/basic", 10), true},
		"llamacpp-router":      {service, at(t, "llamacpp-0.7.0-b11669/router", 5), true},
		"llamacpp-router-idle": {service, at(t, "llamacpp-0.7.0-b11669/router", 0), true},
		"vllm":                 {service, at(t, "vllm-0.32.0/basic", 60), true},
		"vllm-router":          {router, at(t, "vllm-router-0.1.17/failover", 40), true},
		"nobody":               {service, &server{dead: true}, false},
		"wrong-key":            {service, &server{status: 401, pages: map[string]string{"/v1/models": `{"error":"key"}`}}, false},
		"no-metrics-flag":      {service, &server{pages: map[string]string{"/v1/models": `{"data":[{"id":"m","owned_by":"llamacpp"}]}`, "/props": `{"build_info":"b11669"}`, "/health": "{}"}}, false},
		"openai-only":          {service, &server{pages: map[string]string{"/v1/models": `{"object":"list","data":[{"id":"m"}]}`}}, false},
		"unknown":              {service, &server{pages: map[string]string{"/metrics": acmePage}}, false},
		"unknown-router":       {router, &server{pages: map[string]string{":/metrics": gatePage}}, false},
		"prometheus":           {service, &server{pages: map[string]string{"/metrics": "# TYPE prometheus_build_info gauge\nprometheus_build_info{version=\"2.42.0\"} 1\n"}}, false},
		"own-exporter":         {service, &server{pages: map[string]string{"/metrics": "# TYPE llm_up gauge\nllm_up{backend=\"b\"} 1\n# TYPE llmfleet_exporter_build_info gauge\nllmfleet_exporter_build_info{version=\"1\"} 1\n"}}, false},
		"a-website":            {service, &server{pages: map[string]string{"/metrics": "<html>hello</html>"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			x := examine(t, tt.yml, tt.transport)
			if x.NumbersArrive() != tt.arrive {
				t.Errorf("numbers arrive: %v, want %v", !tt.arrive, tt.arrive)
			}
			file, got := filepath.Join("testdata", name+".txt"), asked.ReplaceAllString(x.String(), "")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s differs (-update rewrites it); it is now\n%s", file, got)
			}
		})
	}
}

// asked is the line of what was asked: a new engine may add a harmless question to it.
var asked = regexp.MustCompile(`(?m)^  asked .*\n(                 .*\n)*`)

func TestThePageSaysWhatWasAsked(t *testing.T) {
	page := examine(t, service, at(t, "vllm-0.32.0/basic", 60)).String()
	line := strings.Join(strings.Fields(asked.FindString(page)), " ")
	for _, question := range []string{"GET /health 200,", "/metrics 200,", "/v1/models 200,", "/version 200"} {
		if !strings.Contains(line, question) {
			t.Errorf("%q lacks %q", line, question)
		}
	}
	if !strings.HasSuffix(line, "; nothing else") {
		t.Errorf("%q does not end", line)
	}
}

func TestOnlyHarmlessPathsAreAskedOfAnUnknownProgram(t *testing.T) {
	harmful := []string{"/health", "/slots", "/v1/completions", "/v1/chat/completions", "/v1/responses", "/unload", "/metrics?model=m"}
	for name, tt := range map[string]struct {
		pages   map[string]string
		numbers bool // /metrics may be asked
	}{
		"it lists no models": {map[string]string{"/metrics": acmePage}, true},
		"it lists models":    {map[string]string{"/v1/models": `{"data":[{"id":"m"}]}`, "/metrics": acmePage}, false},
	} {
		s := &server{pages: tt.pages}
		examine(t, service, s)
		if got := slices.Contains(s.asked, "/metrics"); got != tt.numbers {
			t.Errorf("%s: /metrics was asked: %v", name, got)
		}
		for i, path := range s.asked {
			if slices.Contains(harmful, path) || slices.Contains(s.asked[:i], path) {
				t.Errorf("%s: %s was asked, in %q", name, path, s.asked)
			}
		}
	}
}

func TestTextOfAServerDoesNotSteerTheTerminal(t *testing.T) {
	x := examine(t, service, &server{pages: map[string]string{"/v1/models": "{\"data\":[{\"id\":\"\\u001b[2Jm\"}]}"}})
	if page := x.String(); strings.Contains(page, "\x1b") || !strings.Contains(page, "[2Jm") {
		t.Errorf("the page is\n%q", page)
	}
}
