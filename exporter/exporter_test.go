package exporter_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/llmfleet/llmfleet/exporter"
)

func TestOneBadTargetHidesOnlyItself(t *testing.T) {
	noLeaks(t)
	html := text(200, "text/html", "<!doctype html><html><body>404</body></html>")
	everywhere := func(h http.HandlerFunc) map[string]http.HandlerFunc {
		pages := map[string]http.HandlerFunc{}
		for _, p := range []string{"/metrics", "/health", "/v1/models", "/version", "/props", "/", "/api/version"} {
			pages[p] = h
		}
		return pages
	}
	gone := serve(t, nil)
	gone.Close()
	bad := map[string]struct {
		server  *server
		reason  string
		healthy string // "" where nothing is known
	}{
		"html":    {serve(t, everywhere(html)), "not_metrics", ""},
		"empty":   {serve(t, with(vllm(t), "/metrics", text(200, promText, ""))), "not_metrics", ""},
		"json":    {serve(t, with(llamacpp(t), "/metrics", text(200, "application/json", `{"a":1}`))), "not_metrics", "1"},
		"auth":    {serve(t, with(llamacpp(t), "/metrics", text(401, "application/json", `"Unauthorized access to metrics endpoint"`))), "auth", "1"},
		"off":     {serve(t, with(llamacpp(t), "/metrics", text(501, "application/json", `{"error":{"code":501,"message":"start with --metrics"}}`))), "disabled", "1"},
		"failing": {serve(t, with(vllm(t), "/metrics", text(500, "text/plain", "oh"))), "http", ""},
		"garbage": {serve(t, everywhere(text(200, "application/octet-stream", "\x00\xff\xfe{{{\n\x80 1\n"))), "not_metrics", ""},
		"gone":    {gone, "refused", "0"},
		"hangs":   {serve(t, everywhere(hangs)), "timeout", "0"},
		"busy":    {serve(t, with(llamacpp(t), "/metrics", hangs)), "timeout", "1"},
	}
	servers := map[string]*server{"good": serve(t, vllm(t))}
	for name, b := range bad {
		servers[name] = b.server
	}
	e := start(t, backends(servers), exporter.Options{})

	// The first scrape recognises who can be recognised; the second is the one that counts.
	request(t, e, "GET", "/metrics", "X-Prometheus-Scrape-Timeout-Seconds", "2.5")
	began := time.Now()
	w := request(t, e, "GET", "/metrics", "X-Prometheus-Scrape-Timeout-Seconds", "2.5")
	if took := time.Since(began); took > 8*time.Second { // 2 s, and what a busy machine adds; the servers' own limit is 30 s
		t.Errorf("the page took %s, want 2 s and a little", took)
	}
	page := w.Body.String()
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, page)
	}
	wantLines(t, page, `llm_up{backend="good"} 1`, `llm_healthy{backend="good"} 1`, `llm_requests_running{backend="good",engine="vllm",model="tiny-chat"} 0`)
	for name, b := range bad {
		reason := b.reason
		if reason == "timeout" {
			reason = "skipped" // the round of the first scrape goes on to the target's own limit
		}
		wantLines(t, page, `llm_up{backend="`+name+`"} 0`, `llm_scrape_failed{backend="`+name+`",reason="`+reason+`"} 1`)
		if b.healthy != "" {
			wantLines(t, page, `llm_healthy{backend="`+name+`"} `+b.healthy)
		}
	}
}

func TestNothingIsAskedThatIsNotAllowed(t *testing.T) {
	// What each program may be asked; written by hand from what is known to be harmless.
	servers := map[string]*server{"v": serve(t, vllm(t)), "l": serve(t, llamacpp(t)), "none": serve(t, nil)}
	allowed := map[string][]string{
		"v":    {"GET /metrics", "GET /health", "GET /version", "GET /v1/models", "GET /load", "GET /readiness"},
		"l":    {"GET /metrics", "GET /health", "GET /props", "GET /v1/models", "GET /models", "GET /readiness"},
		"none": {"GET /metrics", "GET /v1/models", "GET /health", "GET /version", "GET /props", "GET /readiness"},
	}
	e := start(t, backends(servers), exporter.Options{})
	for range 3 {
		request(t, e, "GET", "/metrics")
		request(t, e, "GET", "/")
		request(t, e, "GET", "/api/v1/targets")
	}
	for name, s := range servers {
		asked := s.questions()
		if len(asked) == 0 {
			t.Errorf("%s was not asked", name)
		}
		for _, q := range asked {
			if !slices.Contains(allowed[name], q) {
				t.Errorf("%s was asked %q", name, q)
			}
		}
	}
}

