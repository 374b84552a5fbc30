package engine

// The Rust front end of vLLM: the same engine, shown differently. It always
// answers in OpenMetrics, shows families after their first use, exports no settings of the
// KV cache and no sleep state, and has speculation's counters at zero when nothing drafts.
var _ = register(priorityVariant, &Engine{
	Name:  "vllm",
	Title: "vLLM (Rust front end)",
	Detect: []Evidence{
		{Path: "/v1/models", Field: "data.0.owned_by", Equals: "vllm-frontend-rs"},
		{Path: "/version", Field: "rust_frontend_version"},
		{Sample: "vllm:num_requests_running", Type: "application/openmetrics-text"},
	},
	Endpoints: vllmEndpoints,
	Map:       vllmNumbers(true),
	JSON:      vllmJSON,
	Derive:    vllmDerived,
	Prefixes:  vllm.Prefixes,
	Ignore:    vllmIgnored,
	Hints:     vllmHints,
})
