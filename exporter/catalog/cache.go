package catalog

// The KV cache and the reuse of prefixes.
var (
	KVCacheUsage = declare(Series{
		Name: "llm_kv_cache_usage_ratio", Kind: Gauge, Unit: Ratio, Labels: Data, Headline: true,
		Help: "Share of the KV cache in use; of several ranks each has its own. Absent for an engine that does not export it: that is not 0.",
	})
	KVCacheUsed = declare(Series{
		Name: "llm_kv_cache_used_tokens", Kind: Gauge, Unit: Tokens, Labels: Data,
		Help: "Tokens held in the KV cache.",
	})
	KVCacheCapacity = declare(Series{
		Name: "llm_kv_cache_capacity_tokens", Kind: Gauge, Unit: Tokens, Labels: Data, Headline: true,
		Help: "Tokens that the KV cache can hold.",
	})
	KVCacheBlockSize = declare(Series{
		Name: "llm_kv_cache_block_size_tokens", Kind: Gauge, Unit: Tokens, Labels: Data,
		Help: "Tokens of one cache block: a prefix is reused in whole blocks only, so shorter prompts cannot hit.",
	})
	KVCacheBlocks = declare(Series{
		Name: "llm_kv_cache_blocks", Kind: Gauge, Unit: Count, Labels: Data,
		Help: "Blocks of the KV cache, where the engine counts in blocks; times the block size it is the capacity.",
	})
	KVCacheMaxConcurrency = declare(Series{
		Name: "llm_kv_cache_max_concurrency", Kind: Gauge, Unit: Requests, Labels: Data,
		Help: "Requests of full context length that the KV cache can hold at once; below 1 the promised context does not fit.",
	})
	StatePoolUsage = declare(Series{
		Name: "llm_state_pool_usage_ratio", Kind: Gauge, Unit: Ratio, Labels: Data,
		Help: "Share of the pool of recurrent state (Mamba layers) in use: it fills with the number of requests, not with their length, and is no KV cache. Absent while it is empty, and for a model without such layers.",
	})
	Preemptions = declare(Series{
		Name: "llm_preemptions_total", Kind: Counter, Unit: Count, Labels: Data, Headline: true,
		Help: "Running requests that were thrown out of the KV cache for want of room and computed again.",
	})
	PrefixCacheQueries = declare(Series{
		Name: "llm_prefix_cache_query_tokens_total", Kind: Counter, Unit: Tokens, Labels: Data, Headline: true,
		Help: "Prompt tokens that were looked up in the prefix cache; stands still when caching is off.",
	})
	PrefixCacheHits = declare(Series{
		Name: "llm_prefix_cache_hit_tokens_total", Kind: Counter, Unit: Tokens, Labels: Data, Headline: true,
		Help: "Looked-up prompt tokens that were found in the prefix cache.",
	})
)
