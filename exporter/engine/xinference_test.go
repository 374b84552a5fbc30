package engine

import (
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

func init() { vouch("Xinference", "/v1/models", "/metrics") }

// What was fed to the collectors, from the README of the recording.
func TestXinferenceSaysWhatItsCollectorsWereFed(t *testing.T) {
	for name, tt := range map[string]struct {
		dir, state string
		want       []wanted
	}{
		"worker, unused": {"worker", "fresh", []wanted{{catalog.PromptTokens, "", absent}}},
		"worker, busy":   {"worker", "busy", []wanted{{catalog.RequestsRunning, "model=tiny-chat", 8}, {catalog.RequestsWaiting, "", absent}, {catalog.EngineMaxConcurrency, "", absent}}},
		"worker, after": {"worker", "after", []wanted{
			{catalog.PromptTokens, "", 16384}, {catalog.GenerationTokens, "", 3200}, {catalog.RequestsFinished, "reason=unknown", 33},
			{catalog.TimeToFirstToken, "", 16}, {catalog.RequestDuration, "", absent}, {catalog.RequestsRunning, "", 0},
		}},
		"supervisor, two workers": {"supervisor", "two-workers", []wanted{
			{catalog.ModelStateSet, "state=loaded", 1}, {catalog.EngineInfo, "version=4.1.0", 1}, {catalog.GenerationTokens, "", absent},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := stateOf(t, "Xinference", "xinference-4.1.0/"+tt.dir, tt.state)
			wantEngine(t, r, "Xinference")
			wantAmounts(t, r, tt.want...)
			if r.Dropped != 0 {
				t.Errorf("%d dropped", r.Dropped)
			}
		})
	}
}
