package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// What must not be asked, or not so often, for it would load a model, wake it or keep it awake.

func TestSleepIsAskedForEveryTimeByBuildsThatCanSleep(t *testing.T) {
	awake := body(t, "llamacpp-b10434.props.json")
	asleep := strings.Replace(awake, `"is_sleeping":false`, `"is_sleeping":true`, 1)
	f := &fakeTarget{t: t, program: "llama.cpp", service: with(llamacpp070(t), map[string]said{
		"/props": jsonOf(awake), "/metrics": metrics(body(t, "llamacpp-b10434.metrics.txt")),
	})}
	s := NewSession(newClock().options())
	s.Read(t.Context(), f.fetch)
	f.paths()
	if s.Read(t.Context(), f.fetch); f.paths() != "/health /metrics /props" {
		t.Error("a build that can sleep was not asked whether it sleeps")
	}
	f.program, f.service["/props"] = "llama.cpp asleep", jsonOf(asleep)
	got := s.Read(t.Context(), f.fetch)
	if got.Up != No || got.Reason != catalog.ReasonAsleep || got.Healthy != Yes {
		t.Errorf("asleep: up %v, reason %q, healthy %v", got.Up, got.Reason, got.Healthy)
	}
}

func TestBuildsThatCannotSleepAreNotAskedForIt(t *testing.T) {
	f := &fakeTarget{t: t, program: "llama.cpp", service: with(llamacpp070(t), map[string]said{
		"/props":   jsonOf(`{"total_slots":4,"build_info":"b7079-416e7c7f4"}`),
		"/metrics": metrics(body(t, "llamacpp-b7079.metrics.txt")),
	})}
	clock := newClock()
	s := NewSession(clock.options())
	s.Read(t.Context(), f.fetch)
	f.paths()
	if s.Read(t.Context(), f.fetch); f.paths() != "/health /metrics" {
		t.Error("/props was asked again though it holds settings only")
	}
	// When they are old and /props does not answer, the danger is still known to be none.
	f.service["/props"] = said{fail: catalog.ReasonTimeout}
	clock.now = clock.now.Add(time.Hour)
	if got := s.Read(t.Context(), f.fetch); got.Up != Yes {
		t.Errorf("up %v, reason %q, want the numbers of a build that cannot sleep", got.Up, got.Reason)
	}
}

func TestOnlyLoadedModelsOfARouterAreAsked(t *testing.T) {
	list := `{"object":"list","data":[{"id":"model-a","status":{"value":"loaded"}},{"id":"model-b","status":{"value":"unloaded"}},` +
		`{"id":"org/model c","status":{"value":"sleeping"}},{"id":"model-d","status":{"value":"loading"}}]}`
	for name, tt := range map[string]struct{ build, want string }{
		"snapshots": {"b11669-Debian", "/health /metrics?model=model-a&autoload=false /metrics?model=org%2Fmodel+c&autoload=false /props /readiness /v1/models"},
		"older":     {"b9760-abc", "/health /metrics?model=model-a&autoload=false /props /readiness /v1/models"},
		"unknown":   {"b1-7e4c0a9", "/health /metrics?model=model-a&autoload=false /props /readiness /v1/models"},
	} {
		t.Run(name, func(t *testing.T) {
			page := metrics(body(t, "llamacpp-router.metrics.txt"))
			f := &fakeTarget{t: t, program: "llama.cpp router", service: from("llama.cpp", map[string]said{
				"/health": jsonOf(`{"status":"ok"}`), "/v1/models": jsonOf(list),
				"/props":                                jsonOf(`{"role":"router","build_info":"` + tt.build + `"}`),
				"/metrics?model=model-a&autoload=false": page, "/metrics?model=org%2Fmodel+c&autoload=false": page,
			})}
			s := NewSession(newClock().options())
			got := s.Read(t.Context(), f.fetch)
			if asked := f.paths(); asked != tt.want {
				t.Errorf("asked %s, want %s", asked, tt.want)
			}
			if got.Up != Yes || len(got.Models) != 4 {
				t.Errorf("up %v, models %v", got.Up, got.Models)
			}
			for _, want := range []string{"model-a loaded", "model-b unloaded", "model-d loading"} {
				if wrong := stateOfModel(got, want); wrong != "" {
					t.Error(wrong)
				}
			}
			for range 9 {
				s.Read(t.Context(), f.fetch)
			}
		})
	}
}

func TestNumbersMayBeAskedLessOften(t *testing.T) {
	clock := newClock()
	o := clock.options()
	o.NumbersEvery = time.Minute
	f := &fakeTarget{t: t, program: "llama.cpp", service: llamacpp070(t)}
	s := NewSession(o)
	asked := 0
	for range 9 {
		if r := s.Read(t.Context(), f.fetch); r.Up != Yes {
			t.Errorf("up %v (%s), want the numbers that are not old yet", r.Up, r.Problem)
		}
		asked += strings.Count(f.paths(), "/metrics")
		clock.now = clock.now.Add(15 * time.Second)
	}
	if asked != 3 {
		t.Errorf("asked %d times in two minutes and a scrape, want 3", asked)
	}
}

func TestACorrectedKeyIsNoticedBeforeASleepingModelIsWoken(t *testing.T) {
	refused := said{status: 401, server: "llama.cpp", kind: "application/json", body: `{"error":{"code":401,"message":"Invalid API Key"}}`}
	asleep := strings.Replace(body(t, "llamacpp-b10434.props.json"), `"is_sleeping":false`, `"is_sleeping":true`, 1)
	clock := newClock()
	good := llamacpp070(t)
	f := &fakeTarget{t: t, program: "llama.cpp", service: with(llamacpp070(t), map[string]said{
		"/v1/models": refused, "/props": refused, "/metrics": refused,
	})}
	s := NewSession(clock.options())
	if r := s.Read(t.Context(), f.fetch); r.Reason != catalog.ReasonAuth || r.Healthy != Yes {
		t.Fatalf("reason %q, healthy %v, want a server that wants a key", r.Reason, r.Healthy)
	}
	f.program = "llama.cpp asleep" // fails the test when it is asked for /metrics
	f.service = with(good, map[string]said{"/props": jsonOf(asleep)})
	if r := s.Read(t.Context(), f.fetch); r.Reason != catalog.ReasonAsleep {
		t.Errorf("reason %q after the key was corrected, want that it sleeps", r.Reason)
	}
	clock.now = clock.now.Add(refusalAge)
	if r := s.Read(t.Context(), f.fetch); len(r.Models) != 1 {
		t.Errorf("models %q a minute after the key was corrected, want its name", r.Models)
	}
}
