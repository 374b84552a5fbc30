package engine

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// What a session makes of answers that do not come, or come from somebody else.

func TestHungNumbersDoNotHideTheHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeTarget{t: t, program: "llama.cpp", service: with(llamacpp070(t), map[string]said{"/metrics": {hang: true}})}
		ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
		defer cancel()
		got := NewSession(Options{Backend: "b"}).Read(ctx, f.fetch)
		if got.Healthy != Yes || got.Up != No || got.Reason != catalog.ReasonTimeout {
			t.Errorf("healthy %v, up %v, reason %q, want a healthy server whose numbers timed out", got.Healthy, got.Up, got.Reason)
		}
	})
}

func TestAModelThatHangsBehindARouterCostsOnlyItsOwnNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const (
			small = "/metrics?model=small&autoload=false"
			large = "/metrics?model=large&autoload=false"
		)
		loaded := `"status":{"value":"loaded"}`
		f := &fakeTarget{t: t, program: "llama.cpp router", service: from("llama.cpp", map[string]said{
			"/health":    jsonOf(`{"status":"ok"}`),
			"/props":     jsonOf(`{"role":"router","build_info":"b11669-x"}`),
			"/v1/models": jsonOf(`{"data":[{"id":"small",` + loaded + `},{"id":"large",` + loaded + `}]}`),
			"/models":    jsonOf(`{"data":[{"id":"small",` + loaded + `},{"id":"large",` + loaded + `}]}`),
			small:        metrics(body(t, "llamacpp-router.metrics.txt")),
			large:        {hang: true},
		})}
		// What a Prometheus with its default timeout leaves.
		ctx, cancel := context.WithTimeout(t.Context(), 9500*time.Millisecond)
		defer cancel()
		got := NewSession(Options{Backend: "b"}).Read(ctx, f.fetch)
		if ctx.Err() != nil {
			t.Error("the round lasted until the deadline")
		}
		if got.Up != Yes || !slices.ContainsFunc(got.Points, func(p catalog.Point) bool {
			return p.Series == catalog.GenerationTokens && p.Label(catalog.LabelModel) == "small"
		}) {
			t.Errorf("up %v with %d points, want the numbers of the model that answers", got.Up, len(got.Points))
		}
	})
}

func TestAnotherProgramAtTheAddressIsFoundOut(t *testing.T) {
	clock := newClock()
	f := &fakeTarget{t: t, program: "vLLM", service: vllm032(t)}
	s := NewSession(clock.options())
	s.Read(t.Context(), f.fetch)
	f.program, f.service = "llama.cpp", llamacpp070(t)
	got := s.Read(t.Context(), f.fetch)
	if got.Engine != llamacpp || got.Up != Yes || got.Version != "b11669-Debian" {
		t.Errorf("found %v %q, up %v (%s), want llama.cpp", got.Engine.Title, got.Version, got.Up, got.Problem)
	}
}
