package engine

import (
	"strings"
	"testing"

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
			program: "vllm-router", service: routerService(t), metrics: map[string]said{"/metrics": ok("text/plain", body(t, "vllm-router.metrics.txt"))},
			title: "vllm-router", healthy: Yes, up: Yes,
			asked: "/readiness /v1/models :/metrics",
		},
		"vllm-router with both addresses, configured": {
			program: "vllm-router", service: routerService(t), metrics: map[string]said{"/metrics": ok("text/plain", body(t, "vllm-router-fresh.metrics.txt"))},
			options: Options{Engine: vllmRouter},
			title:   "vllm-router", healthy: Yes, up: Yes, asked: "/readiness :/metrics",
		},
		"vllm-router without a worker": {
			program: "vllm-router", metrics: map[string]said{"/metrics": ok("text/plain", body(t, "vllm-router.metrics.txt"))},
			service: map[string]said{"/readiness": {status: 503, kind: "application/json", body: `{"status":"not ready","healthy_workers":0,"total_workers":2}`}},
			title:   "vllm-router", healthy: No, up: Yes, problem: "/readiness answered 503",
		},
		"vllm-router by its service address": {
			program: "vllm-router", service: routerService(t),
			title: "vllm-router", healthy: Yes, up: No, reason: catalog.ReasonDisabled, problem: "metrics_url",
		},
		"vllm-router by its metrics address": {
			program: metricsPort, other: ok("text/plain", body(t, "vllm-router.metrics.txt")),
			title: "vllm-router", healthy: Yes, up: Yes,
		},
		"vllm-router by its metrics address, configured": {
			program: metricsPort, other: ok("text/plain", body(t, "vllm-router.metrics.txt")), options: Options{Engine: vllmRouter},
			title: "vllm-router", healthy: Yes, up: Yes, asked: "/metrics /readiness",
		},
		"an OpenAI-compatible server": {
			program: anyProgram, service: map[string]said{"/v1/models": jsonOf(`{"object":"list","data":[{"id":"m","object":"model"}]}`)},
			title: "OpenAI-compatible, no numbers", healthy: Yes, asked: "/api/version /info /readiness /v1/models",
		},
		"an OpenAI-compatible server that is broken": {
			program: anyProgram, service: map[string]said{"/v1/models": {status: 500}}, options: Options{Engine: openai},
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
			program: plainExporter, service: map[string]said{"/metrics": metrics("# TYPE newengine_requests_running gauge\nnewengine_requests_running{model_name=\"m\"} 7\n")},
			healthy: Unknown, up: No, reason: catalog.ReasonUnrecognized, problem: "write a mapping",
			asked: "/metrics /readiness /v1/models",
		},
		"a web page": {
			program: plainExporter, other: ok("text/html", "<!doctype html><title>hello</title>"),
			healthy: Unknown, up: No, reason: catalog.ReasonNotMetrics, problem: "an HTML or XML page",
		},
		"nothing at any path": {
			program: plainExporter,
			healthy: Unknown, up: No, reason: catalog.ReasonHTTP, problem: "is it the right address",
		},
		"nobody": {
			program: anyProgram, other: refused,
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
