package engine

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

func llamacpp070(t testing.TB) map[string]said {
	return from("llama.cpp", map[string]said{
		"/health":    jsonOf(`{"status":"ok"}`),
		"/v1/models": jsonOf(body(t, "llamacpp-0.7.0.models.json")),
		"/props":     jsonOf(body(t, "llamacpp-0.7.0.props.json")),
		"/metrics":   metrics(body(t, "llamacpp-0.7.0.metrics.txt")),
	})
}

func vllm032(t testing.TB) map[string]said {
	return from("uvicorn", map[string]said{
		"/health":    {status: 200},
		"/version":   jsonOf(body(t, "vllm-0.32.0.version.json")),
		"/v1/models": jsonOf(body(t, "vllm-0.32.0.models.json")),
		"/metrics":   metrics(body(t, "vllm-0.32.0.metrics.txt")),
	})
}

// with returns answers with some replaced.
func with(answers map[string]said, changes map[string]said) map[string]said {
	for path, s := range changes {
		answers[path] = s
	}
	return answers
}

const (
	loadingBody = `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`
	noKeyBody   = `{"error":{"message":"Invalid API Key","type":"authentication_error","code":401}}`
	switchedOff = "{\"error\":{\"code\":501,\"message\":\"This server does not support metrics endpoint. Start it with `--metrics`\",\"type\":\"not_supported_error\"}}"
)

