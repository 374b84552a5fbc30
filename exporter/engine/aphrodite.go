package engine

import (
	"slices"
	"strings"
)

// aphrodite is Aphrodite, a fork of vLLM that writes its own name before vLLM's names of the
// middle of 2026.
var _ = register(priorityFork, &Engine{
	Name:  "aphrodite",
	Title: "Aphrodite",
	Detect: []Evidence{
		{Path: "/v1/models", Field: "data.0.owned_by", Equals: "aphrodite"},
		{Sample: "aphrodite:*"},
	},
	Endpoints: vllmEndpoints,
	Map:       forked(append(vllmNumbers(false), vllmPythonNumbers...), "vllm:", "aphrodite:"),
	JSON:      vllmJSON,
	Derive:    vllmDerived,
	Prefixes:  []string{"aphrodite:"},
	Ignore:    forkedNames(vllmIgnored, "vllm:", "aphrodite:"),
	Hints:     vllmHints[:1],
})

// forked takes over the mappings of the program that a fork came from. Versions are not those
// of the fork: what bounds them is left out, and with it the names that were gone by then.
func forked(mappings []Mapping, from, to string) []Mapping {
	mappings = slices.DeleteFunc(mappings, func(m Mapping) bool { return m.Until != "" })
	for i := range mappings {
		m := &mappings[i]
		m.Since, m.NotBefore = "", ""
		if rest, ok := strings.CutPrefix(m.From, from); ok {
			m.From = to + rest
		}
	}
	return mappings
}

func forkedNames(names []string, from, to string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = strings.Replace(name, from, to, 1)
	}
	return out
}
