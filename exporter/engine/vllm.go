package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// vllm is vLLM with its Python front end, V1 since 0.8, and V0 as far as its names are the same.
//
// /metrics, /health and /version are open even with an API key; /v1/models is not.
var vllm = register(priorityEngine, &Engine{
	Name:  "vllm",
	Title: "vLLM",
	Detect: []Evidence{
		{Path: "/v1/models", Field: "data.0.owned_by", Equals: "vllm"},
		{Path: "/v1/models", Server: "uvicorn", Body: `{"error":"Unauthorized"}`},
		{Sample: "vllm:cache_config_info", Without: "vllm:healthy_pods_total"},
		{Sample: "vllm:num_requests_running", Without: "vllm:healthy_pods_total"},
		{Sample: "vllm:generation_tokens_total", Without: "vllm:healthy_pods_total"},
	},
	Endpoints: vllmEndpoints,
	Map:       append(vllmNumbers(false), vllmPythonNumbers...),
	JSON:      vllmJSON,
	Derive:    vllmDerived,
	Prefixes:  []string{"vllm:"},
	Ignore:    vllmIgnored,
	Hints:     vllmHints,
})

var vllmEndpoints = []Endpoint{
	{Path: "/health", Role: Health},
	{Path: "/version", Format: JSON, Every: settingsAge, Optional: true},
	{Path: "/v1/models", Format: JSON, Every: settingsAge, Probe: Always, Optional: true},
	{Path: "/metrics", Format: Exposition, Role: Numbers, Probe: NotForModels},
}

// vllmNumbers are the samples of both front ends. The Rust one shows most families only
// after their first use: there none of them can be missed.
func vllmNumbers(afterFirstUse bool) []Mapping {
	number := func(from string, to *catalog.Series) Mapping {
		return Mapping{From: "vllm:" + from, To: to, Labels: vllmModel, Optional: afterFirstUse}
	}
	between := func(since, until string, m Mapping) Mapping {
		m.Since, m.Until = since, until
		return m
	}
	optional := func(m Mapping) Mapping {
		m.Optional = true
		return m
	}
	with := func(other string, m Mapping) Mapping {
		m.With, m.Optional = "vllm:"+other, false
		return m
	}
	labelled := func(m Mapping, labels ...LabelFrom) Mapping {
		m.Labels = append(labels, vllmModel...)
		return m
	}
	// Blocks before 0.9.0, under the same name.
	sinceTokens := func(m Mapping) Mapping {
		m.NotBefore, m.Until, m.Optional = "0.9.0", "0.12.0", true
		return m
	}
	computed := number("prompt_tokens_by_source_total", catalog.PromptComputedTokens)
	computed.Where = []Match{{Label: "source", In: []string{"local_compute"}}}

	return []Mapping{
		// In multiprocess mode gauges have no sample before the first request: then all have one.
		with("num_requests_waiting", number("num_requests_running", catalog.RequestsRunning)),
		with("num_requests_running", number("num_requests_waiting", catalog.RequestsWaiting)),
		labelled(number("request_success_total", catalog.RequestsFinished), vllmFinished),
		// New after 0.16 and by 0.32; has no engine label.
		between("0.32.0", "", labelled(optional(number("admission_rejections_total", catalog.RequestsRejected)), LabelFrom{To: catalog.LabelReason, From: "reason"})),

		number("prompt_tokens_total", catalog.PromptTokens),
		between("0.16.0", "", computed),
		between("0.16.0", "", number("prompt_tokens_cached_total", catalog.PromptCachedTokens)),
		optional(number("prefix_cache_hits_total", catalog.PromptCachedTokens)),
		sinceTokens(number("gpu_prefix_cache_hits_total", catalog.PromptCachedTokens)),
		number("generation_tokens_total", catalog.GenerationTokens),
		number("iteration_tokens_total_count", catalog.EngineSteps),
		number("request_prompt_tokens", catalog.RequestPromptTokens),
		number("request_generation_tokens", catalog.RequestGenerationTokens),

		with("num_requests_running", number("kv_cache_usage_perc", catalog.KVCacheUsage)),
		optional(between("", "0.12.0", number("gpu_cache_usage_perc", catalog.KVCacheUsage))),
		number("num_preemptions_total", catalog.Preemptions),
		// These names were new in 0.9.2 and have always counted tokens …
		between("0.9.2", "", number("prefix_cache_queries_total", catalog.PrefixCacheQueries)),
		between("0.9.2", "", number("prefix_cache_hits_total", catalog.PrefixCacheHits)),
		// … which the old ones did not always.
		sinceTokens(number("gpu_prefix_cache_queries_total", catalog.PrefixCacheQueries)),
		sinceTokens(number("gpu_prefix_cache_hits_total", catalog.PrefixCacheHits)),

		number("time_to_first_token_seconds", catalog.TimeToFirstToken),
		between("0.10.2", "", number("inter_token_latency_seconds", catalog.InterTokenLatency)),
		between("", "0.15.0", optional(number("time_per_output_token_seconds", catalog.InterTokenLatency))),
		between("0.11.0", "", number("request_time_per_output_token_seconds", catalog.RequestTimePerOutputToken)),
		number("e2e_request_latency_seconds", catalog.RequestDuration),
		number("request_queue_time_seconds", catalog.RequestQueueDuration),
		number("request_prefill_time_seconds", catalog.RequestPrefillDuration),
		number("request_decode_time_seconds", catalog.RequestDecodeDuration),

		// Only with a drafter (Python front end); at zero without one (Rust front end).
		// V0 had the last two as well, and added a running total to them again and again.
		optional(number("spec_decode_num_drafts_total", catalog.SpecDecodeDrafts)),
		optional(number("spec_decode_num_draft_tokens_total", catalog.SpecDecodeDraftTokens)),
		optional(number("spec_decode_num_accepted_tokens_total", catalog.SpecDecodeAcceptedTokens)),
		labelled(optional(number("spec_decode_num_accepted_tokens_per_pos_total", catalog.SpecDecodeAcceptedPerPosition)),
			LabelFrom{To: catalog.LabelPosition, From: "position"}),

		vllmLoRA("running_lora_adapters", "running"),
		vllmLoRA("waiting_lora_adapters", "waiting"),
	}
}

