package rules

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
)

func TestWindowsAreToldFromOtherTimesAndSettingsFromWhatIsTyped(t *testing.T) {
	groups := []Group{{
		Name: "trial",
		Thresholds: []*Threshold{
			{Key: "ranged", Default: 300, Unit: DurationUnit}, {Key: "sub", Default: 600, Unit: DurationUnit},
			{Key: "before", Default: 30, Unit: DurationUnit}, {Key: "share", Default: 0.5, Unit: "ratio"},
		},
		Records: []Record{{Name: "backend:llm_x:rate", Expr: `rate(llm_x_total[${ranged}]) > ${share}`}},
		Alerts: []Alert{
			{Name: "LlmSub", Expr: `max_over_time((llm_x offset ${before})[${sub}:1m]) + rate(llm_x_total[${shortest_window}])`},
			{Name: "LlmTyped", Expr: `rate(llm_x_total[5m]) + rate(llm_x_total[2m]) + rate(llm_x_total[1d]) + rate(llm_x_total[${ranged}])`},
		},
	}}
	got := windowsOf(groups)
	if got.typed != 2*time.Minute || got.typedBy != "LlmTyped" {
		t.Errorf("the shortest typed window is %s of %q, want 2m of LlmTyped", got.typed, got.typedBy)
	}
	found := map[string]string{}
	for threshold, rule := range got.keys {
		found[threshold.Key] = rule
	}
	if want := (map[string]string{"ranged": "backend:llm_x:rate", "sub": "LlmSub"}); fmt.Sprint(found) != fmt.Sprint(want) {
		t.Errorf("windows that are settings: %v, want %v", found, want)
	}
}

// TestSettingsThatAreTakenKeepTheRangesOfTheRules tries the interval of scrapes: what is taken has
// no problem, and what is refused has one.
func TestSettingsThatAreTakenKeepTheRangesOfTheRules(t *testing.T) {
	taken := map[string]bool{"15s": true, "30s": true, "1m": true, "1m1s": false, "1m15s": false, "1m16s": false, "5m": false}
	for every, want := range taken {
		t.Run(every, func(t *testing.T) {
			got, err := ParseSettings("s.yml", []byte("scrape_interval: "+every+"\n"), Groups())
			if (err == nil) != want {
				t.Fatalf("error = %v, want taken: %v", err, want)
			}
			if err != nil {
				if !strings.HasPrefix(err.Error(), `s.yml:1: scrape_interval "`+every+`" `) {
					t.Errorf("error = %v, want one with line and key", err)
				}
				interval, _ := model.ParseDuration(every)
				got = DefaultSettings()
				got.ScrapeInterval = time.Duration(interval)
			}
			problems, err := Lint(NewVocabulary(Groups(), got), Groups(), got)
			if err != nil || (len(problems) == 0) != want {
				t.Errorf("problems = %v (%v), want none: %v", problems, err, want)
			}
		})
	}
}

func TestALongerWindowLetsScrapesBeFurtherApart(t *testing.T) {
	s, err := ParseSettings("s.yml", []byte("scrape_interval: 1m15s\nthresholds: {stall_window: 5m}\n"), Groups())
	if err != nil {
		t.Fatal(err)
	}
	if problems, err := Lint(NewVocabulary(Groups(), s), Groups(), s); err != nil || len(problems) > 0 {
		t.Errorf("problems = %v (%v), want none", problems, err)
	}
}

func TestAConditionHoldsForTwoScrapesAtLeast(t *testing.T) {
	s := DefaultSettings()
	s.ScrapeInterval = time.Minute
	for name, tt := range map[string]struct{ own, want time.Duration }{
		"shorter":      {time.Minute, 2 * time.Minute},
		"longer":       {10 * time.Minute, 10 * time.Minute},
		"the watchdog": {0, 0},
	} {
		if got := s.For(&Alert{Name: "LlmTrial", For: tt.own}); got != tt.want {
			t.Errorf("%s: for = %s, want %s", name, got, tt.want)
		}
	}
}
