package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// tensorrtLLM is trtllm-serve.
//
// Its /metrics empties a queue of reports that others read, and /health_generate generates:
// neither is asked. The numbers are at /prometheus/metrics, if return_perf_metrics is on; the
// gauges among them need enable_iter_perf_stats too. Several processes write them, each with a
// pid of its own. Older servers call model and engine "undefined".
var _ = register(priorityEngine, &Engine{
	Name:  "trtllm",
	Title: "TensorRT-LLM",
	Detect: []Evidence{
		{Path: "/v1/models", Field: "data.0.owned_by", Equals: "tensorrt_llm"},
		{Sample: "trtllm_*"},
	},
	Endpoints: []Endpoint{
		{Path: "/health", Role: Health},
		{Path: "/version", Format: JSON, Every: settingsAge, Optional: true},
		{Path: "/v1/models", Format: JSON, Every: settingsAge, Probe: Always, Optional: true},
		{Path: "/prometheus/metrics", Format: Exposition, Role: Numbers},
	},
	Map: tensorrtNumbers(),
	JSON: []JSONMapping{
		{Path: "/version", To: catalog.EngineInfo, Labels: []LabelFrom{{To: catalog.LabelVersion, From: "version"}}, Optional: true},
		{Path: "/v1/models", Each: "data", To: catalog.ModelInfo, Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}}, Optional: true},
	},
	Derive: []Derivation{
		{To: catalog.PromptComputedTokens, Op: Subtract, From: []*catalog.Series{catalog.PromptTokens, catalog.PromptCachedTokens}},
		{To: catalog.KVCacheCapacity, Op: Multiply, From: []*catalog.Series{catalog.KVCacheBlocks, catalog.KVCacheBlockSize}},
		{To: catalog.KVCacheUsed, Op: Multiply, From: []*catalog.Series{catalog.KVCacheUsage, catalog.KVCacheCapacity}},
		{To: catalog.PrefillSeconds, Op: SumOf, From: []*catalog.Series{catalog.RequestPrefillDuration}},
		{To: catalog.DecodeSeconds, Op: SumOf, From: []*catalog.Series{catalog.RequestDecodeDuration}},
	},
	Prefixes: []string{"trtllm_"},
	Ignore: []string{
		"trtllm_num_requests_completed_total",                        // all reasons of request_success_total
		"trtllm_request_inference_time_seconds",                      // prefill and decode together
		"trtllm_kv_cache_hit_rate",                                   // since the start, not over time
		"trtllm_kv_cache_free_blocks", "trtllm_kv_cache_used_blocks", // the share says it
		"trtllm_kv_cache_reused_blocks_total", "trtllm_kv_cache_missed_blocks_total", // blocks; the tokens say it
		"trtllm_kv_cache_iter_*", "trtllm_kv_cache_gen_*", "trtllm_kv_cache_host_*", "trtllm_kv_cache_onboard_*", "trtllm_kv_cache_offload_*",
		"trtllm_kv_cache_intra_*", "trtllm_kv_cache_disk_*", "trtllm_kv_cache_config_info", "trtllm_parallel_config_info", "trtllm_speculative_config_info",
		"trtllm_prompt_cache_hit_tokens_total", "trtllm_prompt_cached_tokens_per_request", // parts of the cached tokens
		"trtllm_iteration_latency_seconds", "trtllm_max_batch_size_runtime", "trtllm_max_num_tokens_runtime", "trtllm_total_context_tokens", "trtllm_avg_*", "trtllm_prefill_batch_*", "trtllm_prefill_perplexity", "trtllm_generation_perplexity",
		"trtllm_num_context_requests", "trtllm_num_generation_requests", "trtllm_num_paused_requests", "trtllm_num_scheduled_requests", "trtllm_scheduled_batch_size",
		"trtllm_gpu_memory_usage_bytes", "trtllm_cpu_memory_usage_bytes", "trtllm_pinned_memory_usage_bytes",
		"trtllm_spec_decode_drafted_tokens_total", "trtllm_spec_decode_acceptance_length", "trtllm_spec_decode_draft_overhead",
	},
	Hints: []Hint{
		{Text: "start it with return_perf_metrics: true; its numbers are at /prometheus/metrics"},
		{Series: catalog.RequestsRunning, Text: "only with enable_iter_perf_stats: true"},
		{Series: catalog.RequestsWaiting, Text: "only with enable_iter_perf_stats: true"},
		{Series: catalog.KVCacheUsage, Text: "only with enable_iter_perf_stats: true"},
		{Series: catalog.Preemptions, Text: "TensorRT-LLM shows how many requests are paused now, and does not count them"},
	},
})

func tensorrtNumbers() []Mapping {
	model := LabelFrom{To: catalog.LabelModel, From: "model_name", Words: map[string]string{"undefined": ""}}
	// All but the cached tokens appear with the first request.
	number := func(from string, to *catalog.Series, labels ...LabelFrom) Mapping {
		return Mapping{From: "trtllm_" + from, To: to, Labels: append(labels, model), With: "trtllm_generation_tokens_total"}
	}
	level := func(from string, to *catalog.Series) Mapping {
		m := number(from, to)
		m.Optional = true
		return m
	}
	optional := func(m Mapping) Mapping {
		m.Optional = true
		return m
	}
	generated := number("generation_tokens_total", catalog.GenerationTokens)
	generated.With = "trtllm_prompt_tokens_total"
	context := optional(number("model_config_info", catalog.ModelContextLength)) // its model may be a path of the host
	context.Value = "max_model_len"
	return []Mapping{
		level("num_requests_running", catalog.RequestsRunning),
		level("num_requests_waiting", catalog.RequestsWaiting),
		number("request_success_total", catalog.RequestsFinished, LabelFrom{To: catalog.LabelReason, From: "finished_reason", Words: map[string]string{
			"stop": "stop", "length": "length", "cancelled": "abort", "abort": "abort", "": "other",
		}}),
		optional(number("request_error_total", catalog.RequestsFinished, LabelFrom{To: catalog.LabelReason, Const: "error"})), // by HTTP status
		number("prompt_tokens_total", catalog.PromptTokens),
		generated,
		number("prompt_cached_tokens_total", catalog.PromptCachedTokens),
		number("prompt_tokens_total", catalog.PrefixCacheQueries),
		number("prompt_cached_tokens_total", catalog.PrefixCacheHits),

		level("kv_cache_utilization", catalog.KVCacheUsage),
		level("kv_cache_max_blocks", catalog.KVCacheBlocks),
		level("kv_cache_tokens_per_block", catalog.KVCacheBlockSize),
		level("max_batch_size_static", catalog.EngineMaxConcurrency),
		level("max_num_active_requests", catalog.EngineMaxConcurrency),
		context,

		number("time_to_first_token_seconds", catalog.TimeToFirstToken),
		number("time_per_output_token_seconds", catalog.RequestTimePerOutputToken), // one per request
		number("e2e_request_latency_seconds", catalog.RequestDuration),
		number("request_queue_time_seconds", catalog.RequestQueueDuration),
		optional(number("request_prefill_time_seconds", catalog.RequestPrefillDuration)),
		optional(number("request_decode_time_seconds", catalog.RequestDecodeDuration)),

		optional(number("spec_decode_num_draft_tokens_total", catalog.SpecDecodeDraftTokens)),
		optional(number("spec_decode_num_accepted_tokens_total", catalog.SpecDecodeAcceptedTokens)),
		optional(number("spec_decode_accepted_tokens_total", catalog.SpecDecodeAcceptedPerPosition, LabelFrom{To: catalog.LabelPosition, From: "token_position"})),
	}
}
