package exporter_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/exporter"
)

// readingCase is what the exporter must make of a server's answers: lines of its page, and regular
// expressions that match nothing of it. The numbers are the field report's own.
type readingCase struct {
	pages  map[string]http.HandlerFunc
	want   []string
	absent []string
}

// nans are spellings of what is no number. A gauge is sent with each.
func nans(name string) string {
	var page strings.Builder
	for _, value := range []string{"-nan", "nan", "NaN", "+Inf", "-inf", "1.#IND", "-1.#IND"} {
		fmt.Fprintf(&page, "%s %s\n", name, value)
	}
	return page.String()
}

func onlyMetrics(pages map[string]http.HandlerFunc, body string) map[string]http.HandlerFunc {
	return with(pages, "/metrics", text(200, promText, body))
}

func readingCases(t *testing.T) map[string]readingCase {
	idle := "llamacpp:prompt_tokens_total 0\nllamacpp:n_decode_total 0\nllamacpp:requests_processing 0\n"
	return map[string]readingCase{
		"a fresh server prints -nan": {
			pages: onlyMetrics(llamacpp(t), "# TYPE llamacpp:n_busy_slots_per_decode counter\nllamacpp:n_busy_slots_per_decode -nan\n"+idle+"llamacpp:requests_deferred 0\n"),
			want: []string{
				`llm_up{backend="a"} 1`, `llm_scrape_dropped_samples_total{backend="a"} 1`,
				`llm_prompt_computed_tokens_total{backend="a",engine="llamacpp",model="small"} 0`, `llm_engine_steps_total{backend="a",engine="llamacpp",model="small"} 0`,
				`llm_requests_running{backend="a",engine="llamacpp",model="small"} 0`, `llm_requests_waiting{backend="a",engine="llamacpp",model="small"} 0`,
			},
			absent: []string{"(?i) [-+]?(nan|inf)\n", "busy_slots"},
		},
		"every spelling of it in a gauge": {
			pages:  onlyMetrics(llamacpp(t), idle+nans("llamacpp:requests_deferred")),
			want:   []string{`llm_up{backend="a"} 1`, `llm_requests_running{backend="a",engine="llamacpp",model="small"} 0`, `llm_scrape_dropped_samples_total{backend="a"} 7`},
			absent: []string{"(?i) [-+]?(nan|inf)\n", `\nllm_requests_waiting\{`},
		},
		"pages pasted together": {
			pages: onlyMetrics(llamacpp(t), pasted("requests_processing", "gauge", "model-a", 1)+pasted("requests_processing", "gauge", "model-b", 3)+
				pasted("prompt_tokens_total", "counter", "model-a", 120)+pasted("prompt_tokens_total", "counter", "model-b", 77)),
			want: []string{
				`llm_requests_running{backend="a",engine="llamacpp",model="model-a"} 1`, `llm_requests_running{backend="a",engine="llamacpp",model="model-b"} 3`,
				`llm_prompt_computed_tokens_total{backend="a",engine="llamacpp",model="model-a"} 120`, `llm_prompt_computed_tokens_total{backend="a",engine="llamacpp",model="model-b"} 77`,
			},
			absent: []string{`(?s)# TYPE llm_requests_running .*# TYPE llm_requests_running `, `(?s)# HELP llm_requests_running .*# HELP llm_requests_running `},
		},
		"a content type that Prometheus refuses": {
			pages: with(vllm(t), "/metrics", text(200, "text/html; charset=utf-8", "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{engine=\"0\",model_name=\"m\"} 3.0\n")),
			want:  []string{`llm_up{backend="a"} 1`, `llm_requests_running{backend="a",engine="vllm",model="m"} 3`},
		},
		"names that nobody knows": {
			pages: map[string]http.HandlerFunc{"/metrics": text(200, promText, `# TYPE newengine_requests_running gauge
newengine_requests_running{model_name="m"} 7
# TYPE newengine_requests_waiting gauge
newengine_requests_waiting{model_name="m"} 12
# TYPE newengine_kv_cache_usage gauge
newengine_kv_cache_usage{model_name="m"} 0.93
`)},
			want:   []string{`llm_up{backend="a"} 0`, `llm_scrape_failed{backend="a",reason="unrecognized"} 1`},
			absent: []string{`\nllm_requests_running\{`, `\nllm_requests_waiting\{`, `\nllm_kv_cache_usage_ratio\{`},
		},
		"llama.cpp without its flag": {
			pages: with(llamacpp(t), "/metrics", text(501, "application/json; charset=utf-8",
				"{\"error\":{\"code\":501,\"message\":\"This server does not support metrics endpoint. Start it with `--metrics`\",\"type\":\"not_supported_error\"}}")),
			want: []string{
				`llm_healthy{backend="a"} 1`, `llm_up{backend="a"} 0`, `llm_scrape_failed{backend="a",reason="disabled"} 1`,
				`llm_engine_max_concurrency{backend="a",engine="llamacpp",model="small"} 4`,
			},
		},
		"a block longer than the prompts": {
			pages: onlyMetrics(vllm(t), `vllm:cache_config_info{block_size="3584",cache_dtype="auto",enable_prefix_caching="True",engine="0",num_gpu_blocks="412"} 1.0
vllm:prefix_cache_queries_total{engine="0",model_name="m"} 90000.0
vllm:prefix_cache_hits_total{engine="0",model_name="m"} 0.0
vllm:request_prompt_tokens_bucket{engine="0",le="1000.0",model_name="m"} 100.0
vllm:request_prompt_tokens_bucket{engine="0",le="+Inf",model_name="m"} 100.0
vllm:request_prompt_tokens_sum{engine="0",model_name="m"} 90000.0
vllm:request_prompt_tokens_count{engine="0",model_name="m"} 100.0
`),
			want: []string{
				`llm_prefix_cache_hit_tokens_total{backend="a",engine="vllm",model="m"} 0`, `llm_prefix_cache_query_tokens_total{backend="a",engine="vllm",model="m"} 90000`,
				`llm_kv_cache_block_size_tokens{backend="a",engine="vllm",model="m"} 3584`, `llm_request_prompt_tokens_sum{backend="a",engine="vllm",model="m"} 90000`,
				`llm_request_prompt_tokens_count{backend="a",engine="vllm",model="m"} 100`,
			},
		},
	}
}

