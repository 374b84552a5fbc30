package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// tgi is Text Generation Inference, which is no longer developed.
//
// GET /health computes a prompt while nothing has been generated yet or after a failure: it is
// not asked. /info is answered by the front end alone. Counters have no _total, histograms no
// unit in their names (seconds), and what is "skipped" was drafted.
var _ = register(priorityEngine, &Engine{
	Name:  "tgi",
	Title: "Text Generation Inference",
	Detect: []Evidence{
		{Path: "/info", Field: "max_batch_total_tokens"},
		{Path: "/info", Field: "router", Equals: "text-generation-router*"},
		{Sample: "tgi_*"},
	},
	Endpoints: []Endpoint{
		{Path: "/info", Format: JSON, Role: Health, Probe: ForModels},
		{Path: "/metrics", Format: Exposition, Role: Numbers, Probe: NotForModels},
	},
	Map: tgiNumbers(),
	JSON: []JSONMapping{
		{Path: "/info", To: catalog.EngineInfo, Labels: []LabelFrom{{To: catalog.LabelVersion, From: "version"}}},
		{Path: "/info", To: catalog.ModelInfo, Labels: []LabelFrom{{To: catalog.LabelModel, From: "model_id"}}},
		{Path: "/info", To: catalog.ModelContextLength, Value: "max_total_tokens"},
		{Path: "/info", To: catalog.EngineMaxConcurrency, Value: "max_concurrent_requests"}, // in the queue and in the batch
	},
	Prefixes: []string{"tgi_"},
	Ignore: []string{
		"tgi_request_count",            // those that came, ended or not
		"tgi_batch_current_max_tokens", // a budget
		"tgi_batch_inference_duration", // of a batch
		"tgi_batch_forward_duration", "tgi_batch_decode_duration", "tgi_batch_filter_duration", "tgi_batch_concat_duration",
		"tgi_batch_inference_success", "tgi_batch_inference_failure", "tgi_batch_next_size", "tgi_batch_next_tokens", "tgi_batch_concat",
		"tgi_request_validation_duration", "tgi_request_inference_duration", "tgi_request_max_new_tokens",
		"tgi_request_skipped_tokens", // a summary of what was drafted and kept; what was drafted is not told
	},
	Hints: []Hint{
		{Series: catalog.TimeToFirstToken, Text: "TGI does not measure the time to the first token"},
		{Series: catalog.KVCacheUsage, Text: "TGI does not export the use of its KV cache"},
	},
})

func tgiNumbers() []Mapping {
	// Most names appear with the first request.
	number := func(from string, to *catalog.Series, labels ...LabelFrom) Mapping {
		return Mapping{From: "tgi_" + from, To: to, Labels: labels, With: "tgi_request_success"}
	}
	level := func(from string, to *catalog.Series) Mapping {
		return Mapping{From: "tgi_" + from, To: to, Optional: true}
	}
	succeeded := number("request_success", catalog.RequestsFinished, LabelFrom{To: catalog.LabelReason, Const: "unknown"})
	succeeded.With = "tgi_request_duration"
	failed := level("request_failure", catalog.RequestsFinished)
	failed.Labels = []LabelFrom{{To: catalog.LabelReason, Const: "error"}}
	return []Mapping{
		level("batch_current_size", catalog.RequestsRunning),
		level("queue_size", catalog.RequestsWaiting),
		succeeded, failed,
		number("request_input_length_sum", catalog.PromptTokens),
		number("request_generated_tokens_sum", catalog.GenerationTokens),
		level("batch_inference_count", catalog.EngineSteps),
		number("request_input_length", catalog.RequestPromptTokens),
		number("request_generated_tokens", catalog.RequestGenerationTokens),
		level("batch_total_tokens", catalog.KVCacheCapacity),
		number("request_mean_time_per_token_duration", catalog.RequestTimePerOutputToken),
		number("request_duration", catalog.RequestDuration),
		number("request_queue_duration", catalog.RequestQueueDuration),
	}
}
