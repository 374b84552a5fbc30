package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// round maps pages as one round of one target called a.
func mapped(t testing.TB, e *Engine, version string, pages ...string) *Reading {
	t.Helper()
	m := newMapper(Options{Backend: "a"})
	return mapRound(t, m, e, version, pages...)
}

func mapRound(t testing.TB, m *mapper, e *Engine, version string, pages ...string) *Reading {
	t.Helper()
	m.begin(e, version)
	for _, page := range pages {
		if _, err := m.exposition([]byte(page), ""); err != nil {
			t.Fatalf("exposition: %v", err)
		}
	}
	r := &Reading{Engine: e, Version: version, Up: Yes}
	m.finish(r)
	return r
}

// written prints points the way an exposition does, without the labels that every point
// has, so that a case can be read next to its page.
func written(points []catalog.Point, series ...*catalog.Series) []string {
	lines := []string{}
	for i := range points {
		p := &points[i]
		if len(series) > 0 && !slices.Contains(series, p.Series) {
			continue
		}
		var labels []string
		for n, label := range p.Series.Labels {
			if common := label == catalog.LabelBackend || label == catalog.LabelEngine || label == catalog.LabelRouter; !common && p.Labels[n] != "" {
				labels = append(labels, label+"="+p.Labels[n])
			}
		}
		value := fmt.Sprint(p.Value)
		if h := p.Hist; h != nil {
			value = fmt.Sprintf("%v %v sum %v count %d", h.Bounds, h.Counts, h.Sum, h.Count)
		}
		lines = append(lines, fmt.Sprintf("%s{%s} %s", p.Series.Name, strings.Join(labels, ","), value))
	}
	slices.Sort(lines)
	return lines
}

func same(t *testing.T, want, got []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("points (-want +got):\n%s", diff)
	}
}

// Processes and tensor-parallel ranks repeat a level and share a count.
func TestLabelsThatNobodyKeepsAreAggregatedByMeaning(t *testing.T) {
	e := &Engine{Name: "sglang", Map: []Mapping{
		{From: "sglang:num_running_reqs", To: catalog.RequestsRunning},
		{From: "sglang:token_usage", To: catalog.KVCacheUsage},
		{From: "sglang:max_total_num_tokens", To: catalog.KVCacheCapacity},
		{From: "sglang:generation_tokens_total", To: catalog.GenerationTokens},
		{From: "sglang:ttft", To: catalog.TimeToFirstToken},
	}}
	r := mapped(t, e, "", `
sglang:num_running_reqs{pid="1"} 2
sglang:num_running_reqs{pid="2"} 3
sglang:token_usage{tp_rank="0"} 0.31
sglang:token_usage{tp_rank="1"} 0.30
sglang:max_total_num_tokens{tp_rank="0"} 1000
sglang:max_total_num_tokens{tp_rank="1"} 1000
sglang:generation_tokens_total{is_streaming="true"} 10
sglang:generation_tokens_total{is_streaming="false"} 20
sglang:ttft_bucket{le="1.0",is_streaming="true"} 1
sglang:ttft_bucket{le="+Inf",is_streaming="true"} 2
sglang:ttft_sum{is_streaming="true"} 5
sglang:ttft_count{is_streaming="true"} 2
sglang:ttft_bucket{le="1.0",is_streaming="false"} 10
sglang:ttft_bucket{le="+Inf",is_streaming="false"} 20
sglang:ttft_sum{is_streaming="false"} 50
sglang:ttft_count{is_streaming="false"} 20
`)
	same(t, []string{
		"llm_generation_tokens_total{} 30", "llm_kv_cache_capacity_tokens{} 1000", "llm_kv_cache_usage_ratio{} 0.31",
		"llm_requests_running{} 5", "llm_time_to_first_token_seconds{} [1] [11] sum 55 count 22",
	}, written(r.Points))
}

func TestRankIsLeftOutUntilThereAreTwo(t *testing.T) {
	m := newMapper(Options{Backend: "a"})
	one := "vllm:num_requests_running{engine=\"0\",model_name=\"m\"} 3\n"
	two := one + "vllm:num_requests_running{engine=\"1\",model_name=\"m\"} 4\n"
	for _, step := range []struct {
		page string
		want []string
	}{
		{one, []string{"llm_requests_running{model=m} 3"}},
		{two, []string{"llm_requests_running{model=m,rank=0} 3", "llm_requests_running{model=m,rank=1} 4"}},
		// one of them is gone for the moment: the other keeps its name
		{one, []string{"llm_requests_running{model=m,rank=0} 3"}},
	} {
		same(t, step.want, written(mapRound(t, m, vllm, "0.32.0", step.page).Points))
	}
}

