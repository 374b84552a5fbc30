package engine

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// The cases of the field that concern what a page's numbers mean, by their number. Their figures
// are the reports' own.

func TestFreshServerThatPrintsNanLosesThatGaugeOnly(t *testing.T) {
	page := `# TYPE llamacpp:prompt_tokens_total counter
llamacpp:prompt_tokens_total 0
# TYPE llamacpp:n_decode_total counter
llamacpp:n_decode_total 0
# TYPE llamacpp:n_busy_slots_per_decode counter
llamacpp:n_busy_slots_per_decode -nan
# TYPE llamacpp:requests_processing gauge
llamacpp:requests_processing 0
# TYPE llamacpp:requests_deferred gauge
llamacpp:requests_deferred 0
`
	r := mapped(t, llamacpp, "", page)
	same(t, []string{
		"llm_engine_steps_total{} 0", "llm_prompt_computed_tokens_total{} 0", "llm_requests_running{} 0", "llm_requests_waiting{} 0",
	}, written(r.Points))
	if r.Dropped != 1 || r.Samples != 4 {
		t.Errorf("dropped %d of a page with %d good samples, want 1 and 4", r.Dropped, r.Samples)
	}
}

func TestPagePastedTogetherKeepsEachModel(t *testing.T) {
	head := "# HELP llamacpp:requests_processing Number.\n# TYPE llamacpp:requests_processing gauge\n"
	e := &Engine{Name: "pasted", Map: []Mapping{{
		From: "llamacpp:requests_processing", To: catalog.RequestsRunning, Labels: []LabelFrom{{To: catalog.LabelModel, From: "model"}},
	}}}
	r := mapped(t, e, "", head+"llamacpp:requests_processing{model=\"model-a\"} 1\n"+head+"llamacpp:requests_processing{model=\"model-b\"} 3\n")
	same(t, []string{"llm_requests_running{model=model-a} 1", "llm_requests_running{model=model-b} 3"}, written(r.Points))
}

func TestSeveralRanksStandSideBySide(t *testing.T) {
	page := `# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="m"} 3.0
vllm:num_requests_running{engine="1",model_name="m"} 5.0
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{engine="0",model_name="m"} 0.0
vllm:num_requests_waiting{engine="1",model_name="m"} 9.0
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.10
vllm:kv_cache_usage_perc{engine="1",model_name="m"} 0.90
# TYPE vllm:generation_tokens_total counter
vllm:generation_tokens_total{engine="0",model_name="m"} 1000.0
vllm:generation_tokens_total{engine="1",model_name="m"} 4000.0
`
	r := mapped(t, vllm, "0.32.0", page)
	same(t, []string{
		"llm_generation_tokens_total{model=m,rank=0} 1000", "llm_generation_tokens_total{model=m,rank=1} 4000",
		"llm_kv_cache_usage_ratio{model=m,rank=0} 0.1", "llm_kv_cache_usage_ratio{model=m,rank=1} 0.9",
		"llm_requests_running{model=m,rank=0} 3", "llm_requests_running{model=m,rank=1} 5",
		"llm_requests_waiting{model=m,rank=0} 0", "llm_requests_waiting{model=m,rank=1} 9",
	}, written(r.Points))
	// What a panel makes of it: queues add up, of a ratio the highest and the mean count.
	for series, want := range map[*catalog.Series]float64{catalog.RequestsRunning: 8, catalog.RequestsWaiting: 9, catalog.GenerationTokens: 5000, catalog.KVCacheUsage: 2 * 0.5} {
		sum := 0.0
		for i := range r.Points {
			if p := &r.Points[i]; p.Series == series {
				sum += p.Value
			}
		}
		if sum != want {
			t.Errorf("%s adds up to %v, want %v", series.Name, sum, want)
		}
	}
}

func TestRenamedNameCountsOnceWhicheverIsThere(t *testing.T) {
	old := "# TYPE vllm:gpu_cache_usage_perc gauge\nvllm:gpu_cache_usage_perc{engine=\"0\",model_name=\"m\"} 0.62\n"
	older := "# TYPE vllm:gpu_cache_usage_perc gauge\nvllm:gpu_cache_usage_perc{model_name=\"m\"} 0.62\n"
	renamed := "# TYPE vllm:kv_cache_usage_perc gauge\nvllm:kv_cache_usage_perc{engine=\"0\",model_name=\"m\"} 0.62\n"
	for name, page := range map[string]string{
		"old": old, "old, no engine label": older, "both": old + renamed, "new": renamed,
		"underscores": strings.ReplaceAll(renamed, "vllm:", "vllm_"),
	} {
		t.Run(name, func(t *testing.T) {
			same(t, []string{"llm_kv_cache_usage_ratio{model=m} 0.62"}, written(mapped(t, vllm, "0.10.2", page).Points))
		})
	}
}

