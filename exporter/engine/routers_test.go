package engine

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// What each router does with a question, read from what it does and not from the engines'
// definitions. A proxy passes every path of its service on to a replica: nothing is harmless there.
func init() {
	vouch("SGLang Model Gateway (smg)", "/readiness", "/health", "/v1/models")
	vouch("SGLang router (sgl-router)", "/readiness", "/health")
	vouch("LiteLLM", "/metrics/", "/health/liveliness", "/health/readiness", "/health/readiness/details", "/v1/models")
	vouch("vLLM production-stack router", "/health", "/metrics", "/version", "/engines", "/v1/models")
	vouch("Dynamo front end", "/health", "/live", "/metrics", "/v1/models")
	vouch("Dynamo worker", "/metrics")
	vouch("HAProxy")
	vouch("Caddy")
	vouch("Envoy")
	vouch("nginx (stub_status)", "/stub_status")
	vouch("llama-swap", "/running", "/health", "/api/version", "/metrics", "/v1/models")
	vouch("llm-d endpoint picker", "/metrics")
	vouch("AIBrix gateway", "/metrics")
	for name, list := range routerFacts {
		facts[name] = list
	}
}

const (
	workerA = "target=http://127.0.0.1:18181"
	workerB = "target=http://127.0.0.1:18182"
)

func healthyAt(second int, label string, want float64) fact {
	return fact{second: second, series: catalog.RouterTargetHealthy, label: label, want: want}
}