func TestNameThatMeantSomethingElseIsNotRead(t *testing.T) {
	page := "vllm:gpu_prefix_cache_hits_total{model_name=\"m\"} 7\n"
	for version, want := range map[string][]string{
		"0.8.5": {}, "": {}, // blocks, or perhaps blocks
		"0.9.1": {"llm_prefix_cache_hit_tokens_total{model=m} 7", "llm_prompt_cached_tokens_total{model=m} 7"},
	} {
		t.Run("version "+version, func(t *testing.T) {
			same(t, want, written(mapped(t, vllm, version, page).Points))
		})
	}
}

// llama.cpp counts tokens when a request ends: only over the seconds that it counts with them do
// they make a speed.
func TestCreatedCompanionsAreNoValues(t *testing.T) {
	page := `# TYPE vllm:request_prompt_tokens histogram
vllm:request_prompt_tokens_bucket{engine="0",le="1.0",model_name="m"} 4.0
vllm:request_prompt_tokens_bucket{engine="0",le="+Inf",model_name="m"} 4.0
vllm:request_prompt_tokens_count{engine="0",model_name="m"} 4.0
vllm:request_prompt_tokens_sum{engine="0",model_name="m"} 4.0
# TYPE vllm:request_prompt_tokens_created gauge
vllm:request_prompt_tokens_created{engine="0",model_name="m"} 1.753795326935825e+09
# TYPE vllm:generation_tokens_total counter
vllm:generation_tokens_total{engine="0",model_name="m"} 812.0
# TYPE vllm:generation_tokens_created gauge
vllm:generation_tokens_created{engine="0",model_name="m"} 1.7537953269356403e+09
`
	r := mapped(t, vllm, "0.10.0", page)
	same(t, []string{
		"llm_generation_tokens_total{model=m} 812", "llm_request_prompt_tokens{model=m} [1] [4] sum 4 count 4",
	}, written(r.Points))
	if len(r.Unmapped) > 0 || r.Dropped > 0 {
		t.Errorf("unmapped %q, dropped %d, want none", r.Unmapped, r.Dropped)
	}
}

func TestHistogramKeepsTheEnginesBounds(t *testing.T) {
	page := `# TYPE vllm:time_to_first_token_seconds histogram
vllm:time_to_first_token_seconds_bucket{le="1.0",model_name="m"} 5.0
vllm:time_to_first_token_seconds_bucket{le="2.5",model_name="m"} 12.0
vllm:time_to_first_token_seconds_bucket{le="10.0",model_name="m"} 40.0
vllm:time_to_first_token_seconds_bucket{le="+Inf",model_name="m"} 100.0
vllm:time_to_first_token_seconds_count{model_name="m"} 100.0
vllm:time_to_first_token_seconds_sum{model_name="m"} 2460.0
`
	same(t, []string{"llm_time_to_first_token_seconds{model=m} [1 2.5 10] [5 12 40] sum 2460 count 100"},
		written(mapped(t, vllm, "0.8.0", page).Points))
}

func TestNumbersWithoutAModelTakeTheOnlyOne(t *testing.T) {
	config := "vllm:cache_config_info{block_size=\"16\",num_gpu_blocks=\"100\",engine=\"0\"} 1\n"
	for name, tt := range map[string]struct {
		page, given, want string
	}{
		"of the page":   {config + "vllm:num_requests_running{model_name=\"m\"} 1\n", "list", "m"},
		"of the list":   {config, "list", "list"},
		"none":          {config, "", ""},
		"several named": {config + "vllm:num_requests_running{model_name=\"m\"} 1\nvllm:num_requests_running{model_name=\"n\"} 1\n", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMapper(Options{Backend: "a"})
			m.begin(vllm, "0.10.0")
			if _, err := m.exposition([]byte(tt.page), tt.given); err != nil {
				t.Fatal(err)
			}
			r := &Reading{Models: []string{}}
			m.finish(r)
			for _, p := range r.Points {
				if p.Series == catalog.KVCacheCapacity && (p.Label(catalog.LabelModel) != tt.want || p.Value != 1600) {
					t.Errorf("capacity %v of model %q, want 1600 of %q", p.Value, p.Label(catalog.LabelModel), tt.want)
				}
			}
			if len(written(r.Points, catalog.KVCacheCapacity)) != 1 {
				t.Errorf("capacity = %q, want one point", written(r.Points, catalog.KVCacheCapacity))
			}
		})
	}
}