func TestPromptTokensAreServedAndComputed(t *testing.T) {
	page := `vllm:prompt_tokens_total{engine="0",model_name="m"} 2488.0
vllm:prefix_cache_queries_total{engine="0",model_name="m"} 2488.0
vllm:prefix_cache_hits_total{engine="0",model_name="m"} 2128.0
`
	same(t, []string{
		"llm_prefix_cache_hit_tokens_total{model=m} 2128", "llm_prefix_cache_query_tokens_total{model=m} 2488",
		"llm_prompt_cached_tokens_total{model=m} 2128", "llm_prompt_computed_tokens_total{model=m} 360", "llm_prompt_tokens_total{model=m} 2488",
	}, written(mapped(t, vllm, "0.12.0", page).Points))
}

func TestTokensComeWithTheirOwnSeconds(t *testing.T) {
	at := func(running, tokens, seconds string) map[*catalog.Series]float64 {
		r := mapped(t, llamacpp, "", "llamacpp:requests_processing "+running+"\nllamacpp:tokens_predicted_total "+tokens+"\nllamacpp:tokens_predicted_seconds_total "+seconds+"\n")
		values := map[*catalog.Series]float64{}
		for i := range r.Points {
			values[r.Points[i].Series] = r.Points[i].Value
		}
		return values
	}
	before, after := at("1", "5000", "200.0"), at("0", "6837", "276.5")
	speed := (after[catalog.GenerationTokens] - before[catalog.GenerationTokens]) / (after[catalog.DecodeSeconds] - before[catalog.DecodeSeconds])
	if math.Abs(speed-24.01) > 0.005 {
		t.Errorf("speed %v, want 24.01", speed)
	}
}

func TestUnknownNamesGiveNothing(t *testing.T) {
	r := mapped(t, vllm, "0.32.0", "# TYPE newengine_requests_running gauge\nnewengine_requests_running{model_name=\"m\"} 7\n")
	if len(r.Points) > 0 {
		t.Errorf("points %q, want none", written(r.Points))
	}
}

// Numbers that stand still are passed on as they are: that they do is for a rule to see, which
// needs the count of steps beside them.
func TestFrozenGaugesAreShownBesideTheirSteps(t *testing.T) {
	page := `vllm:num_requests_running{engine="0",model_name="m"} 106.0
vllm:num_requests_waiting{engine="0",model_name="m"} 15.0
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.904
vllm:prompt_tokens_total{engine="0",model_name="m"} 1203344.0
vllm:generation_tokens_total{engine="0",model_name="m"} 884211.0
vllm:iteration_tokens_total_count{engine="0",model_name="m"} 40211.0
`
	m := newMapper(Options{Backend: "a"})
	for range 2 {
		same(t, []string{
			"llm_engine_steps_total{model=m} 40211", "llm_generation_tokens_total{model=m} 884211", "llm_kv_cache_usage_ratio{model=m} 0.904",
			"llm_prompt_tokens_total{model=m} 1.203344e+06", "llm_requests_running{model=m} 106", "llm_requests_waiting{model=m} 15",
		}, written(mapRound(t, m, vllm, "0.10.2", page).Points))
	}
}

// The mean wait of the 20 requests that left the queue within 15 minutes. vLLM sends its buckets
// with sum and count, which the report leaves out.
func TestWaitInTheQueueIsKnown(t *testing.T) {
	for sum, want := range map[float64]float64{1820: 41, 1058: 2.9} {
		at := func(sum float64, count uint64) *catalog.Buckets {
			r := mapped(t, vllm, "0.10.2", fmt.Sprintf(`vllm:request_queue_time_seconds_bucket{engine="0",le="0.3",model_name="m"} 400
vllm:request_queue_time_seconds_bucket{engine="0",le="+Inf",model_name="m"} %[2]d
vllm:request_queue_time_seconds_sum{engine="0",model_name="m"} %[1]v
vllm:request_queue_time_seconds_count{engine="0",model_name="m"} %[2]d
`, sum, count))
			for i := range r.Points {
				if r.Points[i].Series == catalog.RequestQueueDuration {
					return r.Points[i].Hist
				}
			}
			t.Fatalf("points %q", written(r.Points))
			return nil
		}
		before, after := at(1000, 500), at(sum, 520)
		if got := (after.Sum - before.Sum) / float64(after.Count-before.Count); got != want {
			t.Errorf("mean wait %v, want %v", got, want)
		}
	}
}

// The front end of a dead engine answers; that requests wait and no step is made is on its page.
func TestDeadEngineBehindALivingFrontEnd(t *testing.T) {
	for waiting, want := range map[string]string{"3": "llm_requests_waiting{model=m} 3", "5": "llm_requests_waiting{model=m} 5"} {
		r := mapped(t, vllm, "0.19.0", `vllm:num_requests_running{engine="0",model_name="m"} 0
vllm:num_requests_waiting{engine="0",model_name="m"} `+waiting+`
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0
vllm:iteration_tokens_total_count{engine="0",model_name="m"} 99120
vllm:generation_tokens_total{engine="0",model_name="m"} 771002
`)
		same(t, []string{
			"llm_engine_steps_total{model=m} 99120", "llm_generation_tokens_total{model=m} 771002", "llm_kv_cache_usage_ratio{model=m} 0",
			"llm_requests_running{model=m} 0", want,
		}, written(r.Points))
	}
}
