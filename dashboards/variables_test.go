package dashboards

import (
	"regexp"
	"slices"
	"testing"
)

// variableIn finds the page's own variables in a query; Grafana's begin with two underscores.
var variableIn = regexp.MustCompile(`\$([a-z]+)\b`)

func used(text string) map[string]bool {
	out := map[string]bool{}
	for _, m := range variableIn.FindAllStringSubmatch(text, -1) {
		out[m[1]] = true
	}
	return out
}

// askedOn are the queries of a page's panels and marks.
func askedOn(d Dashboard) map[string]string {
	out := map[string]string{}
	for _, r := range d.Rows {
		for _, p := range r.Panels {
			for _, t := range p.targets() {
				out[p.Key+"/"+t.Ref] = t.Expr
			}
		}
	}
	for _, n := range d.Notes {
		out["annotation "+n.Key] = n.Expr
	}
	return out
}

// A choice that nothing follows is a lie.
func TestEveryVariableIsUsedByPanelsOrByALaterVariable(t *testing.T) {
	for _, d := range All() {
		for i, v := range d.Variables {
			if v.Query == "" {
				continue // the data source, which every panel names
			}
			inPanels := 0
			for _, text := range askedOn(d) {
				if used(text)[v.Name] {
					inPanels++
				}
			}
			later := slices.ContainsFunc(d.Variables[i+1:], func(other Variable) bool { return used(other.Query)[v.Name] })
			if inPanels == 0 && !later {
				t.Errorf("%s: nothing on the page follows the choice of $%s", d.UID, v.Name)
			}
		}
	}
}

// Grafana leaves the name of an unknown variable standing, and the query quietly gives nothing.
func TestQueriesUseOnlyVariablesOfTheirPage(t *testing.T) {
	for _, d := range All() {
		known := map[string]bool{}
		for _, v := range d.Variables {
			for name := range used(v.Query) {
				if !known[name] {
					t.Errorf("%s: the values of $%s hang on $%s, which is not chosen before it", d.UID, v.Name, name)
				}
			}
			known[v.Name] = true
		}
		for key, text := range askedOn(d) {
			for name := range used(text) {
				if !known[name] {
					t.Errorf("%s: %s uses $%s, which the page does not have", d.UID, key, name)
				}
			}
		}
	}
}

// A panel that leaves one of the page's choices out shows what was not asked for.
func TestPanelsAboutBackendsFollowEveryChoiceOfThePage(t *testing.T) {
	// These ask about Prometheus itself, about all exporters at once, or about what a router says of
	// its workers, whose engines it does not know.
	free := map[string]bool{
		"glance/told": true, "watching/twice": true, "watching/rules": true, "watching/notifications": true,
		"backend/as-worker": true, "backend/from-router": true,
	}
	for _, d := range All() {
		for _, r := range d.Rows {
			for _, p := range r.Panels {
				for _, target := range p.targets() {
					for _, v := range d.Variables {
						if v.Query == "" || v.Name == "model" || free[p.Key] {
							continue // of a model that is not chosen the server is shown all the same
						}
						about := used(target.Expr)
						if !about[v.Name] && (v.Name == labelInstance || about["backend"] && v.Name == "engine" || about["model"] && v.Name == "backend") {
							t.Errorf("%s: %s/%s does not follow the choice of $%s", d.UID, p.Key, target.Ref, v.Name)
						}
					}
				}
			}
		}
	}
}