// TestProgramsAreRecognisedWithoutHarm is the table of programs and states: what is found,
// and nothing but the listed paths is asked.
func TestProgramsAreRecognisedWithoutHarm(t *testing.T) {
	refused := said{fail: catalog.ReasonRefused}
	for name, tt := range map[string]struct {
		program string
		service map[string]said
		metrics map[string]said
		other   said
		options Options

		title   string // of the engine, "" if none is recognised
		version string
		healthy Tri
		up      Tri
		reason  catalog.Reason
		problem string // a part of it
		asked   string // in the first round
	}{
		"llama.cpp": {
			program: "llama.cpp", service: llamacpp070(t),
			title: "llama.cpp", version: "b11669-Debian", healthy: Yes, up: Yes,
			asked: "/health /metrics /props /readiness /v1/models",
		},
		"llama.cpp that hides its name": {
			program: "llama.cpp", service: behind("nginx", llamacpp070(t)),
			title: "llama.cpp", version: "b11669-Debian", healthy: Yes, up: Yes,
		},
		"llama.cpp configured": {
			program: "llama.cpp", service: llamacpp070(t), options: Options{Engine: llamacpp},
			title: "llama.cpp", version: "b11669-Debian", healthy: Yes, up: Yes,
			asked: "/health /metrics /props /v1/models",
		},
		"llama.cpp with an unusable build string": {
			program: "llama.cpp", service: with(llamacpp070(t), map[string]said{
				"/v1/models": jsonOf(body(t, "llamacpp-b9294.models.json")), "/props": jsonOf(body(t, "llamacpp-b9294.props.json")),
				"/metrics": metrics(body(t, "llamacpp-b9294.metrics.txt")),
			}),
			title: "llama.cpp", version: "b0-unknown", healthy: Yes, up: Yes,
		},
		"llama.cpp without metrics": {
			program: "llama.cpp", service: with(llamacpp070(t), map[string]said{"/metrics": {status: 501, kind: "application/json", body: switchedOff}}),
			title: "llama.cpp", version: "b11669-Debian", healthy: Yes, up: No, reason: catalog.ReasonDisabled, problem: "--metrics",
		},
		"llama.cpp loading": {
			program: "llama.cpp", other: said{status: 503, server: "llama.cpp", kind: "application/json", body: loadingBody},
			title: "llama.cpp", healthy: No, up: No, reason: catalog.ReasonLoading, problem: "still being loaded",
			asked: "/health /props /readiness /v1/models",
		},
		"llama.cpp loading behind a proxy": {
			program: "llama.cpp", other: said{status: 503, server: "nginx", kind: "application/json", body: loadingBody},
			title: "llama.cpp", healthy: No, up: No, reason: catalog.ReasonLoading,
		},
		"llama.cpp that wants a key": {
			program: "llama.cpp", service: map[string]said{"/health": {status: 200, server: "llama.cpp", body: `{"status":"ok"}`}},
			other: said{status: 401, server: "llama.cpp", kind: "application/json", body: noKeyBody},
			title: "llama.cpp", healthy: Yes, up: No, reason: catalog.ReasonAuth, problem: "API key",
		},
		"llama.cpp with its page as a JSON string": {
			program: "llama.cpp", service: with(llamacpp070(t), map[string]said{"/metrics": jsonOf(quoted(body(t, "llamacpp-b7079.metrics.txt")))}),
			title: "llama.cpp", version: "b11669-Debian", healthy: Yes, up: Yes,
		},
		"llama.cpp with a nonsensical content type": {
			program: "llama.cpp", service: with(llamacpp070(t), map[string]said{"/metrics": ok("text/html", body(t, "llamacpp-0.7.0.metrics.txt"))}),
			title: "llama.cpp", version: "b11669-Debian", healthy: Yes, up: Yes,
		},
		"llama.cpp whose numbers are HTML": {
			program: "llama.cpp", service: with(llamacpp070(t), map[string]said{"/metrics": ok("text/html", "<html>hello</html>")}),
			title: "llama.cpp", version: "b11669-Debian", healthy: Yes, up: No, reason: catalog.ReasonNotMetrics, problem: "an HTML or XML page",
		},
		"llama.cpp whose numbers are empty": {
			program: "llama.cpp", service: with(llamacpp070(t), map[string]said{"/metrics": metrics("")}),
			title: "llama.cpp", version: "b11669-Debian", healthy: Yes, up: No, reason: catalog.ReasonNotMetrics, problem: "an empty body",
		},
		"llama.cpp without /props and /v1/models": {
			program: "llama.cpp", service: from("", map[string]said{
				"/health": jsonOf(`{"status":"ok"}`), "/metrics": metrics(body(t, "llamacpp-b5036.metrics.txt")),
			}),
			title: "llama.cpp", healthy: Yes, up: Yes,
			asked: "/health /metrics /props /readiness /v1/models",
		},
		"a bare page of llama.cpp": {
			program: "llama.cpp", service: map[string]said{"/metrics": metrics(body(t, "llamacpp-b5036.metrics.txt"))},
			title: "llama.cpp", healthy: Yes, up: Yes,
		},
		"llama.cpp asleep": {
			program: "llama.cpp", service: with(llamacpp070(t), map[string]said{
				"/props": jsonOf(body(t, "llamacpp-0.7.0-asleep.props.json")), "/metrics": metrics(body(t, "llamacpp-0.7.0-asleep.metrics.txt")),
			}),
			title: "llama.cpp", version: "b11669-Debian", healthy: Yes, up: Yes,
		},
		"older llama.cpp asleep": {
			program: "llama.cpp asleep", service: with(llamacpp070(t), map[string]said{
				"/props": jsonOf(strings.Replace(body(t, "llamacpp-b10434.props.json"), `"is_sleeping":false`, `"is_sleeping":true`, 1)),
			}),
			title: "llama.cpp", version: "b1-7e4c0a9", healthy: Yes, up: No, reason: catalog.ReasonAsleep, problem: "would wake it",
			asked: "/health /props /readiness /v1/models",
		},
		"llama.cpp that does not say whether it sleeps": {
			program: "llama.cpp asleep", service: with(llamacpp070(t), map[string]said{"/props": {fail: catalog.ReasonTimeout}}),
			title: "llama.cpp", healthy: Yes, up: No, reason: catalog.ReasonTimeout,
		},
		"llama.cpp router": {
			program: "llama.cpp router", service: routerAfter(t),
			title: "llama.cpp router", version: "b11669-Debian", healthy: Yes, up: Yes,
			asked: "/health /metrics?model=small-random-llama&autoload=false /props /readiness /v1/models",
		},
		"llama.cpp router without models": {
			program: "llama.cpp router", service: with(routerAfter(t), map[string]said{"/v1/models": {status: 200, server: "llama.cpp", kind: "application/json", body: `{"data":[],"object":"list"}`}}),
			title: "llama.cpp router", version: "b11669-Debian", healthy: Yes, up: Yes,
			asked: "/health /props /readiness /v1/models",
		},
		"llama.cpp router with a model that goes": {
			program: "llama.cpp router", service: with(routerAfter(t), map[string]said{
				"/metrics?model=small-random-llama&autoload=false": {status: 500, kind: "text/plain", body: "proxy error: Could not establish connection"},
			}),
			title: "llama.cpp router", version: "b11669-Debian", healthy: Yes, up: Yes, problem: `"small-random-llama"`,
		},
		"llama.cpp router that wants a key": {
			program: "llama.cpp router", service: map[string]said{"/health": {status: 200, server: "llama.cpp"}},
			other: said{status: 401, server: "llama.cpp", kind: "application/json", body: noKeyBody},
			title: "llama.cpp", healthy: Yes, up: No, reason: catalog.ReasonAuth,
		},
		"vLLM": {
			program: "vLLM", service: vllm032(t),
			title: "vLLM", version: "0.32.0", healthy: Yes, up: Yes,
			asked: "/health /metrics /readiness /v1/models /version",
		},
		"vLLM 0.9.2": {
			program: "vLLM", service: with(vllm032(t), map[string]said{
				"/version": jsonOf(body(t, "vllm-0.9.2.version.json")), "/metrics": metrics(body(t, "vllm-0.9.2.metrics.txt")),
			}),
			title: "vLLM", version: "0.9.2", healthy: Yes, up: Yes,
		},
		"vLLM that hides its models": {
			program: "vLLM", service: with(vllm032(t), map[string]said{"/v1/models": {status: 401, server: "uvicorn", kind: "application/json", body: `{"error":"Unauthorized"}`}}),
			title: "vLLM", version: "0.32.0", healthy: Yes, up: Yes,
		},
		"vLLM without its numbers": {
			program: "vLLM", service: with(vllm032(t), map[string]said{"/metrics": metrics(body(t, "vllm-0.32.0-nostats.metrics.txt"))}),
			title: "vLLM", version: "0.32.0", healthy: Yes, up: No, reason: catalog.ReasonDisabled, problem: "--disable-log-stats",
		},
		"vLLM without its numbers, configured": {
			program: "vLLM", service: with(vllm032(t), map[string]said{"/metrics": metrics(body(t, "vllm-0.32.0-nostats.metrics.txt"))}), options: Options{Engine: vllm},
			title: "vLLM", version: "0.32.0", healthy: Yes, up: No, reason: catalog.ReasonDisabled, problem: "--disable-log-stats",
		},
		"vLLM with several processes before its first request": {
			program: "vLLM", service: with(vllm032(t), map[string]said{"/metrics": metrics(body(t, "vllm-0.32.0-dp2-fresh.metrics.txt"))}),
			title: "vLLM", version: "0.32.0", healthy: Yes, up: Yes,
		},
		"vLLM with a dead engine": {
			program: "vLLM", service: with(vllm032(t), map[string]said{"/health": {status: 503}}),
			title: "vLLM", version: "0.32.0", healthy: No, up: Yes, problem: "/health answered 503",
		},
		"vLLM whose metrics path is broken": {
			program: "vLLM", service: with(vllm032(t), map[string]said{"/metrics": {status: 500, kind: "text/plain", body: "Internal Server Error"}}),
			title: "vLLM", version: "0.32.0", healthy: Yes, up: No, reason: catalog.ReasonHTTP, problem: "500",
		},
		"vLLM with the Rust front end": {
			program: "vLLM", service: rustFrontend(t, "vllm-rust.metrics.txt"),
			title: "vLLM (Rust front end)", version: "0.32.0", healthy: Yes, up: Yes,
		},
		"vLLM with the Rust front end, fresh": {
			program: "vLLM", service: rustFrontend(t, "vllm-rust-fresh.metrics.txt"),
			title: "vLLM (Rust front end)", version: "0.32.0", healthy: Yes, up: Yes,
		},
		"vLLM with the Rust front end, configured": {
			program: "vLLM", service: rustFrontend(t, "vllm-rust.metrics.txt"), options: Options{Engine: vllm},
			title: "vLLM (Rust front end)", version: "0.32.0", healthy: Yes, up: Yes,
		},
		"a bare page of vLLM": {
			program: "vLLM", service: map[string]said{"/metrics": metrics(body(t, "vllm-0.16.0.metrics.txt"))},
			title: "vLLM", healthy: Yes, up: Yes,
		},
		"vllm-router with both addresses": {
			program: "vLLM router", service: routerService(t), metrics: map[string]said{"/metrics": ok("text/plain", body(t, "vllm-router.metrics.txt"))},
			title: "vllm-router", healthy: Yes, up: Yes,
			asked: "/readiness /v1/models :/metrics",
		},
		"vllm-router with both addresses, configured": {
			program: "vLLM router", service: routerService(t), metrics: map[string]said{"/metrics": ok("text/plain", body(t, "vllm-router-fresh.metrics.txt"))},
			options: Options{Engine: vllmRouter},
			title:   "vllm-router", healthy: Yes, up: Yes, asked: "/readiness :/metrics",
		},
		"vllm-router without a worker": {
			program: "vLLM router", metrics: map[string]said{"/metrics": ok("text/plain", body(t, "vllm-router.metrics.txt"))},
			service: map[string]said{"/readiness": {status: 503, kind: "application/json", body: `{"status":"not ready","healthy_workers":0,"total_workers":2}`}},
			title:   "vllm-router", healthy: No, up: Yes, problem: "/readiness answered 503",
		},
		"vllm-router by its service address": {
			program: "vLLM router", service: routerService(t),
			title: "vllm-router", healthy: Yes, up: No, reason: catalog.ReasonDisabled, problem: "metrics_url",
		},
		"vllm-router by its metrics address": {
			program: "metrics port", other: ok("text/plain", body(t, "vllm-router.metrics.txt")),
			title: "vllm-router", healthy: Yes, up: Yes,
		},
		"vllm-router by its metrics address, configured": {
			program: "metrics port", other: ok("text/plain", body(t, "vllm-router.metrics.txt")), options: Options{Engine: vllmRouter},
			title: "vllm-router", healthy: Yes, up: Yes, asked: "/metrics /readiness",
		},
		"an OpenAI-compatible server": {
			program: "any program", service: map[string]said{"/v1/models": jsonOf(`{"object":"list","data":[{"id":"m","object":"model"}]}`)},
			title: "OpenAI-compatible, no numbers", healthy: Yes, asked: "/api/version /info /readiness /v1/models",
		},
		"an OpenAI-compatible server that is broken": {
			program: "any program", service: map[string]said{"/v1/models": {status: 500}}, options: Options{Engine: openai},
			title: "OpenAI-compatible, no numbers", healthy: No, reason: catalog.ReasonHTTP, problem: "500",
		},
		"TensorRT-LLM": {
			program: "TensorRT-LLM", service: map[string]said{
				"/v1/models": jsonOf(`{"object":"list","data":[{"id":"m","object":"model","owned_by":"tensorrt_llm"}]}`),
				"/health":    {status: 200}, "/metrics": jsonOf(`[{"numActiveRequests":1}]`),
			},
			title: "TensorRT-LLM", healthy: Yes, up: No, reason: catalog.ReasonDisabled, problem: "return_perf_metrics",
			asked: "/health /prometheus/metrics /readiness /v1/models /version",
		},
		"SGLang": {
			program: "SGLang", service: map[string]said{"/v1/models": jsonOf(`{"object":"list","data":[{"id":"m","owned_by":"sglang","max_model_len":4096}]}`)},
			title: "SGLang", healthy: Yes, up: No, reason: catalog.ReasonDisabled, problem: "--enable-metrics",
		},
		"LiteLLM without a key": {
			program: "LiteLLM", other: said{status: 401, server: "uvicorn", kind: "application/json", body: `{"error":{"message":"Authentication Error","code":"401"}}`},
			healthy: Unknown, up: No, reason: catalog.ReasonAuth, problem: "API key",
		},
		"a program with numbers that nobody knows": {
			program: "plain exporter", service: map[string]said{"/metrics": metrics("# TYPE newengine_requests_running gauge\nnewengine_requests_running{model_name=\"m\"} 7\n")},
			healthy: Unknown, up: No, reason: catalog.ReasonUnrecognized, problem: "write a mapping",
			asked: "/metrics /readiness /v1/models",
		},
		"a web page": {
			program: "plain exporter", other: ok("text/html", "<!doctype html><title>hello</title>"),
			healthy: Unknown, up: No, reason: catalog.ReasonNotMetrics, problem: "an HTML or XML page",
		},
		"nothing at any path": {
			program: "plain exporter",
			healthy: Unknown, up: No, reason: catalog.ReasonHTTP, problem: "is it the right address",
		},
		"nobody": {
			program: "any program", other: refused,
			healthy: No, up: No, reason: catalog.ReasonRefused, asked: "/readiness /v1/models",
		},
		"nobody, configured": {
			program: "vLLM", other: refused, options: Options{Engine: vllm},
			title: "vLLM", healthy: No, up: No, reason: catalog.ReasonRefused,
		},
		"another program than configured": {
			program: "vLLM", service: llamacpp070(t), options: Options{Engine: vllm},
			title: "vLLM", healthy: Yes, up: No, reason: catalog.ReasonUnrecognized, problem: "answers like llama.cpp",
		},
		"a router where a server is configured": {
			program: "llama.cpp", service: with(routerAfter(t), map[string]said{"/metrics": {status: 400, server: "llama.cpp"}}), options: Options{Engine: llamacpp},
			title: "llama.cpp", version: "b11669-Debian", healthy: Yes, up: No, reason: catalog.ReasonHTTP, problem: "answers like llama.cpp router",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeTarget{t: t, program: tt.program, service: tt.service, metrics: tt.metrics, other: tt.other}
			tt.options.Backend = "b"
			tt.options.HasMetricsPort = tt.metrics != nil
			got := NewSession(tt.options).Read(t.Context(), f.fetch)

			title := ""
			if got.Engine != nil {
				title = got.Engine.Title
			}
			if title != tt.title || got.Version != tt.version {
				t.Errorf("recognised %q %q, want %q %q", title, got.Version, tt.title, tt.version)
			}
			if got.Healthy != tt.healthy || got.Up != tt.up || got.Reason != tt.reason {
				t.Errorf("healthy %v, up %v, reason %q, want %v, %v, %q (problem: %s)", got.Healthy, got.Up, got.Reason, tt.healthy, tt.up, tt.reason, got.Problem)
			}
			if !strings.Contains(got.Problem, tt.problem) || (tt.problem == "") && got.Reason == "" && got.Problem != "" {
				t.Errorf("problem %q, want %q in it", got.Problem, tt.problem)
			}
			if asked := f.paths(); tt.asked != "" && asked != tt.asked {
				t.Errorf("asked %s, want %s", asked, tt.asked)
			}
		})
	}
}

