package engine

import (
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

func init() { vouch("FastFlowLM", "/v1/models", "/api/npu/status", "/api/ps", "/api/version") }

// Its health path says ok all the while, and errors come with the status 200.
func TestFastFlowLMThatAnswersWithErrorsIsNotServing(t *testing.T) {
	busy, broken := newStateTarget(t, "FastFlowLM", "written/fastflowlm-0.9.24", "busy"), newStateTarget(t, "FastFlowLM", "written/fastflowlm-0.9.24", "error")
	s := NewSession(newClock().options())
	r := s.Read(t.Context(), busy.fetch)
	if r.Engine == nil || r.Engine.Name != "fastflowlm" || r.Healthy != Yes || r.Up != Unknown || r.Version != "0.9.24" {
		t.Errorf("engine %+v, healthy %v, up %v", r.Engine, r.Healthy, r.Up)
	}
	wantAmounts(t, r, wanted{catalog.RequestsRunning, "", 1}, wanted{catalog.ModelStateSet, "state=loaded", 1}, wanted{catalog.ModelInfo, "", 2})

	r = s.Read(t.Context(), broken.fetch)
	if r.Healthy != No || !strings.Contains(r.Problem, "no such model") || r.Engine.Name != "fastflowlm" {
		t.Errorf("healthy %v, problem %q, engine %s", r.Healthy, r.Problem, r.Engine.Name)
	}
}

func TestAnythingElseWithModelsIsAliveWithoutNumbers(t *testing.T) {
	r := newStateTarget(t, anyProgram, "written/freetoken", "alive").read()
	if r.Engine == nil || r.Engine.Name != "openai" || r.Healthy != Yes || r.Up != Unknown || r.Problem != "" {
		t.Errorf("engine %+v, healthy %v, up %v (%s)", r.Engine, r.Healthy, r.Up, r.Problem)
	}
	wantAmounts(t, r, wanted{catalog.ModelInfo, "model=experts", 1})
}
