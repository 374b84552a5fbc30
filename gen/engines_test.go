package gen

import (
	"testing"

	"github.com/llmfleet/llmfleet/dashboards"
	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// A panel that names nobody as lacking its series must be right about every engine: with one
// that cannot give it, the panel would be blank without a word.
func TestPanelsForEveryoneAreGivenByEveryEngine(t *testing.T) {
	models, _ := split(engine.BuiltIn())
	for _, d := range dashboards.All() {
		for _, r := range d.Rows {
			for _, p := range r.Panels {
				for _, e := range models {
					if p.Everyone && source(e, p.Of) == "" {
						t.Errorf("panel %s: engine %s does not give %s", p.Key, e.Title, p.Of.Name)
					}
				}
			}
		}
	}
}

func TestSourcesAreToldApart(t *testing.T) {
	for _, tt := range []struct{ engine, series, want string }{
		{"llamacpp", "llm_requests_running", "native"},
		{"llamacpp", "llm_prompt_tokens_total", "computed"},
		{"llamacpp", "llm_model_parameters", "(json)"},
		{"llamacpp", "llm_preemptions_total", ""},
		{"vllm", "llm_prefix_cache_hit_tokens_total", "native since 0.9.2, (native since 0.9.0 until 0.12.0)"},
	} {
		e := engine.Find(engine.BuiltIn(), tt.engine)
		if got := source(e, series(t, tt.series)); got != tt.want {
			t.Errorf("source(%s, %s) = %q, want %q", tt.engine, tt.series, got, tt.want)
		}
	}
}

func series(t *testing.T, name string) *catalog.Series {
	t.Helper()
	s := catalog.ByName(name)
	if s == nil {
		t.Fatalf("the catalog has no %s", name)
	}
	return s
}
