package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// halogen is halogen-flash-server, which writes llama.cpp's names beside its own.
//
// Its kv_cache_tokens and kv_cache_usage_ratio count what running requests have reserved (prompt
// and the most that they may generate), not what is occupied: they are left out. /cache says
// what is occupied. Before 0.11.9 that path waits for the engine, so it is asked of newer ones only.
var _ = register(priorityFork, &Engine{
	Name:  "halogen",
	Title: "halogen-flash-server",
	Detect: []Evidence{
		{Path: "/v1/models", Field: "data.0.owned_by", Equals: "halogen"},
		{Sample: "halogen:*"},
	},
	Endpoints: []Endpoint{
		// The engine behind the front end may be dead: its loop answers, or not.
		{Path: "/health", Format: JSON, Role: Health, Unfit: []Condition{{Field: "engine.responds", In: []string{"false"}}}},
		{Path: "/v1/models", Format: JSON, Every: settingsAge, Probe: Always, Optional: true},
		{Path: "/cache", Format: JSON, Optional: true, Unless: []Condition{{Path: "/health", Field: "version.api", Below: "0.11.9"}}},
		{Path: "/metrics", Format: Exposition, Role: Numbers, Probe: NotForModels},
	},
	Map: []Mapping{
		{From: "llamacpp:requests_processing", To: catalog.RequestsRunning},
		{From: "llamacpp:requests_deferred", To: catalog.RequestsWaiting},
		{From: "halogen:requests_total", To: catalog.RequestsFinished, Labels: []LabelFrom{{To: catalog.LabelReason, Const: "unknown"}}},
		{From: "llamacpp:prompt_tokens_total", To: catalog.PromptComputedTokens},
		{From: "halogen:prompt_tokens_cached_total", To: catalog.PromptCachedTokens},
		{From: "halogen:prompt_tokens_cached_total", To: catalog.PrefixCacheHits},
		{From: "llamacpp:prompt_seconds_total", To: catalog.PrefillSeconds},
		{From: "llamacpp:tokens_predicted_total", To: catalog.GenerationTokens},
		{From: "llamacpp:tokens_predicted_seconds_total", To: catalog.DecodeSeconds},
		// A pool that is configured larger than memory allows is made smaller: this is what it is.
		{From: "halogen:kv_pool_positions", To: catalog.KVCacheCapacity, Optional: true},
		{From: "halogen:draft_tokens_total", To: catalog.SpecDecodeDraftTokens},
		{From: "halogen:draft_tokens_accepted_total", To: catalog.SpecDecodeAcceptedTokens},
	},
	JSON: []JSONMapping{
		{Path: "/cache", To: catalog.KVCacheUsage, Value: "pool.usage_ratio", Optional: true},
		{Path: "/cache", To: catalog.KVCacheUsed, Value: "pool.used", Optional: true},
		{Path: "/cache", To: catalog.KVCacheCapacity, Value: "pool.positions", Optional: true},
		{Path: "/health", To: catalog.KVCacheCapacity, Value: "kv_pool_positions", Optional: true},
		{Path: "/health", To: catalog.EngineMaxConcurrency, Value: "slots", Optional: true},
		{Path: "/health", To: catalog.ModelContextLength, Value: "context", Optional: true},
		{Path: "/health", To: catalog.EngineInfo, Labels: []LabelFrom{{To: catalog.LabelVersion, From: "version.api"}}, Optional: true},
		{Path: "/v1/models", Each: "data", To: catalog.ModelInfo, Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}}, Optional: true},
		{Path: "/v1/models", Each: "data", To: catalog.ModelContextLength, Value: "max_model_len", Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}}, Optional: true},
	},
	Derive: []Derivation{
		{To: catalog.PromptTokens, Op: Add, From: []*catalog.Series{catalog.PromptComputedTokens, catalog.PromptCachedTokens}},
		{To: catalog.PrefixCacheQueries, Op: Add, From: []*catalog.Series{catalog.PromptComputedTokens, catalog.PromptCachedTokens}},
	},
	Prefixes: []string{"halogen:", "llamacpp:"},
	Ignore: append([]string{
		"llamacpp:kv_cache_tokens", "llamacpp:kv_cache_usage_ratio", "halogen:kv_pool_reserved_tokens", // reserved
		"halogen:structured_requests_total", "halogen:draft_list_*",
	}, llamacppIgnored...),
	Hints: []Hint{
		{Series: catalog.KVCacheUsage, Text: "from /cache, of halogen-flash-server 0.11.9 and newer: what its /metrics calls usage is what requests have reserved"},
	},
})