func TestSettingsAreReadFromLabels(t *testing.T) {
	for name, tt := range map[string]struct {
		labels string
		want   []string
	}{
		"tokens said": {`kv_cache_size_tokens="29120",num_gpu_blocks="1820",block_size="32",kv_cache_max_concurrency="14.21875"`, []string{
			"llm_kv_cache_block_size_tokens{} 32", "llm_kv_cache_capacity_tokens{} 29120", "llm_kv_cache_max_concurrency{} 14.21875"}},
		"blocks":    {`num_gpu_blocks="1820",block_size="32"`, []string{"llm_kv_cache_block_size_tokens{} 32", "llm_kv_cache_capacity_tokens{} 58240"}},
		"not known": {`num_gpu_blocks="None",block_size="16",kv_cache_size_tokens="None"`, []string{"llm_kv_cache_block_size_tokens{} 16"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := mapped(t, vllm, "0.32.0", "vllm:cache_config_info{"+tt.labels+"} 1\n")
			same(t, tt.want, written(r.Points))
			if r.Dropped > 0 {
				t.Errorf("dropped %d, want 0: a word is not a number gone bad", r.Dropped)
			}
		})
	}
}

func TestNewestSampleOfASeriesHolds(t *testing.T) {
	page := `vllm:lora_requests_info{running_lora_adapters="tuned, other",waiting_lora_adapters=""} 1.7959789656587553e+09
vllm:lora_requests_info{running_lora_adapters="tuned",waiting_lora_adapters="tuned"} 1.7959789656508007e+09
`
	same(t, []string{"llm_lora_adapters{state=running} 2", "llm_lora_adapters{state=waiting} 0"}, written(mapped(t, vllm, "", page).Points))
}

func TestStateSetSaysEveryState(t *testing.T) {
	page := `vllm:engine_sleep_state{engine="0",model_name="m",sleep_state="awake"} 0.0
vllm:engine_sleep_state{engine="0",model_name="m",sleep_state="weights_offloaded"} 1.0
vllm:engine_sleep_state{engine="0",model_name="m",sleep_state="discard_all"} 0.0
`
	same(t, []string{
		"llm_model_state{model=m,state=failed} 0", "llm_model_state{model=m,state=loaded} 0", "llm_model_state{model=m,state=loading} 0",
		"llm_model_state{model=m,state=sleeping} 1", "llm_model_state{model=m,state=unloaded} 0",
	}, written(mapped(t, vllm, "", page).Points))
}

func TestWordsWhereAndScaleShapeAValue(t *testing.T) {
	e := &Engine{Name: "x", Map: []Mapping{
		{
			From: "x_done_total", To: catalog.RequestsFinished, Where: []Match{{Label: "kind", In: []string{"chat", "text"}}},
			Labels: []LabelFrom{{To: catalog.LabelReason, From: "why", Words: map[string]string{"eos": "stop", "": "other"}}},
		},
		{From: "x_failed_total", To: catalog.RequestsFinished, Labels: []LabelFrom{{To: catalog.LabelReason, Const: "error"}}},
		{From: "x_ms", To: catalog.RequestDuration, Scale: 0.001},
		{From: "x_queue", To: catalog.RequestsWaiting},
		{From: "x_grammar_queue", To: catalog.RequestsWaiting, Plus: true},
		{From: "x_old_queue", To: catalog.RequestsWaiting},
	}}
	r := mapped(t, e, "", `
x_done_total{kind="chat",why="eos"} 3
x_done_total{kind="text",why="eos"} 4
x_done_total{kind="text",why="length"} 5
x_done_total{kind="embedding",why="eos"} 100
x_failed_total 6
x_ms_bucket{le="500"} 1
x_ms_bucket{le="+Inf"} 2
x_ms_sum 2000
x_ms_count 2
x_queue 7
x_grammar_queue 8
x_old_queue 99
`)
	same(t, []string{
		"llm_request_duration_seconds{} [0.5] [1] sum 2 count 2",
		"llm_requests_finished_total{reason=error} 6", "llm_requests_finished_total{reason=other} 5", "llm_requests_finished_total{reason=stop} 7",
		"llm_requests_waiting{} 15",
	}, written(r.Points))
}