func TestOddContentTypeIsReadAndNamed(t *testing.T) {
	s := serve(t, with(vllm(t), "/metrics", text(200, "text/html; charset=utf-8", "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{engine=\"0\",model_name=\"m\"} 3.0\n")))
	e := start(t, backends(map[string]*server{"a": s}), exporter.Options{})
	w := request(t, e, "GET", "/metrics")
	wantLines(t, w.Body.String(), `llm_requests_running{backend="a",engine="vllm",model="m"} 3`)
	if got := w.Header().Get("Content-Type"); !strings.HasPrefix(got, "text/plain; version=0.0.4") {
		t.Errorf("our own content type is %q", got)
	}
	if got := request(t, e, "GET", "/").Body.String(); !strings.Contains(got, "text/html") {
		t.Error("the page does not name the odd content type")
	}
}

// lint holds a page to what promtool check metrics asks of it.
func lint(t *testing.T, page string) {
	t.Helper()
	problems, err := promlint.New(strings.NewReader(page)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestPageIsCleanInEveryFormat(t *testing.T) {
	e := start(t, backends(map[string]*server{"a": serve(t, vllm(t)), "b": serve(t, llamacpp(t)), "c": serve(t, nil)}), exporter.Options{})
	page := request(t, e, "GET", "/metrics").Body.String()
	lint(t, page)
	seen := map[string]bool{}
	for l := range strings.Lines(page) {
		if strings.HasPrefix(l, "# TYPE ") {
			name := strings.Fields(l)[2]
			if seen[name] {
				t.Errorf("%s has two TYPE lines", name)
			}
			seen[name] = true
		}
	}
	w := request(t, e, "GET", "/metrics", "Accept", "application/openmetrics-text; version=1.0.0")
	if got := w.Header().Get("Content-Type"); !strings.HasPrefix(got, "application/openmetrics-text") {
		t.Errorf("content type %q, want OpenMetrics", got)
	}
	if !strings.HasSuffix(w.Body.String(), "# EOF\n") {
		t.Error("OpenMetrics without its end")
	}
}

func TestCompressedPageIsThePage(t *testing.T) {
	e := start(t, backends(map[string]*server{"a": serve(t, vllm(t))}), exporter.Options{})
	front := httptest.NewServer(e.Handler())
	defer front.Close()
	for query, wanted := range map[string]string{
		"":                          `llm_up{backend="a"} 1`,
		"?name[]=llm_up":            `llm_up{backend="a"} 1`,
		"?name[]=nothing&name[]=no": "",
	} {
		resp, err := front.Client().Get(front.URL + "/metrics" + query) // the client asks for gzip and undoes it
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Errorf("%s: %v", query, err)
		}
		if resp.Uncompressed != (wanted != "") {
			t.Errorf("%s: compressed is %v", query, resp.Uncompressed)
		}
		if wanted != "" {
			wantLines(t, string(body), wanted)
		} else if len(body) != 0 {
			t.Errorf("%s: %q, want nothing", query, body)
		}
		if query == "?name[]=llm_up" && strings.Contains(string(body), "llm_healthy") {
			t.Error("a family that was not asked for is there")
		}
	}
}

func TestProbeTakesOnlyNamesOfTheConfiguration(t *testing.T) {
	s := serve(t, vllm(t))
	other := serve(t, vllm(t))
	e := start(t, backends(map[string]*server{"a": s, "b": serve(t, llamacpp(t))}), exporter.Options{})
	page := request(t, e, "GET", "/probe?target=a").Body.String()
	wantLines(t, page, `llm_up{backend="a"} 1`)
	if strings.Contains(page, `backend="b"`) || strings.Contains(page, "llmfleet_exporter_") {
		t.Error("the probe of one target shows more than that target")
	}
	for path, want := range map[string]int{
		"/probe":                                http.StatusBadRequest,
		"/probe?target=nobody":                  http.StatusNotFound,
		"/probe?target=" + other.URL:            http.StatusNotFound,
		"/probe?target=%3Cscript%3E&target=a":   http.StatusNotFound,
		"/probe?module=x&target=169.254.169.25": http.StatusNotFound,
	} {
		w := request(t, e, "GET", path)
		if w.Code != want {
			t.Errorf("%s: status %d, want %d", path, w.Code, want)
		}
		if body := w.Body.String(); !strings.Contains(body, "/api/v1/targets: a, b") {
			t.Errorf("%s: answer %q does not say how names are found", path, body)
		}
		if got := w.Header().Get("Content-Type"); !strings.HasPrefix(got, "text/plain") {
			t.Errorf("%s: content type %q, and the answer repeats what was asked", path, got)
		}
	}
	if got := other.questions(); len(got) != 0 {
		t.Errorf("the other server was asked %v", got)
	}
}

func TestConcurrentScrapesShareOneRound(t *testing.T) {
	noLeaks(t)
	var mu sync.Mutex
	open, most := 0, 0
	pages := vllm(t)
	page := pages["/metrics"]
	pages["/metrics"] = func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		open++
		most = max(most, open)
		mu.Unlock()
		time.Sleep(20 * time.Millisecond)
		page(w, r)
		mu.Lock()
		open--
		mu.Unlock()
	}
	e := start(t, backends(map[string]*server{"a": serve(t, pages)}), exporter.Options{})
	var scrapers sync.WaitGroup
	for i := range 8 {
		scrapers.Go(func() {
			for range 5 {
				path := "/metrics"
				if i%2 == 1 {
					path = "/probe?target=a"
				}
				if w := request(t, e, "GET", path); !strings.Contains(w.Body.String(), `llm_up{backend="a"} 1`) {
					t.Error("a scrape without numbers")
				}
			}
		})
	}
	scrapers.Wait()
	if most != 1 {
		t.Errorf("%d requests at the same time, want 1", most)
	}
}

