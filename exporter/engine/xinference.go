package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// xinference is Xinference: the supervisor, which has the list of models and their state on its
// API port, and its workers, whose numbers are on a port of their own (metrics_url, or a
// backend for each).
var _ = register(priorityEngine, &Engine{
	Name:  "xinference",
	Title: "Xinference",
	Detect: []Evidence{
		{Path: "/v1/models", Field: "data.0.owned_by", Equals: "xinference"},
		{Sample: "xinference:*"},
		{Path: "/metrics", Body: "# TYPE xinference:"}, // no sample before the first request
	},
	Endpoints: []Endpoint{
		{Path: "/v1/models", Format: JSON, Role: Health, Probe: Always, Optional: true},
		{Path: "/metrics", Format: Exposition, Role: Numbers, Probe: NotForModels},
	},
	Map: xinferenceNumbers(),
	JSON: []JSONMapping{
		{Path: "/v1/models", Each: "data", To: catalog.ModelInfo, Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}}, Optional: true},
		{Path: "/v1/models", Each: "data", To: catalog.ModelContextLength, Value: "context_length", Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}}, Optional: true},
	},
	Prefixes: []string{"xinference:"},
	Ignore: []string{
		"xinference:generate_tokens_total",          // the output tokens once more
		"xinference:model_request_errors_total",     // are in model_request_total
		"xinference:model_request_duration_seconds", // of a stream, the time until it begins
		"xinference:model_last_load_duration_seconds", "xinference:model_info", "xinference:model_gpu_*", "xinference:model_unexpected_termination",
		"xinference:config_info", "xinference:models_loaded_total", "xinference:workers_total", "xinference:worker_*", "xinference:supervisor_uptime_seconds",
		"xinference:api_key*", "xinference:banned_*", "xinference:token_router_*",
	},
	Hints: []Hint{
		{Series: catalog.RequestsRunning, Text: "on the workers' own port (--metrics-exporter-host, --metrics-exporter-port): set metrics_url to it, or add a backend for each worker"},
		{Series: catalog.GenerationTokens, Text: "on the workers' own port (--metrics-exporter-host, --metrics-exporter-port): set metrics_url to it, or add a backend for each worker"},
		{Series: catalog.TimeToFirstToken, Counts: true, Text: "of streamed requests only"},
		{Series: catalog.RequestDuration, Counts: true, Text: "Xinference takes the time until a stream begins for that of the request"},
	},
})

func xinferenceNumbers() []Mapping {
	number := func(from string, to *catalog.Series, labels ...LabelFrom) Mapping {
		return Mapping{From: "xinference:" + from, To: to, Optional: true, Labels: append(labels, LabelFrom{To: catalog.LabelModel, From: "model_uid"})}
	}
	limit := number("model_request_limit", catalog.EngineMaxConcurrency)
	limit.NotNegative = true // -1: none
	return []Mapping{
		number("model_serve_count", catalog.RequestsRunning),
		number("model_request_total", catalog.RequestsFinished, LabelFrom{To: catalog.LabelReason, Const: "unknown"}), // the failed ones too
		number("input_tokens_total_counter", catalog.PromptTokens),
		number("output_tokens_total_counter", catalog.GenerationTokens),
		number("time_to_first_token_seconds", catalog.TimeToFirstToken),
		limit,
		{From: "xinference:build_info", To: catalog.EngineInfo, Labels: []LabelFrom{{To: catalog.LabelVersion, From: "version"}}, Optional: true},
		number("model_status", catalog.ModelStateSet, LabelFrom{To: catalog.LabelState, From: "status", Words: map[string]string{
			"READY": string(catalog.ModelLoaded), "CREATING": string(catalog.ModelLoading), "UPDATING": string(catalog.ModelLoading),
			"TERMINATING": string(catalog.ModelUnloaded), "TERMINATED": string(catalog.ModelUnloaded), "ERROR": string(catalog.ModelFailed),
		}}),
	}
}
