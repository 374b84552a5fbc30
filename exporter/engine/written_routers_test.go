package engine

import (
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// onMetricsPort reads a target whose page is on a port of its own.
func (f *fakeTarget) onMetricsPort() *Reading {
	o := newClock().options()
	o.HasMetricsPort = true
	f.metrics, f.service = f.service, map[string]said{}
	return NewSession(o).Read(f.t.Context(), f.fetch)
}

func healthy(target string, want float64) wanted {
	return wanted{catalog.RouterTargetHealthy, "target=" + target, want}
}

func TestThreeGenerationsOfSGLangGatewaysSayTheSame(t *testing.T) {
	read := func(dir, state, title string) *Reading {
		r := newStateTarget(t, title, dir, state).onMetricsPort()
		wantEngine(t, r, title)
		if len(r.Missing) > 0 || len(r.Unmapped) > 0 || r.Dropped > 0 {
			t.Errorf("%s: missing %q, unmapped %q, %d dropped", state, r.Missing, r.Unmapped, r.Dropped)
		}
		return r
	}
	router, gateway := "SGLang router (sgl-router)", "SGLang Model Gateway (smg)"
	wantAmounts(t, read("written/sgl-router-0.1.9", "mid-2025", router),
		healthy("http://w1.example:8000", 1), healthy("http://w2.example:8000", 0), healthy("http://w3.example:8000", absent),
		wanted{catalog.RouterTargets, "state=healthy", 1}, wanted{catalog.RouterTargets, "state=unhealthy", 1},
		wanted{catalog.RouterCircuitState, "", 1}, wanted{catalog.RouterRequests, "", 500}, wanted{catalog.RouterErrors, "reason=request_failed", 9},
		wanted{catalog.RouterRetries, "", 8}, wanted{catalog.RouterRetriesExhausted, "", 1}, wanted{catalog.RouterInflight, "", 3},
		wanted{catalog.RouterTargetRequests, "outcome=failure", 9})
	wantAmounts(t, read("written/sgl-router-0.1.9", "slim", router),
		healthy("http://w1.example:8000", 1), healthy("http://w2.example:8000", 0), wanted{catalog.RouterRequests, "", 500},
		wanted{catalog.RouterErrors, "reason=503", 3}, wanted{catalog.RouterQueued, "", 2}, wanted{catalog.RouterInflight, "", 4},
		wanted{catalog.RouterTargetRequests, "outcome=success", 497})
	wantAmounts(t, read("written/smg-0.3.2", "removed", gateway),
		healthy("http://w1.example:8000", 1), healthy("http://w2.example:8000", absent), healthy("http://w3.example:8000", 0),
		wanted{catalog.RouterCircuitState, "target=http://w2.example:8000", absent}, wanted{catalog.RouterCircuitState, "target=http://w3.example:8000", 2},
		wanted{catalog.RouterRequests, "model=m", 500}, wanted{catalog.RouterRetries, "", 3})
}

// Cases of the field: a family that was renamed, and a prefix that came back with other meanings.
func TestRouterFamilyRemovedInOneRelease(t *testing.T) {
	workers := func(name, label string) string {
		return name + `{` + label + `="http://w1.example:8000"} 1` + "\n" + name + `{` + label + `="http://w2.example:8000"} 0` + "\n"
	}
	for title, page := range map[string]string{
		"SGLang Model Gateway (smg)": `smg_router_requests_total{router_type="http",model_id="m"} 500` + "\n" + workers("smg_worker_health", "worker"),
		"SGLang router (sgl-router)": `sgl_router_responses_total{status_code="200"} 500` + "\n" + workers("sgl_router_worker_health", "worker_url"),
	} {
		r := (&fakeTarget{t: t, program: title, service: map[string]said{"/metrics": metrics(page)}}).onMetricsPort()
		wantEngine(t, r, title)
		wantAmounts(t, r, wanted{catalog.RouterRequests, "", 500}, healthy("http://w1.example:8000", 1), healthy("http://w2.example:8000", 0))
	}
	f := page(t, plainExporter, `new_router_requests_total 500`+"\n")
	if r := f.read(); r.Engine != nil || len(r.Points) > 0 || r.Reason != catalog.ReasonUnrecognized {
		t.Errorf("an unknown prefix is %+v with %d points, reason %q", r.Engine, len(r.Points), r.Reason)
	}
}

func TestLlamaSwapSaysWhatRunsAndTouchesNothing(t *testing.T) {
	for state, want := range map[string][]wanted{
		"ready":       {healthy("http://127.0.0.1:9001", 1), modelIs("model-a", "loaded"), modelIs("model-b", "unloaded")},
		"starting":    {healthy("http://127.0.0.1:9001", absent), modelIs("model-a", "loading"), modelIs("model-b", "unloaded")},
		"swapping":    {modelIs("model-a", "unloaded"), modelIs("model-b", "loading"), {catalog.RouterTargetHealthy, "", absent}},
		"idle":        {modelIs("model-a", "unloaded"), modelIs("model-b", "unloaded")},
		"monitor-off": {healthy("http://127.0.0.1:9001", 1), modelIs("model-a", "loaded")},
	} {
		t.Run(state, func(t *testing.T) {
			r := stateOf(t, "llama-swap", "written/llama-swap-250", state)
			wantEngine(t, r, "llama-swap")
			if r.Healthy != Yes || r.Version != "250" {
				t.Errorf("healthy %v, version %q", r.Healthy, r.Version)
			}
			for _, w := range want {
				if w.series != catalog.ModelStateSet {
					wantAmounts(t, r, w)
				} else if got := stateOfModel(r, w.label); got != "" {
					t.Error(got)
				}
			}
			for i := range r.Points {
				if text := printedPoint(&r.Points[i]); strings.Contains(text, "REDACTED") || strings.Contains(text, "llama-server") {
					t.Errorf("a command line in %s", text)
				}
			}
		})
	}
}

// modelIs says which state of a model holds: "model state" stands in the place of a label.
func modelIs(model, state string) wanted {
	return wanted{series: catalog.ModelStateSet, label: model + " " + state}
}

// stateOfModel is a complaint if another state than the wanted one holds.
func stateOfModel(r *Reading, want string) string {
	model, state, _ := strings.Cut(want, " ")
	found := ""
	for i := range r.Points {
		p := &r.Points[i]
		if p.Series == catalog.ModelStateSet && p.Label(catalog.LabelModel) == model && p.Value == 1 {
			found += p.Label(catalog.LabelState) + " "
		}
	}
	if found != state+" " {
		return model + " is " + found + "want " + state
	}
	return ""
}

func TestEnvoyNamesTheHostThatIsOut(t *testing.T) {
	for state, second := range map[string]float64{"healthy": 1, "failed-check": 0, "ejected": 0, "discovery": 0} {
		r := newStateTarget(t, "Envoy", "written/envoy-1.31", state).onMetricsPort()
		wantEngine(t, r, "Envoy")
		wantAmounts(t, r, healthy("10.0.0.1:8001", 1), healthy("10.0.0.2:8002", second), wanted{catalog.RouterInflight, "", 3}, wanted{catalog.RouterQueued, "", 2},
			wanted{catalog.RouterRequestDuration, "", 100}, wanted{catalog.RouterTargets, "state=healthy", 1 + second})
		if second == 0 {
			wantAmounts(t, r, wanted{catalog.RouterRequests, "", 140}, wanted{catalog.RouterErrors, "reason=5xx", 6}, wanted{catalog.RouterErrors, "reason=none_healthy", 2},
				wanted{catalog.RouterRetries, "", 9}, wanted{catalog.RouterRetriesExhausted, "", 4}, wanted{catalog.RouterTargets, "state=unhealthy", 1})
		}
	}
}

func TestEndpointPickerCountsEachNumberOnce(t *testing.T) {
	same := []wanted{
		{catalog.RouterRequests, "model=m", 120}, {catalog.RouterErrors, "reason=Internal", 4}, {catalog.RouterInflight, "", 7}, {catalog.RouterQueued, "", 5},
		{catalog.RouterPolicyDecisions, "", 116}, {catalog.RouterPolicyDecisions, "target=pod-2", 46}, {catalog.RouterRequestDuration, "", 116},
	}
	for _, state := range []string{"model", "objective", "both", "nobody"} {
		r := stateOf(t, "llm-d endpoint picker", "written/llm-d-router-0.10.0", state)
		wantEngine(t, r, "llm-d endpoint picker")
		wantAmounts(t, r, same...)
		ready := 2.0
		if state == "nobody" {
			ready = 0
		}
		wantAmounts(t, r, wanted{catalog.RouterTargets, "state=healthy", ready}, wanted{catalog.KVCacheUsage, "", absent})
	}
	r := stateOf(t, "llm-d endpoint picker", "written/llm-d-router-0.10.0", "both")
	wantAmounts(t, r, wanted{catalog.RouterTimeToFirstToken, "", 116}, wanted{catalog.RouterPromptTokens, "model=m", 9000}, wanted{catalog.RouterGenerationTokens, "model=m", 12000})
}

func TestAIBrixCountsWhatItSays(t *testing.T) {
	r := stateOf(t, "AIBrix gateway", "written/aibrix-0.4.0", "busy")
	wantEngine(t, r, "AIBrix gateway")
	wantAmounts(t, r, wanted{catalog.RouterRequests, "", 220}, wanted{catalog.RouterRequests, "model=n", 20}, wanted{catalog.RouterInflight, "", 6},
		wanted{catalog.RouterErrors, "reason=503", 4}, wanted{catalog.RouterPromptTokens, "", 31000}, wanted{catalog.RouterGenerationTokens, "", 9000},
		wanted{catalog.RouterTimeToFirstToken, "", absent})
}
