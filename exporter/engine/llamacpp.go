package engine

import (
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// snapshotBuild is the first llama.cpp that answers /metrics from a snapshot while its model
// sleeps. Older ones that can sleep (b7493 on) wake up for it.
const snapshotBuild = "b10524"

// settingsAge is how old names, versions and settings may be before they are read again.
const settingsAge = 5 * time.Minute

// llamacpp is a llama-server with one model.
//
// Its samples have no labels: the model's name comes from /v1/models. Nothing is taken from
// the build string but what must not be guessed (see snapshotBuild); which numbers a build
// has is seen from its page. /slots is never asked: it wakes a sleeping model, and it
// shows prompts in old builds.
var llamacpp = register(priorityEngine, &Engine{
	Name:    "llamacpp",
	Title:   "llama.cpp",
	Loading: "Loading model",
	Detect: []Evidence{
		{Path: "/v1/models", Server: "llama.cpp"},
		{Path: "/v1/models", Field: "data.0.owned_by", Equals: "llamacpp"},
		{Path: "/v1/models", Body: "Loading model"},
		{Sample: "llamacpp:n_decode_total"},
		{Sample: "llamacpp:requests_processing", Without: "llamacpp:kv_cache_usage_ratio"},
	},
	Endpoints: []Endpoint{
		{Path: "/health", Role: Health},
		{Path: "/v1/models", Format: JSON, Every: settingsAge, Probe: Always},
		{Path: "/props", Format: JSON, Every: settingsAge, Optional: true, Fixed: []string{"model_path", "model_alias"}},
		{
			Path: "/metrics", Format: Exposition, Role: Numbers, Probe: NotForModels,
			Unless: []Condition{
				{Path: "/props", Field: "is_sleeping", In: []string{"true"}},
				{Path: "/props", Field: "build_info", Below: snapshotBuild},
			},
		},
	},
	Map:  llamacppNumbers,
	JSON: append(llamacppModel("data"), llamacppProps...),
	Derive: []Derivation{
		// A build without its cached counter counts computed tokens only: no total then.
		{To: catalog.PromptTokens, Op: Add, From: []*catalog.Series{catalog.PromptComputedTokens, catalog.PromptCachedTokens}},
		{To: catalog.PrefixCacheQueries, Op: Add, From: []*catalog.Series{catalog.PromptComputedTokens, catalog.PromptCachedTokens}},
	},
	Prefixes: []string{"llamacpp:"},
	Ignore:   llamacppIgnored,
	Hints:    llamacppHints,
})

// llamacppNumbers are the samples of every build since b3678.
var llamacppNumbers = perModel([]Mapping{
	{From: "llamacpp:requests_processing", To: catalog.RequestsRunning},
	{From: "llamacpp:requests_deferred", To: catalog.RequestsWaiting},
	{From: "llamacpp:prompt_tokens_total", To: catalog.PromptComputedTokens},
	{From: "llamacpp:prompt_tokens_cached_total", To: catalog.PromptCachedTokens, Since: "b10424"},
	{From: "llamacpp:prompt_tokens_cached_total", To: catalog.PrefixCacheHits, Since: "b10424"},
	{From: "llamacpp:prompt_seconds_total", To: catalog.PrefillSeconds},
	{From: "llamacpp:tokens_predicted_total", To: catalog.GenerationTokens},
	{From: "llamacpp:tokens_predicted_seconds_total", To: catalog.DecodeSeconds},
	{From: "llamacpp:n_decode_total", To: catalog.EngineSteps},
	// Cells that hold a cached prompt count as used, so it stays above 0 at rest.
	{From: "llamacpp:kv_cache_usage_ratio", To: catalog.KVCacheUsage, Until: "b5441", Optional: true},
	{From: "llamacpp:kv_cache_tokens", To: catalog.KVCacheUsed, Until: "b5441", Optional: true},
	{From: "llamacpp:spec_decode_num_drafts_total", To: catalog.SpecDecodeDrafts, Since: "b10290"},
	{From: "llamacpp:spec_decode_num_draft_tokens_total", To: catalog.SpecDecodeDraftTokens, Since: "b10290"},
	{From: "llamacpp:spec_decode_num_accepted_tokens_total", To: catalog.SpecDecodeAcceptedTokens, Since: "b10290"},
	{
		From: "llamacpp:spec_decode_num_accepted_tokens_per_pos_total", To: catalog.SpecDecodeAcceptedPerPosition,
		Labels: []LabelFrom{{To: catalog.LabelPosition, From: "position"}}, Since: "b10290", Optional: true,
	},
})

// perModel reads the label by which whatever pastes the pages of several servers into one
// tells them apart. A server by itself writes none.
func perModel(mappings []Mapping) []Mapping {
	for i := range mappings {
		mappings[i].Labels = append(mappings[i].Labels, LabelFrom{To: catalog.LabelModel, From: "model"})
	}
	return mappings
}

// llamacppIgnored are left out on purpose: the two rates are averages that reading resets
// (or, in some builds, lifetime averages), the others a high-water mark and an average
// since the start that some builds declare as counters.
var llamacppIgnored = []string{
	"llamacpp:prompt_tokens_seconds", "llamacpp:predicted_tokens_seconds",
	"llamacpp:n_tokens_max", "llamacpp:n_past_max", "llamacpp:n_busy_slots_per_decode",
}

var llamacppHints = []Hint{
	{Text: "start llama-server with --metrics (LLAMA_ARG_ENDPOINT_METRICS=1)"},
	{Series: catalog.PromptTokens, Text: "llama.cpp counts reused prompt tokens since b10424; older builds count computed tokens only"},
	{Series: catalog.PrefixCacheHits, Text: "llama.cpp counts reused prompt tokens since b10424"},
	{Series: catalog.KVCacheUsage, Text: "llama.cpp has not exported the use of its KV cache since b5441"},
	{Series: catalog.KVCacheCapacity, Text: "llama.cpp does not say how large its KV cache is; state kv_capacity_tokens in the configuration"},
	{Series: catalog.SpecDecodeDraftTokens, Text: "llama.cpp counts drafted tokens since b10290"},
}

// llamacppModel reads what a list of models says of each; old builds say less.
func llamacppModel(list string) []JSONMapping {
	model := LabelFrom{To: catalog.LabelModel, From: "id"}
	number := func(to *catalog.Series, value string) JSONMapping {
		return JSONMapping{Path: "/v1/models", Each: list, To: to, Value: value, Labels: []LabelFrom{model}, Optional: true}
	}
	info := number(catalog.ModelInfo, "")
	info.Labels = []LabelFrom{model, {To: catalog.LabelQuantized, From: "meta.ftype"}}
	return []JSONMapping{
		info,
		number(catalog.ModelContextLength, "meta.n_ctx"),
		number(catalog.ModelTrainContextLength, "meta.n_ctx_train"),
		number(catalog.ModelParameters, "meta.n_params"),
		number(catalog.ModelSize, "meta.size"),
	}
}

var llamacppProps = []JSONMapping{
	{Path: "/props", To: catalog.EngineInfo, Labels: []LabelFrom{{To: catalog.LabelVersion, From: "build_info"}}, Optional: true},
	{Path: "/props", To: catalog.EngineMaxConcurrency, Value: "total_slots", Optional: true},
	{Path: "/props", To: catalog.ModelContextLength, Value: "default_generation_settings.n_ctx", Optional: true},
	{Path: "/props", To: catalog.ModelStateSet, Value: "is_sleeping", States: map[string]string{
		"false": string(catalog.ModelLoaded), "true": string(catalog.ModelSleeping),
	}, Optional: true},
}
