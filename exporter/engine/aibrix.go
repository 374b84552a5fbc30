package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// aibrix is the gateway plugin of AIBrix. Its counters that end in _bucket_total are no
// histograms: each range of values is a counter of its own, and no quantile can be had of them.
var _ = register(priorityRouter, &Engine{
	Name:   "aibrix",
	Title:  "AIBrix gateway",
	Router: true,
	Detect: []Evidence{
		{Sample: "gateway_model_in_flight_requests"},
		{Sample: "gateway_request_model_success_total"},
		{Sample: "gateway_request_model_fail_total"},
	},
	Endpoints: []Endpoint{{Path: "/metrics", Format: Exposition, Role: Numbers, Probe: NotForModels}},
	Map: []Mapping{
		{From: "gateway_in_flight_requests", To: catalog.RouterInflight, Optional: true},
		{From: "gateway_model_in_flight_requests", To: catalog.RouterInflight, Fallback: true, Optional: true},
		{From: "gateway_request_total", To: catalog.RouterRequests, Labels: aibrixModel, Optional: true},
		{From: "gateway_request_model_fail_total", To: catalog.RouterErrors, Labels: []LabelFrom{{To: catalog.LabelReason, From: "status_code"}}, Optional: true},
		{From: "gateway_input_tokens_total", To: catalog.RouterPromptTokens, Labels: aibrixModel, Optional: true},
		{From: "gateway_output_tokens_total", To: catalog.RouterGenerationTokens, Labels: aibrixModel, Optional: true},
	},
	Prefixes: []string{"gateway_"},
	Ignore:   []string{"gateway_*"},
	Hints: []Hint{
		{Series: catalog.RouterTargetHealthy, Text: "the gateway does not say which pods it uses: watch the pods themselves"},
		{Series: catalog.RouterRequestDuration, Text: "its _bucket_total counters are no histograms"},
	},
})

var aibrixModel = []LabelFrom{{To: catalog.LabelModel, From: "model", Else: "model_name"}}
