package recording

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// total adds up the samples of a name whose labels contain a text. n is how many there are.
func total(page []byte, name, labels string) (sum float64, n int) {
	lines := bufio.NewScanner(bytes.NewReader(page))
	lines.Buffer(nil, maxBody)
	for lines.Scan() {
		rest, found := strings.CutPrefix(lines.Text(), name)
		if !found || rest == "" || rest[0] != '{' && rest[0] != ' ' || !strings.Contains(rest, labels) {
			continue
		}
		v, err := strconv.ParseFloat(rest[strings.LastIndexByte(rest, ' ')+1:], 64)
		if err == nil {
			sum, n = sum+v, n+1
		}
	}
	return sum, n
}

// The values were computed from the raw answers when the recordings were made.
func TestRecordingsHoldTheNumbersOfTheirStories(t *testing.T) {
	for _, tt := range []struct {
		recording, server, name, labels string
		values                          map[float64]float64 // by second
	}{
		{"fleet-incidents", "small", "llamacpp:spec_decode_num_draft_tokens_total", "", map[float64]float64{600: 115635, 645: 0, 1350: 0}},
		{"fleet-incidents", "small", "llamacpp:tokens_predicted_total", "", map[float64]float64{645: 233, 1350: 146940}},
		{"fleet-incidents", "router-metrics", "vllm_router_worker_health", "19302", map[float64]float64{495: 1, 510: 0, 1245: 0, 1260: 1}},
		{"fleet-incidents", "router-metrics", "vllm_router_cb_state", "19302", map[float64]float64{465: 0, 480: 1, 1260: 0}},

		{"vllm-0.32.0/kv-full-long", "service", "vllm:num_preemptions_total", "", map[float64]float64{0: 0, 135: 2, 1080: 932, 1095: 942, 1305: 942}},
		{"vllm-0.32.0/kv-full-queueing", "service", "vllm:num_preemptions_total", "", map[float64]float64{0: 0, 14: 1, 182: 124}},
		{"vllm-0.32.0/kv-full-queueing", "service", "vllm:num_requests_waiting", "", map[float64]float64{38: 9, 186: 0}},
		{"vllm-0.32.0/overload-long", "service", "vllm:generation_tokens_total", "", map[float64]float64{240: 121, 1185: 231312, 1425: 231312}},
		{"vllm-0.32.0/overload-long", "service", "vllm:num_requests_waiting", "", map[float64]float64{240: 4, 600: 4, 1125: 4, 1140: 3, 1155: 0}},
		{"vllm-0.32.0/basic", "service", "vllm:generation_tokens_total", "", map[float64]float64{0: 200, 98: 16983}},
		{"vllm-0.32.0/basic", "service", "vllm:num_requests_running", "", map[float64]float64{20: 6, 84: 0}},
		{"vllm-0.32.0/prefix-hot", "service", "vllm:prefix_cache_hits_total", "", map[float64]float64{0: 4096, 100: 225280}},
		{"vllm-0.32.0/spec-ngram", "service", "vllm:spec_decode_num_accepted_tokens_total", "", map[float64]float64{95: 3062}},
		{"vllm-0.32.0/queue-limit", "service", "vllm:admission_rejections_total", "max_num_queued_reqs", map[float64]float64{0: 256, 10: 332, 40: 696, 55: 744}},
		{"vllm-0.32.0/queue-limit", "service", "vllm:num_requests_waiting", "", map[float64]float64{10: 0, 25: 0, 40: 0}},
		{"vllm-0.32.0/restart", "service", "vllm:prompt_tokens_total", "", map[float64]float64{40: 65583, 175: 0}},
		{"vllm-0.32.0/replica-down", "b", "vllm:generation_tokens_total", "", map[float64]float64{60: 38495}},
		{"vllm-0.32.0/rust-frontend", "service", "vllm:generation_tokens_total", "", map[float64]float64{0: 0, 68: 13226}},
		{"vllm-0.32.0/dp2", "service", "vllm:generation_tokens_total", `engine="0"`, map[float64]float64{80: 7109}},
		{"vllm-0.32.0/dp2", "service", "vllm:generation_tokens_total", `engine="1"`, map[float64]float64{80: 6853}},
		{"vllm-0.16.0/basic", "service", "vllm:generation_tokens_total", "", map[float64]float64{0: 30, 84: 4977}},
		{"vllm-0.10.2/basic", "service", "vllm:generation_tokens_total", "", map[float64]float64{0: 30, 74: 1852}},
		{"vllm-0.9.2/basic", "service", "vllm:generation_tokens_total", "", map[float64]float64{0: 0, 74: 1745}},

		{"llamacpp-0.7.0-b11669/overload-long", "service", "llamacpp:tokens_predicted_total", "", map[float64]float64{180: 110, 600: 149969, 1170: 316888}},
		{"llamacpp-b10434/basic", "service", "llamacpp:tokens_predicted_total", "", map[float64]float64{0: 0, 12: 485, 30: 9120, 45: 14512}},
		{"llamacpp-b9294/basic", "service", "llamacpp:tokens_predicted_total", "", map[float64]float64{0: 0, 10: 1455, 34: 10075}},
		{"llamacpp-b7551/basic", "service", "llamacpp:tokens_predicted_total", "", map[float64]float64{0: 0, 10: 836, 34: 6373}},
		{"llamacpp-b7079/inprocess", "service", "llamacpp:tokens_predicted_total", "", map[float64]float64{0: 0, 10: 1379, 25: 3364}},
		{"llamacpp-b5671/inprocess", "service", "llamacpp:tokens_predicted_total", "", map[float64]float64{0: 0, 10: 995, 25: 3299}},
		{"llamacpp-b5036/inprocess", "service", "llamacpp:kv_cache_tokens", "", map[float64]float64{0: 0, 15: 430, 25: 550}},

		{"llm-d-inference-sim-0.10.2-41-geec055a/basic", "service", "vllm:num_requests_running", "", map[float64]float64{7: 0, 8: 4, 39: 4, 40: 0}},
		{"llm-d-inference-sim-0.10.2-41-geec055a/basic", "service", "vllm:generation_tokens_total", "", map[float64]float64{49: 4957}},

		{"prometheus-2.42.0/with-alertmanager", "prometheus", "prometheus_notifications_alertmanagers_discovered", "", map[float64]float64{0: 1, 600: 1, 1200: 1}},
		{"prometheus-2.42.0/with-alertmanager", "prometheus", "prometheus_notifications_sent_total", "19193", map[float64]float64{1200: 16}},
		{"prometheus-2.42.0/dead-alertmanager", "prometheus", "prometheus_notifications_alertmanagers_discovered", "", map[float64]float64{0: 0, 15: 1, 1200: 1}},
		{"prometheus-2.42.0/dead-alertmanager", "prometheus", "prometheus_notifications_dropped_total", "", map[float64]float64{0: 1, 60: 1, 75: 2, 1200: 17}},
		{"prometheus-2.42.0/without-alertmanager", "prometheus", "prometheus_notifications_alertmanagers_discovered", "", map[float64]float64{0: 0, 600: 0, 1200: 0}},
		{"prometheus-2.42.0/without-alertmanager", "prometheus", "prometheus_notifications_dropped_total", "", map[float64]float64{1200: 17}},

		{"vllm-router-0.1.17/failover", "metrics", "vllm_router_cb_state", "18182", map[float64]float64{30: 0, 31: 1, 54: 1, 55: 2, 56: 0}},
		{"vllm-router-0.1.17/failover", "metrics", "vllm_router_worker_health", "18182", map[float64]float64{36: 1, 37: 0, 54: 0, 55: 1}},
		{"vllm-router-0.1.17/outage", "metrics", "vllm_router_worker_health", "", map[float64]float64{10: 2, 30: 2, 59: 2}},
		{"vllm-router-0.1.17/outage", "metrics", "vllm_router_cb_state", "", map[float64]float64{24: 2, 59: 2}},
		{"smg-1.13.0/failover", "metrics", "smg_worker_health", "18182", map[float64]float64{29: 1, 30: 0, 50: 0, 51: 1, 73: 1, 74: 0, 78: 0}},
		{"smg-1.13.0/failover", "metrics", "smg_worker_cb_state", "18182", map[float64]float64{25: 0, 26: 1, 35: 1, 36: 2, 51: 2, 52: 0}},
		{"smg-1.13.0/failover", "metrics", "smg_router_requests_total", "", map[float64]float64{84: 256}},
		{"production-stack-router-0.1.12-14-ga6c01db/failover", "service", "vllm:healthy_pods_total", "", map[float64]float64{32: 2, 33: 1, 60: 1, 61: 2}},
		{"production-stack-router-0.1.12-14-ga6c01db/failover", "service", "vllm:num_requests_running", "", map[float64]float64{70: 6, 89: 6}},
		{"dynamo-1.6.1/kv-router-outage", "service", "dynamo_frontend_failures_total", "", map[float64]float64{62: 110}},
		{"dynamo-1.6.1/kv-router-outage", "service", "dynamo_frontend_requests_total", `status="error"`, map[float64]float64{62: 10}},
		{"haproxy-2.6.12/failover", "metrics", "haproxy_server_status", `server="replica-d",state="DOWN"`, map[float64]float64{22: 0, 23: 1, 38: 1, 39: 0}},
		{"caddy-2.11.9/failover", "admin", "caddy_reverse_proxy_upstreams_healthy", "18184", map[float64]float64{20: 1, 21: 0, 40: 0, 41: 1}},
	} {
		t.Run(tt.recording+" "+tt.name+tt.labels, func(t *testing.T) {
			s := load(t, tt.recording).Server(tt.server)
			for second, want := range tt.values {
				a, ok := s.At(at(second)(), "/metrics")
				if !ok || a.Status != 200 {
					t.Fatalf("second %v: no page of numbers", second)
				}
				if got, n := total(a.Body, tt.name, tt.labels); got != want || n == 0 {
					t.Errorf("second %v: %v (%d samples), want %v", second, got, n, want)
				}
			}
		})
	}
}

