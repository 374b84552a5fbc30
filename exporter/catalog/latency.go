package catalog

// What a client feels, and where the time goes. Bounds are the engine's own and differ
// between engines and versions: quantiles over a mix of them are not comparable.
var (
	TimeToFirstToken = declare(Series{
		Name: "llm_time_to_first_token_seconds", Kind: Histogram, Unit: Seconds, Labels: Data, Headline: true,
		Help: "Time from a request's arrival to its first token.",
	})
	InterTokenLatency = declare(Series{
		Name: "llm_inter_token_latency_seconds", Kind: Histogram, Unit: Seconds, Labels: Data, Headline: true,
		Help: "Time between two outputs of a request; with speculation one output may be several tokens.",
	})
	RequestTimePerOutputToken = declare(Series{
		Name: "llm_request_time_per_output_token_seconds", Kind: Histogram, Unit: Seconds, Labels: Data,
		Help: "Mean time per generated token after the first, one observation per finished request.",
	})
	RequestDuration = declare(Series{
		Name: "llm_request_duration_seconds", Kind: Histogram, Unit: Seconds, Labels: Data, Headline: true,
		Help: "Time from a request's arrival to its end.",
	})
	RequestQueueDuration = declare(Series{
		Name: "llm_request_queue_duration_seconds", Kind: Histogram, Unit: Seconds, Labels: Data, Headline: true,
		Help: "Time that finished requests had waited before the engine started them.",
	})
	RequestPrefillDuration = declare(Series{
		Name: "llm_request_prefill_duration_seconds", Kind: Histogram, Unit: Seconds, Labels: Data,
		Help: "Time that finished requests had spent in computing their prompt.",
	})
	RequestDecodeDuration = declare(Series{
		Name: "llm_request_decode_duration_seconds", Kind: Histogram, Unit: Seconds, Labels: Data,
		Help: "Time that finished requests had spent in generating.",
	})
	PrefillSeconds = declare(Series{
		Name: "llm_prefill_seconds_total", Kind: Counter, Unit: Seconds, Labels: Data,
		Help: "Time spent in computing prompts, added up over requests that may overlap.",
	})
	DecodeSeconds = declare(Series{
		Name: "llm_decode_seconds_total", Kind: Counter, Unit: Seconds, Labels: Data,
		Help: "Time spent in generating, added up over requests that may overlap.",
	})
)
