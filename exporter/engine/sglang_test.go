package engine

import (
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

func init() {
	// /health generates a token, /server_info shows secrets: neither is in the list.
	vouch("SGLang", "/metrics", "/v1/loads?include=core", "/model_info", "/v1/models", "/version")
}

// What was fed to the collectors, from the README of the recording.
func TestSglangSaysWhatItsCollectorsWereFed(t *testing.T) {
	for name, tt := range map[string]struct {
		dir, state string
		want       []wanted
	}{
		"before the first request": {"default", "fresh", []wanted{
			{catalog.RequestsRunning, "", absent}, {catalog.KVCacheUsage, "", absent}, {catalog.PromptTokens, "", absent},
			{catalog.KVCacheCapacity, "", 65536}, {catalog.ModelContextLength, "", 8192}, {catalog.PrefixCacheQueries, "", 0},
		}},
		"busy": {"default", "busy", []wanted{
			{catalog.RequestsRunning, "", 8}, {catalog.RequestsWaiting, "", 4}, {catalog.KVCacheUsage, "", 0.3125}, {catalog.KVCacheUsed, "", 20480},
			{catalog.KVCacheCapacity, "", 65536}, {catalog.EngineMaxConcurrency, "", 64}, {catalog.Preemptions, "", 2},
			{catalog.RequestsFinished, "reason=abort", absent}, {catalog.SpecDecodeAcceptanceLength, "", absent}, {catalog.EngineInfo, "version=0.5.23", 1},
		}},
		"after": {"default", "after", []wanted{
			{catalog.PromptTokens, "", 16384}, {catalog.GenerationTokens, "", 3200}, {catalog.RequestsFinished, "reason=unknown", 32},
			{catalog.RequestsFinished, "reason=abort", 1}, {catalog.PromptCachedTokens, "", 7936}, {catalog.PromptComputedTokens, "", 8448},
			{catalog.PrefixCacheQueries, "", 16384}, {catalog.PrefixCacheHits, "", 7936},
			// 32 in all, half of them streamed: the time of the others is not that of a first token.
			{catalog.TimeToFirstToken, "", 16}, {catalog.InterTokenLatency, "", 3168}, {catalog.RequestDuration, "", 32},
			{catalog.RequestTimePerOutputToken, "", 32}, {catalog.RequestQueueDuration, "", 32},
			{catalog.Preemptions, "", 4}, {catalog.RequestsRunning, "", 0}, {catalog.EngineSteps, "", 416},
		}},
		"two tensor-parallel ranks": {"tp2", "after", []wanted{
			{catalog.KVCacheCapacity, "", 65536}, {catalog.PromptTokens, "", 16384}, {catalog.PrefixCacheQueries, "", 16384}, {catalog.PrefixCacheHits, "", 7936},
			{catalog.Preemptions, "", 4}, {catalog.ModelContextLength, "", 8192},
		}},
		"two data-parallel ranks, busy": {"dp2-everything", "busy", []wanted{
			{catalog.RequestsRunning, "", 16}, {catalog.RequestsRunning, "rank=0", 8}, {catalog.RequestsWaiting, "rank=1", 4},
			{catalog.KVCacheUsage, "rank=1", 0.3125}, {catalog.KVCacheCapacity, "", 131072}, {catalog.KVCacheBlockSize, "rank=0", 64},
			{catalog.PrefixCacheQueries, "rank=0", 10240}, {catalog.PrefixCacheHits, "rank=0", 4864},
			{catalog.SpecDecodeDrafts, "", 780}, {catalog.StatePoolUsage, "", absent},
		}},
		"two data-parallel ranks, after": {"dp2-everything", "after", []wanted{
			{catalog.PromptTokens, "", 16384}, {catalog.GenerationTokens, "", 3200}, {catalog.PromptCachedTokens, "", 7936}, {catalog.RequestsFinished, "", 33},
			{catalog.Preemptions, "rank=0", 4}, {catalog.Preemptions, "rank=1", 4},
		}},
		"prefill side": {"disagg-prefill", "after", []wanted{
			{catalog.PromptTokens, "", 16384}, {catalog.GenerationTokens, "", 32}, {catalog.TimeToFirstToken, "", absent},
		}},
		"decode side": {"disagg-decode", "after", []wanted{{catalog.GenerationTokens, "", 3200}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := stateOf(t, "SGLang", "sglang-0.5.23/"+tt.dir, tt.state)
			wantEngine(t, r, "SGLang")
			wantAmounts(t, r, tt.want...)
		})
	}
}

func TestSglangIsReadInEverySpelling(t *testing.T) {
	const openMetrics = "# TYPE sglang:num_running_reqs gauge\nsglang:num_running_reqs{model_name=\"m\",tp_rank=\"0\",pp_rank=\"0\"} 5.0\n# EOF\n"
	for name, tt := range map[string]struct {
		page said
		kv   float64
	}{
		"colons": {metrics("# TYPE sglang:num_running_reqs gauge\nsglang:num_running_reqs{model_name=\"m\",tp_rank=\"0\",pp_rank=\"0\"} 5.0\n" +
			"# TYPE sglang:token_usage gauge\nsglang:token_usage{model_name=\"m\",tp_rank=\"0\",pp_rank=\"0\"} 0.31\n"), 0.31},
		"underscores": {metrics("# TYPE sglang_num_running_reqs gauge\nsglang_num_running_reqs{model_name=\"m\",tp_rank=\"0\",pp_rank=\"0\"} 5.0\n" +
			"# TYPE sglang_token_usage gauge\nsglang_token_usage{model_name=\"m\",tp_rank=\"0\",pp_rank=\"0\"} 0.31\n"), 0.31},
		"OpenMetrics": {ok("application/openmetrics-text; version=1.0.0; charset=utf-8; escaping=underscores", openMetrics), absent},
	} {
		t.Run(name, func(t *testing.T) {
			r := (&fakeTarget{t: t, program: "SGLang", service: map[string]said{"/metrics": tt.page}}).read()
			wantEngine(t, r, "SGLang")
			wantAmounts(t, r, wanted{catalog.RequestsRunning, "model=m", 5}, wanted{catalog.KVCacheUsage, "model=m", tt.kv})
		})
	}
}

func TestStatePoolIsNotTheKVCache(t *testing.T) {
	hybrid := page(t, "SGLang", `sglang:token_usage{model_name="m",tp_rank="0",pp_rank="0"} 0.95
sglang:full_token_usage{model_name="m",tp_rank="0",pp_rank="0"} 0.22
sglang:swa_token_usage{model_name="m",tp_rank="0",pp_rank="0"} 0.10
sglang:mamba_usage{model_name="m",tp_rank="0",pp_rank="0"} 0.95
`).read()
	wantAmounts(t, hybrid, wanted{catalog.KVCacheUsage, "model=m", 0.22}, wanted{catalog.StatePoolUsage, "model=m", 0.95})
	dense := page(t, "SGLang", `sglang:token_usage{model_name="m",tp_rank="0",pp_rank="0"} 0.41`+"\n").read()
	wantAmounts(t, dense, wanted{catalog.KVCacheUsage, "model=m", 0.41}, wanted{catalog.StatePoolUsage, "", absent})
}

func TestThroughputComesFromTheCounter(t *testing.T) {
	for _, e := range BuiltIn() {
		for _, m := range e.Map {
			if m.From == "sglang:gen_throughput" {
				t.Errorf("%s maps a gauge that keeps its last value at rest", e.Title)
			}
		}
	}
	f := page(t, "SGLang", `sglang:gen_throughput{model_name="m",tp_rank="0",pp_rank="0"} 36.2
sglang:generation_tokens_total{model_name="m"} 51000
sglang:num_running_reqs{model_name="m",tp_rank="0",pp_rank="0"} 0
`)
	s := NewSession(newClock().options())
	for range 2 {
		r := s.Read(t.Context(), f.fetch)
		wantAmounts(t, r, wanted{catalog.GenerationTokens, "model=m", 51000}, wanted{catalog.RequestsRunning, "model=m", 0})
		if len(r.Unmapped) > 0 {
			t.Errorf("unmapped %q", r.Unmapped)
		}
	}
}

// Both vLLM and SGLang refuse the list of models with the same words when they have a key;
// only vLLM may be asked /health then.
func TestSglangWithAKeyIsNotTakenForVllm(t *testing.T) {
	locked := said{status: 401, kind: "application/json", body: `{"error":"Unauthorized"}`}
	for name, numbers := range map[string]said{
		"with numbers":    metrics("sglang:num_running_reqs{model_name=\"m\"} 1\n"),
		"without numbers": {status: 404},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeTarget{t: t, program: "SGLang", other: locked, service: from("uvicorn", map[string]said{
				"/v1/models": locked, "/version": locked, "/v1/loads?include=core": locked, "/metrics": numbers,
			})}
			s := NewSession(newClock().options())
			for range 2 {
				if r := s.Read(t.Context(), f.fetch); r.Engine == nil || r.Engine.Name != "sglang" {
					t.Errorf("engine %+v, want SGLang", r.Engine)
				}
			}
		})
	}
}