func TestRecordingsEndRequestsAsTheirStoriesSay(t *testing.T) {
	for _, tt := range []struct {
		recording, server, path string
		outcomes                map[float64]string
	}{
		{"fleet-incidents", "medium-b", "/health", map[float64]string{479: "200", 480: "refused", 1230: "refused", 1245: "200"}},
		{"fleet-incidents", "router", "/health", map[float64]string{495: "200", 510: "503", 1245: "503", 1260: "200"}},
		{"fleet-incidents", "router", "/readiness", map[float64]string{510: "200"}},
		{"fleet-incidents", "small", "/health", map[float64]string{630: "200", 645: "200"}},
		{"vllm-0.32.0/restart", "service", "/metrics", map[float64]string{40: "200", 48: "refused", 171: "refused", 172: "refused", 175: "200"}},
		{"vllm-0.32.0/replica-down", "b", "/metrics", map[float64]string{60: "200", 65: "timeout", 75: "refused", 239: "refused"}},
		{"vllm-0.32.0/replica-down", "a", "/metrics", map[float64]string{65: "200", 235: "200"}},
		{"vllm-0.32.0/dp2-engine-dead", "service", "/health", map[float64]string{11: "200", 12: "timeout", 14: "reset", 19: "refused"}},
		{"vllm-0.32.0/engine-dead", "service", "/metrics", map[float64]string{12: "200", 13: "refused"}},
		{"vllm-0.16.0/engine-dead", "service", "/health", map[float64]string{6: "503", 7: "refused"}},
		{"vllm-0.16.0/engine-dead", "service", "/metrics", map[float64]string{6: "200", 7: "refused"}},
		{"llamacpp-0.7.0-b11669/router", "service", "/metrics?autoload=false&model=tiny-random-llama", map[float64]string{0: "400", 4: "200", 12: "timeout", 13: "500", 22: "500", 23: "200", 29: "500", 30: "400"}},
		{"llamacpp-0.7.0-b11669/router", "service", "/metrics", map[float64]string{5: "400"}},
		{"llamacpp-0.7.0-b11669/router", "service", "/v1/models", map[float64]string{5: "200"}},
		{"llamacpp-0.7.0-b11669/router", "service", "/health", map[float64]string{5: "200"}},
		{"ollama-0.17.4/basic", "service", "/metrics", map[float64]string{0: "404", 50: "404"}},
		{"vllm-router-0.1.17/failover", "service", "/health", map[float64]string{36: "200", 37: "503", 54: "503", 55: "200"}},
		{"vllm-router-0.1.17/failover", "replica-b", "/v1/models", map[float64]string{10: "200", 40: "refused", 60: "200"}},
		{"vllm-router-0.1.17/outage", "service", "/health", map[float64]string{30: "200"}},
	} {
		t.Run(tt.recording+" "+tt.server+tt.path, func(t *testing.T) {
			s := load(t, tt.recording).Server(tt.server)
			for second, want := range tt.outcomes {
				a, ok := s.At(at(second)(), tt.path)
				if !ok {
					t.Fatalf("second %v: not recorded", second)
				}
				if got := outcome(a); got != want {
					t.Errorf("second %v: %s, want %s", second, got, want)
				}
			}
		})
	}
}

