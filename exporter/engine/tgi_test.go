package engine

import (
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

func init() {
	// /health may compute a prompt.
	vouch("Text Generation Inference", "/info", "/v1/models", "/metrics")
}

func TestTGISaysWhatItsPageSays(t *testing.T) {
	for state, want := range map[string][]wanted{
		"fresh": {{catalog.RequestsRunning, "", 0}, {catalog.PromptTokens, "", absent}, {catalog.KVCacheCapacity, "", 65536}},
		"busy":  {{catalog.RequestsRunning, "", 8}, {catalog.RequestsWaiting, "", 4}, {catalog.RequestsFinished, "reason=error", absent}},
		"after": {
			{catalog.PromptTokens, "model=org/tiny-chat", 16384}, {catalog.GenerationTokens, "", 3200}, {catalog.RequestsFinished, "reason=unknown", 32}, {catalog.RequestsFinished, "reason=error", 3},
			{catalog.RequestDuration, "", 32}, {catalog.RequestQueueDuration, "", 32}, {catalog.RequestTimePerOutputToken, "", 32}, {catalog.TimeToFirstToken, "", absent},
			{catalog.EngineSteps, "", 672}, {catalog.ModelContextLength, "", 4096}, {catalog.EngineMaxConcurrency, "", 128}, {catalog.KVCacheUsage, "", absent}, {catalog.EngineInfo, "version=3.3.6", 1},
		},
		"before-models": {{catalog.PromptTokens, "model=org/tiny-chat", 16384}},
	} {
		t.Run(state, func(t *testing.T) {
			r := stateOf(t, "Text Generation Inference", "written/tgi-3.3.6", state)
			wantEngine(t, r, "Text Generation Inference")
			wantAmounts(t, r, want...)
			if r.Healthy != Yes {
				t.Errorf("healthy %v (%s)", r.Healthy, r.Problem)
			}
		})
	}
}
