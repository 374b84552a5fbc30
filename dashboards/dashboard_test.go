package dashboards

//lint:file-ignore SA1019 The classic form is what Grafana 10 to 13 load from files; v2 is not.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/rules"
)

// written returns the dashboards as files, and as plain JSON values.
func written(t *testing.T) map[string]map[string]any {
	t.Helper()
	out, err := writtenOnce()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var writtenOnce = sync.OnceValues(func() (map[string]map[string]any, error) {
	files, err := Files(rules.Groups(), rules.DefaultSettings())
	if err != nil {
		return nil, err
	}
	out := map[string]map[string]any{}
	for _, f := range files {
		var v map[string]any
		if err := json.Unmarshal(f.Data, &v); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Path, err)
		}
		out[f.Path] = v
	}
	return out, nil
})

func TestDashboardsAreDecodedStrictly(t *testing.T) {
	files, err := Files(rules.Groups(), rules.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if problems := decodeStrictly(f.Data); problems != "" {
			t.Errorf("%s: %s", f.Path, problems)
		}
		for _, field := range []string{"drawStyle", "legendFormat", "allValue"} {
			if !bytes.Contains(f.Data, []byte(field)) {
				t.Fatalf("%s: has no %q to misspell", f.Path, field)
			}
			misspelt := bytes.Replace(f.Data, []byte(`"`+field+`"`), []byte(`"`+field+`x"`), 1)
			if problems := decodeStrictly(misspelt); !strings.Contains(problems, field+"x") {
				t.Errorf("%s: misspelt %q is not noticed: %q", f.Path, field, problems)
			}
		}
	}
}

// decodeStrictly returns what the SDK refuses. It gives an empty list of errors for a good
// dashboard, which is not nil.
func decodeStrictly(data []byte) string {
	plugins.RegisterDefaultPlugins()
	var d dashboard.Dashboard
	if err := d.UnmarshalJSONStrict(data); err != nil && err.Error() != "" {
		return err.Error()
	}
	if err := d.Validate(); err != nil {
		return err.Error()
	}
	return ""
}

