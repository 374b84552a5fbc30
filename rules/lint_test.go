package rules

import (
	"strings"
	"testing"
	"time"
)

func TestAlertsAndRecordsKeepTheirForm(t *testing.T) {
	sound := tried()
	if got, err := Lint(NewVocabulary(sound, DefaultSettings()), sound, DefaultSettings()); err != nil || len(got) > 0 {
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
