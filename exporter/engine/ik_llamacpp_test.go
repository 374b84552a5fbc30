package engine

import (
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

func init() {
	// /health may reload tensors, /slots shows prompts: neither is here.
	vouch("ik_llama.cpp", "/v1/models", "/props", "/metrics")
}

// The page of second 20 of the recording: 4 of 5 clients in slots, one waiting.
func TestIkLlamacppIsNotTakenForLlamacpp(t *testing.T) {
	page := "llamacpp:prompt_tokens_total 6161\nllamacpp:tokens_predicted_total 5049\nllamacpp:kv_cache_usage_ratio 0.127319\n" +
		"llamacpp:kv_cache_tokens 1043\nllamacpp:requests_processing 4\nllamacpp:requests_deferred 1\n" +
		"llamacpp:prompt_seconds_total 7.86\nllamacpp:tokens_predicted_seconds_total 45.179\n"
	models := `{"data":[{"id":"small","owned_by":"llamacpp","meta":{"n_ctx_train":4096},"max_model_len":8192}]}`
	props := `{"total_slots":4,"default_generation_settings":{"n_ctx":2048},"n_ctx":8192}`
	for name, server := range map[string]string{"by its header": "ik_llama.cpp", "by its numbers alone": "proxy"} {
		t.Run(name, func(t *testing.T) {
			f := &fakeTarget{t: t, program: "ik_llama.cpp", service: from(server, map[string]said{
				"/v1/models": jsonOf(models), "/props": jsonOf(props), "/metrics": metrics(page),
			})}
			if server == "proxy" {
				f.program = "llama.cpp" // until its numbers are seen it is asked like one
			}
			got := NewSession(newClock().options()).Read(t.Context(), f.fetch)
			if got.Engine == nil || got.Engine.Name != "ik_llamacpp" || got.Up != Yes || got.Healthy != Yes {
				t.Fatalf("engine %+v, up %v, healthy %v", got.Engine, got.Up, got.Healthy)
			}
			want := map[*catalog.Series]float64{
				catalog.RequestsRunning: 4, catalog.RequestsWaiting: 1, catalog.PromptComputedTokens: 6161, catalog.GenerationTokens: 5049,
				catalog.KVCacheUsage: 0.127319, catalog.KVCacheUsed: 1043, catalog.KVCacheCapacity: 8192,
				catalog.EngineMaxConcurrency: 4, catalog.ModelContextLength: 2048, catalog.ModelTrainContextLength: 4096,
			}
			for _, p := range got.Points {
				if w, ok := want[p.Series]; ok && p.Value == w && p.Label(catalog.LabelModel) == "small" {
					delete(want, p.Series)
				}
				if p.Series == catalog.PromptTokens || p.Series == catalog.SpecDecodeDraftTokens {
					t.Errorf("%s = %g, but the server does not say it", p.Series.Name, p.Value)
				}
			}
			for s, w := range want {
				t.Errorf("%s: no point of model small with the value %g", s.Name, w)
			}
			if len(got.Missing) > 0 {
				t.Errorf("missing %v", got.Missing)
			}
		})
	}
}
