package rules

import "time"

// Does every replica behind a router carry its share? The endpoint answers 200 while one is
// out, so only the router's own view tells.
var router = Group{
	Name:  "router",
	About: "Is every worker behind a router in use?",
	Thresholds: []*Threshold{{
		Key: "router_failed_requests", Default: 10, Unit: "requests",
		About: "Requests within five minutes that a router gave up after its last attempt.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(increase(llm_router_retries_exhausted_total[5m])[1h:15s])) or vector(0)`,
			Healthy:   []string{"vllm-router-0.1.17/failover", "fleet-incidents"},
			Incident:  []string{"vllm-router-0.1.17/outage"},
			Above:     true, Margin: 3,
			Source: "reference fleet: six requests with one of two replicas stopped, six answers",
		}},
	}, {
		Key: "router_out_before", Default: 30, Unit: DurationUnit,
		About: "How long before a worker must have been out as well: a breaker that opens for a moment is no outage.",
		Evidence: []Evidence{{
			Source: "recordings of vllm-router and smg: a breaker opens at the first failures, the health check confirms it 6 to 30 s later",
		}},
	}},
	Records: []Record{{
		Name: "router:llm_router_targets_healthy:ratio", Unit: "ratio", Labels: perRouter,
		Expr:  `avg without (target) (llm_router_target_healthy)`,
		About: "Share of a router's workers that it holds to be healthy.",
	}},
	Alerts: []Alert{routerRequestsFailing, routerTargetOut, routerReplicasMissing},
}

var routerRequestsFailing = Alert{
	Name: "LlmRouterRequestsFailing", Severity: Critical, For: 2 * time.Minute, Panel: "router/targets",
	// Errors would not do: routers count attempts there, hundreds for a few dozen requests.
	// The counter is born with the first failure, which increase does not see; what it makes
	// of a newborn one differs between releases of Prometheus, so the text names the limit.
	Expr:    `increase(llm_router_retries_exhausted_total[5m]) > ${router_failed_requests}`,
	Summary: `{{ $labels.backend }} fails its clients: more than ${router_failed_requests} requests within 5m found no worker that could answer.`,
	Description: `Clients of {{ $labels.backend }} get errors after every attempt: no worker is left that the router would use.
		First see which workers are out (LlmRouterTargetOut names them) and start one; a worker that is back is used again only when its circuit breaker closes.`,
	Explains: []Explanation{{By: []string{"instance", "backend"}, Alerts: []string{"LlmRouterTargetOut"}, Why: "Clients that get errors come before the workers that are out."}},
	Cases: []Case{{
		Recording: "vllm-router-0.1.17/outage",
		Fires:     []Firing{{Labels: `backend="router", router="vllm_router"`, Pending: 405, Firing: 525, Text: "router fails its clients: more than 10 requests within 5m found no worker that could answer."}},
		Why:       "both workers are dead, and the router calls itself healthy",
	}, {
		Recording: "dynamo-1.6.1/kv-router-outage",
		Fires:     []Firing{{Labels: `backend="dynamo", router="dynamo"`, Pending: 300, Firing: 420, Text: "dynamo fails its clients: more than 10 requests within 5m found no worker that could answer."}},
		Why:       "one worker after the other is killed; its count of errors shows a tenth of it",
	}, {
		Recording: "vllm-router-0.1.17/outage", Edit: "router-failures-rare", Quiet: true,
		Why: "a few broken requests are what the death of a worker costs",
	}, {
		Recording: "vllm-router-0.1.17/failover", Quiet: true,
		Why: "what fails on one worker succeeds on the other",
	}},
}

