package engine

import (
	"slices"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// llmdSim is llm-d-inference-sim, a simulator without a model that writes almost vLLM's names:
// it says finish_reason, has no ranks, and shows most families after their first use. It lists
// its model as vLLM does; that its page comes from the library for Go tells it apart.
var _ = register(priorityFork, &Engine{
	Name:  "llm_d_inference_sim",
	Title: "llm-d-inference-sim",
	Detect: []Evidence{
		{Sample: "vllm:num_requests_running", Without: "vllm:healthy_pods_total", Type: "text/plain; version=0.0.4; charset=utf-8; escaping="},
	},
	Endpoints: []Endpoint{
		{Path: "/health", Role: Health},
		{Path: "/v1/models", Format: JSON, Every: settingsAge, Probe: Always, Optional: true},
		{Path: "/metrics", Format: Exposition, Role: Numbers, Probe: NotForModels},
	},
	Map: append(together(withLabel(vllmNumbers(true), "finished_reason", "finish_reason"),
		"vllm:num_requests_running", "vllm:num_requests_waiting", "vllm:kv_cache_usage_perc"),
		vllmCache("num_gpu_blocks*block_size", catalog.KVCacheCapacity),
		vllmCache("block_size", catalog.KVCacheBlockSize),
	),
	JSON:     vllmJSON[1:],
	Derive:   vllmDerived,
	Prefixes: []string{"vllm:"},
	Ignore:   append([]string{"vllm:max_num_generation_tokens"}, vllmIgnored...),
})

// together makes names that stand on every page missed where the first of them is there.
func together(mappings []Mapping, first string, others ...string) []Mapping {
	for i := range mappings {
		if m := &mappings[i]; slices.Contains(others, m.From) {
			m.Optional, m.With, m.Since, m.Until = false, first, "", ""
		}
	}
	return mappings
}

// withLabel reads a label of the samples under another name.
func withLabel(mappings []Mapping, from, to string) []Mapping {
	for i := range mappings {
		labels := slices.Clone(mappings[i].Labels)
		for j := range labels {
			if labels[j].From == from {
				labels[j].From = to
			}
		}
		mappings[i].Labels = labels
	}
	return mappings
}