var routerFacts = map[string][]fact{
	"smg-1.13.0/failover service": {
		upAt(0), healthyAt(25, workerB, 1), healthyAt(26, workerB, 0), // killed at 25.5: the breaker opens at 26, the health check notices at 30
		healthyAt(51, workerB, 0), healthyAt(52, workerB, 1), healthyAt(74, workerB, 0), healthyAt(78, workerB, 0), healthyAt(79, workerB, absent),
		healthyAt(26, workerA, 1), healthyAt(84, workerA, 1),
		{second: 26, series: catalog.RouterCircuitState, label: workerB, want: 1}, {second: 36, series: catalog.RouterCircuitState, label: workerB, want: 2},
		{second: 52, series: catalog.RouterCircuitState, label: workerB, want: 0}, {second: 79, series: catalog.RouterCircuitState, label: workerB, want: absent},
		{second: 60, series: catalog.RouterTargets, label: "state=healthy", want: 2}, {second: 79, series: catalog.RouterTargets, label: "state=healthy", want: 1},
		{second: 79, series: catalog.RouterTargets, label: "state=unhealthy", want: 0}, {second: 60, series: catalog.RouterInflight, want: 4},
		{second: 84, series: catalog.RouterRequests, want: 256}, {second: 84, series: catalog.RouterRetries, want: 10}, {second: 84, series: catalog.RouterErrors, want: 3},
		{second: 84, series: catalog.RouterRetriesExhausted, want: 0}, {second: 84, series: catalog.RouterTargetInflight, want: 0},
		{second: 60, series: catalog.RouterPolicyDecisions, label: workerA, want: 168}, {second: 60, series: catalog.RouterTargetRequests, label: "outcome=failure", want: 3},
	},
	"litellm-1.110.2/failover service": {
		upAt(0), healthyAt(10, "", absent), healthyAt(35, workerB, 1), healthyAt(36, workerB, 0), healthyAt(67, workerB, 0), healthyAt(68, workerB, 1),
		healthyAt(72, workerA, 1), // one failed request is a partial outage
		{second: 36, series: catalog.RouterEjections, label: workerB, want: 1}, {second: 46, series: catalog.RouterEjections, label: workerB, want: 2},
		{second: 57, series: catalog.RouterEjections, label: workerB, want: 3}, {second: 99, series: catalog.RouterRequests, label: "model=small", want: 449},
		{second: 99, series: catalog.RouterRetriesExhausted, want: 1}, {second: 99, series: catalog.RouterTargetRequests, label: workerA, want: 299},
		{second: 99, series: catalog.RouterTargetRequests, label: "outcome=failure", want: 4},
	},
	"litellm-1.110.2/fallback service": {
		healthyAt(25, workerB, 1), healthyAt(26, workerB, 0), healthyAt(47, workerB, 0),
		healthyAt(50, workerB, 1), healthyAt(69, workerB, 1), // the group's series says outage to the end
		healthyAt(28, workerA, 1), healthyAt(40, workerA, 1), healthyAt(47, workerA, 1), // it serves, while its state flaps
		{second: 69, series: catalog.RouterFailovers, label: "fallback=backup", want: 89}, {second: 69, series: catalog.RouterFailovers, label: "outcome=success", want: 90},
		{second: 69, series: catalog.RouterFailovers, label: "outcome=failure", want: absent}, {second: 69, series: catalog.RouterEjections, label: workerB, want: 6},
	},
	"litellm-1.108.7/failover service": {
		healthyAt(22, workerB, 1), healthyAt(24, workerB, 0), healthyAt(46, workerB, 0), healthyAt(47, workerB, 1), healthyAt(74, workerB, 1),
		{second: 74, series: catalog.RouterEjections, label: workerB, want: 3}, {second: 74, series: catalog.RouterRequests, want: 139},
	},
	"production-stack-router-0.1.12-14-ga6c01db/failover service": {
		upAt(0), healthyAt(0, workerB, 1), healthyAt(32, workerB, 1), healthyAt(33, workerB, 0), healthyAt(60, workerB, 0), healthyAt(61, workerB, 1),
		healthyAt(45, workerA, 1), {second: 45, series: catalog.RouterTargets, label: "state=unhealthy", want: 1},
		{second: 89, series: catalog.RouterRequests, label: "model=small", want: 63}, {second: 89, series: catalog.RouterErrors, want: 4},
		{second: 89, series: catalog.RouterGenerationTokens, want: 1270}, {second: 89, series: catalog.RouterTargetRequests, label: "outcome=failure", want: 4},
		{second: 89, series: catalog.RouterTargetInflight, want: absent}, {second: 89, series: catalog.RequestsRunning, want: absent},
	},
	"dynamo-1.6.1/failover service": {
		upAt(0), {second: 24, series: catalog.RouterTargets, label: "state=healthy", want: 2}, {second: 32, series: catalog.RouterTargets, label: "state=healthy", want: 1},
		{second: 44, series: catalog.RouterTargets, label: "state=healthy", want: 2}, {second: 78, series: catalog.RouterFailovers, label: "outcome=success", want: 5},
		{second: 78, series: catalog.RouterRequests, want: 184}, {second: 78, series: catalog.RouterGenerationTokens, want: 23172}, {second: 78, series: catalog.RouterQueued, want: absent},
	},
	"dynamo-1.6.1/kv-router-outage service": {
		{second: 20, series: catalog.RouterTargets, label: "state=healthy", want: 2}, {second: 40, series: catalog.RouterTargets, label: "state=healthy", want: 1},
		{second: 46, series: catalog.RouterTargets, label: "state=healthy", want: 0}, {second: 46, series: catalog.RouterTargetHealthy, want: absent}, upAt(46),
		{second: 62, series: catalog.RouterErrors, want: 110}, {second: 62, series: catalog.RouterRetriesExhausted, want: 110}, {second: 62, series: catalog.RouterRequests, want: 117},
		{second: 40, series: catalog.RouterQueued, want: 0}, {second: 40, series: catalog.RouterFailovers, label: "outcome=failure", want: 6},
	},
	"haproxy-2.6.12/failover service": {
		upAt(0), healthyAt(22, "target=replicas/replica-d", 1), healthyAt(23, "target=replicas/replica-d", 0), healthyAt(38, "target=replicas/replica-d", 0),
		healthyAt(39, "target=replicas/replica-d", 1), healthyAt(30, "target=replicas/replica-c", 1),
		{second: 59, series: catalog.RouterTargetRequests, label: "target=replicas/replica-c", want: 172}, {second: 59, series: catalog.RouterTargetRequests, label: "outcome=success", want: 247},
		{second: 59, series: catalog.RouterRetries, want: 14}, {second: 59, series: catalog.RouterErrors, want: 0}, {second: 30, series: catalog.RouterInflight, want: 2},
	},
	"caddy-2.11.9/failover service": {
		upAt(0), healthyAt(15, "target=127.0.0.1:18184", 1), healthyAt(16, "target=127.0.0.1:18184", 0), healthyAt(21, "target=127.0.0.1:18184", 0),
		healthyAt(40, "target=127.0.0.1:18184", 0), healthyAt(41, "target=127.0.0.1:18184", 1),
		healthyAt(20, "target=127.0.0.1:18183", 1), healthyAt(21, "target=127.0.0.1:18183", 0), healthyAt(25, "target=127.0.0.1:18183", 0), healthyAt(26, "target=127.0.0.1:18183", 1),
		{second: 22, series: catalog.RouterTargets, label: "state=healthy", want: 0}, // every request is refused
		{second: 49, series: catalog.RouterErrors, want: 35}, {second: 49, series: catalog.RouterRequests, want: 207},
	},
}