var routerTargetOut = Alert{
	Name: "LlmRouterTargetOut", Severity: Warning, For: 2 * time.Minute, Panel: "router/targets",
	// The series weighs all that the router says of a worker (docs/engines.md): with default
	// settings vllm-router calls dead workers healthy, and only their breakers are open. One that
	// opens for seconds is its daily work: a worker is out when it was so a moment before as well.
	Expr: `llm_router_target_healthy == 0
		and llm_router_target_healthy offset ${router_out_before} == 0`,
	Summary: `{{ $labels.backend }} sends nothing to {{ $labels.target }}: the router holds it to be out of order.`,
	Description: `The other workers of {{ $labels.backend }} carry the whole load; when none is left, clients get 503.
		First see whether {{ $labels.target }} answers at all: if not, start it; if it does, look at what the router's health check asks and at its circuit breaker.`,
	Cases: []Case{{
		Recording: "fleet-incidents",
		Fires:     []Firing{{Labels: `backend="router", router="vllm_router", target="http://127.0.0.1:19302"`, Pending: 510, Firing: 630, Resolved: 1260, Text: "router sends nothing to http://127.0.0.1:19302: the router holds it to be out of order."}},
		Why:       "a replica is out from 480 on: its circuit opens at once, and its health check confirms it at 510",
	}, {
		Recording: "vllm-router-0.1.17/failover",
		Fires:     []Firing{{Labels: `backend="router", router="vllm_router", target="http://127.0.0.1:18182"`, Pending: 495, Firing: 615, Resolved: 840, Text: "router sends nothing to http://127.0.0.1:18182: the router holds it to be out of order."}},
		Why:       "the same, shorter",
	}, {
		Recording: "vllm-router-0.1.17/outage",
		Fires:     []Firing{{Labels: `backend="router", router="vllm_router", target="http://127.0.0.1:18181"`, Pending: 390, Firing: 510, Resolved: 0, Text: "router sends nothing to http://127.0.0.1:18181: the router holds it to be out of order."}, {Labels: `backend="router", router="vllm_router", target="http://127.0.0.1:18182"`, Pending: 390, Firing: 510, Resolved: 0, Text: "router sends nothing to http://127.0.0.1:18182: the router holds it to be out of order."}},
		Why:       "with default settings both dead workers stay healthy; only the circuit breakers tell",
	}, {
		Recording: "llamacpp-0.7.0-b11669/router#after",
		Fires:     []Firing{{Labels: `backend="llamacpp", router="llamacpp_router", target="broken-model"`, Pending: 30, Firing: 150, Resolved: 0, Text: "llamacpp sends nothing to broken-model: the router holds it to be out of order."}},
		Why:       "a model that failed to load is a worker that is out; models that are merely not loaded are not",
	}, {
		Recording: "smg-1.13.0/failover", MayPend: true,
		Fires: []Firing{{Labels: `backend="smg", router="smg", target="http://127.0.0.1:18182"`, Pending: 420, Firing: 540, Resolved: 780, Text: "smg sends nothing to http://127.0.0.1:18182: the router holds it to be out of order."}},
		Why:   "killed, started again, and taken out by hand at the end, which is too short to tell",
	}, {
		Recording: "litellm-1.110.2/failover",
		Fires:     []Firing{{Labels: `backend="litellm", router="litellm", target="http://127.0.0.1:18182"`, Pending: 570, Firing: 690, Resolved: 1020, Text: "litellm sends nothing to http://127.0.0.1:18182: the router holds it to be out of order."}},
		Why:       "in an outage until the first success after its cooldown",
	}, {
		Recording: "litellm-1.110.2/fallback",
		Fires:     []Firing{{Labels: `backend="litellm", router="litellm", target="http://127.0.0.1:18182"`, Pending: 420, Firing: 540, Resolved: 750, Text: "litellm sends nothing to http://127.0.0.1:18182: the router holds it to be out of order."}, {Labels: `backend="litellm", router="litellm", target="http://127.0.0.1:18189"`, Pending: 810, Firing: 930, Resolved: 0, Text: "litellm sends nothing to http://127.0.0.1:18189: the router holds it to be out of order."}},
		Why:       "the outage is over, although it stays booked under the group's name; the healthy fallback never is out; the third was never there",
	}, {
		Recording: "litellm-1.108.7/failover",
		Fires:     []Firing{{Labels: `backend="litellm", router="litellm", target="http://127.0.0.1:18182"`, Pending: 390, Firing: 510, Resolved: 705, Text: "litellm sends nothing to http://127.0.0.1:18182: the router holds it to be out of order."}},
		Why:       "the same in an older release",
	}, {
		Recording: "production-stack-router-0.1.12-14-ga6c01db/failover",
		Fires:     []Firing{{Labels: `backend="router", router="production_stack", target="http://127.0.0.1:18182"`, Pending: 525, Firing: 645, Resolved: 915, Text: "router sends nothing to http://127.0.0.1:18182: the router holds it to be out of order."}},
		Why:       "a backend that is given up disappears, and only its statistics stay",
	}, {
		Recording: "haproxy-2.6.12/failover",
		Fires:     []Firing{{Labels: `backend="haproxy", router="haproxy", target="replicas/replica-d"`, Pending: 375, Firing: 495, Resolved: 585, Text: "haproxy sends nothing to replicas/replica-d: the router holds it to be out of order."}},
		Why:       "a server is DOWN; no client notices",
	}, {
		Recording: "caddy-2.11.9/failover", MayPend: true,
		Fires: []Firing{{Labels: `backend="caddy", router="caddy", target="127.0.0.1:18184"`, Pending: 270, Firing: 390, Resolved: 615, Text: "caddy sends nothing to 127.0.0.1:18184: the router holds it to be out of order."}},
		Why:   "the other one is out for seconds as well, which ends before the hold time",
	}},
}

var routerReplicasMissing = Alert{
	Name: "LlmRouterReplicasMissing", Severity: Warning, For: 5 * time.Minute, Panel: "router/targets",
	// All that it knows are counted: one that it holds to be out is LlmRouterTargetOut's.
	Expr: `
		sum without (state) (llm_router_targets)
		  < on (instance, backend) group_left llm_expected_replicas`,
	Summary: `{{ $labels.backend }} knows {{ $value | printf "%.0f" }} replicas, fewer than are expected of it.`,
	Description: `A replica is not in the list of {{ $labels.backend }} at all, so it gets no requests and no other alert names it.
		First compare the router's command line, or what its discovery finds, with the replicas that run; if fewer are right, correct expect.replicas in the exporter's configuration.`,
	Cases: []Case{{
		Recording: "vllm-router-0.1.17/failover", Edit: "three-replicas-expected",
		Fires: []Firing{{Labels: `backend="router", router="vllm_router"`, Pending: 0, Firing: 300, Text: "router knows 2 replicas, fewer than are expected of it."}},
		Why:   "the router was started with two of three",
	}, {
		Recording: "vllm-router-0.1.17/failover", Edit: "two-replicas-expected", Quiet: true,
		Why: "one of the two is out for a while, and known",
	}},
}
