package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// triton is Triton Inference Server, with its TensorRT-LLM backend (gauges that a label tells
// apart) or its vLLM backend (eight of vLLM's names, the old ones, with labels of Triton).
//
// Its numbers are on a port of their own, 8002 by default.
var _ = register(priorityFork, &Engine{
	Name:  "triton",
	Title: "Triton",
	Detect: []Evidence{
		{Sample: "nv_inference_*"},
		{Sample: "nv_trt_llm_*"},
		{Path: "/v2", Field: "name", Equals: "triton"},
	},
	Endpoints: []Endpoint{
		{Path: "/v2/health/ready", Role: Health},
		{Path: "/v2", Format: JSON, Every: settingsAge, Optional: true},
		{Path: "/metrics", Format: Exposition, Role: Numbers, Probe: NotForModels},
	},
	Map: tritonNumbers(),
	JSON: []JSONMapping{
		{Path: "/v2", To: catalog.EngineInfo, Labels: []LabelFrom{{To: catalog.LabelVersion, From: "version"}}, Optional: true},
	},
	Derive: []Derivation{
		{To: catalog.KVCacheCapacity, Op: Multiply, From: []*catalog.Series{catalog.KVCacheBlocks, catalog.KVCacheBlockSize}},
		{To: catalog.KVCacheUsed, Op: Multiply, From: []*catalog.Series{catalog.KVCacheUsage, catalog.KVCacheCapacity}},
	},
	Prefixes: []string{"nv_", "vllm:"},
	Ignore: []string{
		"nv_gpu_*", "nv_cpu_*", "nv_energy_*", "nv_pinned_memory_*", "nv_cache_*", "nv_model_*", // of the host and of models' loading
		// Microseconds without buckets: sums only.
		"nv_inference_request_duration_us", "nv_inference_queue_duration_us", "nv_inference_compute_*", "nv_inference_request_summary_us", "nv_inference_queue_summary_us",
		"nv_inference_count", "nv_inference_exec_count", "nv_inference_load_ratio",
		"nv_trt_llm_*", "vllm:request_params_n",
	},
	Hints: []Hint{
		{Text: "its numbers are on a port of their own (--metrics-port, 8002 by default): set metrics_url to it"},
		{Series: catalog.TimeToFirstToken, Text: "only with --metrics-config histogram_latencies=true, or with the vLLM backend's own metrics"},
		{Series: catalog.GenerationTokens, Text: "only with the vLLM backend and its metrics switched on (REPORT_CUSTOM_METRICS); the TensorRT-LLM backend counts no tokens"},
	},
})

func tritonNumbers() []Mapping {
	number := func(from string, to *catalog.Series, labels ...LabelFrom) Mapping {
		return Mapping{From: from, To: to, Optional: true, Labels: append(labels, LabelFrom{To: catalog.LabelModel, From: "model"})}
	}
	is := func(label, value string, m Mapping) Mapping {
		m.Where = []Match{{Label: label, In: []string{value}}}
		return m
	}
	requests := func(kind string, to *catalog.Series) Mapping {
		return is("request_type", kind, number("nv_trt_llm_request_metrics", to))
	}
	blocks := func(kind string, to *catalog.Series) Mapping {
		return is("kv_cache_block_type", kind, number("nv_trt_llm_kv_cache_block_metrics", to))
	}
	succeeded := number("nv_inference_request_success", catalog.RequestsFinished, LabelFrom{To: catalog.LabelReason, Const: "unknown"})
	succeeded.Optional = false
	first := number("nv_inference_first_response_histogram_ms", catalog.TimeToFirstToken)
	first.Scale = 0.001
	return []Mapping{
		requests("active", catalog.RequestsRunning),
		requests("waiting", catalog.RequestsWaiting),
		number("nv_inference_pending_request_count", catalog.RequestsWaiting),
		requests("max", catalog.EngineMaxConcurrency),
		succeeded,
		number("nv_inference_request_failure", catalog.RequestsFinished, LabelFrom{To: catalog.LabelReason, Const: "error"}),
		blocks("fraction", catalog.KVCacheUsage),
		blocks("tokens_per", catalog.KVCacheBlockSize),
		blocks("max", catalog.KVCacheBlocks),
		first,
		// The vLLM backend.
		number("vllm:prompt_tokens_total", catalog.PromptTokens),
		number("vllm:generation_tokens_total", catalog.GenerationTokens),
		number("vllm:time_to_first_token_seconds", catalog.TimeToFirstToken),
		number("vllm:time_per_output_token_seconds", catalog.InterTokenLatency),
		number("vllm:e2e_request_latency_seconds", catalog.RequestDuration),
		number("vllm:request_prompt_tokens", catalog.RequestPromptTokens),
		number("vllm:request_generation_tokens", catalog.RequestGenerationTokens),
	}
}
