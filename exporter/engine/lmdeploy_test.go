package engine

import (
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

func init() { vouch("LMDeploy", "/health", "/v1/models", "/metrics") }

// What was fed to the collectors, from the README of the recording.
func TestLMDeploySaysWhatItsCollectorsWereFed(t *testing.T) {
	for name, tt := range map[string]struct {
		dir, state string
		want       []wanted
	}{
		"unused": {"default", "fresh", []wanted{{catalog.PromptTokens, "", 0}, {catalog.SpecDecodeDraftTokens, "", 0}}},
		"busy": {"default", "busy", []wanted{
			{catalog.RequestsRunning, "", 8}, {catalog.RequestsWaiting, "", 4}, {catalog.KVCacheUsage, "", 0.3125}, {catalog.RequestsFinished, "reason=error", 0},
			{catalog.RequestsFinished, "reason=unknown", 20},
		}},
		"after": {"default", "after", []wanted{
			{catalog.PromptTokens, "", 16384}, {catalog.GenerationTokens, "", 3200}, {catalog.PromptCachedTokens, "", 7680}, {catalog.PromptComputedTokens, "", absent},
			{catalog.PrefixCacheQueries, "", 16384}, {catalog.PrefixCacheHits, "", 7680},
			{catalog.RequestsFinished, "reason=unknown", 32}, {catalog.RequestsFinished, "reason=error", 3}, {catalog.RequestsWaiting, "", 0},
		}},
		"speculation": {"spec", "after", []wanted{
			{catalog.SpecDecodeDrafts, "", 1088}, {catalog.SpecDecodeDraftTokens, "", 3168}, {catalog.SpecDecodeAcceptedTokens, "", 2112},
			{catalog.InterTokenLatency, "", 1056}, {catalog.RequestTimePerOutputToken, "", absent},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := stateOf(t, "LMDeploy", "lmdeploy-0.18.0/"+tt.dir, tt.state)
			wantEngine(t, r, "LMDeploy")
			wantAmounts(t, r, tt.want...)
		})
	}
}
