package catalog

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestASeriesThatBreaksTheConventionsIsRefused(t *testing.T) {
	sound := Series{Name: "llm_requests_running", Kind: Gauge, Unit: Requests, Labels: Data, Help: "Requests."}
	if err := sound.check(); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		change func(*Series)
		want   string
	}{
		"another's name":         {func(s *Series) { s.Name = "vllm_requests" }, "must begin with llm_"},
		"a counter's name":       {func(s *Series) { s.Kind = Counter }, "ends in _total"},
		"a counter's end":        {func(s *Series) { s.Name += "_total" }, "ends in _total"},
		"an info's name":         {func(s *Series) { s.Kind = Info }, "ends in _info"},
		"a ratio without suffix": {func(s *Series) { s.Unit = Ratio }, "suffix _ratio"},
		"seconds without suffix": {func(s *Series) { s.Unit = Seconds }, "suffix _seconds"},
		"bytes without suffix":   {func(s *Series) { s.Unit = Bytes }, "suffix _bytes"},
		"no help":                {func(s *Series) { s.Help = "" }, "help must be a sentence"},
		"half a sentence":        {func(s *Series) { s.Help = "Requests" }, "help must be a sentence"},
		"a label of Prometheus":  {func(s *Series) { s.Labels = []string{LabelBackend, "instance"} }, "label instance belongs to Prometheus"},
	} {
		t.Run(name, func(t *testing.T) {
			s := sound
			tt.change(&s)
			if err := s.check(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("check = %v, want %q", err, tt.want)
			}
		})
	}
}

// A closed set is its constants and the list of them: one that is not in the list would be
// missing from every page.
func TestClosedSetsListAllTheirConstants(t *testing.T) {
	for _, tt := range []struct {
		file, of string
		listed   []string
	}{
		{"health.go", "Reason", texts(Reasons())},
		{"model.go", "ModelState", texts(ModelStates())},
		{"host.go", "HostSource", texts(HostSources())},
		{"host.go", "HostReason", texts(HostReasons())},
		{"gpu.go", "GPUFailure", texts(GPUFailures())},
		{"gpu.go", "XIDKind", texts(XIDKinds())},
	} {
		if got := constants(t, tt.file, tt.of); len(got) == 0 || !slices.Equal(got, tt.listed) {
			t.Errorf("constants of %s are %q, the list has %q", tt.of, got, tt.listed)
		}
	}
}

func texts[T ~string](set []T) (out []string) {
	for _, v := range set {
		out = append(out, string(v))
	}
	return out
}

// constants are the values of a file's constants of one type, in order.
func constants(t *testing.T, file, of string) (out []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); ok && name.Name == of && len(spec.Values) == 1 {
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, text)
		}
		return true
	})
	return out
}

func TestTheHelpSaysWhenAbsenceIsNoFailure(t *testing.T) {
	for help, want := range map[string]string{
		"Requests in the router's queue; absent for a router without one.": "absent for a router without one",
		"Load. Absent while it sleeps, and where nothing tells. Or so.":    "absent while it sleeps, and where nothing tells",
		"When it was read; absent if never.":                               "absent if never",
		"Processes. 0 only where all can be seen, or else absent.":         "",
		"What would wake it is not read, so those are absent meanwhile.":   "",
		"Tokens generated.": "",
	} {
		if got := absentWhen(help); got != want {
			t.Errorf("absentWhen(%q) = %q, want %q", help, got, want)
		}
	}
	if got := Healthy.AbsentWhen() + Up.AbsentWhen(); got != "absent for a program that exports no numbers" {
		t.Errorf("of llm_healthy and llm_up: %q", got)
	}
}

// TestEveryReasonHasARemedyOrPasses holds the texts to the closed sets: a reason that is added
// must be thought of.
func TestEveryReasonHasARemedyOrPasses(t *testing.T) {
	for _, r := range Reasons() {
		// How a program is made to give numbers is said by its engine.
		if (r.Remedy() == "") != (r.Passes() || r == ReasonDisabled) {
			t.Errorf("reason %s passes: %v, remedy: %q", r, r.Passes(), r.Remedy())
		}
	}
	for _, r := range HostReasons() {
		if (r.Remedy() == "") != (r == HostAsleep) {
			t.Errorf("host reason %s: remedy %q", r, r.Remedy())
		}
	}
}

func TestWhatTheOperatorDidNotSayNamesItsKey(t *testing.T) {
	for _, s := range All() {
		if strings.Contains(s.Help, "did not say") && s.Setting == "" {
			t.Errorf("%s: no Setting; whoever misses it is not told which key to write", s.Name)
		}
	}
}
