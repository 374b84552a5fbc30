package engine

import (
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

func TestDerivationsFillWhatIsNotThere(t *testing.T) {
	modelAndRank := []LabelFrom{{To: catalog.LabelModel, From: "model"}, {To: catalog.LabelRank, From: "rank"}}
	e := &Engine{
		Name: "x",
		Map: []Mapping{
			{From: "x_computed_total", To: catalog.PromptComputedTokens, Labels: modelAndRank},
			{From: "x_cached_total", To: catalog.PromptCachedTokens, Labels: modelAndRank},
			{From: "x_all_total", To: catalog.PromptTokens, Labels: modelAndRank},
			{From: "x_usage", To: catalog.KVCacheUsage, Labels: modelAndRank},
			{From: "x_capacity", To: catalog.KVCacheCapacity, Labels: modelAndRank},
			{From: "x_prefill", To: catalog.RequestPrefillDuration, Labels: modelAndRank},
		},
		Derive: []Derivation{
			{To: catalog.PromptTokens, Op: Add, From: []*catalog.Series{catalog.PromptComputedTokens, catalog.PromptCachedTokens}},
			{To: catalog.PromptComputedTokens, Op: Subtract, From: []*catalog.Series{catalog.PromptTokens, catalog.PromptCachedTokens}},
			{To: catalog.KVCacheUsed, Op: Multiply, From: []*catalog.Series{catalog.KVCacheUsage, catalog.KVCacheCapacity}},
			{To: catalog.PrefillSeconds, Op: SumOf, From: []*catalog.Series{catalog.RequestPrefillDuration}},
			{To: catalog.EngineSteps, Op: CountOf, From: []*catalog.Series{catalog.RequestPrefillDuration}},
		},
	}
	for name, tt := range map[string]struct {
		page string
		want []string
	}{
		"sum":            {"x_computed_total 5\nx_cached_total 7\n", []string{"llm_prompt_tokens_total{} 12"}},
		"there already":  {"x_computed_total 5\nx_cached_total 7\nx_all_total 100\n", []string{"llm_prompt_tokens_total{} 100"}},
		"operand absent": {"x_computed_total 5\n", []string{}},
		"other model":    {"x_computed_total{model=\"a\"} 5\nx_cached_total{model=\"b\"} 7\n", []string{}},
		"each rank": {
			"x_computed_total{rank=\"0\"} 5\nx_cached_total{rank=\"0\"} 7\nx_computed_total{rank=\"1\"} 50\nx_cached_total{rank=\"1\"} 70\n",
			[]string{"llm_prompt_tokens_total{rank=0} 12", "llm_prompt_tokens_total{rank=1} 120"},
		},
		"negative":  {"x_all_total 5\nx_cached_total 7\n", []string{"llm_prompt_tokens_total{} 5"}},
		"product":   {"x_usage 0.25\nx_capacity 1000\n", []string{"llm_kv_cache_used_tokens{} 250"}},
		"histogram": {"x_prefill_bucket{le=\"1\"} 1\nx_prefill_bucket{le=\"+Inf\"} 3\nx_prefill_sum 9.5\nx_prefill_count 3\n", []string{"llm_engine_steps_total{} 3", "llm_prefill_seconds_total{} 9.5"}},
	} {
		t.Run(name, func(t *testing.T) {
			same(t, tt.want, written(mapped(t, e, "", tt.page).Points, catalog.PromptTokens, catalog.KVCacheUsed, catalog.EngineSteps, catalog.PrefillSeconds))
		})
	}
}

func TestOperatorsCapacityStandsInForTheEngines(t *testing.T) {
	e := &Engine{
		Name: "x",
		Map: []Mapping{
			{From: "x_usage", To: catalog.KVCacheUsage}, {From: "x_capacity", To: catalog.KVCacheCapacity},
		},
		Derive: []Derivation{{To: catalog.KVCacheUsed, Op: Multiply, From: []*catalog.Series{catalog.KVCacheUsage, catalog.KVCacheCapacity}}},
	}
	for name, tt := range map[string]struct {
		page string
		want []string
	}{
		"stated": {"x_usage 0.5\n", []string{"llm_kv_cache_capacity_tokens{model=m} 262144", "llm_kv_cache_used_tokens{model=m} 131072"}},
		"known":  {"x_usage 0.5\nx_capacity 1000\n", []string{"llm_kv_cache_capacity_tokens{model=m} 1000", "llm_kv_cache_used_tokens{model=m} 500"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMapper(Options{Backend: "a", Model: "m", KVCapacityTokens: 262144})
			r := mapRound(t, m, e, "", tt.page)
			same(t, tt.want, written(r.Points, catalog.KVCacheCapacity, catalog.KVCacheUsed))
			if !r.Supported[catalog.KVCacheCapacity] {
				t.Error("the capacity counts as unsupported")
			}
		})
	}
}