// behind makes all answers come from a proxy that names only itself.
func behind(server string, answers map[string]said) map[string]said {
	for path, s := range answers {
		s.server = server
		answers[path] = s
	}
	return answers
}

func routerAfter(t testing.TB) map[string]said {
	return from("llama.cpp", map[string]said{
		"/health":    jsonOf(`{"status":"ok"}`),
		"/props":     jsonOf(body(t, "llamacpp-router.props.json")),
		"/v1/models": jsonOf(body(t, "llamacpp-router.models.json")),
		"/metrics?model=small-random-llama&autoload=false": metrics(body(t, "llamacpp-router.metrics.txt")),
	})
}

func rustFrontend(t testing.TB, page string) map[string]said {
	return map[string]said{
		"/health":    {status: 200},
		"/version":   jsonOf(body(t, "vllm-rust.version.json")),
		"/v1/models": jsonOf(body(t, "vllm-rust.models.json")),
		"/metrics":   ok("application/openmetrics-text; version=1.0.0; charset=utf-8", body(t, page)),
	}
}

// routerService is a vllm-router in front of llama.cpp servers: what it does not know itself
// it passes on, so it looks like one of them.
func routerService(t testing.TB) map[string]said {
	return map[string]said{
		"/readiness": jsonOf(body(t, "vllm-router.readiness.json")),
		"/health":    ok("text/plain; charset=utf-8", "All servers healthy"),
		"/v1/models": {status: 200, server: "llama.cpp", kind: "application/json", body: body(t, "llamacpp-0.7.0.models.json")},
		"/props":     {status: 200, server: "llama.cpp", kind: "application/json", body: body(t, "llamacpp-0.7.0.props.json")},
		"/metrics":   {status: 200, server: "llama.cpp", kind: "text/plain", body: body(t, "llamacpp-0.7.0.metrics.txt")},
	}
}