func TestPagesAreServedWhereTheyBelong(t *testing.T) {
	e := start(t, backends(map[string]*server{"a": serve(t, nil)}), exporter.Options{MetricsPath: "/m"})
	for _, tt := range []struct {
		method, path string
		status       int
		has          string
	}{
		{"GET", "/m", 200, "llm_up"},
		{"GET", "/metrics", 404, ""},
		{"POST", "/m", 405, ""},
		{"GET", "/-/healthy", 200, "healthy"},
		{"GET", "/-/ready", 200, "ready"},
		{"GET", "/-/reload", 405, "POST"},
		{"POST", "/-/reload", 200, "in force"},
		{"GET", "/config", 200, "backends:"},
		{"GET", "/api/v1/targets", 200, `"backend":"a"`},
		{"GET", "/", 200, "<!doctype html>"},
		{"GET", "/nothing", 404, ""},
	} {
		w := request(t, e, tt.method, tt.path)
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.has) {
			t.Errorf("%s %s: %d %q, want %d and %q", tt.method, tt.path, w.Code, w.Body.String(), tt.status, tt.has)
		}
	}
}

func TestPageEscapesWhatServersSay(t *testing.T) {
	const evil = `<script>alert(1)</script>`
	s := serve(t, with(vllm(t), "/v1/models", text(200, "application/json", `{"object":"list","data":[{"id":"`+evil+`","owned_by":"vllm"}]}`)))
	e := start(t, backends(map[string]*server{"a": s}), exporter.Options{})
	request(t, e, "GET", "/metrics")
	w := request(t, e, "GET", "/")
	if strings.Contains(w.Body.String(), evil) {
		t.Error("the page carries a server's script")
	}
	if !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'") {
		t.Error("no content security policy")
	}
}

func TestScrapesBeyondTheBoundAreTurnedAway(t *testing.T) {
	reached := make(chan bool, 10)
	e := start(t, backends(map[string]*server{"a": serve(t, map[string]http.HandlerFunc{"/metrics": func(w http.ResponseWriter, r *http.Request) {
		reached <- true
		hangs(w, r)
	}}), "b": serve(t, nil)}), exporter.Options{MaxRequests: 1})
	front := httptest.NewServer(e.Handler())
	defer front.Close()
	client := &http.Client{Timeout: time.Second}
	first := make(chan struct{})
	go func() {
		defer close(first)
		client.Get(front.URL + "/metrics")
	}()
	<-reached
	if w := request(t, e, "GET", "/metrics"); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "--web.max-requests") {
		t.Errorf("status %d %q, want 503 and the flag", w.Code, w.Body.String())
	}
	// The page of one target has a place of its own: other targets' hanging servers do not take it.
	if w := request(t, e, "GET", "/probe?target=b"); w.Code != http.StatusOK {
		t.Errorf("probe of another target: status %d %q", w.Code, w.Body.String())
	}
	if w := request(t, e, "GET", "/-/healthy"); w.Code != http.StatusOK {
		t.Errorf("health is bounded too: %d", w.Code)
	}
	<-first
}
