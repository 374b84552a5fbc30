package replay

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/common/model"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/rulefmt"
)

// flapping is a backend that goes up and down at random.
func flapping(seed uint64) scripted {
	up := map[int]bool{}
	r := rand.New(rand.NewPCG(seed, seed))
	return func(s int) string {
		if _, ok := up[s]; !ok {
			up[s] = r.IntN(3) > 0 == (s%600 < 400)
		}
		if up[s] {
			return "llm_up{backend=\"a\"} 1\nllm_up{backend=\"b\"} 0\n"
		}
		return "llm_up{backend=\"a\"} 0\n"
	}
}

func TestOneRangeQueryFindsWhatTheRuleManagerFinds(t *testing.T) {
	rule := testRules(t).Groups[0].Rules[1]
	for seed := range uint64(5) {
		p := startTest(t, flapping(seed))
		playTest(t, p, 1500)
		got, err := SpansOf(t.Context(), p.Storage, rule, 1500*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := lines(got), lines(p.Spans()); !slices.Equal(a, b) {
			t.Errorf("seed %d: range query %q, rule manager %q", seed, a, b)
		}
		if len(got) < 3 {
			t.Errorf("seed %d: only %d spans; the replay tests nothing", seed, len(got))
		}
	}
}

func testRules(t *testing.T) *rulefmt.RuleGroups {
	t.Helper()
	g, errs := rulefmt.Parse([]byte(twoAlerts), false, model.UTF8Validation, lint.Parser, promslog.NewNopLogger())
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return g
}

// lines are spans as text, sorted.
func lines(spans []*Span) []string {
	var out []string
	for _, s := range spans {
		out = append(out, s.String())
	}
	slices.Sort(out)
	return out
}