func TestPagesOfSeveralModelsAreOneReading(t *testing.T) {
	m := newMapper(Options{Backend: "a"})
	m.begin(llamacppRouter, "")
	for model, page := range map[string]string{"m": "llamacpp:requests_processing 1\n", "n": "llamacpp:requests_processing 2\n"} {
		if _, err := m.exposition([]byte(page), model); err != nil {
			t.Fatal(err)
		}
	}
	r := &Reading{}
	m.finish(r)
	same(t, []string{"llm_requests_running{model=m} 1", "llm_requests_running{model=n} 2"}, written(r.Points, catalog.RequestsRunning))
	for _, p := range r.Points {
		if p.Series == catalog.RequestsRunning && (p.Label(catalog.LabelEngine) != "llamacpp" || p.Label(catalog.LabelBackend) != "a") {
			t.Errorf("labels %q, want backend a and the child's engine", p.Labels)
		}
	}
}

func TestPageThatIsNotMetricsIsAnErrorInWords(t *testing.T) {
	m := newMapper(Options{Backend: "a"})
	m.begin(vllm, "")
	_, err := m.exposition([]byte("<html><body>hello</body></html>"), "")
	if err == nil || err.Reason != catalog.ReasonNotMetrics || err.Error() != "answered an HTML or XML page, not metrics" {
		t.Errorf("exposition = %v, want not_metrics with a sentence", err)
	}
}

// The numbers stand in the README of the recording, or were added up by hand from the body.
func TestTwoRanksOfARealServer(t *testing.T) {
	r := mapped(t, vllm, "0.32.0", body(t, "vllm-0.32.0-dp2.metrics.txt"))
	same(t, []string{
		"llm_kv_cache_capacity_tokens{model=tiny-chat,rank=0} 29120", "llm_kv_cache_capacity_tokens{model=tiny-chat,rank=1} 29120",
		"llm_requests_rejected_total{model=tiny-chat,reason=max_num_queued_reqs} 0", "llm_requests_rejected_total{model=tiny-chat,reason=max_num_queued_tokens} 0",
		"llm_requests_running{model=tiny-chat,rank=0} 4", "llm_requests_running{model=tiny-chat,rank=1} 4",
	}, written(r.Points, catalog.RequestsRunning, catalog.KVCacheCapacity, catalog.RequestsRejected))
	if r.Dropped != 0 || len(r.Missing) > 0 || len(r.Unmapped) > 0 {
		t.Errorf("dropped %d, missing %q, unmapped %q, want none", r.Dropped, r.Missing, r.Unmapped)
	}
}

// Ray's agent has one page for all replicas on its host, and its own labels on each sample.
func TestNumbersOfEnginesWithinRayServeAreRead(t *testing.T) {
	for name, prefix := range map[string]string{"of late": "ray_vllm_", "before": "ray_vllm:"} {
		t.Run(name, func(t *testing.T) {
			replica := func(id string) string {
				return `{ReplicaId="` + id + `",WorkerId="w` + id + `",engine="0",model_name="m"} `
			}
			page := "# TYPE ray_serve_num_http_requests_total counter\nray_serve_num_http_requests_total{route=\"/v1\"} 9\n" +
				prefix + "num_requests_running" + replica("1") + "2\n" + prefix + "num_requests_running" + replica("2") + "3\n" +
				prefix + "num_requests_waiting" + replica("1") + "0\n" + prefix + "num_requests_waiting" + replica("2") + "1\n" +
				prefix + "kv_cache_usage_perc" + replica("1") + "0.5\n" + prefix + "kv_cache_usage_perc" + replica("2") + "0.7\n" +
				prefix + "generation_tokens_total" + replica("1") + "100\n" + prefix + "generation_tokens_total" + replica("2") + "200\n"
			f := &fakeTarget{t: t, program: "vLLM", service: map[string]said{"/metrics": metrics(page)}}
			r := f.read()
			wantEngine(t, r, "vLLM")
			wantAmounts(t, r, wanted{catalog.RequestsRunning, "model=m", 5}, wanted{catalog.RequestsWaiting, "model=m", 1},
				wanted{catalog.KVCacheUsage, "model=m", 0.7}, wanted{catalog.GenerationTokens, "model=m", 300})
		})
	}
}