// vllmPythonNumbers are the samples that the Rust front end lacks.
var vllmPythonNumbers = []Mapping{
	// The pool's size in tokens, where vLLM says it: with several groups of layers blocks
	// times block size is wrong. num_gpu_blocks is the word None before May 2025.
	vllmCache("kv_cache_size_tokens", catalog.KVCacheCapacity),
	vllmCache("num_gpu_blocks*block_size", catalog.KVCacheCapacity),
	// block_size is what prefixes are reused in. effective_attention_block_size may be
	// larger: it is how the attention kernels see the pool, not what a prefix must fill.
	vllmCache("block_size", catalog.KVCacheBlockSize),
	vllmCache("kv_cache_max_concurrency", catalog.KVCacheMaxConcurrency),
	{
		From: "vllm:engine_sleep_state", To: catalog.ModelStateSet, Optional: true,
		Labels: []LabelFrom{
			{To: catalog.LabelModel, From: "model_name"},
			{To: catalog.LabelState, From: "sleep_state", Words: map[string]string{
				"awake": string(catalog.ModelLoaded), "weights_offloaded": string(catalog.ModelSleeping), "discard_all": string(catalog.ModelSleeping),
			}},
		},
	},
	{From: "process_start_time_seconds", To: catalog.ProcessStart, Optional: true},
}

