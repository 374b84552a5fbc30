package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

func TestEnginesAskNothingThatDoesHarm(t *testing.T) {
	for _, e := range BuiltIn() {
		own, listed := harmless[e.Title]
		if !listed {
			t.Errorf("nobody vouches for %s; say in %s_test.go which of its paths are harmless: func init() { vouch(%q, …) }", e.Title, e.Name, e.Title)
		}
		for _, ep := range e.Endpoints {
			allowed := slices.Concat(own, harmless[anyProgram])
			if ep.Port == MetricsPort {
				allowed = harmless[metricsPort]
			}
			guarded := ep.Each != nil && len(ep.Each.When) > 0 && strings.Contains(ep.Path, "autoload=false")
			if !slices.Contains(allowed, ep.Path) && !guarded {
				t.Errorf("%s asks %s, which is not harmless", e.Title, ep.Path)
			}
			if ep.Probe == Always && !slices.Contains(harmless[anyProgram], ep.Path) {
				t.Errorf("%s asks %s of programs that nobody knows yet", e.Title, ep.Path)
			}
			if ep.Probe == ForModels && !slices.Contains(harmless[listsModels], ep.Path) {
				t.Errorf("%s asks %s of every program that lists models", e.Title, ep.Path)
			}
			if ep.Probe == NotForModels && ep.Path != "/metrics" {
				t.Errorf("%s asks %s of programs that nobody knows yet", e.Title, ep.Path)
			}
		}
	}
}

// TestEnginesAreWhole finds definitions that can never work.
func TestEnginesAreWhole(t *testing.T) {
	for _, e := range BuiltIn() {
		t.Run(e.Title, func(t *testing.T) {
			if e.Name == "" || len(e.Detect) == 0 || len(e.Endpoints) == 0 {
				t.Error("without a name, a sign or an endpoint")
			}
			asked := func(path string) bool {
				return slices.ContainsFunc(BuiltIn(), func(o *Engine) bool {
					return slices.ContainsFunc(o.Endpoints, func(ep Endpoint) bool { return ep.Path == path })
				})
			}
			for _, ev := range e.Detect {
				if ev.Path != "" && !asked(ev.Path) && ev.Path != "/health" {
					t.Errorf("a sign in the answer of %s, which nobody asks", ev.Path)
				}
			}
			for _, m := range e.Map {
				checkLabels(t, m.From, m.To, m.Labels)
				if !slices.ContainsFunc(e.Prefixes, func(p string) bool { return strings.HasPrefix(m.From, p) }) && m.From != "process_start_time_seconds" {
					t.Errorf("%s does not begin like the program's names", m.From)
				}
			}
			for _, m := range e.JSON {
				checkLabels(t, m.Path, m.To, m.Labels)
				if !slices.ContainsFunc(e.Endpoints, func(ep Endpoint) bool { return ep.Path == m.Path && ep.Format == JSON }) {
					t.Errorf("%s is mapped and not asked", m.Path)
				}
			}
			for _, h := range e.Hints {
				if h.Text == "" {
					t.Error("a hint without a text")
				}
			}
		})
	}
}

func checkLabels(t *testing.T, from string, to *catalog.Series, labels []LabelFrom) {
	t.Helper()
	if to == nil {
		t.Errorf("%s goes nowhere", from)
		return
	}
	for _, l := range labels {
		// One table of labels serves all of an engine's mappings: rank and engine may be too many.
		if !slices.Contains(to.Labels, l.To) && l.To != catalog.LabelRank && l.To != catalog.LabelEngine {
			t.Errorf("%s: %s has no label %s", from, to.Name, l.To)
		}
	}
}

// TestSpecialEnginesAreTriedFirst names the pairs where one program shows the signs of another.
func TestSpecialEnginesAreTriedFirst(t *testing.T) {
	place := func(title string) int {
		return slices.IndexFunc(BuiltIn(), func(e *Engine) bool { return e.Title == title })
	}
	for _, pair := range [][2]string{
		{"vllm-router", "llama.cpp"}, {"vllm-router", "vLLM"}, // answers like its workers
		{"llama.cpp router", "llama.cpp"},
		{"vLLM production-stack router", "vLLM"}, {"vLLM production-stack router", "vLLM (V0 engine)"}, // speaks vLLM's names
		{"llama-swap", "llama.cpp router"},            // lists states as that one does
		{"SGLang Model Gateway (smg)", "vllm-router"}, // answers /readiness alike
		{"Dynamo front end", "Dynamo worker"}, {"Dynamo worker", "vLLM"}, {"Dynamo worker", "vLLM (Rust front end)"},
		{"vLLM (Rust front end)", "vLLM"}, {"vLLM (V0 engine)", "vLLM"},
		{"llama.cpp", "OpenAI-compatible, no numbers"}, {"vLLM", "OpenAI-compatible, no numbers"},
	} {
		if a, b := place(pair[0]), place(pair[1]); a < 0 || b < 0 || a > b {
			t.Errorf("%s is at %d and %s at %d, want the first one first", pair[0], a, pair[1], b)
		}
	}
}

func TestNameOfSeveralVariantsMeansTheUsualOne(t *testing.T) {
	if e := Find(BuiltIn(), "vllm"); e != vllm {
		t.Errorf("vllm is %v, want the Python front end", e.Title)
	}
	if e := Find(BuiltIn(), "nothing"); e != nil {
		t.Errorf("nothing is %v", e.Title)
	}
}
