package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// vllmRouter is vllm-project/router.
//
// Its numbers are on a port of their own, which answers them for every path. /metrics on the
// service port is passed on to a worker and counts as a request there: it is never asked.
// /health is 503 while any worker is unhealthy, so /readiness says whether the router serves.
var vllmRouter = register(priorityRouter, &Engine{
	Name:   "vllm_router",
	Title:  "vllm-router",
	Router: true,
	Detect: []Evidence{
		{Path: "/readiness", Field: "healthy_workers"},
		{Path: "/health", Body: "All servers healthy"},
		{Path: "/health", Body: "Unhealthy servers"},
		{Sample: "vllm_router_*"},
	},
	Endpoints: []Endpoint{
		{Path: "/readiness", Format: JSON, Role: Health, Probe: Always},
		{Path: "/metrics", Format: Exposition, Role: Numbers, Port: MetricsPort},
	},
	Weigh: healthAndBreaker("vllm_router_worker_health", "vllm_router_cb_state", vllmRouterWorker[0]),
	Map: []Mapping{
		{From: "vllm_router_cb_state", To: catalog.RouterCircuitState, Labels: vllmRouterWorker, With: "vllm_router_cb_outcomes_total"},
		{From: "vllm_router_running_requests", To: catalog.RouterTargetInflight, Labels: vllmRouterWorker, Optional: true},
		{
			From: "vllm_router_cb_outcomes_total", To: catalog.RouterTargetRequests, With: "vllm_router_requests_total",
			Labels: append([]LabelFrom{outcomeLabel}, vllmRouterWorker...),
		},
		{From: "vllm_router_running_requests", To: catalog.RouterInflight, Optional: true},
		// Refused requests are not in it.
		{From: "vllm_router_requests_total", To: catalog.RouterRequests, With: "vllm_router_cb_outcomes_total"},
		// Attempts, not requests: it may well be larger than the count of requests.
		{From: "vllm_router_request_errors_total", To: catalog.RouterErrors, Labels: []LabelFrom{{To: catalog.LabelReason, From: "error_type"}}, Optional: true},
		{From: "vllm_router_retries_total", To: catalog.RouterRetries, Optional: true},
		{From: "vllm_router_retries_exhausted_total", To: catalog.RouterRetriesExhausted, Optional: true},
		{From: "vllm_router_policy_decisions_total", To: catalog.RouterPolicyDecisions, Labels: vllmRouterWorker, With: "vllm_router_requests_total"},
		{From: "vllm_router_request_duration_seconds", To: catalog.RouterRequestDuration, Optional: true},
		{From: "vllm_router_generate_duration_seconds", To: catalog.RouterRequestDuration, Optional: true},
	},
	Prefixes: []string{"vllm_router_"},
	Ignore: []string{
		"vllm_router_active_workers",             // stays at the configured number, whoever is dead
		"vllm_router_processed_requests_total",   // the sum of the two outcomes
		"vllm_router_cb_state_transitions_total", // the state says it
		"vllm_router_retry_backoff_duration_seconds",
		"vllm_router_prefix_routing_decisions_total", "vllm_router_kv_routing_inputs_total",
		"vllm_router_load_balancing_events_total", "vllm_router_worker_load",
		"vllm_router_cache_hits_total", "vllm_router_cache_misses_total", // of its own routing tree, not of a KV cache
	},
	Hints: []Hint{
		{Text: "its numbers are on a port of their own (--prometheus-port, 29000 by default): set metrics_url to it"},
		{Series: catalog.RouterTargetHealthy, Counts: true, Text: "1 while vllm_router_worker_health is 1 and vllm_router_cb_state is 0 (closed): with default settings dead workers stay healthy, and only the breaker tells"},
		{Series: catalog.RouterRequests, Counts: true, Text: "requests that were refused, for want of a worker, are not in it"},
		{Series: catalog.RouterErrors, Counts: true, Text: "counts attempts: requests that failed for their clients are llm_router_retries_exhausted_total"},
	},
})

var vllmRouterWorker = []LabelFrom{{To: catalog.LabelTarget, From: "worker"}}
