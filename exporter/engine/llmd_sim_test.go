package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

func init() {
	vouch("llm-d-inference-sim", "/health", "/v1/models", "/metrics", "/version")
	facts["llm-d-inference-sim-0.10.2-41-geec055a/basic service"] = []fact{
		upAt(0), {second: 7, series: catalog.RequestsRunning, want: 0}, {second: 8, series: catalog.RequestsRunning, want: 4}, {second: 39, series: catalog.RequestsRunning, want: 4},
		{second: 40, series: catalog.RequestsRunning, want: 0}, {second: 39, series: catalog.RequestsWaiting, want: 0},
		{second: 0, series: catalog.KVCacheCapacity, want: 4096}, {second: 0, series: catalog.PromptTokens, want: absent}, {second: 40, series: catalog.KVCacheUsage, want: 0},
		{second: 49, series: catalog.RequestsFinished, label: "reason=stop", want: 82}, {second: 49, series: catalog.RequestsFinished, label: "reason=length", want: 15},
		{second: 49, series: catalog.GenerationTokens, want: 4957}, {second: 49, series: catalog.PromptTokens, want: 17472},
		{second: 49, series: catalog.PrefixCacheQueries, want: 17472}, {second: 49, series: catalog.PrefixCacheHits, want: 8832},
		{second: 49, series: catalog.ModelContextLength, label: "model=sim", want: 4096}, {second: 49, series: catalog.Preemptions, want: absent},
	}
}