func quoted(page string) string {
	page = strings.ReplaceAll(page, `\`, `\\`)
	page = strings.ReplaceAll(page, `"`, `\"`)
	return `"` + strings.ReplaceAll(page, "\n", `\n`) + `"`
}

func TestC38HungNumbersDoNotHideTheHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeTarget{t: t, program: "llama.cpp", service: with(llamacpp070(t), map[string]said{"/metrics": {hang: true}})}
		ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
		defer cancel()
		got := NewSession(Options{Backend: "b"}).Read(ctx, f.fetch)
		if got.Healthy != Yes || got.Up != No || got.Reason != catalog.ReasonTimeout {
			t.Errorf("healthy %v, up %v, reason %q, want a healthy server whose numbers timed out", got.Healthy, got.Up, got.Reason)
		}
	})
}

func TestAModelThatHangsBehindARouterCostsOnlyItsOwnNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const (
			small = "/metrics?model=small&autoload=false"
			large = "/metrics?model=large&autoload=false"
		)
		loaded := `"status":{"value":"loaded"}`
		f := &fakeTarget{t: t, program: "llama.cpp router", service: from("llama.cpp", map[string]said{
			"/health":    jsonOf(`{"status":"ok"}`),
			"/props":     jsonOf(`{"role":"router","build_info":"b11669-x"}`),
			"/v1/models": jsonOf(`{"data":[{"id":"small",` + loaded + `},{"id":"large",` + loaded + `}]}`),
			"/models":    jsonOf(`{"data":[{"id":"small",` + loaded + `},{"id":"large",` + loaded + `}]}`),
			small:        metrics(body(t, "llamacpp-router.metrics.txt")),
			large:        {hang: true},
		})}
		// What a Prometheus with its default timeout leaves.
		ctx, cancel := context.WithTimeout(t.Context(), 9500*time.Millisecond)
		defer cancel()
		got := NewSession(Options{Backend: "b"}).Read(ctx, f.fetch)
		if ctx.Err() != nil {
			t.Error("the round lasted until the deadline")
		}
		if got.Up != Yes || !slices.ContainsFunc(got.Points, func(p catalog.Point) bool {
			return p.Series == catalog.GenerationTokens && p.Label(catalog.LabelModel) == "small"
		}) {
			t.Errorf("up %v with %d points, want the numbers of the model that answers", got.Up, len(got.Points))
		}
	})
}

