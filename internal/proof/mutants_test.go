package proof

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/llmfleet/llmfleet/rules"
)

func TestEveryPartOfAnAlertIsMutated(t *testing.T) {
	groups := []rules.Group{{
		Name:       "trial",
		Thresholds: []*rules.Threshold{{Key: "waiting", Default: 20}, {Key: "window", Default: 300, Unit: rules.DurationUnit}},
		Alerts: []rules.Alert{{
			Name: "LlmX", Severity: rules.Warning, For: time.Minute,
			Expr: `
				min_over_time(llm_requests_waiting[${window}]) > ${waiting}
				and on (backend) (llm_up{backend!="b"} == 1 or llm_healthy == 0)`,
			Summary: "s", Description: "d",
		}},
	}}
	s := rules.DefaultSettings()
	rendered, err := rules.Render(groups, s)
	if err != nil {
		t.Fatal(err)
	}
	mutants, err := mutantsOf(groups, s, &rendered[0], &groups[0].Alerts[0])
	if err != nil {
		t.Fatal(err)
	}
	const waiting, up, healthy = `min_over_time(llm_requests_waiting[5m])`, `llm_up{backend!="b"}`, `llm_healthy`
	got := map[string]string{}
	for _, m := range mutants {
		got[m.Name] = m.Rule.Expr
	}
	want := map[string]string{
		"threshold waiting ×10":                                       waiting + ` > 200 and on (backend) (` + up + ` == 1 or ` + healthy + ` == 0)`,
		"threshold waiting ÷10":                                       waiting + ` > 2 and on (backend) (` + up + ` == 1 or ` + healthy + ` == 0)`,
		"threshold window ×10":                                        `min_over_time(llm_requests_waiting[50m]) > 20 and on (backend) (` + up + ` == 1 or ` + healthy + ` == 0)`,
		"threshold window ÷10":                                        `min_over_time(llm_requests_waiting[30s]) > 20 and on (backend) (` + up + ` == 1 or ` + healthy + ` == 0)`,
		"comparison " + waiting + " > 20 turned to <=":                waiting + ` <= 20 and on (backend) (` + up + ` == 1 or ` + healthy + ` == 0)`,
		"comparison " + up + " == 1 turned to !=":                     waiting + ` > 20 and on (backend) (` + up + ` != 1 or ` + healthy + ` == 0)`,
		"comparison " + healthy + " == 0 turned to !=":                waiting + ` > 20 and on (backend) (` + up + ` == 1 or ` + healthy + ` != 0)`,
		"number in " + up + " == 1 ×10":                               waiting + ` > 20 and on (backend) (` + up + ` == 10 or ` + healthy + ` == 0)`,
		"number in " + up + " == 1 ÷10":                               waiting + ` > 20 and on (backend) (` + up + ` == 0.1 or ` + healthy + ` == 0)`,
		"guard and (" + up + " == 1 or " + healthy + " == 0) dropped": waiting + ` > 20 or ` + waiting + ` > 20`,
		"branch " + healthy + " == 0 dropped":                         waiting + ` > 20 and on (backend) (` + up + ` == 1 or ` + up + ` == 1)`,
		"branch " + up + " == 1 dropped":                              waiting + ` > 20 and on (backend) (` + healthy + ` == 0 or ` + healthy + ` == 0)`,
		`match llm_up{backend!="b"} turned round`:                     waiting + ` > 20 and on (backend) (llm_up{backend="b"} == 1 or ` + healthy + ` == 0)`,
		"for dropped": rendered[0].Rules.Rules[0].Expr,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	i := slices.IndexFunc(mutants, func(m Mutant) bool { return m.Name == "for dropped" })
	if mutants[i].Rule.For != 0 || mutants[0].Rule.For == 0 {
		t.Errorf("for = %s and %s, want it dropped in one mutant only", mutants[i].Rule.For, mutants[0].Rule.For)
	}
}
