package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// sglang is SGLang, 0.4 to today.
//
// GET /health generates a token and takes a second, GET /flush_cache and others change the
// server, /server_info shows its arguments: none of them is asked. /v1/models says whether the
// server answers, its numbers whether it works.
//
// The tokenizer's counters and histograms move when a request ends and add up over all their
// labels. The scheduler's numbers are those of a data-parallel rank, told by each of its
// tensor- and pipeline-parallel ranks: of these the largest holds. With priorities its queues
// have their total where the priority is empty.
var _ = register(priorityEngine, &Engine{
	Name:  "sglang",
	Title: "SGLang",
	Detect: []Evidence{
		{Path: "/v1/models", Field: "data.0.owned_by", Equals: "sglang"},
		// With an API key both vLLM and SGLang refuse the list of models with the same words;
		// vLLM tells its version all the same.
		{Path: "/version", Server: "uvicorn", Body: `{"error":"Unauthorized"}`},
		{Sample: "sglang:*"},
	},
	Endpoints: []Endpoint{
		{Path: "/v1/models", Format: JSON, Role: Health, Probe: Always},
		{Path: "/version", Format: JSON, Every: settingsAge, Optional: true}, // is not there: see Detect
		{Path: "/v1/loads?include=core", Format: JSON, Every: settingsAge, Optional: true},
		{Path: "/metrics", Format: Exposition, Role: Numbers, Probe: NotForModels},
	},
	Map: append(sglangScheduler, sglangTokenizer...),
	JSON: []JSONMapping{
		{Path: "/v1/loads?include=core", To: catalog.EngineInfo, Labels: []LabelFrom{{To: catalog.LabelVersion, From: "version"}}, Optional: true},
		{
			Path: "/v1/loads?include=core", Each: "loads", To: catalog.EngineMaxConcurrency, Value: "max_running_requests",
			Labels: []LabelFrom{{To: catalog.LabelRank, From: "dp_rank"}}, Optional: true,
		},
		{
			Path: "/v1/loads?include=core", Each: "loads", To: catalog.KVCacheCapacity, Value: "max_total_num_tokens",
			Labels: []LabelFrom{{To: catalog.LabelRank, From: "dp_rank"}}, Optional: true,
		},
		{Path: "/v1/models", Each: "data", To: catalog.ModelInfo, Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}}, Optional: true},
		{Path: "/v1/models", Each: "data", To: catalog.ModelContextLength, Value: "max_model_len", Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}}, Optional: true},
	},
	Derive: []Derivation{
		{To: catalog.PromptComputedTokens, Op: Subtract, From: []*catalog.Series{catalog.PromptTokens, catalog.PromptCachedTokens}},
	},
	Prefixes:     []string{"sglang:"},
	Ignore:       sglangIgnored,
	EmptyAtFirst: true, // old versions, before the first request
	Hints: []Hint{
		{Text: "start it with --enable-metrics"},
		{Series: catalog.TimeToFirstToken, Counts: true, Text: "of streamed requests only: for others SGLang takes the time of their first fifty tokens, or of their end"},
		{Series: catalog.PrefixCacheQueries, Counts: true, Text: "SGLang counts lookups since 0.5.23; in older versions prompt and cached tokens of finished requests stand for them"},
		{Series: catalog.SpecDecodeDraftTokens, Text: "SGLang counts verifications and shows the accepted length; it counts no drafted tokens"},
		{Series: catalog.KVCacheCapacity, Text: "SGLang exports it since the end of 2025"},
	},
})

var (
	sglangRank  = []LabelFrom{{To: catalog.LabelModel, From: "model_name"}, {To: catalog.LabelRank, From: "dp_rank"}}
	sglangModel = []LabelFrom{{To: catalog.LabelModel, From: "model_name"}}
	sglangTotal = []Match{{Label: "priority", In: []string{""}}}
)

