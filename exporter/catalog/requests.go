package catalog

// Requests and tokens of a model.
var (
	RequestsRunning = declare(Series{
		Name: "llm_requests_running", Kind: Gauge, Unit: Requests, Labels: Data, Headline: true,
		Help: "Requests that the engine is working on.",
	})
	RequestsWaiting = declare(Series{
		Name: "llm_requests_waiting", Kind: Gauge, Unit: Requests, Labels: Data, Headline: true,
		Help: "Requests that the engine has accepted and not yet started.",
	})
	RequestsFinished = declare(Series{
		Name: "llm_requests_finished_total", Kind: Counter, Unit: Requests, Labels: With(Data, LabelReason), Headline: true,
		Help: "Requests that ended, by reason: stop, length, abort, error, other, unknown.",
	})
	RequestsRejected = declare(Series{
		Name: "llm_requests_rejected_total", Kind: Counter, Unit: Requests, Labels: With(Data, LabelReason), Headline: true,
		Help: "Requests that the engine refused to accept because its queue was full, by the engine's reason.",
	})
	PromptTokens = declare(Series{
		Name: "llm_prompt_tokens_total", Kind: Counter, Unit: Tokens, Labels: Data, Headline: true,
		Help: "Prompt tokens of all requests, those taken from the prefix cache included.",
	})
	PromptComputedTokens = declare(Series{
		Name: "llm_prompt_computed_tokens_total", Kind: Counter, Unit: Tokens, Labels: Data,
		Help: "Prompt tokens that were computed, those taken from the prefix cache excluded.",
	})
	PromptCachedTokens = declare(Series{
		Name: "llm_prompt_cached_tokens_total", Kind: Counter, Unit: Tokens, Labels: Data, Headline: true,
		Help: "Prompt tokens that were taken from the prefix cache.",
	})
	GenerationTokens = declare(Series{
		Name: "llm_generation_tokens_total", Kind: Counter, Unit: Tokens, Labels: Data, Headline: true,
		Help: "Generated tokens. llama.cpp counts them when a request ends, so short rates step.",
	})
	EngineSteps = declare(Series{
		Name: "llm_engine_steps_total", Kind: Counter, Unit: Count, Labels: Data,
		Help: "Steps of the engine (batches decoded): stands still when the engine does, whatever the gauges say.",
	})
	RequestPromptTokens = declare(Series{
		Name: "llm_request_prompt_tokens", Kind: Histogram, Unit: Tokens, Labels: Data,
		Help: "Prompt length of finished requests.",
	})
	RequestGenerationTokens = declare(Series{
		Name: "llm_request_generation_tokens", Kind: Histogram, Unit: Tokens, Labels: Data,
		Help: "Generated length of finished requests.",
	})
)