func TestSglangWithoutMetricsIsAliveAndSaysWhatToDo(t *testing.T) {
	r := (&fakeTarget{t: t, program: "SGLang", service: map[string]said{
		"/v1/models": jsonOf(`{"object":"list","data":[{"id":"m","owned_by":"sglang","max_model_len":8192}]}`),
	}}).read()
	if r.Engine == nil || r.Engine.Name != "sglang" || r.Healthy != Yes || r.Up != No || r.Reason != catalog.ReasonDisabled {
		t.Errorf("engine %+v, healthy %v, up %v, reason %q (%s)", r.Engine, r.Healthy, r.Up, r.Reason, r.Problem)
	}
	wantAmounts(t, r, wanted{catalog.ModelContextLength, "model=m", 8192})
}

// The page of an old version has no line before the first request.
func TestEmptyPageOfAFreshSglangIsNoFailure(t *testing.T) {
	r := (&fakeTarget{t: t, program: "SGLang", service: map[string]said{
		"/v1/models": jsonOf(`{"data":[{"id":"m","owned_by":"sglang"}]}`), "/metrics": metrics(""),
	}}).read()
	if r.Up != Yes || r.Healthy != Yes || r.Reason != "" || len(r.Missing) > 0 {
		t.Errorf("up %v, healthy %v, reason %q, missing %q", r.Up, r.Healthy, r.Reason, r.Missing)
	}
}

// A counter that goes away with an upgrade is missed, for its companion is still there.
func TestSglangMissesARenamedCounter(t *testing.T) {
	f := newStateTarget(t, "SGLang", "sglang-0.5.23/default", "after")
	s := f.service["/metrics"]
	s.body = strings.ReplaceAll(s.body, "sglang:e2e_request_latency_seconds", "sglang:request_latency_seconds")
	f.service["/metrics"] = s
	if r := f.read(); len(r.Missing) != 1 || r.Missing[0] != "sglang:e2e_request_latency_seconds" || len(r.Unmapped) != 1 {
		t.Errorf("missing %q, unmapped %q", r.Missing, r.Unmapped)
	}
}