// pasted is a family with its comments, as an aggregator repeats it for each model.
func pasted(name, kind, model string, value int) string {
	return fmt.Sprintf("# HELP llamacpp:%[1]s Number.\n# TYPE llamacpp:%[1]s %[2]s\nllamacpp:%[1]s{model=%[3]q} %[4]d\n", name, kind, model, value)
}

func TestReadingCases(t *testing.T) {
	for name, tt := range readingCases(t) {
		t.Run(name, func(t *testing.T) {
			e := start(t, backends(map[string]*server{"a": serve(t, tt.pages)}), exporter.Options{})
			w := request(t, e, "GET", "/metrics")
			if got := w.Header().Get("Content-Type"); !strings.HasPrefix(got, "text/plain; version=0.0.4") {
				t.Errorf("our own content type is %q", got)
			}
			page := w.Body.String()
			lint(t, page)
			wantLines(t, page, tt.want...)
			for _, pattern := range tt.absent {
				if found := regexp.MustCompile(pattern).FindString(page); found != "" {
					t.Errorf("the page has %.200q", found)
				}
			}
		})
	}
}

// The redirect of LiteLLM, which wants its key at both addresses.
func TestRedirectToASlashIsFollowedOnce(t *testing.T) {
	const key = "Bearer sesame"
	sealed := func(h http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != key {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			h(w, r)
		}
	}
	s := serve(t, map[string]http.HandlerFunc{
		"/metrics": sealed(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/metrics/", http.StatusTemporaryRedirect)
		}),
		"/metrics/": sealed(text(200, promText, "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{engine=\"0\",model_name=\"m\"} 41\n")),
	})
	file := t.TempDir() + "/key"
	write(t, file, "sesame")
	e := start(t, "backends:\n  - name: a\n    url: "+s.URL+"\n    engine: vllm\n    authorization: {credentials_file: "+file+"}\n", exporter.Options{})
	for range 3 {
		wantLines(t, request(t, e, "GET", "/metrics").Body.String(), `llm_up{backend="a"} 1`, `llm_requests_running{backend="a",engine="vllm",model="m"} 41`)
	}
	asked := map[string]int{}
	for _, q := range s.asked {
		asked[q]++
	}
	if asked["GET /metrics"] != 1 || asked["GET /metrics/"] != 3 {
		t.Errorf("asked %v: the path that redirects is in the server's log more than once", asked)
	}
	s.pages["/metrics/"] = sealed(text(200, promText, ""))
	wantLines(t, request(t, e, "GET", "/metrics").Body.String(), `llm_up{backend="a"} 0`, `llm_scrape_failed{backend="a",reason="not_metrics"} 1`)
}

// Of three workers that a router calls healthy one serves, one is gone and one loads. Which of
// its workers is which backend stands beside both views, so that a rule can compare them.
func TestRouterKeepsSendingToDeadNodes(t *testing.T) {
	good, loading, gone := serve(t, llamacpp(t)), serve(t, nil), serve(t, nil)
	for _, path := range []string{"/health", "/v1/models", "/metrics", "/props"} {
		loading.pages = with(orEmpty(loading.pages), path, text(503, "application/json", `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`))
	}
	gone.Close()
	var page strings.Builder
	page.WriteString("# TYPE vllm:healthy_pods_total gauge\n")
	for _, s := range []*server{good, gone, loading} {
		fmt.Fprintf(&page, "vllm:healthy_pods_total{server=%q} 1.0\n", s.URL)
	}
	router := serve(t, map[string]http.HandlerFunc{
		"/metrics": text(200, promText, page.String()), "/health": text(200, "application/json", `{"status":"healthy"}`),
		"/v1/models": text(200, "application/json", `{"object":"list","data":[]}`),
	})
	e := start(t, backends(map[string]*server{"r1": good, "r2": gone, "r3": loading, "router": router}), exporter.Options{})
	request(t, e, "GET", "/metrics")
	got := request(t, e, "GET", "/metrics").Body.String()
	wantLines(t, got, `llm_router_targets{backend="router",router="production_stack",state="healthy"} 3`,
		`llm_healthy{backend="r1"} 1`, `llm_healthy{backend="r2"} 0`, `llm_healthy{backend="r3"} 0`, `llm_scrape_failed{backend="r3",reason="loading"} 1`)
	for worker, s := range map[string]*server{"r1": good, "r2": gone, "r3": loading} {
		wantLines(t, got, fmt.Sprintf(`llm_router_target_backend_info{backend="router",router="production_stack",target=%q,worker=%q} 1`, s.URL, worker),
			fmt.Sprintf(`llm_router_target_healthy{backend="router",router="production_stack",target=%q} 1`, s.URL))
	}
}

func orEmpty(pages map[string]http.HandlerFunc) map[string]http.HandlerFunc {
	if pages == nil {
		return map[string]http.HandlerFunc{}
	}
	return pages
}
