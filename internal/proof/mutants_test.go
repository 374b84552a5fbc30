package proof

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/llmfleet/llmfleet/rules"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

func TestEveryPartOfAnAlertIsMutated(t *testing.T) {
	groups := []rules.Group{{
		Name:       "trial",
		Thresholds: []*rules.Threshold{{Key: "waiting", Default: 20}, {Key: "window", Default: 300, Unit: rules.DurationUnit}},
		Alerts: []rules.Alert{{
			Name: "LlmX", Severity: rules.Warning, For: time.Minute, KeepFiring: time.Minute,
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
	rule, err := parsed(rendered[0].Rules.Rules[0])
	if err != nil {
		t.Fatal(err)
	}
	mutants, err := mutantsOf(groups, s, rule, groups[0].Alerts[0].Expr)
	if err != nil {
		t.Fatal(err)
	}
	const waiting, up, healthy = `min_over_time(llm_requests_waiting[5m])`, `llm_up{backend!="b"}`, `llm_healthy`
	const guard = `(` + up + ` == 1 or ` + healthy + ` == 0)`
	got := map[string]string{}
	for _, m := range mutants {
		got[m.Name] = m.Rule.Expr
	}
	want := map[string]string{
		"threshold waiting ×10":                              waiting + ` > 200 and on (backend) ` + guard,
		"threshold waiting ÷10":                              waiting + ` > 2 and on (backend) ` + guard,
		"threshold window ×10":                               `min_over_time(llm_requests_waiting[50m]) > 20 and on (backend) ` + guard,
		"threshold window ÷10":                               `min_over_time(llm_requests_waiting[30s]) > 20 and on (backend) ` + guard,
		"operator and before " + guard + " turned to unless": waiting + ` > 20 unless on (backend) ` + guard,
		"label backend of on before " + guard + " dropped":   waiting + ` > 20 and on () ` + guard,
		"guard and " + guard + " dropped":                    waiting + ` > 20`,
		"comparison " + waiting + " > 20 turned to <=":       waiting + ` <= 20 and on (backend) ` + guard,
		"function " + waiting + " turned to max_over_time":   `max_over_time(llm_requests_waiting[5m]) > 20 and on (backend) ` + guard,
		"name llm_requests_running for llm_requests_waiting": `min_over_time(llm_requests_running[5m]) > 20 and on (backend) ` + guard,
		"branch " + healthy + " == 0 dropped":                waiting + ` > 20 and on (backend) (` + up + ` == 1)`,
		"branch " + up + " == 1 dropped":                     waiting + ` > 20 and on (backend) (` + healthy + ` == 0)`,
		"comparison " + up + " == 1 turned to !=":            waiting + ` > 20 and on (backend) (` + up + ` != 1 or ` + healthy + ` == 0)`,
		"number 1 in " + up + " == 1 ×10":                    waiting + ` > 20 and on (backend) (` + up + ` == 10 or ` + healthy + ` == 0)`,
		"number 1 in " + up + " == 1 ÷10":                    waiting + ` > 20 and on (backend) (` + up + ` == 0.1 or ` + healthy + ` == 0)`,
		`match llm_up{backend!="b"} turned round`:            waiting + ` > 20 and on (backend) (llm_up{backend="b"} == 1 or ` + healthy + ` == 0)`,
		`name llm_healthy for llm_up{backend!="b"}`:          waiting + ` > 20 and on (backend) (llm_healthy{backend!="b"} == 1 or ` + healthy + ` == 0)`,
		"comparison " + healthy + " == 0 turned to !=":       waiting + ` > 20 and on (backend) (` + up + ` == 1 or ` + healthy + ` != 0)`,
		"filter of " + healthy + " == 0 dropped":             waiting + ` > 20 and on (backend) (` + up + ` == 1 or ` + healthy + `)`,
		"number 0 in " + healthy + " == 0 made 1":            waiting + ` > 20 and on (backend) (` + up + ` == 1 or ` + healthy + ` == 1)`,
		"name llm_up for llm_healthy":                        waiting + ` > 20 and on (backend) (` + up + ` == 1 or llm_up == 0)`,
		"for dropped":                                        rule.Expr,
		"keep_firing_for dropped":                            rule.Expr,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	without := func(name string) parsedRule {
		return mutants[slices.IndexFunc(mutants, func(m mutant) bool { return m.Name == name })].Rule
	}
	if a, b := without("for dropped"), without("keep_firing_for dropped"); a.For != 0 || a.KeepFiringFor == 0 || b.For == 0 || b.KeepFiringFor != 0 {
		t.Errorf("hold times %s and %s, %s and %s, want one of them dropped in each", a.For, a.KeepFiringFor, b.For, b.KeepFiringFor)
	}
}

func mutantsOfExpr(t *testing.T, expr string) []mutant {
	t.Helper()
	r, err := parsed(rulefmt.Rule{Record: "r", Expr: expr})
	if err != nil {
		t.Fatal(err)
	}
	mutants, err := mutantsOf(nil, rules.DefaultSettings(), r, expr)
	if err != nil {
		t.Fatal(err)
	}
	return mutants
}

// What the trial above has no place for.
func TestEveryKindOfNodeHasItsMutations(t *testing.T) {
	for expr, want := range map[string][]string{
		`sum without (rank, reason) (rate(x[5m])) > 2`: {
			`max without (rank, reason) (rate(x[5m])) > 2`, `sum without (reason) (rate(x[5m])) > 2`, `sum without (rank) (rate(x[5m])) > 2`,
			`sum without (rank, reason) (increase(x[5m])) > 2`, `sum without (rank, reason) (rate(x[50m])) > 2`, `sum without (rank, reason) (rate(x[30s])) > 2`,
			`sum without (rank, reason) (rate(x_renamed[5m])) > 2`,
		},
		`sum by (job) (increase(x[5m])) > 0`:    {`sum(increase(x[5m])) > 0`, `sum by (job) (increase(x[5m])) <= 0`, `sum by (job) (increase(x[5m]))`},
		`max by (job) (x) > 0`:                  {`min by (job) (x) > 0`, `max by (job) (x) > 1`},
		`increase(x[5m]) / increase(y[5m]) > 0`: {`rate(x[5m]) / increase(y[5m]) > 0`, `increase(x[5m]) * increase(y[5m]) > 0`},
		`avg_over_time((x + y)[4m:15s])`:        {`max_over_time((x + y)[4m:15s])`, `avg_over_time((x + y)[40m:15s])`, `avg_over_time((x - y)[4m:15s])`},
		`x - on (a, b) group_left (c) y offset 4m`: {
			`x + on (a, b) group_left (c) y offset 4m`, `x - on (b) group_left (c) y offset 4m`, `x - on (a) group_left (c) y offset 4m`,
			`x - on (a, b) group_left () y offset 4m`, `x - on (a, b) y offset 4m`, `x - on (a, b) group_left (c) y offset 40m`, `x - on (a, b) group_left (c) y offset 24s`,
		},
		`x * ignoring (c) y`:                          {`x * y`, `x / ignoring (c) y`},
		`abs(x - y) > 3`:                              {`(x - y) > 3`},
		`label_replace(x, "a", "$1", "b", "(.+)")`:    {`x`},
		`last_over_time(x[10m])`:                      {`x`},
		`histogram_quantile(0.5, rate(x_bucket[5m]))`: {`histogram_quantile(5, rate(x_bucket[5m]))`},
		`llm_time_to_first_token_seconds_bucket`:      {`llm_inter_token_latency_seconds_bucket`},
		`vector(1)`:                                   {},
	} {
		t.Run(expr, func(t *testing.T) {
			mutants := mutantsOfExpr(t, expr)
			var got []string
			for _, m := range mutants {
				got = append(got, lint.Canonical(m.Rule.Expr))
			}
			for _, w := range want {
				if !slices.Contains(got, lint.Canonical(w)) {
					t.Errorf("no mutant %s among\n%s", w, strings.Join(got, "\n"))
				}
			}
			if len(want) == 0 && len(got) > 0 {
				t.Errorf("mutants %q, want none", got)
			}
		})
	}
}

// What says the same for every series is no mutant.
func TestWhatSaysTheSameIsNotTried(t *testing.T) {
	for expr, same := range map[string]string{
		`sum by (job) (increase(x[5m])) > 0`:               `max by (job) (increase(x[5m])) > 0`,
		`increase(x[5m]) > 0`:                              `increase(x[5m]) > 1`,
		`sum(rate(x[5m])) == 0`:                            `sum(increase(x[5m])) == 0`,
		`histogram_quantile(0.5, rate(x_bucket[5m]))`:      `histogram_quantile(0.5, increase(x_bucket[5m]))`,
		`x and sum by (job) (y)`:                           `x and max by (job) (y)`,
		`min_over_time((sum without (rank) (x))[5m:]) > 0`: `min_over_time((max without (rank) (x))[5m:]) > 0`,
		`max_over_time(x[1d])`:                             `max_over_time(x[10d])`,
	} {
		mutants := mutantsOfExpr(t, expr)
		if slices.ContainsFunc(mutants, func(m mutant) bool { return m.Rule.Expr == lint.Canonical(same) }) || len(mutants) == 0 {
			t.Errorf("%s: %s is tried, or nothing is", expr, same)
		}
	}
}

func TestWhatHasNoMutationYetIsAnError(t *testing.T) {
	for expr, want := range map[string]string{
		`-x`:           "-x: no mutation of a *parser.UnaryExpr is known",
		`x ^ 2`:        "operator ^ before 2: no mutation of ^ is known",
		`topk(2, x)`:   "aggregation topk(2, x): no mutation of topk is known",
		`deriv(x[5m])`: "deriv(x[5m]): no mutation of deriv is known",
	} {
		root, err := lint.Parser.ParseExpr(expr)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := mutations(&root, func(name string) string { return name + "_renamed" }); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", expr, err, want)
		}
	}
}

func TestEveryNodeOfTheRulesIsVisited(t *testing.T) {
	rendered, err := rules.Render(rules.Groups(), rules.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	var all []rulefmt.Rule
	for _, g := range rendered {
		all = append(all, g.Rules.Rules...)
	}
	for _, rule := range all {
		root, err := lint.Parser.ParseExpr(rule.Expr)
		if err != nil {
			t.Fatal(err)
		}
		want, got := 0, 0
		parser.Inspect(root, func(n parser.Node, _ []parser.Node) error {
			if _, ok := n.(parser.Expr); ok {
				want++
			}
			return nil
		})
		if err := walk(spot{at: &root}, func(spot) error { got++; return nil }); err != nil || got != want {
			t.Errorf("%s%s: %d nodes visited of %d (%v)", rule.Alert, rule.Record, got, want, err)
		}
	}
}

// A larger fleet is asked only where it can show a mistake: by the label that is dropped, or by those of
// which an aggregation makes one.
func TestALargerFleetIsAskedByTheLabelsOfAMistake(t *testing.T) {
	const expr = `sum by (backend, model) (llm_requests_waiting{gpu=""}) > on (backend) group_left () sum without (rank) (llm_up)`
	asked := map[string]string{}
	for _, m := range mutantsOfExpr(t, expr) {
		if m.shownBy == nil {
			continue
		}
		var by []string
		for _, label := range []string{"backend", "gpu", "model", "rank"} {
			if m.shownBy(label) {
				by = append(by, label)
			}
		}
		asked[m.Name] = strings.Join(by, " ")
	}
	want := map[string]string{
		`label backend of sum by (backend, model) (llm_requests_waiting{gpu=""}) dropped`:  "backend",
		`label model of sum by (backend, model) (llm_requests_waiting{gpu=""}) dropped`:    "model",
		`aggregation sum by (backend, model) (llm_requests_waiting{gpu=""}) turned to max`: "gpu rank",
		`label backend of on before sum without (rank) (llm_up) dropped`:                   "backend",
		`label rank of sum without (rank) (llm_up) dropped`:                                "rank",
		`aggregation sum without (rank) (llm_up) turned to max`:                            "rank",
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Error(diff)
	}
}
