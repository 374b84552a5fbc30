package engine

import (
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

func init() {
	vouch("Ollama", "/api/ps", "/api/version", "/v1/models")
	facts["ollama-0.17.4/basic service"] = []fact{
		{second: 4, series: catalog.ModelStateSet, label: "state=unloaded", want: 1}, {second: 4, series: catalog.ModelSize, want: absent},
		{second: 5, series: catalog.ModelStateSet, label: "state=loaded", want: 1}, {second: 5, series: catalog.ModelStateSet, label: "state=unloaded", want: 0},
		{second: 10, series: catalog.ModelSize, label: "model=small:latest", want: 44639232}, {second: 10, series: catalog.ModelVRAM, want: 0},
		{second: 10, series: catalog.ModelContextLength, want: 2048},
		{second: 30, series: catalog.ModelExpiry, want: 1795979135.19},
		{second: 34, series: catalog.ModelStateSet, label: "state=loaded", want: 1}, {second: 35, series: catalog.ModelStateSet, label: "state=unloaded", want: 1},
		{second: 40, series: catalog.RequestsRunning, want: absent}, {second: 40, series: catalog.EngineInfo, label: "version=0.0.0", want: 1},
	}
}

func TestOllamaIsAskedNothingThatLoadsAModel(t *testing.T) {
	// A model from elsewhere has another owner: the version tells.
	model := func(owner string) string {
		return `[{"id":"small:latest","object":"model","owned_by":"` + owner + `"}]`
	}
	for name, tt := range map[string]struct {
		list     string
		unloaded float64
	}{"a model of its library": {model("library"), 1}, "a model of somebody else": {model("bartowski"), 1}, "no model": {"null", absent}} {
		t.Run(name, func(t *testing.T) {
			f := &fakeTarget{t: t, program: "Ollama", service: map[string]said{
				"/v1/models": jsonOf(`{"object":"list","data":` + tt.list + `}`),
				"/api/ps":    jsonOf(`{"models":[]}`), "/api/version": jsonOf(`{"version":"0.17.4"}`),
			}}
			r := f.read()
			if r.Engine == nil || r.Engine.Name != "ollama" || r.Healthy != Yes || r.Up != Unknown || r.Version != "0.17.4" {
				t.Errorf("engine %+v, healthy %v, up %v, version %q", r.Engine, r.Healthy, r.Up, r.Version)
			}
			wantAmounts(t, r, wanted{catalog.ModelStateSet, "state=unloaded", tt.unloaded})
		})
	}
}

func TestModelThatStaysHasNoExpiry(t *testing.T) {
	f := &fakeTarget{t: t, program: "Ollama", service: map[string]said{
		"/v1/models": jsonOf(`{"object":"list","data":[{"id":"m","owned_by":"library"}]}`), "/api/version": jsonOf(`{"version":"0.17.4"}`),
		"/api/ps": jsonOf(`{"models":[{"name":"m","size":10,"size_vram":10,"expires_at":"2318-03-12T19:05:22.67Z"}]}`),
	}}
	r := f.read()
	wantAmounts(t, r, wanted{catalog.ModelExpiry, "", absent}, wanted{catalog.ModelVRAM, "model=m", 10})
	if r.Dropped != 0 {
		t.Errorf("%d dropped", r.Dropped)
	}
}

// A router passes on what it does not know, so it is not asked for its version.
func TestOnlyProgramsThatListModelsAreAskedForTheirVersion(t *testing.T) {
	f := &fakeTarget{t: t, program: plainExporter}
	f.read()
	if asked := f.paths(); asked != "/metrics /readiness /v1/models" {
		t.Errorf("asked %s", asked)
	}
}
