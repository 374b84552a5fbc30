package engine

import (
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

func init() { vouch("Aphrodite", vllmPaths...) }

// The same was fed to the collectors of both.
func TestVllm033AndAphroditeSayTheSame(t *testing.T) {
	for title, dir := range map[string]string{"vLLM": "vllm-0.33.0", "Aphrodite": "aphrodite-0.24.1"} {
		t.Run(title, func(t *testing.T) {
			busy := stateOf(t, "vLLM", dir+"/default", "busy")
			wantEngine(t, busy, title)
			wantAmounts(t, busy, wanted{catalog.RequestsRunning, "", 8}, wanted{catalog.RequestsWaiting, "", 4}, wanted{catalog.KVCacheUsage, "", 0.3125})
			after := stateOf(t, "vLLM", dir+"/default", "after")
			wantAmounts(t, after,
				wanted{catalog.PromptTokens, "", 16384}, wanted{catalog.GenerationTokens, "", 3200}, wanted{catalog.RequestsFinished, "", 32},
				wanted{catalog.PrefixCacheHits, "", 7680}, wanted{catalog.PrefixCacheQueries, "", 16384},
			)
		})
	}
}

func TestAphroditeWithAKeyIsNotTakenForVllm(t *testing.T) {
	f := &fakeTarget{t: t, program: "vLLM", service: from("uvicorn", map[string]said{
		"/v1/models": {status: 401, kind: "application/json", body: `{"error":"Unauthorized"}`}, "/version": jsonOf(`{"version":"0.24.1"}`),
		"/health": noContent, "/metrics": metrics("aphrodite:num_requests_running{model_name=\"m\",engine=\"0\"} 2\n"),
	})}
	r := f.read()
	wantEngine(t, r, "Aphrodite")
	wantAmounts(t, r, wanted{catalog.RequestsRunning, "model=m", 2})
}

func TestFeaturesOfVllm033AreKnown(t *testing.T) {
	r := stateOf(t, "vLLM", "vllm-0.33.0/features", "after")
	wantEngine(t, r, "vLLM")
	wantAmounts(t, r, wanted{catalog.PromptTokens, "", 16384}, wanted{catalog.RequestsFinished, "", 32})
	if amount(r, catalog.SpecDecodeDraftTokens, "") <= 0 {
		t.Error("nothing drafted")
	}
}
