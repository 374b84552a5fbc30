package engine

import (
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

func TestAReadingSaysByWhatTheProgramWasRecognised(t *testing.T) {
	for name, tt := range map[string]struct {
		target *fakeTarget
		want   string
	}{
		"a header": {
			&fakeTarget{t: t, program: "llama.cpp", service: from("llama.cpp", map[string]said{"/v1/models": jsonOf(`{"data":[]}`)})},
			`the header Server of /v1/models begins with "llama.cpp"`,
		},
		"a sample on the port of the metrics": {
			&fakeTarget{t: t, program: "vllm-router", metrics: map[string]said{"/metrics": metrics("haproxy_process_uptime_seconds 1\n")}},
			"/metrics of the metrics address has haproxy_*",
		},
		"a field": {
			&fakeTarget{t: t, program: anyProgram, service: map[string]said{"/v1/models": jsonOf(`{"data":[{"id":"m"}]}`)}},
			"/v1/models has the JSON field data",
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := newClock().options()
			o.HasMetricsPort = tt.target.metrics != nil
			s := NewSession(o)
			for round := range 2 { // what is remembered is said again
				r := s.Read(t.Context(), tt.target.fetch)
				if r.Sign == nil || r.Sign.String() != tt.want {
					t.Errorf("round %d: recognised %v by %v, want %q", round, r.Engine, r.Sign, tt.want)
				}
			}
		})
	}
}

func TestNothingIsARecognitionWithoutASign(t *testing.T) {
	f := &fakeTarget{t: t, program: anyProgram, other: said{status: 404}}
	f.program = plainExporter
	if r := NewSession(newClock().options()).Read(t.Context(), f.fetch); r.Sign != nil {
		t.Errorf("an unknown program was recognised by %v", r.Sign)
	}
}

// explained is an engine with one of each kind of way.
func explained() *Engine {
	return &Engine{
		Title: "Ours",
		Map: []Mapping{
			{From: "ours_new", To: catalog.RequestsRunning, Since: "2.0"},
			{From: "ours_old", To: catalog.RequestsRunning, Until: "1.0"},
			{From: "ours_gone", To: catalog.RequestsWaiting, Until: "2.0"},
			{From: "ours_drafts", To: catalog.SpecDecodeDrafts, Optional: true},
			{From: "ours_plain", To: catalog.GenerationTokens},
			{From: "ours_cached", To: catalog.PromptCachedTokens, Since: "3.0"},
			{From: "ours_hits", To: catalog.PrefixCacheHits, Since: "1.0", Optional: true},
		},
		Derive: []Derivation{{To: catalog.PromptTokens, Op: Add, From: []*catalog.Series{catalog.GenerationTokens, catalog.PromptCachedTokens}}},
		Hints: []Hint{{Text: "start it with --metrics"}, {Series: catalog.Preemptions, Text: "start it with --count"}, {Series: catalog.PrefixCacheHits, Text: "counted since 1.0"},
			{Series: catalog.SpecDecodeDrafts, Counts: true, Text: "rejected drafts too"}},
	}
}

func TestWhyASeriesIsNotThereIsSaid(t *testing.T) {
	own := explained()
	for name, tt := range map[string]struct {
		series  *catalog.Series
		version string
		want    string
	}{
		"a hint says how":           {catalog.Preemptions, "1.5", "start it with --count"},
		"a hint of a version":       {catalog.PrefixCacheHits, "0.9", "counted since 1.0"},
		"that version is reached":   {catalog.PrefixCacheHits, "1.1", OnlySometimes},
		"too old for the first way": {catalog.RequestsRunning, "1.5", "exported since 2.0, and this is 1.5"},
		"old enough for the second": {catalog.RequestsRunning, "0.9", ""},
		"too new":                   {catalog.RequestsWaiting, "2.1", "exported until 2.0, and this is 2.1"},
		"only sometimes":            {catalog.SpecDecodeDrafts, "2.1", "only with a flag, a feature, or after its first use"},
		"never":                     {catalog.KVCacheUsage, "2.1", "Ours does not export it"},
		"should be there":           {catalog.GenerationTokens, "2.1", ""},
		"an operand is not there":   {catalog.PromptTokens, "2.1", "it is computed from llm_prompt_cached_tokens_total: exported since 3.0, and this is 2.1"},
		"the version is not known":  {catalog.PromptCachedTokens, "", "exported since 3.0, and this is an unknown version"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := own.WhyNot(tt.series, tt.version); got != tt.want {
				t.Errorf("why not %s at %q = %q, want %q", tt.series.Name, tt.version, got, tt.want)
			}
		})
	}
}

