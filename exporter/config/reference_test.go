package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// allSections walks the tables below the file.
func allSections(s sectionDoc, visit func(sectionDoc)) {
	visit(s)
	for _, b := range s.below {
		allSections(b, visit)
	}
}

func TestEveryKeyIsDocumented(t *testing.T) {
	text := string(Reference())
	keys := 0
	allSections(file.doc(), func(s sectionDoc) {
		if s.title == "" || !strings.HasSuffix(s.about, ".") || !strings.Contains(text, "## "+s.title+"\n") {
			t.Errorf("section %q is not in the reference, or says nothing of itself", s.title)
		}
		for _, r := range s.rows {
			keys++
			if r.help == "" || !r.refused && (r.word == "" || !strings.HasSuffix(r.help, ".")) {
				t.Errorf("key %s of %s says nothing of itself: %+v", r.name, s.title, r)
			}
			line := "| `" + r.name + "` |"
			if r.refused {
				line = "`" + r.name + "` is refused: "
			}
			if !strings.Contains(text, line) {
				t.Errorf("key %s of %s is not in the reference", r.name, s.title)
			}
		}
	})
	if keys < 100 {
		t.Errorf("only %d keys were looked at", keys)
	}
}

func TestTheReferenceSaysEachSectionOnceAndNeverChangesByItself(t *testing.T) {
	text := string(Reference())
	if again := string(Reference()); again != text {
		t.Error("two calls differ")
	}
	seen := make(map[string]bool)
	for line := range strings.Lines(text) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			if seen[title] {
				t.Errorf("section %q stands twice", title)
			}
			seen[title] = true
		}
		if strings.HasPrefix(line, "|") && strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") != 5 {
			t.Errorf("not a row of four cells: %s", line)
		}
	}
}

func TestThePathsThatAreNeverAskedAreDocumentedAndRefused(t *testing.T) {
	text := string(Reference())
	for _, h := range harmful {
		if !strings.Contains(text, "- /"+h.word+" (") {
			t.Errorf("/%s is not in the reference", h.word)
		}
		for _, p := range []string{"/" + h.word, "/v1/" + strings.ToUpper(h.word) + "/", "/" + h.word + "?x=1", "/%" + fmt.Sprintf("%x", h.word[0]) + h.word[1:]} {
			if checkEndpointPath(p) == "" {
				t.Errorf("%s is accepted", p)
			}
		}
	}
	for _, p := range []string{"/upstream/m/metrics", "/Upstream/m/metrics", "/x/%75pstream/m", "/models?reload=0", "/m?a=1&RELOAD=1", "/m?model=x", "/m?model=x&autoload=1", "/m?model=x&autoload=false&autoload=true"} {
		if checkEndpointPath(p) == "" {
			t.Errorf("%s is accepted", p)
		}
	}
	for _, p := range []string{"/metrics", "/metrics/", "/prometheus/metrics", "/health", "/health/liveliness", "/v1/models", "/props", "/running", "/v1/loads?include=core", "/metrics?model={model}&autoload=false", "/api/v1/{model}/stats"} {
		if wrong := checkEndpointPath(p); wrong != "" {
			t.Errorf("%s %s", p, wrong)
		}
	}
}

// TestTheSettingsOfTheCatalogAreKeys holds what is said of series that only the configuration
// gives to the keys of a backend that there are.
func TestTheSettingsOfTheCatalogAreKeys(t *testing.T) {
	keys := map[string]bool{}
	allSections(file.doc(), func(s sectionDoc) {
		for _, r := range s.rows {
			keys[s.title+"."+r.name] = true
		}
	})
	found := 0
	for _, s := range catalog.All() {
		if s.Setting == "" {
			continue
		}
		found++
		if !keys[s.Setting] && !keys["backends."+s.Setting] {
			t.Errorf("%s: there is no key %s", s.Name, s.Setting)
		}
	}
	if found < 4 {
		t.Errorf("only %d settings were looked at", found)
	}
}
