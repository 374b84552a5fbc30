package engine

import (
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// TestWhatMayComeIsNotSaidToBeImpossible is about llm_series_supported: a panel says of its 0 "not
// exported by". A simulator of vLLM, whose version nobody knows, has its cache's counters only
// after their first use, and was once said not to export them.
func TestWhatMayComeIsNotSaidToBeImpossible(t *testing.T) {
	s := catalog.PromptTokens
	for name, tt := range map[string]struct {
		engine             Engine
		old, late, unknown bool // before 1.0; 2.0; a version that nobody knows
	}{
		"always":                           {Engine{Map: []Mapping{{To: s}}}, true, true, true},
		"with a flag":                      {Engine{Map: []Mapping{{To: s, Optional: true}}}, true, true, true},
		"since 1.0, with its first use":    {Engine{Map: []Mapping{{To: s, Since: "1.0", Optional: true}}}, false, true, true},
		"since 1.0, together with another": {Engine{Map: []Mapping{{To: s, Since: "1.0", With: "x"}}}, false, true, true},
		"since 1.0, from the start":        {Engine{Map: []Mapping{{To: s, Since: "1.0"}}}, false, true, false},
		"until 1.0":                        {Engine{Map: []Mapping{{To: s, Until: "1.0", Optional: true}}}, true, false, false},
		"two names, one after the other":   {Engine{Map: []Mapping{{To: s, Since: "1.0", Optional: true}, {To: s, Until: "1.0"}}}, true, true, true},
		"a gap between two names":          {Engine{Map: []Mapping{{To: s, Since: "3.0", Optional: true}, {To: s, Until: "1.0"}}}, true, false, true},
		"of another meaning before 1.0":    {Engine{Map: []Mapping{{To: s, NotBefore: "1.0", Optional: true}}}, false, true, false},
		"sent since 3.0, meant since 1.0":  {Engine{Map: []Mapping{{To: s, Since: "3.0", NotBefore: "1.0"}}}, false, false, false},
		"in an answer":                     {Engine{JSON: []JSONMapping{{To: s, Since: "1.0", Optional: true}}}, false, true, true},
		"weighed":                          {Engine{Weigh: []Weighing{{To: s}}}, true, true, true},
		"computed": {Engine{
			Map:    []Mapping{{To: catalog.PromptCachedTokens, Since: "1.0", Optional: true}, {To: catalog.PromptComputedTokens}},
			Derive: []Derivation{{To: s, From: []*catalog.Series{catalog.PromptCachedTokens, catalog.PromptComputedTokens}}},
		}, false, true, true},
		"computed from what comes later": {Engine{Derive: []Derivation{
			{To: s, From: []*catalog.Series{catalog.PromptCachedTokens}}, {To: catalog.PromptCachedTokens, From: []*catalog.Series{catalog.KVCacheCapacity}},
		}}, false, false, false},
		"by nothing": {Engine{}, false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			for version, want := range map[string]bool{"0.9": tt.old, "2.0": tt.late, "": tt.unknown} {
				m := newMapper(Options{Backend: "a"})
				m.begin(&tt.engine, version)
				if got := m.canGive()[s]; got != want {
					t.Errorf("version %q: %v, want %v", version, got, want)
				}
			}
		})
	}
}

// TestDerivationsThatLeanOnEachOtherAreLookedAtOnce has two that name each other, and a chain in
// which each name is computed from two others: asked one by one, it would take for ever.
func TestDerivationsThatLeanOnEachOtherAreLookedAtOnce(t *testing.T) {
	circle := &Engine{Title: "circle", Derive: []Derivation{
		{To: catalog.PromptTokens, From: []*catalog.Series{catalog.PromptCachedTokens}},
		{To: catalog.PromptCachedTokens, From: []*catalog.Series{catalog.PromptTokens}},
	}}
	if circle.Gives(catalog.PromptTokens, "") || circle.WhyNot(catalog.PromptTokens, "1.0") != "" {
		t.Errorf("a circle gives %v, and why not: %q", circle.Gives(catalog.PromptTokens, ""), circle.WhyNot(catalog.PromptTokens, "1.0"))
	}
	all := catalog.All()
	chain := &Engine{Title: "chain", Map: []Mapping{{From: "a", To: all[0]}, {From: "b", To: all[1]}}}
	for i := range all[2:] {
		chain.Derive = append(chain.Derive, Derivation{To: all[i+2], Op: Add, From: []*catalog.Series{all[i], all[i+1]}})
	}
	last := all[len(all)-1]
	if !chain.Gives(last, "1.0") || !chain.Promises(last, "1.0") || chain.WhyNot(last, "1.0") != "" {
		t.Errorf("a chain of %d series gives %v, promises %v, and why not: %q", len(all), chain.Gives(last, "1.0"), chain.Promises(last, "1.0"), chain.WhyNot(last, "1.0"))
	}
}
