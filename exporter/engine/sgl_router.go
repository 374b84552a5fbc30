package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// sglRouter are the two programs that call their numbers sgl_router_: the router of 2025
// (label worker, until it became smg), and the slim one of 2026 in SGLang's repository (label
// worker_url), whose names mean other things. Where both have a name it means the same.
var _ = register(priorityRouter, &Engine{
	Name:   "sgl_router",
	Title:  "SGLang router (sgl-router)",
	Router: true,
	Detect: []Evidence{{Sample: "sgl_router_*"}},
	Endpoints: []Endpoint{
		{Path: "/readiness", Format: JSON, Role: Health, Probe: Always, Optional: true},
		{Path: "/metrics", Format: Exposition, Role: Numbers, Port: MetricsPort},
	},
	// The slim router has no health check of its own: its worker_health is the breaker.
	Weigh: append(healthAndBreaker("sgl_router_worker_health", "sgl_router_cb_state", sglWorker[0]),
		healthAndBreaker("sgl_router_worker_health", "sgl_router_worker_cb_state", sglWorker[0])...),
	Map: []Mapping{
		{From: "sgl_router_cb_state", To: catalog.RouterCircuitState, Labels: sglWorker, NotNegative: true, Optional: true},
		{From: "sgl_router_worker_cb_state", To: catalog.RouterCircuitState, Labels: sglWorker, NotNegative: true, Optional: true},
		{From: "sgl_router_running_requests", To: catalog.RouterTargetInflight, Labels: sglWorker, NotNegative: true, Optional: true},
		{From: "sgl_router_worker_inflight_requests", To: catalog.RouterTargetInflight, Labels: sglWorker, NotNegative: true, Optional: true},
		{From: "sgl_router_running_requests", To: catalog.RouterInflight, NotNegative: true, Optional: true},
		{From: "sgl_router_worker_inflight_requests", To: catalog.RouterInflight, NotNegative: true, Optional: true},
		{From: "sgl_router_queued_requests", To: catalog.RouterQueued, Optional: true},
		{From: "sgl_router_cb_outcomes_total", To: catalog.RouterTargetRequests, Labels: append([]LabelFrom{outcomeLabel}, sglWorker...), Optional: true},
		{From: "sgl_router_worker_requests_total", To: catalog.RouterTargetRequests, Labels: append([]LabelFrom{outcomeLabel}, sglWorker...), Fallback: true, Optional: true},
		// Of the slim router's two counts the answers: the other one has what it dropped as well.
		{From: "sgl_router_responses_total", To: catalog.RouterRequests, Optional: true},
		{From: "sgl_router_requests_total", To: catalog.RouterRequests, Fallback: true, Optional: true},
		// Attempts, not requests.
		{From: "sgl_router_request_errors_total", To: catalog.RouterErrors, Labels: []LabelFrom{{To: catalog.LabelReason, From: "error_type"}}, Optional: true},
		{
			From: "sgl_router_responses_total", To: catalog.RouterErrors, Fallback: true, Optional: true,
			Where:  []Match{{Label: "status_code", In: []string{"500", "502", "503", "504"}}},
			Labels: []LabelFrom{{To: catalog.LabelReason, From: "status_code"}},
		},
		{From: "sgl_router_retries_total", To: catalog.RouterRetries, Optional: true},
		{From: "sgl_router_retries_exhausted_total", To: catalog.RouterRetriesExhausted, Optional: true},
		{From: "sgl_router_policy_decisions_total", To: catalog.RouterPolicyDecisions, Labels: sglWorker, Optional: true},
		{From: "sgl_router_request_duration_seconds", To: catalog.RouterRequestDuration, Optional: true},
		{From: "sgl_router_generate_duration_seconds", To: catalog.RouterRequestDuration, Optional: true},
		{From: "sgl_router_ttft_seconds", To: catalog.RouterTimeToFirstToken, Optional: true},
	},
	Prefixes: []string{"sgl_router_"},
	Ignore: []string{
		"sgl_router_active_workers",           // stays at the configured number, whoever is dead
		"sgl_router_workers",                  // those that are registered
		"sgl_router_processed_requests_total", // the sum of the outcomes
		"sgl_router_*",
	},
	Hints: []Hint{
		{Text: "its numbers are on a port of their own (--prometheus-port, 29000 by default): set metrics_url to it"},
		{Series: catalog.RouterTargetHealthy, Counts: true, Text: "1 while worker_health is 1 and the circuit breaker is closed"},
		{Series: catalog.RouterErrors, Counts: true, Text: "the router of 2025 counts attempts, that of 2026 answers with a status from 500 on"},
	},
})

var sglWorker = []LabelFrom{{To: catalog.LabelTarget, From: "worker", Else: "worker_url"}}
