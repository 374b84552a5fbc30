package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// dynamo is the front end of NVIDIA Dynamo. Its workers have pages of their own, on other ports.
//
// /health answers 200 "healthy" with no worker left: the list of instances in it is what tells.
// A worker that is gone is simply not in it any more. Of what goes wrong, failures_total has
// what the clients saw, requests_total a tenth of it.
var _ = register(priorityRouter, &Engine{
	Name:   "dynamo",
	Title:  "Dynamo front end",
	Router: true,
	Detect: []Evidence{
		{Sample: "dynamo_frontend_*"},
		{Path: "/health", Field: "instances"},
		{Path: "/v1/models", Field: "data.0.owned_by", Equals: "nvidia"},
	},
	Endpoints: []Endpoint{
		// One worker has several endpoints: without the first there is none.
		{Path: "/health", Format: JSON, Role: Health, Unfit: []Condition{{Field: "instances.0.endpoint", In: []string{""}}}},
		{Path: "/v1/models", Format: JSON, Probe: Always, Optional: true},
		{Path: "/metrics", Format: Exposition, Role: Numbers, Probe: NotForModels},
	},
	Workers: "/health",
	JSON: []JSONMapping{
		{
			Path: "/health", Each: "instances", When: []Condition{{Field: "endpoint", In: []string{"generate"}}}, To: catalog.RouterTargetHealthy,
			Labels: []LabelFrom{{To: catalog.LabelTarget, From: "transport.tcp", Else: "instance_id", Cut: "/"}}, Optional: true,
		},
		{Path: "/v1/models", Each: "data", To: catalog.ModelInfo, Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}}, Optional: true},
	},
	Map: []Mapping{
		{From: "dynamo_frontend_inflight_requests", To: catalog.RouterInflight, With: "dynamo_frontend_requests_started_total"},
		// Only with --router-mode kv. queued_requests counts what waits for its first token.
		{From: "dynamo_frontend_router_queue_pending_requests", To: catalog.RouterQueued, Optional: true},
		{From: "dynamo_frontend_requests_started_total", To: catalog.RouterRequests, Labels: dynamoModel, Optional: true},
		{From: "dynamo_frontend_requests_total", To: catalog.RouterRequests, Labels: dynamoModel, Fallback: true, Optional: true},
		{From: "dynamo_frontend_failures_total", To: catalog.RouterErrors, Labels: []LabelFrom{{To: catalog.LabelReason, From: "reason", Else: "class"}}, Optional: true},
		{
			From: "dynamo_frontend_requests_total", To: catalog.RouterErrors, Where: []Match{{Label: "status", In: []string{"error"}}},
			Labels: []LabelFrom{{To: catalog.LabelReason, From: "error_type"}}, Fallback: true, Optional: true,
		},
		{From: "dynamo_frontend_failures_total", To: catalog.RouterRetriesExhausted, Where: []Match{{Label: "class", In: []string{"Unavailable", "Internal"}}}, Optional: true},
		// Its histogram of durations knows how a migration ended, the counter does not.
		{From: "dynamo_frontend_model_migration_duration_seconds_count", To: catalog.RouterFailovers, Labels: append([]LabelFrom{outcomeLabel}, dynamoModel...), Optional: true},
		{From: "dynamo_frontend_model_migration_total", To: catalog.RouterFailovers, Labels: append([]LabelFrom{outcomeLabel}, dynamoModel...), Fallback: true, Optional: true},
		{From: "dynamo_frontend_request_duration_seconds", To: catalog.RouterRequestDuration, With: "dynamo_frontend_requests_total"},
		{From: "dynamo_frontend_time_to_first_token_seconds", To: catalog.RouterTimeToFirstToken, With: "dynamo_frontend_inflight_requests"},
		{From: "dynamo_frontend_input_sequence_tokens_sum", To: catalog.RouterPromptTokens, Labels: dynamoModel, With: "dynamo_frontend_inflight_requests"},
		// output_tokens_total leaves out what is streamed from /v1/completions.
		{From: "dynamo_frontend_output_sequence_tokens_sum", To: catalog.RouterGenerationTokens, Labels: dynamoModel, With: "dynamo_frontend_requests_total"},
		{From: "dynamo_frontend_output_tokens_total", To: catalog.RouterGenerationTokens, Labels: dynamoModel, Fallback: true, Optional: true},
	},
	Prefixes: []string{"dynamo_frontend_"},
	Ignore: []string{
		"dynamo_frontend_queued_requests",      // above 0 without a queue
		"dynamo_frontend_active_requests",      // beside inflight_requests
		"dynamo_frontend_model_ready",          // 0 for seconds, then gone, while the model is away
		"dynamo_frontend_model_context_length", // 0
		"dynamo_frontend_model_*", "dynamo_frontend_worker_*", "dynamo_frontend_router_*", "dynamo_frontend_tokeniz*",
		"dynamo_frontend_detokeniz*", "dynamo_frontend_stage_*", "dynamo_frontend_event_loop_*", "dynamo_frontend_template_*",
		"dynamo_frontend_image*", "dynamo_frontend_video*", "dynamo_frontend_audio*", "dynamo_frontend_cached_tokens",
		"dynamo_frontend_disconnected_clients", "dynamo_frontend_inter_token_latency_seconds",
	},
	Hints: []Hint{
		{Series: catalog.RouterTargetHealthy, Counts: true, Text: "1 for each worker in the instances of /health; one that died is not there any more, so compare llm_router_targets with expect.replicas"},
		{Series: catalog.RouterErrors, Counts: true, Text: "of failures_total: requests_total shows only those that had begun; a request for a model that is not known (any more) is in neither"},
		{Series: catalog.RouterQueued, Text: "only with --router-mode kv; queued_requests counts what waits for its first token"},
		{Series: catalog.RouterTimeToFirstToken, Counts: true, Text: "what is streamed from /v1/completions is not in it"},
		{Series: catalog.RouterPromptTokens, Counts: true, Text: "what is streamed from /v1/completions is not in it"},
	},
})

var dynamoModel = []LabelFrom{{To: catalog.LabelModel, From: "model"}}