func TestSettingsAreReadOnceUntilTheyAreOld(t *testing.T) {
	clock := newClock()
	f := &fakeTarget{t: t, program: "vLLM", service: vllm032(t)}
	s := NewSession(clock.options())
	for _, step := range []struct {
		after time.Duration
		want  string
	}{
		{0, "/health /metrics /readiness /v1/models /version"},
		{15 * time.Second, "/health /metrics"},
		{4 * time.Minute, "/health /metrics"},
		{time.Minute, "/health /metrics /v1/models /version"},
		{15 * time.Second, "/health /metrics"},
	} {
		clock.now = clock.now.Add(step.after)
		r := s.Read(t.Context(), f.fetch)
		if got := f.paths(); got != step.want {
			t.Errorf("after %v asked %s, want %s", step.after, got, step.want)
		}
		if r.Version != "0.32.0" || len(r.Models) != 3 {
			t.Errorf("after %v version %q, models %v", step.after, r.Version, r.Models)
		}
	}
}

func TestSettingsAreReadAtOnceWhenTheServerWasAway(t *testing.T) {
	f := &fakeTarget{t: t, program: "vLLM", service: vllm032(t)}
	s := NewSession(newClock().options())
	s.Read(t.Context(), f.fetch)
	f.service, f.other = nil, said{fail: catalog.ReasonRefused}
	away := s.Read(t.Context(), f.fetch)
	if away.Engine != vllm || away.Healthy != No || away.Reason != catalog.ReasonRefused {
		t.Errorf("away: engine %v, healthy %v, reason %q", away.Engine, away.Healthy, away.Reason)
	}
	s.Read(t.Context(), f.fetch)

	f.service = with(vllm032(t), map[string]said{"/version": jsonOf(`{"version":"0.33.0"}`)})
	if back := s.Read(t.Context(), f.fetch); back.Version != "0.33.0" || back.Up != Yes {
		t.Errorf("back: version %q, up %v, want the new version at once", back.Version, back.Up)
	}
}

