package rules

import (
	"strings"
	"testing"
	"time"
)

func TestWhatIsRecordedSeldomIsNotReadAsAValueOfNow(t *testing.T) {
	kept := func(every time.Duration) Group {
		return Group{Name: "kept", Interval: every, Records: []Record{{
			Name: "backend:llm_requests_waiting:kept", Unit: "requests", Labels: perModel,
			Expr: `max without (rank) (llm_requests_waiting)`,
		}}}
	}
	reads := func(expr string) Group {
		return Group{Name: "reads", Alerts: []Alert{{
			Name: "LlmWaiting", Severity: Warning, For: time.Minute, Expr: expr, Summary: "{{ $labels.backend }} waits.", Description: "{{ $value | humanize }} wait. First look at it.", Panel: "capacity/waiting",
		}}}
	}
	const now, ranged = `backend:llm_requests_waiting:kept > 3`, `max_over_time(backend:llm_requests_waiting:kept[30m]) > 3`
	for name, tt := range map[string]struct {
		groups []Group
		want   string
	}{
		"now, one evaluation may be missed":  {[]Group{kept(2 * time.Minute), reads(now)}, ""},
		"now, and it is forgotten meanwhile": {[]Group{kept(150 * time.Second), reads(now)}, "reads backend:llm_requests_waiting:kept as a value of now"},
		"over a range":                       {[]Group{kept(5 * time.Minute), reads(ranged)}, ""},
		"in a subquery":                      {[]Group{kept(5 * time.Minute), reads(`max_over_time((backend:llm_requests_waiting:kept + 1)[30m:1m]) > 3`)}, "as a value of now"},
		"an alert": {[]Group{func() Group {
			g := reads(`llm_requests_waiting > 3`)
			g.Interval = time.Minute
			return g
		}()}, `LlmWaiting: is in group "reads", which is evaluated every 1m0s only`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Lint(NewVocabulary(tt.groups, DefaultSettings()), tt.groups, DefaultSettings())
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case tt.want == "" && len(got) > 0:
				t.Errorf("problems %v, want none", got)
			case tt.want != "" && (len(got) != 1 || !strings.Contains(got[0].String(), tt.want)):
				t.Errorf("problems %v, want only %q", got, tt.want)
			}
		})
	}
}

func TestNoGroupIsEvaluatedMoreOftenThanServersAreScraped(t *testing.T) {
	s := DefaultSettings()
	s.ScrapeInterval = 90 * time.Second
	rendered, err := Render(Groups(), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range rendered {
		if d := time.Duration(g.Rules.Interval); d < s.ScrapeInterval || g.Source.Interval > s.ScrapeInterval && d != g.Source.Interval {
			t.Errorf("group %s is evaluated every %s, its own interval is %s", g.Rules.Name, d, g.Source.Interval)
		}
	}
}
