package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// smg is the SGLang Model Gateway since it calls its numbers smg_ (December 2025), and as a
// project of its own.
//
// Its numbers are on a port of their own. /get_loads and /engine_metrics ask all workers, and
// /health_generate and /get_server_info are passed on to one: they are not asked.
var _ = register(priorityRouter, &Engine{
	Name:   "smg",
	Title:  "SGLang Model Gateway (smg)",
	Router: true,
	Detect: []Evidence{
		{Sample: "smg_*"},
		{Path: "/v1/models", Field: "data.0.owned_by", Equals: "self_hosted"},
	},
	Endpoints: []Endpoint{
		{Path: "/readiness", Format: JSON, Role: Health, Probe: Always},
		{Path: "/v1/models", Format: JSON, Every: settingsAge, Optional: true},
		{Path: "/metrics", Format: Exposition, Role: Numbers, Port: MetricsPort},
	},
	Weigh: healthAndBreaker("smg_worker_health", "smg_worker_cb_state", smgWorker[0]),
	JSON: []JSONMapping{
		{Path: "/v1/models", Each: "data", To: catalog.ModelInfo, Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}}, Optional: true},
	},
	// Up to 0.3 a worker that is removed keeps its series, at -1.
	Map: []Mapping{
		{From: "smg_worker_cb_state", To: catalog.RouterCircuitState, Labels: smgWorker, NotNegative: true, With: "smg_worker_health"},
		{From: "smg_worker_requests_active", To: catalog.RouterTargetInflight, Labels: smgWorker, NotNegative: true, With: "smg_router_requests_total"},
		{From: "smg_worker_requests_active", To: catalog.RouterInflight, NotNegative: true, With: "smg_router_requests_total"},
		{
			From: "smg_worker_cb_outcomes_total", To: catalog.RouterTargetRequests, With: "smg_router_request_duration_seconds",
			Labels: append([]LabelFrom{outcomeLabel}, smgWorker...),
		},
		{From: "smg_worker_requests_total", To: catalog.RouterPolicyDecisions, Labels: smgWorker, With: "smg_worker_cb_outcomes_total"},
		{From: "smg_router_requests_total", To: catalog.RouterRequests, Labels: smgModel, With: "smg_worker_requests_active"},
		// Attempts, not requests: three of them, and no client saw an error.
		{From: "smg_router_request_errors_total", To: catalog.RouterErrors, Labels: []LabelFrom{{To: catalog.LabelReason, From: "error_type"}}, Optional: true},
		{From: "smg_worker_retries_total", To: catalog.RouterRetries, With: "smg_worker_cb_state"},
		{From: "smg_router_upstream_send_retries_total", To: catalog.RouterRetries, Plus: true, Optional: true},
		{From: "smg_worker_retries_exhausted_total", To: catalog.RouterRetriesExhausted, With: "smg_worker_cb_state"},
		{From: "smg_router_request_duration_seconds", To: catalog.RouterRequestDuration, With: "smg_worker_cb_outcomes_total"},
		{From: "smg_router_ttft_seconds", To: catalog.RouterTimeToFirstToken, Optional: true},
		{From: "smg_router_tokens_total", To: catalog.RouterPromptTokens, Where: []Match{{Label: "token_type", In: []string{"input"}}}, Labels: smgModel, Optional: true},
		{From: "smg_router_tokens_total", To: catalog.RouterGenerationTokens, Where: []Match{{Label: "token_type", In: []string{"output"}}}, Labels: smgModel, Optional: true},
	},
	Prefixes: []string{"smg_"},
	Ignore: []string{
		"smg_worker_pool_size",       // counts workers whether they are healthy or not
		"smg_worker_selection_total", // names the policy, not the worker: the requests of each worker say it
		"smg_http_*",                 // every path, its own health and metrics included
		"smg_tokio_*",                // their label worker is a thread
		"smg_router_*", "smg_worker_*", "smg_engine_*", "smg_pd_*", "smg_discovery_*", "smg_mcp_*", "smg_db_*",
		"smg_tokenizer_*", "smg_detokenize_*", "smg_cache_*", "smg_allocator_*", "smg_admission_*", "smg_history_*", "smg_log_*",
	},
	Hints: []Hint{
		{Text: "its numbers are on a port of their own (--prometheus-port, 29000 by default): set metrics_url to it"},
		{Series: catalog.RouterTargetHealthy, Counts: true, Text: "1 while smg_worker_health is 1 and smg_worker_cb_state is 0 (closed)"},
		{Series: catalog.RouterErrors, Counts: true, Text: "counts attempts: requests that failed for their clients are llm_router_retries_exhausted_total"},
		{Series: catalog.RouterTimeToFirstToken, Text: "only for workers that are asked over gRPC"},
		{Series: catalog.RouterGenerationTokens, Text: "only for workers that are asked over gRPC"},
	},
})

var (
	smgWorker = []LabelFrom{{To: catalog.LabelTarget, From: "worker"}}
	smgModel  = []LabelFrom{{To: catalog.LabelModel, From: "model", Else: "model_id"}}

	outcomeLabel = LabelFrom{To: catalog.LabelOutcome, From: "outcome", Words: map[string]string{
		"success": "success", "failure": "failure", "": "unknown",
	}}
)