func TestAnotherProgramAtTheAddressIsFoundOut(t *testing.T) {
	clock := newClock()
	f := &fakeTarget{t: t, program: "vLLM", service: vllm032(t)}
	s := NewSession(clock.options())
	s.Read(t.Context(), f.fetch)
	f.program, f.service = "llama.cpp", llamacpp070(t)
	got := s.Read(t.Context(), f.fetch)
	if got.Engine != llamacpp || got.Up != Yes || got.Version != "b11669-Debian" {
		t.Errorf("found %v %q, up %v (%s), want llama.cpp", got.Engine.Title, got.Version, got.Up, got.Problem)
	}
}

func TestSleepIsAskedForEveryTimeByBuildsThatCanSleep(t *testing.T) {
	awake := body(t, "llamacpp-b10434.props.json")
	asleep := strings.Replace(awake, `"is_sleeping":false`, `"is_sleeping":true`, 1)
	f := &fakeTarget{t: t, program: "llama.cpp", service: with(llamacpp070(t), map[string]said{
		"/props": jsonOf(awake), "/metrics": metrics(body(t, "llamacpp-b10434.metrics.txt")),
	})}
	s := NewSession(newClock().options())
	s.Read(t.Context(), f.fetch)
	f.paths()
	if s.Read(t.Context(), f.fetch); f.paths() != "/health /metrics /props" {
		t.Error("a build that can sleep was not asked whether it sleeps")
	}
	f.program, f.service["/props"] = "llama.cpp asleep", jsonOf(asleep)
	got := s.Read(t.Context(), f.fetch)
	if got.Up != No || got.Reason != catalog.ReasonAsleep || got.Healthy != Yes {
		t.Errorf("asleep: up %v, reason %q, healthy %v", got.Up, got.Reason, got.Healthy)
	}
}

