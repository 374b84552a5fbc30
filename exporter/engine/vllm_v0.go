package engine

import (
	"slices"
	"strings"
)

// vLLM's first engine, gone since 0.11. It shows most families after their first
// use, and adds a running total to speculation's counters again and again: they mean
// nothing. What else it shares with V1 means the same there.
var _ = register(priorityVariant, &Engine{
	Name:  "vllm",
	Title: "vLLM (V0 engine)",
	Detect: []Evidence{
		{Sample: "vllm:num_requests_swapped", Without: "vllm:healthy_pods_total"},
		{Sample: "vllm:cpu_cache_usage_perc"},
		{Sample: "vllm:spec_decode_efficiency"},
	},
	Endpoints: vllmEndpoints,
	Map: slices.DeleteFunc(append(vllmNumbers(true), vllmPythonNumbers...), func(m Mapping) bool {
		return strings.HasPrefix(m.From, "vllm:spec_decode_")
	}),
	JSON:     vllmJSON,
	Derive:   vllmDerived,
	Prefixes: vllm.Prefixes,
	Ignore:   append([]string{"vllm:spec_decode_*"}, vllmIgnored...),
	Hints:    vllmHints,
})
