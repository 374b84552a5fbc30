package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// lmdeploy is LMDeploy's API server, whose names are vLLM's, and some of whose meanings are its own:
// requests wait before the engine and in it, gauges count what succeeded and failed, and the
// time per output token is that of an output, not of a request.
var _ = register(priorityEngine, &Engine{
	Name:  "lmdeploy",
	Title: "LMDeploy",
	Detect: []Evidence{
		{Path: "/v1/models", Field: "data.0.owned_by", Equals: "lmdeploy"},
		{Sample: "lmdeploy:*"},
	},
	Endpoints: []Endpoint{
		{Path: "/health", Role: Health},
		{Path: "/v1/models", Format: JSON, Every: settingsAge, Probe: Always, Optional: true},
		{Path: "/metrics", Format: Exposition, Role: Numbers, Probe: NotForModels},
	},
	Map: lmdeployNumbers(),
	JSON: []JSONMapping{
		{Path: "/v1/models", Each: "data", To: catalog.ModelInfo, Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}}, Optional: true},
	},
	Derive: []Derivation{
		{To: catalog.PrefillSeconds, Op: SumOf, From: []*catalog.Series{catalog.RequestPrefillDuration}},
		{To: catalog.DecodeSeconds, Op: SumOf, From: []*catalog.Series{catalog.RequestDecodeDuration}},
	},
	Prefixes: []string{"lmdeploy:"},
	Ignore: []string{
		"lmdeploy:backend_config_info",                                       // never filled
		"lmdeploy:num_requests_succeeded",                                    // a gauge that counts what request_success_total counts
		"lmdeploy:num_api_requests_routed",                                   // running and waiting together
		"lmdeploy:prefix_cache_hit_rate", "lmdeploy:request_cache_hit_ratio", // the tokens say it
		"lmdeploy:request_cached_tokens",         // only its sum is used
		"lmdeploy:iteration_tokens_total",        // only its count is used
		"lmdeploy:time_per_output_token_seconds", // of an output
		"lmdeploy:request_inference_time_seconds",
		"lmdeploy:spec_decode_mean_*", "lmdeploy:spec_decode_per_position_accept_rate",
	},
	Hints: []Hint{
		{Text: "start it with --enable-metrics"},
		{Series: catalog.KVCacheCapacity, Text: "LMDeploy does not say how large its KV cache is; state kv_capacity_tokens in the configuration"},
	},
})

func lmdeployNumbers() []Mapping {
	number := func(from string, to *catalog.Series, labels ...LabelFrom) Mapping {
		return Mapping{From: "lmdeploy:" + from, To: to, Labels: append(labels, vllmModel...)}
	}
	ended := func(reason string, types ...string) Mapping {
		m := number("request_success_total", catalog.RequestsFinished, LabelFrom{To: catalog.LabelReason, Const: reason})
		m.Where = []Match{{Label: "finished_reason", In: types}}
		return m
	}
	before := number("num_api_requests_waiting", catalog.RequestsWaiting)
	before.Plus = true
	position := number("spec_decode_num_accepted_tokens_per_pos_total", catalog.SpecDecodeAcceptedPerPosition, LabelFrom{To: catalog.LabelPosition, From: "position"})
	position.Optional = true
	return []Mapping{
		number("num_requests_running", catalog.RequestsRunning),
		number("num_requests_waiting", catalog.RequestsWaiting),
		before,
		ended("unknown", "ResponseType.FINISH", "ResponseType.SUCCESS"), // stop and length are one
		ended("abort", "ResponseType.CANCEL"),
		number("num_requests_failed", catalog.RequestsFinished, LabelFrom{To: catalog.LabelReason, Const: "error"}), // a gauge that counts

		number("prompt_tokens_total", catalog.PromptTokens),
		// Counted when a request ends, and prompt tokens at its first token: the difference is no counter.
		number("cached_tokens_total", catalog.PromptCachedTokens),
		number("generation_tokens_total", catalog.GenerationTokens),
		number("iteration_tokens_total_count", catalog.EngineSteps),
		number("request_prompt_tokens", catalog.RequestPromptTokens),
		number("request_generation_tokens", catalog.RequestGenerationTokens),

		number("gpu_cache_usage_perc", catalog.KVCacheUsage), // 0 to 1
		number("request_prompt_tokens_sum", catalog.PrefixCacheQueries),
		number("request_cached_tokens_sum", catalog.PrefixCacheHits),

		number("time_to_first_token_seconds", catalog.TimeToFirstToken),
		number("iter_token_latency", catalog.InterTokenLatency),
		number("e2e_request_latency_seconds", catalog.RequestDuration),
		number("request_queue_time_seconds", catalog.RequestQueueDuration),
		number("request_prefill_time_seconds", catalog.RequestPrefillDuration),
		number("request_decode_time_seconds", catalog.RequestDecodeDuration),

		// At zero when nothing drafts.
		number("spec_decode_num_drafts_total", catalog.SpecDecodeDrafts),
		number("spec_decode_num_draft_tokens_total", catalog.SpecDecodeDraftTokens),
		number("spec_decode_num_accepted_tokens_total", catalog.SpecDecodeAcceptedTokens),
		position,
		{From: "process_start_time_seconds", To: catalog.ProcessStart, Optional: true},
	}
}