func TestBuildsThatCannotSleepAreNotAskedForIt(t *testing.T) {
	f := &fakeTarget{t: t, program: "llama.cpp", service: with(llamacpp070(t), map[string]said{
		"/props":   jsonOf(`{"total_slots":4,"build_info":"b7079-416e7c7f4"}`),
		"/metrics": metrics(body(t, "llamacpp-b7079.metrics.txt")),
	})}
	clock := newClock()
	s := NewSession(clock.options())
	s.Read(t.Context(), f.fetch)
	f.paths()
	if s.Read(t.Context(), f.fetch); f.paths() != "/health /metrics" {
		t.Error("/props was asked again though it holds settings only")
	}
	// When they are old and /props does not answer, the danger is still known to be none.
	f.service["/props"] = said{fail: catalog.ReasonTimeout}
	clock.now = clock.now.Add(time.Hour)
	if got := s.Read(t.Context(), f.fetch); got.Up != Yes {
		t.Errorf("up %v, reason %q, want the numbers of a build that cannot sleep", got.Up, got.Reason)
	}
}

func TestC35OnlyLoadedModelsOfARouterAreAsked(t *testing.T) {
	list := `{"object":"list","data":[{"id":"model-a","status":{"value":"loaded"}},{"id":"model-b","status":{"value":"unloaded"}},` +
		`{"id":"org/model c","status":{"value":"sleeping"}},{"id":"model-d","status":{"value":"loading"}}]}`
	for name, tt := range map[string]struct{ build, want string }{
		"snapshots": {"b11669-Debian", "/health /metrics?model=model-a&autoload=false /metrics?model=org%2Fmodel+c&autoload=false /props /readiness /v1/models"},
		"older":     {"b9760-abc", "/health /metrics?model=model-a&autoload=false /props /readiness /v1/models"},
		"unknown":   {"b1-7e4c0a9", "/health /metrics?model=model-a&autoload=false /props /readiness /v1/models"},
	} {
		t.Run(name, func(t *testing.T) {
			page := metrics(body(t, "llamacpp-router.metrics.txt"))
			f := &fakeTarget{t: t, program: "llama.cpp router", service: from("llama.cpp", map[string]said{
				"/health": jsonOf(`{"status":"ok"}`), "/v1/models": jsonOf(list),
				"/props":                                jsonOf(`{"role":"router","build_info":"` + tt.build + `"}`),
				"/metrics?model=model-a&autoload=false": page, "/metrics?model=org%2Fmodel+c&autoload=false": page,
			})}
			s := NewSession(newClock().options())
			got := s.Read(t.Context(), f.fetch)
			if asked := f.paths(); asked != tt.want {
				t.Errorf("asked %s, want %s", asked, tt.want)
			}
			if got.Up != Yes || len(got.Models) != 4 {
				t.Errorf("up %v, models %v", got.Up, got.Models)
			}
			for _, want := range []string{"model-a loaded", "model-b unloaded", "model-d loading"} {
				if wrong := stateOfModel(got, want); wrong != "" {
					t.Error(wrong)
				}
			}
			for range 9 {
				s.Read(t.Context(), f.fetch)
			}
		})
	}
}

func TestNumbersMayBeAskedLessOften(t *testing.T) {
	clock := newClock()
	o := clock.options()
	o.NumbersEvery = time.Minute
	f := &fakeTarget{t: t, program: "llama.cpp", service: llamacpp070(t)}
	s := NewSession(o)
	asked := 0
	for range 9 {
		if r := s.Read(t.Context(), f.fetch); r.Up != Yes {
			t.Errorf("up %v (%s), want the numbers that are not old yet", r.Up, r.Problem)
		}
		asked += strings.Count(f.paths(), "/metrics")
		clock.now = clock.now.Add(15 * time.Second)
	}
	if asked != 3 {
		t.Errorf("asked %d times in two minutes and a scrape, want 3", asked)
	}
}

func TestSettingsThatAreRefusedAreNotAskedForAtEveryScrape(t *testing.T) {
	f := &fakeTarget{t: t, program: "vLLM", service: with(vllm032(t), map[string]said{
		"/v1/models": {status: 401, server: "uvicorn", kind: "application/json", body: `{"error":"Unauthorized"}`},
	})}
	s := NewSession(newClock().options())
	if first := s.Read(t.Context(), f.fetch); len(first.Errors) != 1 || first.Errors[0].Reason != catalog.ReasonAuth {
		t.Errorf("errors %v, want the refused list of models", first.Errors)
	}
	f.paths()
	second := s.Read(t.Context(), f.fetch)
	if asked := f.paths(); asked != "/health /metrics" || len(second.Errors) != 0 {
		t.Errorf("asked %s with errors %v, want only what changes", asked, second.Errors)
	}
}

