package proof

import (
	"strings"
	"testing"
)

func TestTheLinkOfAnAlertMustOpenANumber(t *testing.T) {
	const opens = "LlmTrial: on fleet-incidents at second 540: its link opens nothing: http://localhost:3000/d/llmfleet-capacity?viewPanel=7&var-instance=llmfleet&var-backend=medium-b: no number"
	at := func(series string) Expression {
		with := func(chosen map[string][]string) (string, error) {
			if chosen == nil {
				return series, nil
			}
			return series + `{backend="` + strings.Join(chosen["backend"], "|") + `"}`, nil
		}
		return Expression{Key: "glance/backends/A", Text: series, Kind: Panel, With: with}
	}
	explains := at("llm_healthy")
	explains.Key, explains.Explains = "glance/backends/F", true
	for name, tt := range map[string]struct {
		panel []Expression
		want  string // a failure; "": the link is good
	}{
		"the server's health":       {[]Expression{at("llm_healthy")}, ""},
		"numbers that it has not":   {[]Expression{at("llm_requests_running")}, opens},
		"only why there is nothing": {[]Expression{at("llm_requests_running"), explains}, opens},
	} {
		t.Run(name, func(t *testing.T) {
			report := prove(t, replicaDown(), tt.panel...)
			if found := strings.Contains(report.String(), opens); found != (tt.want != "") {
				t.Errorf("report = %s, want %q", report, tt.want)
			}
			if tt.want == "" && (report.Links != 1 || report.Followed != 1) {
				t.Errorf("%d links, %d followed, want 1 of 1", report.Links, report.Followed)
			}
		})
	}
}