func TestWhatAVersionCanGiveIsNotWhatItPromises(t *testing.T) {
	for name, tt := range map[string]struct {
		series          *catalog.Series
		version         string
		gives, promises bool
	}{
		"always":                          {catalog.GenerationTokens, "1.5", true, true},
		"only sometimes":                  {catalog.SpecDecodeDrafts, "1.5", true, false},
		"between its two ways":            {catalog.RequestsRunning, "1.5", false, false},
		"by the second way":               {catalog.RequestsRunning, "0.9", true, true},
		"by one of them, who knows which": {catalog.RequestsRunning, "", true, false},
		"computed of what is there":       {catalog.PromptTokens, "3.1", true, true},
		"computed, an operand missing":    {catalog.PromptTokens, "2.1", false, false},
		"by none":                         {catalog.KVCacheUsage, "1.5", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			if gives, promises := explained().Gives(tt.series, tt.version), explained().Promises(tt.series, tt.version); gives != tt.gives || promises != tt.promises {
				t.Errorf("%s at %q: gives %v, promises %v; want %v, %v", tt.series.Name, tt.version, gives, promises, tt.gives, tt.promises)
			}
		})
	}
}

// TestWhatASeriesCountsIsNoReasonForItsAbsence keeps the two kinds of hints apart.
func TestWhatASeriesCountsIsNoReasonForItsAbsence(t *testing.T) {
	if got := vllmRouter.Counts(catalog.RouterErrors); !strings.HasPrefix(got, "counts attempts") {
		t.Errorf("what the errors count = %q", got)
	}
	if got := vllmRouter.WhyNot(catalog.RouterErrors, ""); got != OnlySometimes {
		t.Errorf("why there are no errors = %q, want %q", got, OnlySometimes)
	}
	if got := llamacpp.Counts(catalog.KVCacheCapacity); got != "" {
		t.Errorf("a reason for an absence is said to be what is counted: %q", got)
	}
}

func TestEverySignOfEveryEngineIsASentence(t *testing.T) {
	for _, e := range BuiltIn() {
		for _, ev := range e.Detect {
			if text := (Sign{Evidence: ev, Path: "/x"}).String(); strings.HasSuffix(text, " ") || strings.Contains(text, `""`) {
				t.Errorf("%s: %+v is said as %q", e.Title, ev, text)
			}
		}
	}
}

// TestWhatWouldBeSentIsNamed has a series with two names of two versions, and one that is computed
// from what a flag turns on.
func TestWhatWouldBeSentIsNamed(t *testing.T) {
	own := explained()
	own.Derive = append(own.Derive, Derivation{To: catalog.SpecDecodeDraftTokens, Op: Multiply, From: []*catalog.Series{catalog.GenerationTokens, catalog.SpecDecodeDrafts}})
	own.JSON = []JSONMapping{{Path: "/props", To: catalog.EngineMaxConcurrency, Optional: true}}
	for name, tt := range map[string]struct {
		series  *catalog.Series
		version string
		want    string
	}{
		"a sample":                     {catalog.PrefixCacheHits, "1.1", "ours_hits"},
		"of two names that of its own": {catalog.RequestsRunning, "0.9", "ours_old"},
		"an operand that is not given": {catalog.SpecDecodeDraftTokens, "1.5", "ours_drafts"},
		"a path":                       {catalog.EngineMaxConcurrency, "1.5", "/props"},
		"nothing":                      {catalog.KVCacheUsage, "1.5", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(own.Sources(tt.series, tt.version), " "); got != tt.want {
				t.Errorf("Sources of %s = %q, want %q", tt.series.Name, got, tt.want)
			}
		})
	}
}
