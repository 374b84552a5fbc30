package engine

import (
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// Names, versions and settings, which are read again only when they may have changed.

func TestSettingsAreReadOnceUntilTheyAreOld(t *testing.T) {
	clock := newClock()
	f := &fakeTarget{t: t, program: "vLLM", service: vllm032(t)}
	s := NewSession(clock.options())
	for _, step := range []struct {
		after time.Duration
		want  string
	}{
		{0, "/health /metrics /readiness /v1/models /version"},
		{15 * time.Second, "/health /metrics"},
		{4 * time.Minute, "/health /metrics"},
		{time.Minute, "/health /metrics /v1/models /version"},
		{15 * time.Second, "/health /metrics"},
	} {
		clock.now = clock.now.Add(step.after)
		r := s.Read(t.Context(), f.fetch)
		if got := f.paths(); got != step.want {
			t.Errorf("after %v asked %s, want %s", step.after, got, step.want)
		}
		if r.Version != "0.32.0" || len(r.Models) != 3 {
			t.Errorf("after %v version %q, models %v", step.after, r.Version, r.Models)
		}
	}
}

func TestSettingsAreReadAtOnceWhenTheServerWasAway(t *testing.T) {
	f := &fakeTarget{t: t, program: "vLLM", service: vllm032(t)}
	s := NewSession(newClock().options())
	s.Read(t.Context(), f.fetch)
	f.service, f.other = nil, said{fail: catalog.ReasonRefused}
	away := s.Read(t.Context(), f.fetch)
	if away.Engine != vllm || away.Healthy != No || away.Reason != catalog.ReasonRefused {
		t.Errorf("away: engine %v, healthy %v, reason %q", away.Engine, away.Healthy, away.Reason)
	}
	s.Read(t.Context(), f.fetch)

	f.service = with(vllm032(t), map[string]said{"/version": jsonOf(`{"version":"0.33.0"}`)})
	if back := s.Read(t.Context(), f.fetch); back.Version != "0.33.0" || back.Up != Yes {
		t.Errorf("back: version %q, up %v, want the new version at once", back.Version, back.Up)
	}
}

func TestSettingsThatAreRefusedAreNotAskedForAtEveryScrape(t *testing.T) {
	f := &fakeTarget{t: t, program: "vLLM", service: with(vllm032(t), map[string]said{
		"/v1/models": {status: 401, server: "uvicorn", kind: "application/json", body: `{"error":"Unauthorized"}`},
	})}
	s := NewSession(newClock().options())
	if first := s.Read(t.Context(), f.fetch); len(first.Errors) != 1 || first.Errors[0].Reason != catalog.ReasonAuth {
		t.Errorf("errors %v, want the refused list of models", first.Errors)
	}
	f.paths()
	second := s.Read(t.Context(), f.fetch)
	if asked := f.paths(); asked != "/health /metrics" || len(second.Errors) != 0 {
		t.Errorf("asked %s with errors %v, want only what changes", asked, second.Errors)
	}
}

func TestAKeyThatCannotBeReadDoesNotMakeAServerDown(t *testing.T) {
	unreadable := said{fail: catalog.ReasonAuth}
	f := &fakeTarget{t: t, program: "llama.cpp", service: llamacpp070(t)}
	s := NewSession(newClock().options())
	s.Read(t.Context(), f.fetch)
	f.service, f.other = nil, unreadable
	for range 2 { // still recognised, and then not any more
		if r := s.Read(t.Context(), f.fetch); r.Healthy != Unknown || r.Up != No || r.Reason != catalog.ReasonAuth {
			t.Errorf("healthy %v, up %v, reason %q, want nothing known but the reason", r.Healthy, r.Up, r.Reason)
		}
	}
}

func TestSettingsThatCannotBeReadAgainStayAsTheyWere(t *testing.T) {
	clock := newClock()
	f := &fakeTarget{t: t, program: "llama.cpp", service: llamacpp070(t)}
	s := NewSession(clock.options())
	s.Read(t.Context(), f.fetch)
	clock.now = clock.now.Add(time.Hour)
	f.service["/v1/models"] = said{fail: catalog.ReasonTimeout}
	r := s.Read(t.Context(), f.fetch)
	if len(r.Models) != 1 || r.Models[0] != "small" || len(r.Errors) != 1 {
		t.Errorf("models %q, errors %v, want the old name and one error", r.Models, r.Errors)
	}
	for i := range r.Points {
		if p := &r.Points[i]; p.Series == catalog.RequestsRunning && p.Label(catalog.LabelModel) != "small" {
			t.Errorf("requests running of model %q, want the name that it had", p.Label(catalog.LabelModel))
		}
	}
}

func TestRestartThatNobodySawMakesSettingsBeReadAgain(t *testing.T) {
	f := &fakeTarget{t: t, program: "vLLM", service: vllm032(t)}
	s := NewSession(newClock().options())
	s.Read(t.Context(), f.fetch)
	f.service = with(vllm032(t), map[string]said{
		"/version": jsonOf(`{"version":"0.33.0"}`), "/metrics": metrics("vllm:generation_tokens_total{model_name=\"tiny-chat\"} 3\n"),
	})
	if r := s.Read(t.Context(), f.fetch); r.Version != "0.33.0" || len(r.Points) == 0 {
		t.Errorf("version %q, want the one of the process that counts from 0", r.Version)
	}
}

func TestOperatorNamesTheModelOnlyWhereTheServerDoesNot(t *testing.T) {
	for name, tt := range map[string]struct {
		service map[string]said
		want    string
	}{
		"the server does":     {llamacpp070(t), "small"},
		"the server does not": {map[string]said{"/metrics": metrics(body(t, "llamacpp-b5036.metrics.txt"))}, "mine"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeTarget{t: t, program: "llama.cpp", service: tt.service}
			r := NewSession(Options{Backend: "b", Model: "mine"}).Read(t.Context(), f.fetch)
			for i := range r.Points {
				if p := &r.Points[i]; p.Series == catalog.GenerationTokens && p.Label(catalog.LabelModel) != tt.want {
					t.Errorf("model %q, want %q", p.Label(catalog.LabelModel), tt.want)
				}
			}
			if len(r.Models) != 1 || r.Models[0] != tt.want {
				t.Errorf("models %q, want %q", r.Models, tt.want)
			}
		})
	}
}
