package rules

import (
	"strings"
	"testing"
	"time"
)

func trialVocabulary() *Vocabulary {
	g := tried()
	g[0].Records = append(g[0].Records, Record{
		Name: "backend:llm_time_to_first_token_seconds:p95", Unit: "seconds", Labels: []string{"backend"},
		Expr: `histogram_quantile(0.95, sum by (instance, backend, le, job) (rate(llm_time_to_first_token_seconds_bucket[5m])))`,
	})
	v := NewVocabulary(g, DefaultSettings())
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
		"unknown label":            {`llm_requests_waiting{bakend="a"}`, `no label "bakend"; it has backend, engine, instance, job, model, rank`},
		"unknown grouping":         {`sum by (pod) (llm_requests_waiting)`, `the operand has no label "pod"`},
		"rate of a gauge":          {`rate(llm_requests_waiting[5m])`, "rate or increase of a gauge; only counters reset"},
		"rate of an info":          {`increase(llm_engine_info[5m])`, "rate or increase of a info"},
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
			got := v.LintExpr("x", tt.in, 15*time.Second)
			switch {
			case tt.want == "" && len(got) > 0:
				t.Errorf("problems = %v, want none", got)
			case tt.want != "" && (len(got) == 0 || !strings.Contains(got[0].Text, tt.want)):
				t.Errorf("problems = %v, want %q", got, tt.want)
			}
		})
	}
}

func TestAlertsAndRecordsKeepTheirForm(t *testing.T) {
	sound := tried()
	if got, err := Lint(trialVocabulary(), sound, DefaultSettings()); err != nil || len(got) > 0 {
		t.Fatalf("the sound group has problems: %v (%v)", got, err)
	}
	for name, tt := range map[string]struct {
		change func(*Group)
		want   string
	}{
		"alert's name":  {func(g *Group) { g.Alerts[0].Name = "QueueStuck" }, "QueueStuck: an alert's name begins with Llm"},
		"severity":      {func(g *Group) { g.Alerts[0].Severity = "page" }, `unknown severity "page"`},
		"short for":     {func(g *Group) { g.Alerts[0].For = 15 * time.Second }, "for 15s is shorter than two evaluations"},
		"no summary":    {func(g *Group) { g.Alerts[0].Summary = "${waiting} ${window}" + " "; g.Alerts[0].Description = "" }, "needs a summary and a description"},
		"no comparison": {func(g *Group) { g.Alerts[0].Expr = "llm_requests_waiting" + "\n# ${waiting} ${window} ${kv_full}" }, "has no comparison and no absent"},
		"label dropped": {func(g *Group) { g.Alerts[0].Description = "{{ $labels.target }}" }, `a text names label "target", which the expression drops`},
		"instance dropped": {func(g *Group) {
			g.Alerts[0].Expr = "sum by (backend) (" + "llm_requests_waiting) > ${waiting} # ${window} ${kv_full}"
		}, "the expression drops instance"},
		"record's name":   {func(g *Group) { g.Records[0].Name = "llm_waiting" }, "a recorded name is level:metric:operation"},
		"record's labels": {func(g *Group) { g.Records[0].Labels = []string{"backend"} }, "declares labels backend, instance, job, the expression gives backend, engine, instance, job, model"},
		"record's unit": {func(g *Group) {
			g.Records[0].Unit = "seconds"
			g.Records[0].Expr = "max without (rank) (llm_kv_cache_usage_ratio)"
		}, "declares unit seconds, the expression gives ratio"},
		"record drops":         {func(g *Group) { g.Records[0].Expr = "sum by (backend, engine, model) (llm_requests_waiting)" }, "the aggregation drops instance"},
		"recorded twice":       {func(g *Group) { g.Records = append(g.Records, g.Records[0]) }, "is recorded twice"},
		"an alert of the name": {func(g *Group) { g.Alerts = append(g.Alerts, g.Alerts[0]) }, "is defined twice"},
	} {
		t.Run(name, func(t *testing.T) {
			g := tried()
			tt.change(&g[0])
			got, err := Lint(NewVocabulary(g, DefaultSettings()), g, DefaultSettings())
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range got {
				if strings.Contains(p.String(), tt.want) {
					return
				}
			}
			t.Errorf("problems = %v, want %q", got, tt.want)
		})
	}
}

func TestTheBundlesRulesHaveNoProblems(t *testing.T) {
	got, err := Lint(NewVocabulary(Groups(), DefaultSettings()), Groups(), DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range got {
		t.Error(p)
	}
}
