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
		"alert's name":   {func(g *Group) { g.Alerts[0].Name = "QueueStuck" }, "QueueStuck: an alert's name begins with Llm"},
		"severity":       {func(g *Group) { g.Alerts[0].Severity = "page" }, `unknown severity "page"`},
		"short for":      {func(g *Group) { g.Alerts[0].For = 15 * time.Second }, "for 15s is shorter than two evaluations"},
		"no summary":     {func(g *Group) { g.Alerts[0].Summary = "${waiting} ${window}" + " "; g.Alerts[0].Description = "" }, "needs a summary and a description"},
		"no comparison":  {func(g *Group) { g.Alerts[0].Expr = "llm_requests_waiting" + "\n# ${waiting} ${window} ${kv_full}" }, "has no comparison and no absent"},
		"no value":       {func(g *Group) { g.Alerts[0].Description = "Look." }, "no text gives the value; write {{ $value | humanize }}"},
		"raw value":      {func(g *Group) { g.Alerts[0].Description = "There are {{ $value }}." }, "a text gives the value with all its digits"},
		"value, and not": {func(g *Group) { g.Alerts[0].Valueless = "a state" }, "Valueless says that the value tells nobody anything, and a text gives it"},
		"seconds as a share": {func(g *Group) {
			g.Alerts[0].Expr = "backend:llm_x:p95 > ${waiting} and on (instance) llm_requests_waiting > ${kv_full} and on (instance) llm_requests_waiting offset ${window}"
			g.Alerts[0].Description = "{{ $value | humanizePercentage }}"
			g.Records = append(g.Records, Record{Name: "backend:llm_x:p95", Unit: "seconds", Labels: []string{"backend", "engine", "model"},
				Expr: "histogram_quantile(0.95, sum without (rank) (rate(llm_request_duration_seconds_bucket[5m])))"})
		}, "the value is in seconds, and humanizePercentage does not write it so; write {{ $value | humanizeDuration }}"},
		"no panel":      {func(g *Group) { g.Alerts[0].Panel = "" }, "has no dashboard_url, though the settings give its base; name the panel"},
		"typed window":  {func(g *Group) { g.Alerts[0].Description += " Within 5 minutes." }, `a text types "5 minutes", which is a setting; write ${window}`},
		"typed for":     {func(g *Group) { g.Alerts[0].Summary += " For 10m." }, `a text types "10m", which is a setting; write ${for}`},
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

func TestATextMayTypeTimesThatAreNoSettingsOfItsAlert(t *testing.T) {
	g := tried()
	g[0].Thresholds = append(g[0].Thresholds, &Threshold{Key: "others_window", Default: 1200, Unit: DurationUnit})
	g[0].Records[0].Expr += " > count_over_time(up[${others_window}])"
	a := &g[0].Alerts[0]
	if got := typedTimes(g, a, "Prometheus gives up after 10s; port 5 minor; 20 minutes; ${window}"); len(got) > 0 {
		t.Errorf("found %q", got)
	}
}

func TestAddressesAreAskedForOnlyWhereTheSettingsHaveThem(t *testing.T) {
	s := DefaultSettings()
	s.RunbookBaseURL, s.DashboardBaseURL = "", ""
	texts := map[string]string{"summary": "a", "description": "b"}
	if got := incomplete(texts, s); len(got) > 0 {
		t.Errorf("without addresses: %q", got)
	}
	if got := incomplete(texts, DefaultSettings()); len(got) != 2 {
		t.Errorf("with addresses: %q, want a missing runbook_url and dashboard_url", got)
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