func TestACorrectedKeyIsNoticedBeforeASleepingModelIsWoken(t *testing.T) {
	refused := said{status: 401, server: "llama.cpp", kind: "application/json", body: `{"error":{"code":401,"message":"Invalid API Key"}}`}
	asleep := strings.Replace(body(t, "llamacpp-b10434.props.json"), `"is_sleeping":false`, `"is_sleeping":true`, 1)
	clock := newClock()
	good := llamacpp070(t)
	f := &fakeTarget{t: t, program: "llama.cpp", service: with(llamacpp070(t), map[string]said{
		"/v1/models": refused, "/props": refused, "/metrics": refused,
	})}
	s := NewSession(clock.options())
	if r := s.Read(t.Context(), f.fetch); r.Reason != catalog.ReasonAuth || r.Healthy != Yes {
		t.Fatalf("reason %q, healthy %v, want a server that wants a key", r.Reason, r.Healthy)
	}
	f.program = "llama.cpp asleep" // fails the test when it is asked for /metrics
	f.service = with(good, map[string]said{"/props": jsonOf(asleep)})
	if r := s.Read(t.Context(), f.fetch); r.Reason != catalog.ReasonAsleep {
		t.Errorf("reason %q after the key was corrected, want that it sleeps", r.Reason)
	}
	clock.now = clock.now.Add(refusalAge)
	if r := s.Read(t.Context(), f.fetch); len(r.Models) != 1 {
		t.Errorf("models %q a minute after the key was corrected, want its name", r.Models)
	}
}

func TestAKeyThatCannotBeReadDoesNotMakeAServerDown(t *testing.T) {
	unreadable := said{fail: catalog.ReasonAuth}
	f := &fakeTarget{t: t, program: "llama.cpp", service: llamacpp070(t)}
	s := NewSession(newClock().options())
	s.Read(t.Context(), f.fetch)
	f.service, f.other = nil, unreadable
	for range 2 { // still recognised, and then not any more
		if r := s.Read(t.Context(), f.fetch); r.Healthy != Unknown || r.Up != No || r.Reason != catalog.ReasonAuth {
			t.Errorf("healthy %v, up %v, reason %q, want nothing known but the reason", r.Healthy, r.Up, r.Reason)
		}
	}
}

func TestSettingsThatCannotBeReadAgainStayAsTheyWere(t *testing.T) {
	clock := newClock()
	f := &fakeTarget{t: t, program: "llama.cpp", service: llamacpp070(t)}
	s := NewSession(clock.options())
	s.Read(t.Context(), f.fetch)
	clock.now = clock.now.Add(time.Hour)
	f.service["/v1/models"] = said{fail: catalog.ReasonTimeout}
	r := s.Read(t.Context(), f.fetch)
	if len(r.Models) != 1 || r.Models[0] != "small" || len(r.Errors) != 1 {
		t.Errorf("models %q, errors %v, want the old name and one error", r.Models, r.Errors)
	}
	for i := range r.Points {
		if p := &r.Points[i]; p.Series == catalog.RequestsRunning && p.Label(catalog.LabelModel) != "small" {
			t.Errorf("requests running of model %q, want the name that it had", p.Label(catalog.LabelModel))
		}
	}
}

func TestRestartThatNobodySawMakesSettingsBeReadAgain(t *testing.T) {
	f := &fakeTarget{t: t, program: "vLLM", service: vllm032(t)}
	s := NewSession(newClock().options())
	s.Read(t.Context(), f.fetch)
	f.service = with(vllm032(t), map[string]said{
		"/version": jsonOf(`{"version":"0.33.0"}`), "/metrics": metrics("vllm:generation_tokens_total{model_name=\"tiny-chat\"} 3\n"),
	})
	if r := s.Read(t.Context(), f.fetch); r.Version != "0.33.0" || len(r.Points) == 0 {
		t.Errorf("version %q, want the one of the process that counts from 0", r.Version)
	}
}

func TestOperatorNamesTheModelOnlyWhereTheServerDoesNot(t *testing.T) {
	for name, tt := range map[string]struct {
		service map[string]said
		want    string
	}{
		"the server does":     {llamacpp070(t), "small"},
		"the server does not": {map[string]said{"/metrics": metrics(body(t, "llamacpp-b5036.metrics.txt"))}, "mine"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeTarget{t: t, program: "llama.cpp", service: tt.service}
			r := NewSession(Options{Backend: "b", Model: "mine"}).Read(t.Context(), f.fetch)
			for i := range r.Points {
				if p := &r.Points[i]; p.Series == catalog.GenerationTokens && p.Label(catalog.LabelModel) != tt.want {
					t.Errorf("model %q, want %q", p.Label(catalog.LabelModel), tt.want)
				}
			}
			if len(r.Models) != 1 || r.Models[0] != tt.want {
				t.Errorf("models %q, want %q", r.Models, tt.want)
			}
		})
	}
}
