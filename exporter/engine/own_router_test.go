package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// ownRouter is a mapping as the configuration makes it, for a router that answers 200 on
// /health while it names the replicas that are out.
func ownRouter() *Engine {
	return &Engine{
		Name: "in_house", Title: "in-house router", Router: true,
		Endpoints: []Endpoint{{Path: "/health", Format: JSON, Role: Numbers}},
		JSON: []JSONMapping{{
			Path: "/health", Each: "replicas", To: catalog.RouterTargetHealthy, Value: "state",
			Words:  map[string]float64{"up": 1, "down": 0, "demoted": 0},
			Labels: []LabelFrom{{To: catalog.LabelTarget, From: "url"}},
		}},
	}
}

func replicas(first, second string) said {
	return jsonOf(`{"status":"ok","policy":"adaptive","replicas":[` +
		`{"name":"card-0","url":"http://10.0.0.1:8001","state":"` + first + `","failures":0},` +
		`{"name":"card-1","url":"http://user:secret@10.0.0.1:8002","state":"` + second + `","failures":3}]}`)
}

// TestRouterByConfigurationFollowsItsReplicas plays one router through its states, so that
// what is remembered must not outlive what is.
func TestRouterByConfigurationFollowsItsReplicas(t *testing.T) {
	f := &fakeTarget{t: t, program: "own router", service: map[string]said{}}
	own := ownRouter()
	s := NewSession(Options{Backend: "front", Engine: own, Engines: append([]*Engine{own}, BuiltIn()...)})
	for _, step := range []struct {
		name    string
		answer  said
		healthy Tri
		up      Tri
		reason  catalog.Reason
		problem string
		want    string // of the two replicas
	}{
		{"all up", replicas("up", "up"), Yes, Yes, "", "", "10.0.0.1:8001=1 10.0.0.1:8002=1"},
		{"one down", replicas("up", "down"), Yes, Yes, "", "", "10.0.0.1:8001=1 10.0.0.1:8002=0"},
		{"demoted", replicas("demoted", "up"), Yes, Yes, "", "", "10.0.0.1:8001=0 10.0.0.1:8002=1"},
		{"back", replicas("up", "up"), Yes, Yes, "", "", "10.0.0.1:8001=1 10.0.0.1:8002=1"},
		{"a word that nobody listed", replicas("up", "draining"), Yes, Yes, "", "", "10.0.0.1:8001=1"},
		{"not JSON", ok("text/html", "<html>router</html>"), Yes, No, catalog.ReasonNotMetrics, "/health answered an HTML or XML page, not JSON", ""},
		{"cut JSON", jsonOf(`{"status":"ok","replicas":[{"url":`), Yes, No, catalog.ReasonNotMetrics, "not JSON", ""},
		{"502", said{status: 502, body: "bad gateway"}, No, No, catalog.ReasonHTTP, "/health answered 502 (bad gateway)", ""},
		{"gone", said{fail: catalog.ReasonRefused}, No, No, catalog.ReasonRefused, "refused", ""},
		{"there again", replicas("up", "up"), Yes, Yes, "", "", "10.0.0.1:8001=1 10.0.0.1:8002=1"},
	} {
		f.service["/health"] = step.answer
		r := s.Read(t.Context(), f.fetch)
		if r.Engine != own || r.Healthy != step.healthy || r.Up != step.up || r.Reason != step.reason {
			t.Errorf("%s: healthy %v, up %v, reason %q, want %v, %v, %q", step.name, r.Healthy, r.Up, r.Reason, step.healthy, step.up, step.reason)
		}
		if !strings.Contains(r.Problem, step.problem) || step.problem == "" && r.Problem != "" {
			t.Errorf("%s: problem %q, want %q", step.name, r.Problem, step.problem)
		}
		var got []string
		for i := range r.Points {
			if p := &r.Points[i]; p.Series == catalog.RouterTargetHealthy {
				value := map[float64]string{0: "=0", 1: "=1"}[p.Value]
				got = append(got, strings.TrimPrefix(p.Label(catalog.LabelTarget), "http://")+value)
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != step.want {
			t.Errorf("%s: replicas %q, want %q", step.name, got, step.want)
		}
	}
}

func TestForkByConfigurationIsNotCalledAMistake(t *testing.T) {
	fork := *llamacpp
	fork.Name, fork.Title, fork.Detect = "rocm_fork", "a fork of llama.cpp", nil
	f := &fakeTarget{t: t, program: "llama.cpp", service: llamacpp070(t)}
	s := NewSession(Options{Backend: "b", Engine: &fork, Engines: append([]*Engine{&fork}, BuiltIn()...)})
	if r := s.Read(t.Context(), f.fetch); r.Engine != &fork || r.Up != Yes || r.Problem != "" {
		t.Errorf("engine %v, up %v, problem %q, want the fork without a problem", r.Engine.Name, r.Up, r.Problem)
	}
}