// sglangScheduler are the numbers of the scheduler. Most appear with the first request.
var sglangScheduler = func() []Mapping {
	level := func(from string, to *catalog.Series) Mapping {
		return Mapping{From: "sglang:" + from, To: to, Labels: sglangRank, Where: sglangTotal, Agg: Max, With: "sglang:num_requests_total"}
	}
	since := func(version string, m Mapping) Mapping {
		m.Since, m.With = version, ""
		return m
	}
	optional := func(m Mapping) Mapping {
		m.Optional = true
		return m
	}
	looked := func(to *catalog.Series, mode string, plus bool) Mapping {
		m := since("0.5.23", level("prefill_effective_tokens_total", to))
		m.Where, m.Plus = []Match{{Label: "mode", In: []string{mode}}}, plus
		return m
	}
	ended := func(from string, to *catalog.Series) Mapping {
		return Mapping{From: from, To: to, Labels: sglangModel, Fallback: true, Optional: true}
	}
	length := optional(level("spec_accept_length", catalog.SpecDecodeAcceptanceLength))
	length.NotZero = true // nothing drafts
	adapters := optional(level("lora_pool_slots_used", catalog.LoRAAdapters))
	adapters.Labels = append([]LabelFrom{{To: catalog.LabelState, Const: "loaded"}}, sglangRank...)
	pages := optional(level("cache_config_info", catalog.KVCacheCapacity)) // February to May 2026
	pages.Value = "num_pages*page_size"
	steps := optional(level("cuda_graph_passes_total", catalog.EngineSteps)) // by kind of pass
	steps.Agg = Sum

	pool := optional(level("mamba_usage", catalog.StatePoolUsage))
	pool.NotZero = true // most models have none
	context := since("0.5.23", level("context_len", catalog.ModelContextLength))
	context.Labels = sglangModel

	return []Mapping{
		level("num_running_reqs", catalog.RequestsRunning),
		level("num_queue_reqs", catalog.RequestsWaiting),
		steps,

		// token_usage is the largest of three pools: for a hybrid model it may be that of the
		// recurrent state, which fills with the number of requests.
		optional(level("full_token_usage", catalog.KVCacheUsage)),
		level("token_usage", catalog.KVCacheUsage),
		pool,
		optional(level("kv_used_tokens", catalog.KVCacheUsed)),
		level("num_used_tokens", catalog.KVCacheUsed),
		since("0.5.23", level("max_total_num_tokens", catalog.KVCacheCapacity)),
		pages,
		since("0.5.23", level("page_size", catalog.KVCacheBlockSize)),
		context,
		optional(level("num_retracted_requests_total", catalog.Preemptions)),

		looked(catalog.PrefixCacheQueries, "input", false),
		looked(catalog.PrefixCacheQueries, "device_hit", true),
		looked(catalog.PrefixCacheQueries, "host_hit", true),
		looked(catalog.PrefixCacheQueries, "storage_hit", true),
		looked(catalog.PrefixCacheHits, "device_hit", false),
		looked(catalog.PrefixCacheHits, "host_hit", true),
		looked(catalog.PrefixCacheHits, "storage_hit", true),
		ended("sglang:prompt_tokens_total", catalog.PrefixCacheQueries),
		ended("sglang:cached_tokens_total", catalog.PrefixCacheHits),

		{From: "sglang:queue_time_seconds", To: catalog.RequestQueueDuration, Labels: sglangRank, Where: sglangTotal, Optional: true},
		length,
		adapters,
	}
}()

