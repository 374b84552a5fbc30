package rules

import (
	"slices"
	"testing"
	"time"
)

func TestNumbersOfAUsersOwnAreThoseThatDiffer(t *testing.T) {
	groups := []Group{{
		Thresholds: []*Threshold{{Key: "waiting", Default: 2}, {Key: "full", Default: 0.9}},
		Records:    []Record{{Name: "backend:llm_x:sum", Expr: "llm_x > ${waiting}"}},
		Alerts: []Alert{
			{Name: "LlmReads", Expr: "backend:llm_x:sum > 1", For: time.Minute},
			{Name: "LlmOther", Expr: "llm_y > ${full}", For: time.Minute},
		},
	}}
	s := DefaultSettings()
	s.Thresholds = map[string]float64{"waiting": 8, "full": 0.9}
	own := NewOwnNumbers(groups, s)
	const waiting = "waiting = 8 (default 2)"
	for what, got := range map[string][]string{
		"all": own.All(), "of an alert through a record": own.Of(&groups[0].Alerts[0]), "in a text": own.In("llm_z > ${waiting}"),
	} {
		if !slices.Equal(got, []string{waiting}) {
			t.Errorf("%s: %q, want %q", what, got, waiting)
		}
	}
	if got := own.Of(&groups[0].Alerts[1]); len(got) > 0 || !own.Has("waiting") || own.Has("full") {
		t.Errorf("of the other alert: %q, want none; only waiting differs", got)
	}
}

func TestWhatFollowsFromTheIntervalIsSaidOnce(t *testing.T) {
	s := DefaultSettings()
	s.ScrapeInterval = 30 * time.Second
	own := NewOwnNumbers(nil, s)
	const interval = "scrape_interval = 30s (default 15s)"
	for what, got := range map[string][]string{"all": own.All(), "in a text": own.In("rate(llm_x_total[${shortest_window}])")} {
		if !slices.Equal(got, []string{interval}) {
			t.Errorf("%s: %q, want %q", what, got, interval)
		}
	}
}
