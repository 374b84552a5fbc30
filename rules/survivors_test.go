package rules

import (
	"fmt"
	"slices"
	"testing"
)

// misplaced are the survivors that would be lost: those of no rule, those listed twice, and those that
// a rule names itself.
func misplaced(groups []Group, table []survival) []string {
	var out []string
	known := map[string]bool{}
	rule := func(name string, own map[string]string) {
		known[name] = true
		if own != nil {
			out = append(out, name+": its Survivors are filled from survivors.go; list them there under their reason")
		}
	}
	for _, g := range groups {
		for _, r := range g.Records {
			rule(r.Name, r.Survivors)
		}
		for _, a := range g.Alerts {
			rule(a.Name, a.Survivors)
		}
	}
	listed := map[string]bool{}
	for _, s := range table {
		for name, mutants := range s.of {
			if !known[name] {
				out = append(out, fmt.Sprintf("survivors.go: %q: no such rule", name))
			}
			for _, m := range mutants {
				if key := name + ": " + m; listed[key] {
					out = append(out, fmt.Sprintf("survivors.go: %s: %q: listed twice", name, m))
				} else {
					listed[key] = true
				}
			}
		}
	}
	return out
}

func TestNoSurvivorIsLost(t *testing.T) {
	for _, m := range misplaced(written(), survivors) {
		t.Error(m)
	}
}

func TestSurvivorsThatWouldBeLostAreNamed(t *testing.T) {
	groups := []Group{{Records: []Record{{Name: "a:b:c"}}, Alerts: []Alert{{Name: "LlmX"}}}}
	for name, tt := range map[string]struct {
		own  map[string]string // of the alert
		of   map[string][]string
		want string // "": none is lost
	}{
		"of both kinds":      {nil, map[string][]string{"a:b:c": {"for dropped"}, "LlmX": {"for dropped"}}, ""},
		"of nobody":          {nil, map[string][]string{"LlmY": {"for dropped"}}, `survivors.go: "LlmY": no such rule`},
		"twice":              {nil, map[string][]string{"LlmX": {"for dropped", "for dropped"}}, `survivors.go: LlmX: "for dropped": listed twice`},
		"in the rule itself": {map[string]string{"for dropped": "because"}, nil, "LlmX: its Survivors are filled from survivors.go; list them there under their reason"},
	} {
		t.Run(name, func(t *testing.T) {
			groups[0].Alerts[0].Survivors = tt.own
			got := misplaced(groups, []survival{{"because", tt.of}})
			if want := slices.DeleteFunc([]string{tt.want}, func(s string) bool { return s == "" }); !slices.Equal(got, want) {
				t.Errorf("misplaced = %q, want %q", got, want)
			}
		})
	}
}