func TestKVPoolIsFullInLessThanHalfOfTheScrapesThatQueue(t *testing.T) {
	s := load(t, "vllm-0.32.0/kv-full-long").Server("service")
	full, all, row, longest := 0, 0, 0, 0
	for second := 135.0; second <= 1080; second += 15 {
		a, _ := s.At(at(second)(), "/metrics")
		usage, _ := total(a.Body, "vllm:kv_cache_usage_perc", "")
		waiting, _ := total(a.Body, "vllm:num_requests_waiting", "")
		if waiting < 4 || waiting > 8 {
			t.Errorf("second %v: %v requests wait, want 4 to 8", second, waiting)
		}
		all++
		if row++; usage <= 0.9 {
			row = 0
			continue
		}
		full++
		longest = max(longest, row)
	}
	if full != 29 || all != 64 || longest > 3 {
		t.Errorf("above 0.9 in %d of %d scrapes, %d in a row at most; want 29 of 64, 3", full, all, longest)
	}
}

func TestStatesAreWhatTheirNamesSay(t *testing.T) {
	for _, tt := range []struct {
		recording, state, path string
		status                 int
		contains, server       string
	}{
		{"llamacpp-0.7.0-b11669/states", "apikey-none", "/metrics", 401, "", "llama.cpp"},
		{"llamacpp-0.7.0-b11669/states", "apikey-none", "/health", 200, "ok", "llama.cpp"},
		{"llamacpp-0.7.0-b11669/states", "apikey-right", "/metrics", 200, "llamacpp:prompt_tokens_total", "llama.cpp"},
		{"llamacpp-0.7.0-b11669/states", "loading", "/health", 503, "Loading model", "llama.cpp"},
		{"llamacpp-0.7.0-b11669/states", "no-metrics-no-slots", "/metrics", 501, "", "llama.cpp"},
		{"llamacpp-0.7.0-b11669/states", "asleep", "/props", 200, `"is_sleeping":true`, "llama.cpp"},
		{"llamacpp-0.7.0-b11669/router", "after", "/metrics?model=broken-model", 500, "", "llama.cpp"},
		{"sglang-0.5.23/default", "after", "/metrics", 200, "sglang:prompt_tokens_total", ""},
		{"sglang-0.5.23/default", "busy", "/v1/loads?include=core", 200, `"max_running_requests": 64`, ""},
		{"ollama-0.17.4/states", "plain", "/api/ps", 200, `{"models":[]}`, ""},
		{"ollama-0.17.4/states", "plain", "/metrics", 404, "404 page not found", ""},
		{"vllm-0.32.0/flags", "nokey", "/v1/models", 401, "Unauthorized", "uvicorn"},
		{"vllm-0.32.0/flags", "asleep", "/metrics", 200, "vllm:engine_sleep_state", "uvicorn"},
		{"vllm-0.32.0/disable-log-stats", "fresh", "/metrics", 200, "python_info", "uvicorn"},
		{"vllm-0.9.2/scrapes", "slash-openmetrics", "/metrics/", 200, "# EOF", "uvicorn"},
	} {
		t.Run(tt.recording+" "+tt.state+tt.path, func(t *testing.T) {
			st := load(t, tt.recording).State(tt.state)
			if st == nil {
				t.Fatal("no such state")
			}
			p := st.Player()
			status, body, err := get(t, p, "http://service"+tt.path)
			if err != nil || status != tt.status || !strings.Contains(body, tt.contains) {
				t.Errorf("%d %.200q %v, want %d with %q", status, body, err, tt.status, tt.contains)
			}
		})
	}
}

