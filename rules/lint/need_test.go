package lint

import (
	"strings"
	"testing"
)

// text is a need as a person would write it.
func (n Need) text() string {
	join := func(parts []Need, with string) string {
		var out []string
		for _, p := range parts {
			out = append(out, p.text())
		}
		return "(" + strings.Join(out, with) + ")"
	}
	switch {
	case n.Name != "":
		return n.Name
	case n.All != nil:
		return join(n.All, " and ")
	case n.Any != nil:
		return join(n.Any, " or ")
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
		`a * scalar(b)`:                     "a",
		`time() - a`:                        "a",
		`max_over_time((a + b)[5m:15s])`:    "(a and b)",
		`topk(3, -a)`:                       "a",
		`{__name__="a", x="y"}`:             "a",
		`histogram_quantile(0.9, a_b)`:      "a_b",
		`label_replace(a, "x", "", "", "")`: "a",
		`a unless on (x) absent(b) == 1`:    "a",
	} {
		parsed, err := Parser.ParseExpr(expr)
		if err != nil {
			t.Fatal(err)
		}
		if got := NeedOf(parsed).text(); got != want {
			t.Errorf("%s needs %s, want %s", expr, got, want)
		}
	}
}

// An expression need not be asked where a name that it cannot do without is not there.
func TestOnlyWhatMayHaveAResultIsMet(t *testing.T) {
	has := func(name string) bool { return name == "x" }
	for expr, want := range map[string]bool{
		`x > 1`: true, `y > 1`: false, `x and y`: false, `x unless y`: true, `y unless x`: false, `x or y`: true,
		`sum(rate(y[5m]))`: false, `x / (x + y)`: false, `absent(y)`: true, `vector(1)`: true, `max_over_time((x and y)[5m:])`: false,
		`scalar(y)`: true, `time()`: true, `{a="b"}`: true, `count({__name__=~"y.*"})`: true, `{__name__="y"}`: false, `y or vector(0)`: true,
	} {
		e, err := Parser.ParseExpr(expr)
		if err != nil {
			t.Fatal(err)
		}
		if got := NeedOf(e).Met(has); got != want {
			t.Errorf("the need of %s is met: %v, want %v", expr, got, want)
		}
	}
}

func TestNamesAreThoseOfSelectorsEachOnce(t *testing.T) {
	e, err := Parser.ParseExpr(`a / (rate(b[5m]) + a) and {__name__="c", x="y"} or count({x="y"})`)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(Names(e), " "); got != "a b c" {
		t.Errorf("names are %q, want a b c", got)
	}
}
