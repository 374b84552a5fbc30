package engine

import (
	"slices"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// lemonade is Lemonade Server, which runs a server for each loaded model. What its own counters
// say of a model comes first, for they outlive the child; of llama.cpp children it shows the
// page too, under names of its own.
var _ = register(priorityEngine, &Engine{
	Name:  "lemonade",
	Title: "Lemonade",
	Detect: []Evidence{
		{Path: "/v1/models", Body: `owned_by":"lemonade`},
		{Sample: "lemonade_server_up"},
	},
	Endpoints: []Endpoint{
		{Path: "/v1/health", Format: JSON, Role: Health},
		{Path: "/v1/models", Format: JSON, Every: settingsAge, Probe: Always, Optional: true},
		{Path: "/metrics", Format: Exposition, Role: Numbers, Probe: NotForModels},
	},
	Map: lemonadeNumbers(),
	JSON: []JSONMapping{
		{Path: "/v1/health", To: catalog.EngineInfo, Labels: []LabelFrom{{To: catalog.LabelVersion, From: "version"}}, Optional: true},
		{Path: "/v1/models", Each: "data", To: catalog.ModelInfo, Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}}, Optional: true},
		lemonadeLoaded(catalog.RequestsRunning, "is_busy"), // 1 or 0, where the child does not say more
		lemonadeLoaded(catalog.ModelContextLength, "recipe_options.ctx_size"),
		{
			Path: "/v1/health", Each: "all_models_loaded", To: catalog.ModelStateSet, Optional: true,
			Labels: []LabelFrom{{To: catalog.LabelModel, From: "model_name"}, {To: catalog.LabelState, Const: string(catalog.ModelLoaded)}},
		},
		{
			Path: "/v1/models", Each: "data", To: catalog.ModelStateSet, Optional: true,
			Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}, {To: catalog.LabelState, Const: string(catalog.ModelUnloaded)}},
		},
	},
	Derive:   llamacpp.Derive,
	Prefixes: []string{"lemonade_"},
	Ignore: []string{
		"lemonade_server_*", "lemonade_loaded_models", "lemonade_max_loaded_models", "lemonade_model_info", "lemonade_model_loaded",
		// Of the last request, or all models together.
		"lemonade_model_input_tokens", "lemonade_model_output_tokens", "lemonade_model_prompt_tokens", "lemonade_model_cache_tokens",
		"lemonade_model_time_to_first_token_seconds", "lemonade_model_tokens_per_second", "lemonade_model_decode_token_time_*",
		"lemonade_requests_total", "lemonade_input_tokens_total", "lemonade_output_tokens_total", "lemonade_prompt_tokens_total", "lemonade_cache_tokens_total",
		"lemonade_routing_*", "lemonade_cpu_*", "lemonade_memory_*", "lemonade_gpu_*", "lemonade_vram_*", "lemonade_npu_*",
		"lemonade_llamacpp_prompt_tokens_seconds", "lemonade_llamacpp_predicted_tokens_seconds",
		"lemonade_llamacpp_n_tokens_max", "lemonade_llamacpp_n_past_max", "lemonade_llamacpp_n_busy_slots_per_decode",
	},
	Hints: []Hint{
		{Text: "Lemonade has /metrics since 10.7.0"},
		{Series: catalog.TimeToFirstToken, Text: "Lemonade shows that of the last request only"},
		{Series: catalog.RequestsWaiting, Text: "of models that llama.cpp runs"},
	},
})

func lemonadeLoaded(to *catalog.Series, value string) JSONMapping {
	return JSONMapping{
		Path: "/v1/health", Each: "all_models_loaded", To: to, Value: value,
		Labels: []LabelFrom{{To: catalog.LabelModel, From: "model_name"}}, Optional: true,
	}
}

func lemonadeNumbers() []Mapping {
	model := []LabelFrom{{To: catalog.LabelModel, From: "model_name"}}
	number := func(from string, to *catalog.Series) Mapping {
		return Mapping{From: "lemonade_model_" + from, To: to, Labels: model, Optional: true}
	}
	// These are written one after the other for each model.
	counted := func(from string, to *catalog.Series, with string) Mapping {
		m := number(from, to)
		m.Optional, m.With = false, "lemonade_model_"+with
		return m
	}
	ended := counted("requests_total", catalog.RequestsFinished, "output_tokens_total")
	ended.Labels = append([]LabelFrom{{To: catalog.LabelReason, Const: "unknown"}}, model...)
	out := []Mapping{
		ended,
		counted("prompt_tokens_total", catalog.PromptTokens, "requests_total"),
		counted("input_tokens_total", catalog.PromptComputedTokens, "requests_total"),
		number("cache_tokens_total", catalog.PromptCachedTokens), // newer ones
		counted("output_tokens_total", catalog.GenerationTokens, "requests_total"),
	}
	for _, m := range llamacppNumbers {
		m.From = "lemonade_" + spellings(m.From)[1]
		m.Labels = slices.DeleteFunc(slices.Clone(m.Labels), func(l LabelFrom) bool { return l.To == catalog.LabelModel })
		m.Labels = append(m.Labels, model...)
		m.Since, m.Until, m.Optional = "", "", true
		out = append(out, m)
	}
	return out
}
