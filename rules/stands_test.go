package rules

import (
	"slices"
	"testing"
)

func TestAnAlertStandsOnTheThresholdsOfTheRecordsThatItReads(t *testing.T) {
	groups := []Group{{
		Thresholds: []*Threshold{{Key: "limit"}, {Key: "window"}, {Key: "unrelated"}},
		Records: []Record{
			{Name: "backend:llm_x:ratio", Expr: `backend:llm_x:rate / (backend:llm_y:rate > ${least})`},
			{Name: "backend:llm_x:rate", Expr: `rate(llm_x_total[${window}])`},
			{Name: "backend:llm_x:rate_unrelated", Expr: `rate(llm_x_total[${unrelated}])`},
		},
	}, {
		Thresholds: []*Threshold{{Key: "least"}, {Key: "other_window"}},
		Records:    []Record{{Name: "backend:llm_y:rate", Expr: `rate(llm_y_total[${other_window}]) unless backend:llm_x:ratio > 1`}},
	}}
	alert := &Alert{Expr: `backend:llm_x:ratio{model=~"a:b:c"}[10m:15s] > ${limit} and llm_x > ${scrape_interval}`}
	var got []string
	for _, s := range StandsOn(groups, alert) {
		got = append(got, s.Key+" "+s.Record)
	}
	want := []string{"limit ", "window backend:llm_x:rate", "least backend:llm_x:ratio", "other_window backend:llm_y:rate"}
	if !slices.Equal(got, want) {
		t.Errorf("thresholds = %q, want %q", got, want)
	}
}

func TestEveryThresholdDecidesAnAlert(t *testing.T) {
	used := map[string]bool{}
	for _, g := range Groups() {
		for i := range g.Alerts {
			for _, s := range StandsOn(Groups(), &g.Alerts[i]) {
				used[s.Key] = true
			}
		}
	}
	for _, threshold := range AllThresholds(Groups()) {
		if !used[threshold.Key] {
			t.Errorf("threshold %s decides no alert", threshold.Key)
		}
	}
}

func TestAThresholdWithoutEvidenceIsRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		evidence []Evidence
		want     string // "": taken
	}{
		"none":                       {nil, "no evidence; give a statistic with recordings, or the source of the number"},
		"empty":                      {[]Evidence{{Margin: 2}}, "evidence with neither a statistic nor a source"},
		"one of two is empty":        {[]Evidence{{Source: "a vendor's limit"}, {}}, "evidence with neither a statistic nor a source"},
		"recordings without measure": {[]Evidence{{Healthy: []string{"a"}, Source: "b"}}, "evidence with recordings, and no statistic to be computed on them"},
		"a source":                   {[]Evidence{{Source: "a vendor's limit"}}, ""},
		"a statistic":                {[]Evidence{{Statistic: "max(x)"}}, ""},
	} {
		got := ""
		if err := (&Threshold{Evidence: tt.evidence}).CheckEvidence(); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: CheckEvidence = %q, want %q", name, got, tt.want)
		}
	}
}