// sglangTokenizer are the numbers of the process that clients talk to. They appear with the
// first request; an absolute absence of all of them is no rename.
var sglangTokenizer = func() []Mapping {
	number := func(from string, to *catalog.Series, with string) Mapping {
		m := Mapping{From: "sglang:" + from, To: to, Labels: sglangModel, Optional: with == ""}
		if with != "" {
			m.With = "sglang:" + with
		}
		return m
	}
	ended := func(from, reason, with string) Mapping {
		m := number(from, catalog.RequestsFinished, with)
		m.Labels = append([]LabelFrom{{To: catalog.LabelReason, Const: reason}}, sglangModel...)
		return m
	}
	first := number("time_to_first_token_seconds", catalog.TimeToFirstToken, "inter_token_latency_seconds")
	first.Where = []Match{{Label: "is_streaming", In: []string{"true", ""}}}
	perToken := number("request_time_per_output_token_seconds", catalog.RequestTimePerOutputToken, "num_requests_total")
	perToken.Since = "0.5.23"

	return []Mapping{
		ended("num_requests_total", "unknown", "generation_tokens_total"),
		ended("num_aborted_requests_total", "abort", ""),
		number("prompt_tokens_total", catalog.PromptTokens, "generation_tokens_total"),
		number("generation_tokens_total", catalog.GenerationTokens, "prompt_tokens_total"),
		number("cached_tokens_total", catalog.PromptCachedTokens, ""),
		number("uncached_prompt_tokens_histogram_sum", catalog.PromptComputedTokens, ""),
		number("prompt_tokens_histogram", catalog.RequestPromptTokens, ""),
		number("generation_tokens_histogram", catalog.RequestGenerationTokens, ""),
		first,
		number("inter_token_latency_seconds", catalog.InterTokenLatency, "time_to_first_token_seconds"),
		number("time_per_output_token_seconds", catalog.InterTokenLatency, ""), // until March 2025
		perToken,
		number("e2e_request_latency_seconds", catalog.RequestDuration, "num_requests_total"),
		number("spec_verify_calls_total", catalog.SpecDecodeDrafts, ""),
	}
}()

// sglangIgnored are left out on purpose.
var sglangIgnored = []string{
	"sglang:gen_throughput", "sglang:last_gen_throughput", // keep their last value at rest
	"sglang:cache_hit_rate", "sglang:cache_hit_rate_total", // of the last report, not over time
	"sglang:utilization", "sglang:fwd_occupancy", "sglang:is_cuda_graph", "sglang:new_token_ratio", "sglang:decode_sum_seq_lens",
	"sglang:avg_request_queue_latency", // an average, until autumn 2025
	"sglang:num_grammar_queue_reqs",    // waits for a grammar, not for room
	"sglang:num_retracted_*",           // only the count of requests is used
	"sglang:num_paused_reqs",
	"sglang:uncached_prompt_tokens_histogram", // only its sum is used
	"sglang:kv_*", "sglang:full_*", "sglang:swa_*", "sglang:mamba_*", "sglang:num_pages", "sglang:max_total_num_tokens_swa",
	"sglang:spec_*", "sglang:lora_*", "sglang:weight_*", "sglang:graph_memory_usage_gb", "sglang:startup_*",
	"sglang:realtime_tokens_total", "sglang:forward_execution_seconds_total", "sglang:estimated_*", "sglang:per_stage_req_latency_seconds",
	"sglang:scheduler_*", "sglang:dp_*", "sglang:num_unique_running_routing_keys", "sglang:routing_key*", "sglang:eplb_*",
	"sglang:num_so_requests_total", "sglang:num_streaming_sessions", "sglang:streaming_session_held_tokens", "sglang:grammar_*", "sglang:num_grammar_*",
	"sglang:http_*", "sglang:get_loads_duration_seconds", "sglang:func_latency_seconds", "sglang:process_cpu_seconds_total",
	// Prefill and decode in servers of their own.
	"sglang:num_prefill_*", "sglang:num_decode_*", "sglang:decode_deferred_*", "sglang:num_bootstrap_*", "sglang:num_transfer_*", "sglang:pending_prealloc_token_usage", "sglang:prealloc_*", "sglang:prefill_delayer_*", "sglang:encoder_*",
	// Tiers of the cache below the GPU.
	"sglang:evicted_tokens_total", "sglang:eviction_duration_seconds", "sglang:load_back_*", "sglang:hicache_*", "sglang:storage_*", "sglang:prefetch*", "sglang:backup*",
}
