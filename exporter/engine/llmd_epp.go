package engine

import (
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// llmdEPP is the endpoint picker of llm-d and of the Gateway API inference extension.
//
// Its numbers changed their prefix twice, and the old ones are published beside the new, with
// other labels: of each the newest is read and counts alone.
var _ = register(priorityRouter, &Engine{
	Name:   "llmd_epp",
	Title:  "llm-d endpoint picker",
	Router: true,
	Detect: []Evidence{
		{Sample: "llm_d_epp_*"}, {Sample: "inference_extension_*"}, {Sample: "inference_pool_*"},
		{Sample: "inference_objective_*"}, {Sample: "inference_model_*"},
	},
	Endpoints: []Endpoint{{Path: "/metrics", Format: Exposition, Role: Numbers, Probe: NotForModels}},
	Map: eppNumbers(
		eppNumber{catalog.RouterInflight, nil, nil, []string{"llm_d_epp_request_running", "inference_objective_running_requests", "inference_model_running_requests"}},
		eppNumber{catalog.RouterQueued, nil, nil, []string{"llm_d_epp_flow_control_queue_size", "inference_extension_flow_control_queue_size"}},
		eppNumber{catalog.RouterTargets, []LabelFrom{{To: catalog.LabelState, Const: "healthy"}}, nil, []string{"llm_d_epp_ready_endpoints", "inference_pool_ready_pods"}},
		eppNumber{catalog.RouterRequests, eppModel, nil, []string{"llm_d_epp_request_total", "inference_objective_request_total", "inference_model_request_total"}},
		eppNumber{catalog.RouterErrors, []LabelFrom{{To: catalog.LabelReason, From: "error_code"}}, nil, []string{"llm_d_epp_request_error_total", "inference_objective_request_error_total", "inference_model_request_error_total"}},
		eppNumber{catalog.RouterPolicyDecisions, []LabelFrom{eppEndpoint}, []Match{{Label: "status", In: []string{"success"}}}, []string{"llm_d_epp_scheduler_attempts_total", "inference_extension_scheduler_attempts_total"}},
		eppNumber{catalog.RouterRequestDuration, nil, nil, []string{"llm_d_epp_request_duration_seconds", "inference_objective_request_duration_seconds", "inference_model_request_duration_seconds"}},
		eppNumber{catalog.RouterTimeToFirstToken, nil, nil, []string{"llm_d_epp_request_ttft_seconds", "inference_objective_request_ttft_seconds"}},
		eppNumber{catalog.RouterPromptTokens, eppModel, nil, []string{"llm_d_epp_request_input_tokens_sum", "inference_objective_input_tokens_sum", "inference_model_input_tokens_sum"}},
		eppNumber{catalog.RouterGenerationTokens, eppModel, nil, []string{"llm_d_epp_request_output_tokens_sum", "inference_objective_output_tokens_sum", "inference_model_output_tokens_sum"}},
	),
	Prefixes: []string{"llm_d_epp_", "inference_extension_", "inference_pool_", "inference_objective_", "inference_model_"},
	Ignore: []string{
		"llm_d_epp_*", "inference_extension_*", "inference_objective_*", "inference_model_*",
		"inference_pool_*", // means over the pool: 0 with nobody left, which looks idle
	},
	Hints: []Hint{
		{Text: "its numbers are on port 9090; with --metrics-endpoint-auth they need a token"},
		{Series: catalog.RouterTargets, Counts: true, Text: "the endpoints that are ready: what is missing of expect.replicas is out; averages of the pool are left out, for they are 0 when nobody is left"},
		{Series: catalog.RouterQueued, Text: "only with flow control switched on"},
		{Series: catalog.RouterTimeToFirstToken, Counts: true, Text: "of an answer that is not streamed it is the whole time"},
	},
})

var (
	eppModel    = []LabelFrom{{To: catalog.LabelModel, From: "model_name"}}
	eppEndpoint = LabelFrom{To: catalog.LabelTarget, From: "endpoint_name", Else: "pod_name"}
)

// eppNumber is a series with its names, the newest first.
type eppNumber struct {
	to     *catalog.Series
	labels []LabelFrom
	where  []Match
	names  []string
}

func eppNumbers(numbers ...eppNumber) []Mapping {
	var mappings []Mapping
	for _, n := range numbers {
		for i, name := range n.names {
			m := Mapping{From: name, To: n.to, Labels: n.labels, Where: n.where, Fallback: i > 0, Optional: true}
			// A request is counted when it comes, and its time when it ends.
			if ended, counts := strings.CutSuffix(name, "_request_total"); counts {
				m.Optional, m.With = false, ended+"_request_duration_seconds"
			}
			mappings = append(mappings, m)
		}
	}
	return mappings
}