func TestFrontEndWithoutWorkersIsNotHealthy(t *testing.T) {
	for state, want := range map[string]Tri{"no-worker": No, "fresh": Yes, "kv-outage": No} {
		if r := stateOf(t, "Dynamo front end", "dynamo-1.6.1/states", state); r.Healthy != want || r.Engine.Name != "dynamo" || r.Up != Yes {
			t.Errorf("%s: %s, healthy %v, up %v (%s), want dynamo, %v, yes", state, r.Engine.Title, r.Healthy, r.Up, r.Problem, want)
		}
	}
}

func TestWorkerOfDynamoIsNotTakenForItsEngine(t *testing.T) {
	for state, want := range map[string]float64{"worker-a.fresh": absent, "worker-a.after": 0} {
		r := stateOf(t, "Dynamo worker", "dynamo-1.6.1/states", state)
		wantEngine(t, r, "Dynamo worker")
		wantAmounts(t, r, wanted{catalog.RequestsRunning, "", want})
		if r.Healthy != Yes {
			t.Errorf("%s: healthy %v: its /health is 503 while it serves", state, r.Healthy)
		}
	}
}

// nginx is known only by name: its other paths are a replica's.
func TestNginxCountsWithoutItsUpstreams(t *testing.T) {
	stub := func(requests, writing string) said {
		return ok("text/plain", "Active connections: 5 \nserver accepts handled requests\n 111 111 "+requests+" \nReading: 0 Writing: "+writing+" Waiting: 3 \n")
	}
	f := &fakeTarget{t: t, program: "nginx (stub_status)", service: map[string]said{"/stub_status": stub("110", "2")}}
	o := newClock().options()
	o.Engine = Find(BuiltIn(), "nginx")
	s := NewSession(o)
	r := s.Read(t.Context(), f.fetch)
	wantEngine(t, r, "nginx (stub_status)")
	wantAmounts(t, r, wanted{catalog.RouterRequests, "", 110}, wanted{catalog.RouterInflight, "", 2}, wanted{catalog.RouterTargetHealthy, "", absent}, wanted{catalog.RouterTargets, "", absent})
	for name, answer := range map[string]said{"another page": ok("text/html", "<html>"), "cut": ok("text/plain", "Active connections: 5 \nserver acc")} {
		f.service["/stub_status"] = answer
		if r := s.Read(t.Context(), f.fetch); r.Up != No || len(r.Points) > 0 {
			t.Errorf("%s: up %v with %d points", name, r.Up, len(r.Points))
		}
	}
}

// The case of a mesh whose router believes in three workers.
func TestRouterKeepsSendingToDeadNodes(t *testing.T) {
	p := ""
	for _, worker := range []string{"r1", "r2", "r3"} {
		p += `vllm:healthy_pods_total{server="http://` + worker + `.example:8000"} 1.0` + "\n"
	}
	r := page(t, "vLLM production-stack router", p).read()
	wantEngine(t, r, "vLLM production-stack router")
	wantAmounts(t, r, wanted{catalog.RouterTargets, "state=healthy", 3}, healthy("http://r2.example:8000", 1), wanted{catalog.RouterTargetHealthy, "", 3})
}

func TestAnotherModelAnswersAndNobodyIsTold(t *testing.T) {
	r := page(t, "LiteLLM", "").litellm(
		`litellm_proxy_total_requests_metric_total{requested_model="big-local",status_code="200"} 1200`,
		`litellm_deployment_successful_fallbacks_total{requested_model="big-local",fallback_model="small-cloud"} 180`,
		`litellm_deployment_failed_fallbacks_total{requested_model="big-local",fallback_model="small-cloud"} 0`)
	wantAmounts(t, r, wanted{catalog.RouterRequests, "model=big-local", 1200}, wanted{catalog.RouterFailovers, "fallback=small-cloud", 180},
		wanted{catalog.RouterFailovers, "outcome=failure", 0}, wanted{catalog.RouterFailovers, "model=big-local", 180})
}

