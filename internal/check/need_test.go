package check

import (
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/rules/lint"
)

// text is a need as a person would write it.
func (n need) text() string {
	join := func(parts []need, with string) string {
		var out []string
		for _, p := range parts {
			out = append(out, p.text())
		}
		return "(" + strings.Join(out, with) + ")"
	}
	switch {
	case n.name != "":
		return n.name
	case n.all != nil:
		return join(n.all, " and ")
	case n.any != nil:
		return join(n.any, " or ")
	}
	return "nothing"
}

func TestWhatAnExpressionNeeds(t *testing.T) {
	for expr, want := range map[string]string{
		`a > 3`:                             "a",
		`sum by (x) (rate(a[5m])) / b`:      "(a and b)",
		`a and on (x) (b or c) unless d`:    "(a and (b or c))",
		`a or 0 * b`:                        "(a or b)",
		`a == 0 or absent(a)`:               "nothing",
		`vector(1)`:                         "nothing",
		`time() - a`:                        "a",
		`max_over_time((a + b)[5m:15s])`:    "(a and b)",
		`topk(3, -a)`:                       "a",
		`{__name__="a", x="y"}`:             "a",
		`histogram_quantile(0.9, a_b)`:      "a_b",
		`label_replace(a, "x", "", "", "")`: "a",
		`a unless on (x) absent(b) == 1`:    "a",
	} {
		parsed, err := lint.Parser.ParseExpr(expr)
		if err != nil {
			t.Fatal(err)
		}
		if got := needOf(parsed).text(); got != want {
			t.Errorf("%s needs %s, want %s", expr, got, want)
		}
	}
}

// TestARecordedNameIsSeenThrough asks for the series below a record, and for its rule.
func TestARecordedNameIsSeenThrough(t *testing.T) {
	b, err := newBundle(options().Settings)
	if err != nil {
		t.Fatal(err)
	}
	got := b.seenThrough(need{name: "backend:llm_kv_cache_usage:max"}, 0).text()
	if want := "(backend:llm_kv_cache_usage:max and llm_kv_cache_usage_ratio)"; got != want {
		t.Errorf("seen through it is %s, want %s", got, want)
	}
}

func TestOneServerIsToldFromAnother(t *testing.T) {
	for name, tt := range map[string]struct {
		a, b backend
		same bool
	}{
		"by its name":                     {backend{url: "http://big:8000", instance: "x:1"}, backend{url: "http://big:8000", instance: "y:1"}, true},
		"by its port":                     {backend{url: "http://big:8000", instance: "x:1"}, backend{url: "http://big:8001", instance: "y:1"}, false},
		"each on its own machine":         {backend{url: "http://127.0.0.1:80", instance: "x:1"}, backend{url: "http://127.0.0.1:80", instance: "y:1"}, false},
		"on one machine, two exporters":   {backend{url: "http://127.0.0.1:80", instance: "x:1"}, backend{url: "http://localhost:80", instance: "x:2"}, true},
		"exporters that have plain names": {backend{url: "http://[::1]:80", instance: "x"}, backend{url: "http://127.0.0.1:80", instance: "y"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.a.whereabouts() == tt.b.whereabouts(); got != tt.same {
				t.Errorf("%q and %q", tt.a.whereabouts(), tt.b.whereabouts())
			}
		})
	}
}
