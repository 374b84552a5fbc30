package lint

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

func trialVocabulary() *Vocabulary {
	v := NewVocabulary()
	v.Record("backend:llm_requests_waiting:sum", catalog.Requests, []string{"backend", "engine", "model"}, `sum without (rank) (llm_requests_waiting)`)
	v.Record("backend:llm_time_to_first_token_seconds:p95", catalog.Seconds, []string{"backend"},
		`histogram_quantile(0.95, sum by (instance, backend, le, job) (rate(llm_time_to_first_token_seconds_bucket[5m])))`)
	v.LastBucket["llm_time_to_first_token_seconds"] = 80
	return v
}

func TestExpressionsAreHeldAgainstTheVocabulary(t *testing.T) {
	v := trialVocabulary()
	for name, tt := range map[string]struct {
		in   string
		want string // of the only problem; "": none
	}{
		"sound":                    {`sum by (instance, backend) (rate(llm_generation_tokens_total[5m])) > 5`, ""},
		"recorded name":            {`backend:llm_requests_waiting:sum > 3`, ""},
		"unknown name":             {`llm_request_waiting > 1`, `unknown name; did you mean "llm_requests_waiting"?`},
		"no name":                  {`{backend="a"}`, "selector without a name"},
		"several names":            {`group by (backend) ({__name__=~"llm_router_.+", instance="a"})`, ""},
		"values of several names":  {`sum by (backend) ({__name__=~"llm_router_.+"})`, "count or group them"},
		"label of none of them":    {`group by (backend) ({__name__=~"llm_router_.+", gpu="a"})`, `no label "gpu"`},
		"unknown label":            {`llm_requests_waiting{bakend="a"}`, `no label "bakend"; it has backend, engine, instance, job, model, rank`},
		"unknown grouping":         {`sum by (pod) (llm_requests_waiting)`, `the operand has no label "pod"`},
		"rate of a gauge":          {`rate(llm_requests_waiting[5m])`, "rate or increase of a gauge; only counters reset"},
		"rate of an info":          {`increase(llm_engine_info[5m])`, "rate or increase of an info"},
		"counter without rate":     {`llm_preemptions_total > 5`, "a counter without rate or increase"},
		"counter compared in time": {`max_over_time(llm_preemptions_total[5m]) > 5`, "a counter without rate or increase"},
		"counter as a guard":       {`llm_requests_waiting and on (instance, backend) llm_preemptions_total`, ""},
		"counter counted":          {`count by (backend) (llm_preemptions_total)`, ""},
		"counter that resets":      {`resets(llm_preemptions_total[5m]) > 0`, ""},
		"mixed comparison":         {`llm_kv_cache_used_tokens > llm_kv_cache_usage_ratio`, "tokens > ratio mixes units"},
		"mixed sum":                {`llm_kv_cache_used_tokens + llm_scrape_body_bytes`, "tokens + bytes mixes units"},
		"ratio of like things":     {`llm_kv_cache_used_tokens / llm_kv_cache_capacity_tokens > llm_kv_cache_usage_ratio`, ""},
		"age of a timestamp":       {`time() - llm_scrape_last_success_timestamp_seconds > llm_scrape_duration_seconds`, ""},
		"mean of a histogram":      {`rate(llm_request_duration_seconds_sum[5m]) / rate(llm_request_duration_seconds_count[5m]) > llm_scrape_duration_seconds`, ""},
		"percent as quantile":      {`histogram_quantile(95, rate(llm_time_to_first_token_seconds_bucket[5m]))`, "quantile 95 is not between 0 and 1"},
		"quantile without le":      {`histogram_quantile(0.95, sum by (backend) (rate(llm_time_to_first_token_seconds_bucket[5m])))`, "the aggregation drops le"},
		"beyond the last bucket":   {`histogram_quantile(0.95, rate(llm_time_to_first_token_seconds_bucket[5m])) > 80`, "at or beyond the last finite bucket 80"},
		"recorded, beyond":         {`backend:llm_time_to_first_token_seconds:p95 > 100`, "threshold 100 is at or beyond the last finite bucket 80"},
		"below the last bucket":    {`backend:llm_time_to_first_token_seconds:p95 > 10`, ""},
		"bare le":                  {`rate(llm_time_to_first_token_seconds_bucket{le="1"}[5m])`, "matches nothing in Prometheus 3"},
		"short range":              {`rate(llm_generation_tokens_total[30s])`, "range 30s is shorter than four scrapes (1m)"},
		"label on one side only":   {`llm_requests_waiting and on (router) llm_up`, `label "router" is not on both sides`},
		"label_replace":            {`label_replace(llm_up, "name", "$1", "bakend", "(.*)")`, `the operand has no label "bakend"`},
		"not PromQL":               {`llm_up >`, "parse error"},
	} {
		t.Run(name, func(t *testing.T) {
			_, got := v.Check("x", tt.in, 15*time.Second)
			switch {
			case tt.want == "" && len(got) > 0:
				t.Errorf("problems = %v, want none", got)
			case tt.want != "" && (len(got) == 0 || !strings.Contains(got[0].Text, tt.want)):
				t.Errorf("problems = %v, want %q", got, tt.want)
			}
		})
	}
}

func TestWindowsOfFewScrapesAreFound(t *testing.T) {
	const expr = `rate(llm_generation_tokens_total[5m]) and max_over_time(llm_up[2m:15s]) and llm_healthy offset 10s`
	parsed, err := Parser.ParseExpr(expr)
	if err != nil {
		t.Fatal(err)
	}
	for interval, want := range map[time.Duration]string{
		15 * time.Second: "[]", 30 * time.Second: "[]", 40 * time.Second: "[2m0s]", 2 * time.Minute: "[5m0s 2m0s]", 0: "[]",
	} {
		if got := fmt.Sprint(ShortWindows(parsed, interval)); got != want {
			t.Errorf("at %s: %s, want %s", interval, got, want)
		}
	}
}