// Every recording loads, is written the same again, and does not change its mind about time.
func TestEveryRecordingIsWrittenAsItWasRead(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	names, err := List(os.DirFS(root))
	if err != nil || len(names) < 40 {
		t.Fatalf("%d recordings, %v", len(names), err)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			r := load(t, name)
			if r.Name != name {
				t.Errorf("name = %q, want %q", r.Name, name)
			}
			if r.Meta.Program == "" || r.Meta.Version == "" || r.Meta.Recorded == "" || strings.HasPrefix(r.Meta.Story, "Imported;") {
				t.Errorf("recording.yml does not say program, version, date or story: %+v", r.Meta)
			}
			if err := checkPrivate(r); err != nil {
				t.Error(err)
			}
			files, err := r.files()
			if err != nil {
				t.Fatal(err)
			}
			checkFiles(t, root+"/"+name, files)
			if r.Exporter == nil {
				t.Error("no exporter.yml")
			}
			if len(r.Servers) == 0 {
				return
			}
			interval, length := pace(r.Servers)
			if interval != r.Meta.Interval || length != r.Meta.Length {
				t.Errorf("interval %v and length %v, recording.yml says %v and %v", interval, length, r.Meta.Interval, r.Meta.Length)
			}
		})
	}
}

func TestShowSaysWhatWasAnswered(t *testing.T) {
	r := fleet(t)
	got, err := Show(r, "router", "/health", 600*time.Second)
	want := "second 600: /health 503 "
	if err != nil || !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "\nUnhealthy servers: [\"http://127.0.0.1:19302\"]") {
		t.Errorf("Show = %q %v, want %q and the body", got, err, want)
	}
	for _, tt := range []struct{ server, path, want string }{
		{"nobody", "/health", `no server "nobody"; it has medium-a, medium-b, router, router-metrics, small`},
		{"router", "/slots", `router`},
	} {
		if _, err := Show(r, tt.server, tt.path, 0); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Show(%s, %s) = %v, want %s", tt.server, tt.path, err, tt.want)
		}
	}
}