func TestDashboardsKeepToTheClassicForm(t *testing.T) {
	for path, d := range written(t) {
		for _, key := range []string{"id", "version", "__inputs", "__requires", "iteration", "gnetId", "elements", "layout", "spec"} {
			if _, ok := d[key]; ok {
				t.Errorf("%s: has %q, which file provisioning refuses or overwrites", path, key)
			}
		}
		for _, raw := range d["links"].([]any) {
			if at, ok := raw.(map[string]any)["placement"]; ok {
				t.Errorf("%s: a link hides in %v", path, at)
			}
		}
		if d["schemaVersion"] != 42.0 || d["editable"] != false {
			t.Errorf("%s: schemaVersion %v, editable %v", path, d["schemaVersion"], d["editable"])
		}
		if uid := d["uid"].(string); !regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`).MatchString(uid) {
			t.Errorf("%s: uid %q is not one that Grafana takes", path, uid)
		}
	}
}

func TestPanelsDoNotOverlapAndFillTheGrid(t *testing.T) {
	for path, d := range written(t) {
		ids := map[float64]bool{}
		fillTheGrid(t, path, d["panels"].([]any), 0, ids)
		for _, raw := range d["panels"].([]any) {
			p := raw.(map[string]any)
			inside, _ := p["panels"].([]any)
			if folded := p["collapsed"] == true; folded != (len(inside) > 0) {
				t.Errorf("%s: row %q: folded is %v, and it holds %d panels; Grafana shows those of folded rows only", path, p["title"], folded, len(inside))
			}
			if len(inside) > 0 {
				fillTheGrid(t, path, inside, int(p["gridPos"].(map[string]any)["y"].(float64))+1, ids)
			}
		}
	}
}

// fillTheGrid looks at panels that stand together, below a height.
func fillTheGrid(t *testing.T, path string, panels []any, top int, ids map[float64]bool) {
	t.Helper()
	taken, deepest := map[[2]int]string{}, top
	for _, raw := range panels {
		p := raw.(map[string]any)
		title, id, at := p["title"].(string), p["id"].(float64), p["gridPos"].(map[string]any)
		if ids[id] || id == 0 {
			t.Errorf("%s: panel %q: id %v is 0 or used twice", path, title, id)
		}
		ids[id] = true
		x, y, w, h := int(at["x"].(float64)), int(at["y"].(float64)), int(at["w"].(float64)), int(at["h"].(float64))
		for cx := x; cx < x+w; cx++ {
			for cy := y; cy < y+h; cy++ {
				if other, ok := taken[[2]int{cx, cy}]; ok || cx >= columns || cy < top {
					t.Fatalf("%s: panel %q at %d,%d: on %q or off the grid", path, title, cx, cy, other)
				}
				taken[[2]int{cx, cy}] = title
			}
		}
		deepest = max(deepest, y+h)
	}
	if len(taken) != columns*(deepest-top) {
		t.Errorf("%s: %d of %d cells are covered; Grafana would move panels up", path, len(taken), columns*(deepest-top))
	}
}

func TestEveryPanelSaysWhatItShows(t *testing.T) {
	for path, d := range written(t) {
		for _, p := range drawn(d) {
			field := p["fieldConfig"].(map[string]any)["defaults"].(map[string]any)
			for what, v := range map[string]any{"title": p["title"], "description": p["description"], "unit": field["unit"], "noValue": field["noValue"]} {
				if s, _ := v.(string); s == "" {
					t.Errorf("%s: panel %v has no %s", path, p["title"], what)
				}
			}
			if len(p["targets"].([]any)) == 0 {
				t.Errorf("%s: panel %v asks nothing", path, p["title"])
			}
		}
	}
}

// A phone cuts a longer title; the drawing measures what a browser really does with each.
func TestTitlesAreShortEnoughForAPhone(t *testing.T) {
	const most = 40 // letters
	for path, d := range written(t) {
		for _, p := range drawn(d) {
			if title := p["title"].(string); utf8.RuneCountInString(title) > most {
				t.Errorf("%s: title %q has more than %d letters", path, title, most)
			}
		}
	}
}

// knownUnits are the ids of Grafana's own list that we use; another word would be printed
// behind the number as it stands.
var knownUnits = []string{"none", "short", "s", "percentunit", "bytes", "binBps", "Bps", "sishort", "reqps", "cps", "count:tok/s", "dateTimeFromNow", "celsius", "watt", "hertz"}

func TestGrafanaKnowsEveryUnit(t *testing.T) {
	known := map[string]bool{}
	for _, u := range knownUnits {
		known[u] = true
	}
	for _, u := range []catalog.Unit{
		catalog.None, catalog.Seconds, catalog.Timestamp, catalog.Bytes, catalog.Ratio, catalog.Tokens, catalog.Requests, catalog.Boolean, catalog.Count,
		catalog.BytesPerSecond, catalog.TransfersPerSecond, catalog.Lanes, catalog.Celsius, catalog.Watts, catalog.Hertz,
	} {
		for _, rate := range []bool{false, true} {
			if got := grafanaUnit(u, rate); !known[got] {
				t.Errorf("grafanaUnit(%q, %v) = %q, which Grafana does not know", u, rate, got)
			}
		}
	}
}

func TestEveryDataSourceIsTheVariable(t *testing.T) {
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if ds, ok := v["datasource"]; ok {
				m, _ := ds.(map[string]any)
				if m["type"] != "prometheus" || m["uid"] != "${datasource}" {
					t.Errorf("%s: datasource %v is not the variable", path, ds)
				}
			}
			for k, inner := range v {
				walk(path+"."+k, inner)
			}
		case []any:
			for _, inner := range v {
				walk(path, inner)
			}
		}
	}
	for path, d := range written(t) {
		walk(path, d)
	}
}

func TestExpressionsPassTheLint(t *testing.T) {
	s := rules.DefaultSettings()
	expressions, err := Expressions(rules.Groups(), s)
	if err != nil {
		t.Fatal(err)
	}
	v := rules.NewVocabulary(rules.Groups(), s)
	for choice, values := range map[string]Values{
		"all":     nil,
		"one":     {"instance": {"a:1"}, "backend": {"a"}, "model": {"m.1"}},
		"several": {"instance": {"a:1", "b:2"}, "backend": {"a", "b"}, "model": {"m.1", "n/2"}},
	} {
		t.Run(choice, func(t *testing.T) {
			for _, e := range expressions {
				text, err := Substitute(e.Text, values, s)
				if err != nil {
					t.Errorf("%s: %v", e.Key, err)
					continue
				}
				_, problems := v.Check(e.Key, text, s.ScrapeInterval)
				for _, p := range problems {
					t.Error(p)
				}
			}
		})
	}
}

func TestRatesUseTheIntervalOfTheDataSource(t *testing.T) {
	expressions, err := Expressions(rules.Groups(), rules.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range expressions {
		if strings.Contains(e.Text, "$__interval") {
			t.Errorf("%s: $__interval is empty below a few hours; use $__rate_interval", e.Key)
		}
	}
}

func TestColorIsNeverTheOnlySign(t *testing.T) {
	for _, d := range All() {
		for _, r := range d.Rows {
			for _, p := range r.Panels {
				for _, w := range p.Words {
					if w.Text == "" {
						t.Errorf("%s: value %v has a color and no word", p.Key, w.Value)
					}
				}
				for _, c := range p.Columns {
					for _, w := range c.Words {
						if strings.TrimSpace(w.Text) == "" {
							t.Errorf("%s: column %s: value %v has a color and no word", p.Key, c.Title, w.Value)
						}
					}
				}
			}
		}
	}
}

func TestVariablesAreWrittenAsGrafanaWritesThem(t *testing.T) {
	s := rules.DefaultSettings()
	text := `rate(x{backend=~"$backend", model=~"$model"}[$__rate_interval])`
	for name, tt := range map[string]struct {
		chosen Values
		want   string
	}{
		"all":     {nil, `rate(x{backend=~".*", model=~".*"}[1m])`},
		"one":     {Values{"backend": {"a"}, "model": {"m.1"}}, `rate(x{backend=~"a", model=~"m\\.1"}[1m])`},
		"several": {Values{"backend": {"a", "b"}}, `rate(x{backend=~"(a|b)", model=~".*"}[1m])`},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := Substitute(text, tt.chosen, s); err != nil || got != tt.want {
				t.Errorf("Substitute = %q, %v, want %q", got, err, tt.want)
			}
		})
	}
	if _, err := Substitute(`x{y="$unset"}`, nil, s); err == nil {
		t.Error("an unknown variable went through")
	}
}

func TestEscapesForHTMLAreUndoneAndOthersKept(t *testing.T) {
	in := `{"a":"x \u003e 1 \u0026 \\u003e \"\\n\""}`
	want := `{"a":"x > 1 & \\u003e \"\\n\""}`
	if got := string(plain([]byte(in))); got != want {
		t.Errorf("plain(%s) = %s, want %s", in, got, want)
	}
}
