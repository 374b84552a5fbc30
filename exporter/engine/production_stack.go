package engine

import (
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// productionStack is the Python router of vLLM's production-stack. Its numbers have the prefix
// of vLLM, and its list of models says vllm as the owner, so its own signs count first.
//
// A backend that it gives up disappears from vllm:healthy_pods_total instead of becoming 0.
// Its request statistics stay, and they are the evidence that there was one.
var _ = register(priorityRouter, &Engine{
	Name:   "production_stack",
	Title:  "vLLM production-stack router",
	Router: true,
	Detect: []Evidence{
		{Sample: "vllm:healthy_pods_total"},
		{Sample: "vllm:current_qps"},
	},
	Endpoints: []Endpoint{
		{Path: "/health", Role: Health},
		{Path: "/version", Format: JSON, Every: settingsAge, Optional: true},
		{Path: "/v1/models", Format: JSON, Every: settingsAge, Probe: Always, Optional: true},
		{Path: "/metrics", Format: Exposition, Role: Numbers, Probe: NotForModels},
	},
	JSON: []JSONMapping{
		{Path: "/version", To: catalog.EngineInfo, Optional: true, Labels: []LabelFrom{
			{To: catalog.LabelEngine, Const: "production_stack"}, {To: catalog.LabelVersion, From: "version"},
		}},
		{Path: "/v1/models", Each: "data", To: catalog.ModelInfo, Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}}, Optional: true},
	},
	Weigh: []Weighing{{
		To: catalog.RouterTargetHealthy,
		Witnesses: []Witness{
			{Sample: "vllm:healthy_pods_total", With: "vllm:num_incoming_requests_total", Worker: productionServer[0], Says: HealthyOrOut, Listed: true},
			{Sample: "vllm:num_requests_running", Worker: productionServer[0], Says: Trace},
		},
		// A pod that was replaced leaves its statistics behind until the router is restarted.
		Forget: time.Hour,
	}},
	Map: []Mapping{
		{From: "vllm:num_incoming_requests_total", To: catalog.RouterRequests, Labels: productionModel},
		{From: "vllm:request_errors_total", To: catalog.RouterErrors, Labels: []LabelFrom{{To: catalog.LabelReason, From: "error_type"}}, Since: "0.1.12"},
		{
			From: "vllm:request_latency_seconds_count", To: catalog.RouterTargetRequests, Since: "0.1.12", Optional: true,
			Labels: append([]LabelFrom{{To: catalog.LabelOutcome, From: "status", Words: map[string]string{
				"success": "success", "error": "failure", "": "unknown",
			}}}, productionServer...),
		},
		{From: "vllm:request_latency_seconds", To: catalog.RouterRequestDuration, Since: "0.1.12"},
		{From: "vllm:input_tokens_total", To: catalog.RouterPromptTokens, Labels: productionModel, Since: "0.1.12"},
		{From: "vllm:output_tokens_total", To: catalog.RouterGenerationTokens, Labels: productionModel, Since: "0.1.12"},
	},
	Prefixes: []string{"vllm:"},
	Ignore: []string{
		"vllm:num_requests_running",                               // leaks: see the hint
		"vllm:num_prefill_requests", "vllm:num_decoding_requests", // its two parts
		"vllm:num_requests_waiting", "vllm:num_requests_swapped", // never set
		"vllm:gpu_prefix_cache_*",                              // copied from names that vLLM has not had since 0.12
		"vllm:current_qps", "vllm:avg_latency", "vllm:avg_itl", // means over a window; -1 stands for none
		"vllm:avg_decoding_length",
	},
	Hints: []Hint{
		{Series: catalog.RouterTargetHealthy, Counts: true, Text: "0 for a backend that had requests and is not among vllm:healthy_pods_total any more, for an hour at most; without --static-backend-health-checks nothing is ever given up"},
		{Series: catalog.RouterTargetInflight, Text: "vllm:num_requests_running grows by every request that is cut off, and never comes down again: read llm_requests_running of the backends"},
		{Series: catalog.RouterGenerationTokens, Counts: true, Text: "answers that are streamed are not counted"},
	},
})

var (
	productionServer = []LabelFrom{{To: catalog.LabelTarget, From: "server"}}
	productionModel  = []LabelFrom{{To: catalog.LabelModel, From: "model"}}
)
