package engine

import (
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

func init() { vouch("Triton", "/v2/health/ready", "/v2", "/metrics") }

func TestTritonSaysWhatItsBackendsSay(t *testing.T) {
	after := []wanted{
		{catalog.RequestsFinished, "model=tensorrt_llm", 35}, {catalog.RequestsFinished, "reason=error", 3}, {catalog.RequestsFinished, "model=preprocessing", 32},
		{catalog.TimeToFirstToken, "model=tensorrt_llm", 32}, {catalog.KVCacheUsage, "", 0}, {catalog.KVCacheCapacity, "", 65536}, {catalog.GenerationTokens, "", absent},
	}
	for state, want := range map[string][]wanted{
		"tensorrt-busy": {
			{catalog.RequestsRunning, "model=tensorrt_llm", 8}, {catalog.RequestsWaiting, "model=tensorrt_llm", 4}, {catalog.EngineMaxConcurrency, "", 64},
			{catalog.KVCacheUsage, "", 0.3125}, {catalog.KVCacheUsed, "", 20480}, {catalog.KVCacheBlockSize, "", 32}, {catalog.EngineInfo, "version=2.61.0", 1},
		},
		"tensorrt-after": after, "metrics-port": after,
		"vllm": {
			{catalog.PromptTokens, "model=tiny", 10240}, {catalog.GenerationTokens, "model=tiny", 2000}, {catalog.TimeToFirstToken, "", 20}, {catalog.InterTokenLatency, "", 1980},
			{catalog.RequestDuration, "", 20}, {catalog.RequestsWaiting, "", 3}, {catalog.KVCacheUsage, "", absent},
		},
	} {
		t.Run(state, func(t *testing.T) {
			r := stateOf(t, "Triton", "written/triton-2.61.0", state)
			wantEngine(t, r, "Triton")
			wantAmounts(t, r, want...)
			if r.Healthy != Yes {
				t.Errorf("healthy %v (%s)", r.Healthy, r.Problem)
			}
			for i := range r.Points {
				if p := &r.Points[i]; p.Series == catalog.TimeToFirstToken && p.Label(catalog.LabelModel) == "tensorrt_llm" && p.Hist.Bounds[1] != 0.5 {
					t.Errorf("bounds %v, want seconds", p.Hist.Bounds)
				}
			}
		})
	}
}
