package engine

import (
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

func init() { vouch("Lemonade", "/v1/health", "/v1/models", "/metrics") }

func TestLemonadeCountsWhatItsChildrenForget(t *testing.T) {
	r := stateOf(t, "Lemonade", "written/lemonade-11.7.0", "busy")
	wantEngine(t, r, "Lemonade")
	const gguf, flm = "model=Tiny-GGUF", "model=Tiny-FLM"
	wantAmounts(t, r,
		wanted{catalog.GenerationTokens, gguf, 2000}, wanted{catalog.GenerationTokens, flm, 300}, wanted{catalog.PromptTokens, gguf, 10240},
		wanted{catalog.PromptComputedTokens, gguf, 5376}, wanted{catalog.PromptCachedTokens, gguf, 4864}, wanted{catalog.RequestsFinished, "", 23},
		wanted{catalog.RequestsRunning, gguf, 4}, wanted{catalog.RequestsWaiting, gguf, 2}, wanted{catalog.RequestsRunning, flm, 1}, wanted{catalog.RequestsWaiting, flm, absent},
		wanted{catalog.EngineSteps, gguf, 400}, wanted{catalog.ModelContextLength, gguf, 8192}, wanted{catalog.EngineInfo, "version=11.7.0", 1},
		wanted{catalog.ModelStateSet, "state=loaded", 2}, wanted{catalog.ModelStateSet, "state=unloaded", 1}, wanted{catalog.TimeToFirstToken, "", absent},
	)
}

func TestLemonadeWithoutNumbersIsAlive(t *testing.T) {
	r := newStateTarget(t, "Lemonade", "written/lemonade-11.7.0", "without-metrics").read()
	if r.Engine == nil || r.Engine.Name != "lemonade" || r.Healthy != Yes || r.Up != No || r.Reason != catalog.ReasonDisabled || r.Version != "10.4.0" {
		t.Errorf("engine %+v, healthy %v, up %v, reason %q", r.Engine, r.Healthy, r.Up, r.Reason)
	}
}
