package dashboards

import (
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/rules"
)

// panelsOf returns the panels of every written page, those of folded rows too, by page and title.
func panelsOf(t *testing.T) map[string][]map[string]any {
	t.Helper()
	out := map[string][]map[string]any{}
	var add func(path string, list []any)
	add = func(path string, list []any) {
		for _, raw := range list {
			p := raw.(map[string]any)
			out[path] = append(out[path], p)
			inner, _ := p["panels"].([]any)
			add(path, inner)
		}
	}
	for path, d := range written(t) {
		add(path, d["panels"].([]any))
	}
	return out
}

// With calculate Grafana would count the lines of the buckets, and with another format it would
// draw what lies below each bound, not between two.
func TestHeatmapsTakeTheBucketsAsTheyAre(t *testing.T) {
	found := 0
	for path, panels := range panelsOf(t) {
		for _, p := range panels {
			if p["type"] != "heatmap" {
				continue
			}
			found++
			options := p["options"].(map[string]any)
			query := p["targets"].([]any)[0].(map[string]any)
			if options["calculate"] != false || query["format"] != "heatmap" || query["range"] != true {
				t.Errorf("%s: %v: calculate %v, format %v, range %v", path, p["title"], options["calculate"], query["format"], query["range"])
			}
			bounds := options["yAxis"].(map[string]any)["unit"]
			cells := p["fieldConfig"].(map[string]any)["defaults"].(map[string]any)["unit"]
			if want := map[bool]string{true: "short", false: "s"}[strings.HasPrefix(p["title"].(string), "Lengths")]; bounds != want || cells != "cps" {
				t.Errorf("%s: %v: bounds in %v, want %s; cells in %v, want cps", path, p["title"], bounds, want, cells)
			}
			if len(p["targets"].([]any)) != 1 {
				t.Errorf("%s: %v: has %d queries; a heatmap draws one", path, p["title"], len(p["targets"].([]any)))
			}
		}
	}
	if found == 0 {
		t.Error("no page has a heatmap")
	}
}

// A misspelt option is refused by the SDK for heatmaps as for the other kinds.
func TestMisspeltOptionOfAHeatmapIsNoticed(t *testing.T) {
	files, err := Files(rules.Groups(), rules.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text := string(f.Data)
		if !strings.Contains(text, `"yAxis"`) {
			continue
		}
		if problems := decodeStrictly([]byte(strings.Replace(text, `"yAxis"`, `"yAxes"`, 1))); !strings.Contains(problems, "yAxes") {
			t.Errorf("%s: misspelt yAxis is not noticed: %q", f.Path, problems)
		}
	}
}
