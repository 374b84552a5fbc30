package dashboards

import (
	"regexp"
	"testing"

	"github.com/llmfleet/llmfleet/rules"
)

// overTime is a series and the window over which it is read, before settings are filled in.
var overTime = regexp.MustCompile(`([a-z][a-z0-9_:]*)(?:\{(?:"[^"]*"|[^"{}]|\$\{\w+\})*\})?\[([^\]:]+)\]`)

// TestAPanelTypesNoWindowThatIsASettingOfTheRules keeps panel and alert on the same window when it is set
// to another.
func TestAPanelTypesNoWindowThatIsASettingOfTheRules(t *testing.T) {
	groups, s := rules.Groups(), rules.DefaultSettings()
	type read struct{ series, window string }
	keys := map[read]string{} // of what rules read
	note := func(expr string) {
		for _, m := range overTime.FindAllStringSubmatch(expr, -1) {
			if window, err := rules.Expand(m[2], groups, s); err != nil {
				t.Fatal(err)
			} else if window != m[2] {
				keys[read{m[1], window}] = m[2]
			}
		}
	}
	for _, g := range groups {
		for _, r := range g.Records {
			note(r.Expr)
		}
		for _, a := range g.Alerts {
			note(a.Expr)
		}
	}
	if len(keys) < 20 {
		t.Fatalf("rules read %d series over a window that is a setting; 20 at least were expected", len(keys))
	}
	for _, d := range All() {
		for _, r := range d.Rows {
			for _, p := range r.Panels {
				for _, q := range p.Queries {
					for _, m := range overTime.FindAllStringSubmatch(q.Expr, -1) {
						if key := keys[read{m[1], m[2]}]; key != "" {
							t.Errorf("%s reads %s over [%s]; rules read it over [%s]: write that", p.Key, m[1], m[2], key)
						}
					}
				}
			}
		}
	}
}
