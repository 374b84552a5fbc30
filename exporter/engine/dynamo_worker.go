package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// dynamoWorker is the system port of a Dynamo worker, where the engine's own numbers stand
// beside the worker's. They appear with the first request.
//
// Its /health and /live answer 503 for ever while it serves: neither is asked.
var _ = register(priorityFork, &Engine{
	Name:   "dynamo_worker",
	Title:  "Dynamo worker",
	Detect: []Evidence{{Sample: "dynamo_component_uptime_seconds", Without: "dynamo_frontend_inflight_requests"}},
	Endpoints: []Endpoint{
		{Path: "/metrics", Format: Exposition, Role: Numbers, Probe: NotForModels},
	},
	Map:      append(allOptional(vllmNumbers(true)), allOptional(sglangScheduler)...),
	Derive:   vllmDerived,
	Prefixes: []string{"dynamo_component_", "vllm:", "sglang:"},
	Ignore:   []string{"dynamo_component_*", "vllm:*", "sglang:*"},
	Hints: []Hint{
		{Text: "the engine's numbers appear with its first request, on the port of DYN_SYSTEM_PORT"},
		{Series: catalog.GenerationTokens, Text: "the front end counts the tokens: llm_router_generation_tokens_total"},
	},
})

// allOptional are mappings of which none can be missed.
func allOptional(mappings []Mapping) []Mapping {
	out := make([]Mapping, len(mappings))
	for i, m := range mappings {
		m.Optional = true
		out[i] = m
	}
	return out
}