var (
	vllmModel = []LabelFrom{{To: catalog.LabelModel, From: "model_name"}, {To: catalog.LabelRank, From: "engine"}}

	vllmFinished = LabelFrom{To: catalog.LabelReason, From: "finished_reason", Words: map[string]string{
		"stop": "stop", "length": "length", "abort": "abort", "error": "error", "": "other",
	}}

	vllmJSON = []JSONMapping{
		{Path: "/version", To: catalog.EngineInfo, Labels: []LabelFrom{{To: catalog.LabelVersion, From: "version"}}, Optional: true},
		{Path: "/v1/models", Each: "data", To: catalog.ModelInfo, Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}}, Optional: true},
		// Adapters have no length of their own.
		{Path: "/v1/models", Each: "data", To: catalog.ModelContextLength, Value: "max_model_len", Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}}, Optional: true},
	}

	vllmDerived = []Derivation{
		{To: catalog.PromptComputedTokens, Op: Subtract, From: []*catalog.Series{catalog.PromptTokens, catalog.PromptCachedTokens}},
		{To: catalog.KVCacheUsed, Op: Multiply, From: []*catalog.Series{catalog.KVCacheUsage, catalog.KVCacheCapacity}},
		{To: catalog.PrefillSeconds, Op: SumOf, From: []*catalog.Series{catalog.RequestPrefillDuration}},
		{To: catalog.DecodeSeconds, Op: SumOf, From: []*catalog.Series{catalog.RequestDecodeDuration}},
	}

	vllmHints = []Hint{
		{Text: "it was started with --disable-log-stats: start it without"},
		{Series: catalog.PrefixCacheQueries, Text: "vLLM before 0.9.0 counts blocks, not tokens, under the same name"},
		{Series: catalog.PrefixCacheHits, Text: "vLLM before 0.9.0 counts blocks, not tokens, under the same name"},
		{Series: catalog.SpecDecodeDraftTokens, Text: "only with --speculative-config"},
		{Series: catalog.RequestsRejected, Text: "only with a queue limit (--max-num-queued-reqs), in newer versions"},
		{Series: catalog.EngineMaxConcurrency, Text: "vLLM does not export --max-num-seqs"},
	}
)

// vllmCache reads a setting of the KV cache from the labels of cache_config_info, which
// names no model.
func vllmCache(label string, to *catalog.Series) Mapping {
	return Mapping{
		From: "vllm:cache_config_info", To: to, Value: label, Optional: true,
		Labels: []LabelFrom{{To: catalog.LabelRank, From: "engine"}},
	}
}

// vllmLoRA counts adapters. vLLM keeps a series for every mix of adapters it ever had; the
// one with the newest time, which is its value, holds.
func vllmLoRA(label, state string) Mapping {
	return Mapping{
		From: "vllm:lora_requests_info", To: catalog.LoRAAdapters, Value: label, Names: true, Agg: Newest, Optional: true,
		Labels: []LabelFrom{{To: catalog.LabelState, Const: state}},
	}
}

// vllmIgnored are left out on purpose.
var vllmIgnored = []string{
	"vllm:num_requests_waiting_by_reason", // parts of num_requests_waiting
	"vllm:request_inference_time_seconds", // prefill and decode together
	"vllm:request_max_num_generation_tokens", "vllm:request_params_n", "vllm:request_params_max_tokens",
	"vllm:request_num_preemptions", "vllm:request_prefill_kv_computed_tokens",
	"vllm:iteration_tokens_total", // only its count is used
	"vllm:prompt_tokens_recomputed_total", "vllm:prompt_tokens_cached_by_source_total", "vllm:prompt_tokens_recomputed", "vllm:prompt_tokens_cached_by_source",
	"vllm:external_prefix_cache_queries_total", "vllm:external_prefix_cache_hits_total", "vllm:external_prefix_cache_queries", "vllm:external_prefix_cache_hits",
	"vllm:mm_cache_queries_total", "vllm:mm_cache_hits_total", // items, not tokens
	"vllm:corrupted_requests_total", "vllm:corrupted_requests",
	"vllm:estimated_flops_per_gpu_total", "vllm:estimated_read_bytes_per_gpu_total", "vllm:estimated_write_bytes_per_gpu_total",
	"vllm:estimated_flops_per_gpu", "vllm:estimated_read_bytes_per_gpu", "vllm:estimated_write_bytes_per_gpu",
	"vllm:kv_block_*", "vllm:nixl_*", "vllm:kv_offload_*", "vllm:mooncake_*", "vllm:hf3fs_*", // of connectors and flags
	"vllm:rl_weight_update_*", "vllm:sleep_mode_*", "vllm:tool_call_parser_*", "vllm:websocket_*", "vllm:diffusion_*",
	// V0 only: gone, or never right.
	"vllm:num_requests_swapped", "vllm:cpu_cache_usage_perc", "vllm:cpu_prefix_cache_hit_rate", "vllm:gpu_prefix_cache_hit_rate",
	"vllm:time_in_queue_requests", "vllm:model_forward_time_milliseconds", "vllm:model_execute_time_milliseconds",
	"vllm:spec_decode_draft_acceptance_rate", "vllm:spec_decode_efficiency", "vllm:spec_decode_num_emitted_tokens_total",
}
