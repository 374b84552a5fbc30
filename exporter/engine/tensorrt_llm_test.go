package engine

import (
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

func init() { vouch("TensorRT-LLM", "/prometheus/metrics", "/health", "/version", "/v1/models") }

func TestTensorRTSaysWhatItsPageSays(t *testing.T) {
	after := []wanted{
		{catalog.PromptTokens, "", 16384}, {catalog.GenerationTokens, "", 3200}, {catalog.PromptCachedTokens, "", 7936}, {catalog.PromptComputedTokens, "", 8448},
		{catalog.RequestsFinished, "reason=stop", 24}, {catalog.RequestsFinished, "reason=length", 8}, {catalog.RequestsFinished, "reason=error", 3},
		{catalog.KVCacheCapacity, "", 65536}, {catalog.KVCacheUsage, "", 0.046875}, {catalog.KVCacheUsed, "", 3072}, {catalog.EngineMaxConcurrency, "", 64},
		{catalog.TimeToFirstToken, "", 32}, {catalog.RequestTimePerOutputToken, "", 32}, {catalog.InterTokenLatency, "", absent}, {catalog.Preemptions, "", absent},
		{catalog.SpecDecodeDraftTokens, "", absent}, {catalog.ModelContextLength, "model=tiny-chat", 8192},
	}
	for name, tt := range map[string]struct {
		dir, state string
		want       []wanted
	}{
		"unused": {"default", "fresh", []wanted{{catalog.PromptCachedTokens, "", 0}, {catalog.PromptTokens, "", absent}, {catalog.RequestsRunning, "", absent}}},
		"busy": {"default", "busy", []wanted{
			{catalog.RequestsRunning, "", 8}, {catalog.RequestsWaiting, "", 4}, {catalog.KVCacheUsage, "", 0.3125}, {catalog.KVCacheUsed, "", 20480}, {catalog.RequestsFinished, "reason=error", absent},
		}},
		"after":     {"default", "after", after},
		"undefined": {"old-labels", "after", append(after[:len(after)-1:len(after)-1], wanted{catalog.PromptTokens, "model=undefined", absent}, wanted{catalog.PromptTokens, "model=tiny-chat", 16384})},
		"speculation": {"spec", "after", []wanted{
			{catalog.SpecDecodeDraftTokens, "", 3168}, {catalog.SpecDecodeAcceptedTokens, "", 2144}, {catalog.SpecDecodeAcceptedPerPosition, "position=1", 704},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := stateOf(t, "TensorRT-LLM", "written/tensorrt-llm-050f80d/"+tt.dir, tt.state)
			wantEngine(t, r, "TensorRT-LLM")
			wantAmounts(t, r, tt.want...)
			for i := range r.Points {
				for _, label := range r.Points[i].Labels {
					if label == "/srv/tiny" {
						t.Errorf("%s shows a path of the host", r.Points[i].Series.Name)
					}
				}
			}
		})
	}
}

// /metrics empties a queue that others read: no state of the server makes it worth asking.
func TestTensorRTWithoutNumbersIsToldHowToGetThem(t *testing.T) {
	f := newStateTarget(t, "TensorRT-LLM", "written/tensorrt-llm-050f80d/default", "no-metrics")
	r := f.read()
	if r.Healthy != Yes || r.Up != No || r.Reason != catalog.ReasonDisabled {
		t.Errorf("healthy %v, up %v, reason %q (%s)", r.Healthy, r.Up, r.Reason, r.Problem)
	}
	for _, e := range BuiltIn() {
		for _, ep := range e.Endpoints {
			if e.Name == "trtllm" && ep.Path == "/metrics" {
				t.Error("/metrics is among the paths of TensorRT-LLM")
			}
		}
	}
}
