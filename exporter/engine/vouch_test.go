package engine

import (
	"fmt"
	"slices"
	"testing"
)

// harmless lists, by an engine's title and by the situations below, the paths that may be asked
// at any time. It is written from what the programs do, independently of the engines'
// definitions: a path that is not here wakes, loads, drains, generates, or is passed on to
// somebody else.
var harmless = map[string][]string{
	anyProgram:         {"/v1/models", "/readiness"},
	listsModels:        {"/api/version", "/info"},
	metricsPort:        {"/metrics", "/", "/stats/prometheus", "/clusters?format=json", "/reverse_proxy/upstreams"},
	plainExporter:      {"/metrics"},
	"llama.cpp asleep": {"/health", "/props", "/v1/models", "/models"},
	"vLLM of late":     {"/health", "/metrics", "/version", "/v1/models", "/props"}, // where llama.cpp was a moment ago
	"own router":       {"/health"},
}

const (
	anyProgram    = "any program"
	listsModels   = "lists models" // any program that has answered with a list of models
	metricsPort   = "metrics port"
	plainExporter = "plain exporter"
)

// vouched are the titles that vouch was called for, in its order.
var vouched []string

// vouch says which paths are harmless to the program of an engine, by its title. Each engine's
// own test file calls it; the programs whose tests stand in files of several are here.
func vouch(title string, paths ...string) {
	if harmless[title] != nil {
		panic(fmt.Sprintf("vouch: %q stands in the list already", title))
	}
	harmless[title] = append([]string{}, paths...)
	vouched = append(vouched, title)
}

// vllmPaths are harmless to vLLM in all its forms, and to its forks.
var vllmPaths = []string{"/health", "/metrics", "/version", "/load", "/v1/models"}

func init() {
	vouch("llama.cpp", "/health", "/metrics", "/props", "/v1/models", "/models")
	vouch("llama.cpp router", "/health", "/props", "/v1/models", "/models")
	vouch("vLLM", vllmPaths...)
	vouch("vLLM (Rust front end)", vllmPaths...)
	vouch("vLLM (V0 engine)", vllmPaths...)
	vouch("vllm-router", "/readiness", "/health")
	vouch("OpenAI-compatible, no numbers")
}

func TestOnlyEnginesAreVouchedFor(t *testing.T) {
	for _, title := range vouched {
		if !slices.ContainsFunc(BuiltIn(), func(e *Engine) bool { return e.Title == title }) {
			t.Errorf("vouch(%q, …): no engine has this title", title)
		}
	}
}
