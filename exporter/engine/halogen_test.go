package engine

import (
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

func init() { vouch("halogen-flash-server", "/health", "/cache", "/v1/models", "/metrics") }

func TestHalogensReservationIsNotItsOccupation(t *testing.T) {
	r := stateOf(t, "halogen-flash-server", "written/halogen-0.16.2", "busy")
	wantEngine(t, r, "halogen-flash-server")
	wantAmounts(t, r,
		wanted{catalog.KVCacheUsage, "model=halogen-flash", 0.125}, wanted{catalog.KVCacheUsed, "", 32768}, wanted{catalog.KVCacheCapacity, "", 262144},
		wanted{catalog.RequestsRunning, "", 4}, wanted{catalog.RequestsWaiting, "", 2}, wanted{catalog.RequestsFinished, "reason=unknown", 20},
		wanted{catalog.PromptTokens, "", 10240}, wanted{catalog.PromptComputedTokens, "", 5376}, wanted{catalog.PromptCachedTokens, "", 4864},
		wanted{catalog.GenerationTokens, "", 2000}, wanted{catalog.SpecDecodeDraftTokens, "", 3000}, wanted{catalog.SpecDecodeAcceptedTokens, "", 1200},
		wanted{catalog.EngineMaxConcurrency, "", 4}, wanted{catalog.ModelContextLength, "", 131072}, wanted{catalog.EngineInfo, "version=0.16.2", 1},
	)
}

// Before 0.11.9 the path waits for an engine that computes a long prompt.
func TestOldHalogenIsNotAskedForItsCache(t *testing.T) {
	f := newStateTarget(t, "halogen-flash-server", "written/halogen-0.16.2", "old")
	r := f.read()
	wantEngine(t, r, "halogen-flash-server")
	wantAmounts(t, r, wanted{catalog.KVCacheUsage, "", absent}, wanted{catalog.KVCacheUsed, "", absent}, wanted{catalog.KVCacheCapacity, "", 262144})
	if asked := f.paths(); strings.Contains(asked, "/cache") {
		t.Errorf("asked %s", asked)
	}
}

func TestHalogenWhoseEngineIsDeadIsNotHealthy(t *testing.T) {
	r := newStateTarget(t, "halogen-flash-server", "written/halogen-0.16.2", "engine-dead").read()
	if r.Healthy != No || !strings.Contains(r.Problem, "nobody who could serve") {
		t.Errorf("healthy %v, problem %q", r.Healthy, r.Problem)
	}
}