func TestStateThatExistsOnlyAfterSomethingWentWrong(t *testing.T) {
	r := page(t, "LiteLLM", "").litellm(`litellm_deployment_state{litellm_model_name="m",model_id="d1",api_provider="openai"} 2`)
	wantAmounts(t, r, healthy("d1", 0), healthy("d2", absent), wanted{catalog.RouterTargets, "state=healthy", 0}, wanted{catalog.RouterTargets, "state=unhealthy", 1})
}

func (f *fakeTarget) litellm(lines ...string) *Reading {
	f.service = map[string]said{
		"/v1/models": jsonOf(`{"data":[{"id":"m","created":1677610602,"owned_by":"openai"}]}`), "/health/liveliness": jsonOf(`"I'm alive!"`),
		"/metrics/": metrics(strings.Join(lines, "\n") + "\n"),
	}
	return f.read()
}

// A backend that is given up is out for an hour; then it counts as removed.
func TestVanishedBackendIsForgottenAfterAnHour(t *testing.T) {
	clock := newClock()
	f := page(t, "vLLM production-stack router", `vllm:healthy_pods_total{server="http://a"} 1`+"\n"+`vllm:num_requests_running{server="http://a"} 1`+"\n"+`vllm:num_requests_running{server="http://b"} 4`+"\n")
	s := NewSession(clock.options())
	for _, step := range []struct {
		after time.Duration
		want  float64
	}{{0, 0}, {59 * time.Minute, 0}, {time.Minute, absent}, {24 * time.Hour, absent}} {
		clock.now = clock.now.Add(step.after)
		wantAmounts(t, s.Read(t.Context(), f.fetch), healthy("http://b", step.want), healthy("http://a", 1))
	}
	f.service["/metrics"] = metrics(`vllm:healthy_pods_total{server="http://b"} 1` + "\n" + `vllm:num_requests_running{server="http://b"} 4` + "\n")
	wantAmounts(t, s.Read(t.Context(), f.fetch), healthy("http://b", 1))
	f.service["/metrics"] = metrics(`vllm:num_requests_running{server="http://b"} 4` + "\n" + `vllm:current_qps{server="http://b"} 0` + "\n")
	wantAmounts(t, s.Read(t.Context(), f.fetch), healthy("http://b", 0)) // it was there again in between
}

// TestAVersionAmongTheNumbersIsKnown is about programs that say it nowhere else.
func TestAVersionAmongTheNumbersIsKnown(t *testing.T) {
	s := NewSession(Options{Backend: "b", HasMetricsPort: true, Engine: Find(BuiltIn(), "haproxy")})
	for _, version := range []string{"2.6.12", "3.0.1"} { // upgraded in between
		page := `haproxy_process_build_info{version="` + version + `"} 1` + "\n"
		r := s.Read(t.Context(), func(_ context.Context, port Port, path string) (*Answer, error) {
			return &Answer{Status: 200, Body: []byte(page)}, nil
		})
		if r.Version != version {
			t.Errorf("version %q, want %q", r.Version, version)
		}
	}
}

// haproxyAlone is what HAProxy 2.6 says for a path of a port that serves its statistics only.
const haproxyAlone = "<html><body><h1>503 Service Unavailable</h1>\nNo server is available to handle this request.\n</body></html>\n"

func TestAPortOfStatisticsAloneIsRecognised(t *testing.T) {
	for name, tt := range map[string]struct {
		models, numbers said
		engine          string
	}{
		"HAProxy's statistics":          {said{status: 503, body: haproxyAlone}, metrics("haproxy_server_status{proxy=\"p\",server=\"s\",state=\"UP\"} 1\n"), "haproxy"},
		"HAProxy with nobody behind it": {said{status: 503, body: haproxyAlone}, said{status: 503, body: haproxyAlone}, ""},
		// Whatever it is, it may be a server whose numbers must not be asked.
		"a 503 of somebody else": {said{status: 503, body: "busy"}, metrics("haproxy_server_status 1\n"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewSession(Options{Backend: "b"})
			r := s.Read(t.Context(), func(_ context.Context, _ Port, path string) (*Answer, error) {
				answer := tt.models
				if path == "/metrics" {
					answer = tt.numbers
				}
				return &Answer{Status: answer.status, Body: []byte(answer.body)}, nil
			})
			got := ""
			if r.Engine != nil {
				got = r.Engine.Name
			}
			if got != tt.engine || (r.Up == Yes) != (tt.engine != "") {
				t.Errorf("engine %q, up %v; want %q: %s", got, r.Up, tt.engine, r.Problem)
			}
		})
	}
}
