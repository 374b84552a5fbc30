package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// ikLlamacpp is the server of ik_llama.cpp, a fork with the prefix of llama.cpp and older names.
//
// /health waits behind the running batch, and with LLAMA_HOTSWAP_ENABLED it may reload
// tensors and clear the cache; /v1/models answers at once, also without a key and while the
// model loads, so it says whether the server is alive. /slots shows prompts: it is never asked.
// The build is not to be had: /version is not a version of the server.
var _ = register(priorityFork, &Engine{
	Name:    "ik_llamacpp",
	Title:   "ik_llama.cpp",
	Loading: "Loading model",
	Detect: []Evidence{
		{Path: "/v1/models", Server: "ik_llama.cpp"},
		{Sample: "llamacpp:kv_cache_usage_ratio", Without: "llamacpp:n_decode_total"},
	},
	Endpoints: []Endpoint{
		{Path: "/v1/models", Format: JSON, Role: Health, Probe: Always},
		{Path: "/props", Format: JSON, Every: settingsAge, Optional: true},
		{Path: "/metrics", Format: Exposition, Role: Numbers, Probe: NotForModels},
	},
	Map: []Mapping{
		{From: "llamacpp:requests_processing", To: catalog.RequestsRunning},
		{From: "llamacpp:requests_deferred", To: catalog.RequestsWaiting},
		{From: "llamacpp:prompt_tokens_total", To: catalog.PromptComputedTokens},
		{From: "llamacpp:prompt_seconds_total", To: catalog.PrefillSeconds},
		{From: "llamacpp:tokens_predicted_total", To: catalog.GenerationTokens},
		{From: "llamacpp:tokens_predicted_seconds_total", To: catalog.DecodeSeconds},
		// Cells that hold a cached prompt count as used, so both stay above 0 at rest.
		{From: "llamacpp:kv_cache_usage_ratio", To: catalog.KVCacheUsage},
		{From: "llamacpp:kv_cache_tokens", To: catalog.KVCacheUsed},
	},
	JSON: append(append(llamacppModel("data"), llamacppProps...),
		// Of all slots together; a request may have default_generation_settings.n_ctx of it.
		JSONMapping{Path: "/props", To: catalog.KVCacheCapacity, Value: "n_ctx", Optional: true},
	),
	Prefixes: []string{"llamacpp:"},
	Ignore:   llamacppIgnored,
	Hints: []Hint{
		{Text: "start llama-server with --metrics"},
		{Series: catalog.PromptTokens, Text: "ik_llama.cpp counts computed prompt tokens only"},
		{Series: catalog.SpecDecodeDraftTokens, Text: "ik_llama.cpp can draft and does not count it"},
	},
})
