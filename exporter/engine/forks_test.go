package engine

import (
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// The build string of a fork is none of llama.cpp's builds: it is shown, and nothing is
// concluded from it.
func TestForkOfLlamacppIsReadUnderItsOwnBuildString(t *testing.T) {
	for state, version := range map[string]string{"own-build": "rocmfpx-1.4.2-g5d1f0ab", "own-number": "b7-rocmfpx"} {
		t.Run(state, func(t *testing.T) {
			r := stateOf(t, "llama.cpp", "written/rocmfpx", state)
			wantEngine(t, r, "llama.cpp")
			if r.Version != version {
				t.Errorf("version %q, want %q", r.Version, version)
			}
			wantAmounts(t, r,
				wanted{catalog.EngineInfo, "version=" + version, 1}, wanted{catalog.PromptTokens, "model=mtp", 10240}, wanted{catalog.SpecDecodeDraftTokens, "", 1500},
				wanted{catalog.SpecDecodeAcceptedTokens, "", 1100}, wanted{catalog.EngineMaxConcurrency, "", 4},
			)
		})
	}
}
