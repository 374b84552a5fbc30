package dashboards

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/rules"
	"github.com/llmfleet/llmfleet/rules/lint"
)

func TestPagesLeadToEachOther(t *testing.T) {
	for path, d := range written(t) {
		var to []string
		for _, raw := range d["links"].([]any) {
			l := raw.(map[string]any)
			to = append(to, strings.TrimPrefix(l["url"].(string), "/d/"))
			if l["keepTime"] != true || l["includeVars"] != true {
				t.Errorf("%s: link %v does not keep the time and the choices", path, l)
			}
			if tip := l["tooltip"].(string); !strings.HasSuffix(tip, "?") || strings.Count(tip, "?") > 1 {
				t.Errorf("%s: the link to %v does not ask what that page answers: %q", path, l["url"], tip)
			}
		}
		var want []string
		for _, other := range All() {
			if other.UID != d["uid"] {
				want = append(want, other.UID)
			}
		}
		if !slices.Equal(to, want) {
			t.Errorf("%s: leads to %v, want %v", path, to, want)
		}
	}
}

// reference is what fills a choice: a cell of the row, or a label of the line. whole is a cell that
// holds a choice with its name, or nothing.
var (
	reference = regexp.MustCompile(`^\$\{__(data\.fields|field\.labels)\.(\w+)\}$`)
	whole     = regexp.MustCompile(`^\$\{__data\.fields\.(choose_\w+):raw\}$`)
)

func TestRowsAndLinesOpenPagesWithWhatTheyKnow(t *testing.T) {
	s := rules.DefaultSettings()
	v := rules.NewVocabulary(rules.Groups(), s)
	choices := map[string]map[string]string{} // uid: name of the variable: label
	for _, d := range All() {
		choices[d.UID] = map[string]string{}
		for _, v := range d.Variables {
			choices[d.UID][v.Name] = v.Label
		}
	}
	opens := map[string]int{}
	for path, d := range written(t) {
		for _, p := range drawn(d) {
			has := labelsOf(t, v, s, p)
			for _, link := range linksIn(p["fieldConfig"]) {
				uid, query, ok := strings.Cut(strings.TrimPrefix(link, "/d/"), "?")
				if !ok {
					continue // a runbook
				}
				opens[uid]++
				if choices[uid] == nil {
					t.Errorf("%s: %v: %s leads to a page that does not exist", path, p["title"], link)
				}
				if !strings.HasSuffix(query, "&${datasource:queryparam}&${__url_time_range}") {
					t.Errorf("%s: %v: %s does not keep the data source and the time", path, p["title"], link)
				}
				for part := range strings.SplitSeq(query, "&") {
					if m := whole.FindStringSubmatch(part); m != nil {
						if !has(m[1]) {
							t.Errorf("%s: %v: %s takes %s, which no row has", path, p["title"], link, part)
						}
						continue
					}
					name, value, ok := strings.Cut(part, "=")
					if !ok {
						continue
					}
					variable := strings.TrimPrefix(name, "var-")
					if choices[uid][variable] == "" {
						t.Errorf("%s: %v: %s fills %q, which that page does not have", path, p["title"], link, variable)
					}
					m := reference.FindStringSubmatch(value)
					if m == nil || !has(m[2]) || (m[1] == "data.fields") != (p["type"] == "table") {
						t.Errorf("%s: %v: %s takes %s, which it does not have", path, p["title"], link, value)
					}
				}
			}
		}
	}
	if opens[rules.BackendDashboardUID] < 30 || opens[rules.CardsDashboardUID] < 10 {
		t.Errorf("only %v lines and rows open a page", opens)
	}
}

// drawn are the panels of a dashboard that draw something, those in folded rows too.
func drawn(d map[string]any) []map[string]any {
	var out []map[string]any
	for _, raw := range d["panels"].([]any) {
		p := raw.(map[string]any)
		if p["type"] != "row" {
			out = append(out, p)
			continue
		}
		out = append(out, drawn(p)...)
	}
	return out
}

// labelsOf says which labels every line of a panel has, and which columns a table shows.
func labelsOf(t *testing.T, v *lint.Vocabulary, s rules.Settings, p map[string]any) func(string) bool {
	t.Helper()
	count := map[string]int{}
	targets := slices.DeleteFunc(slices.Clone(p["targets"].([]any)), func(raw any) bool {
		return p["type"] != "table" && slices.Contains([]any{refFailed, refUnsupported, refIdle}, raw.(map[string]any)["refId"])
	})
	for _, raw := range targets {
		text, err := Substitute(raw.(map[string]any)["expr"].(string), nil, s)
		if err != nil {
			t.Fatal(err)
		}
		result, problems := v.Check("", text, 0)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		names, _ := result.Labels()
		for _, name := range names {
			count[name]++
		}
	}
	if p["type"] == "table" {
		return func(label string) bool { return count[label] > 0 }
	}
	return func(label string) bool { return count[label] == len(targets) }
}

// linksIn are the addresses of all links below a value.
func linksIn(v any) []string {
	var out []string
	switch v := v.(type) {
	case map[string]any:
		if address, ok := v["url"].(string); ok {
			out = append(out, address)
		}
		for _, inner := range v {
			out = append(out, linksIn(inner)...)
		}
	case []any:
		for _, inner := range v {
			out = append(out, linksIn(inner)...)
		}
	}
	return out
}

func TestALineOpensItsServerAndARowOfACardItsCard(t *testing.T) {
	for _, tt := range []struct{ key, want string }{
		{"capacity/running", "/d/llmfleet-backend?var-instance=${__field.labels.instance}&var-backend=${__field.labels.backend}&${datasource:queryparam}&${__url_time_range}"},
		{"glance/backends", "/d/llmfleet-backend?var-instance=${__data.fields.instance}&var-backend=${__data.fields.backend}&${datasource:queryparam}&${__url_time_range}"},
		{"router/targets", "/d/llmfleet-backend?var-instance=${__data.fields.instance}&${__data.fields.choose_worker:raw}&${datasource:queryparam}&${__url_time_range}"},
		{"alerts/firing", "/d/llmfleet-cards?var-instance=${__data.fields.instance}&${__data.fields.choose_gpu:raw}&${datasource:queryparam}&${__url_time_range}"},
		{"alerts/firing", rules.DefaultSettings().RunbookBaseURL + "/README.md#${__data.fields.alertname}"},
		{"heat/power", "/d/llmfleet-cards?var-instance=${__field.labels.instance}&var-gpu=${__field.labels.gpu}&${datasource:queryparam}&${__url_time_range}"},
	} {
		if got := linksIn(panelJSON(t, tt.key)["fieldConfig"]); !slices.Contains(got, tt.want) {
			t.Errorf("%s has the links %q, want %s among them", tt.key, got, tt.want)
		}
	}
	for _, key := range []string{"watching/notifications", "glance/told"} {
		if got := linksIn(panelJSON(t, key)["fieldConfig"]); len(got) > 0 {
			t.Errorf("%s is about no backend, and leads to %q", key, got)
		}
	}
}

// panelJSON is a panel as it is written.
func panelJSON(t *testing.T, key string) map[string]any {
	t.Helper()
	uid, p, ok := PanelByKey(key)
	if !ok {
		t.Fatalf("no panel %s", key)
	}
	for _, d := range written(t) {
		if d["uid"] != uid {
			continue
		}
		for _, raw := range drawn(d) {
			if title, err := rules.Expand(p.Title, rules.Groups(), rules.DefaultSettings()); err == nil && raw["title"] == title {
				return raw
			}
		}
	}
	t.Fatalf("panel %s is not written", key)
	return nil
}

// A row without a worker, a card or a backend must not open a page on an empty choice, on which
// that page would be blank.
func TestColumnsThatSomeRowsLackMakeTheirChoiceOnlyWhereThereIsOne(t *testing.T) {
	expr, err := Substitute(withChoice(`vector(1)`, "worker"), nil, rules.DefaultSettings())
	want := "label_join(\n  label_replace(\n    vector(1),\n    \"choose_worker\", \"var-backend=\", \"worker\", \".+\"\n  ),\n  \"choose_worker\", \"\", \"choose_worker\", \"worker\"\n)"
	if err != nil || expr != want {
		t.Errorf("%s (%v), want\n%s", expr, err, want)
	}
	for _, d := range written(t) {
		for _, p := range drawn(d) {
			hidden := map[string]bool{}
			for _, raw := range p["fieldConfig"].(map[string]any)["overrides"].([]any) {
				o := raw.(map[string]any)
				for _, property := range o["properties"].([]any) {
					if property.(map[string]any)["id"] == "custom.hideFrom" {
						hidden[o["matcher"].(map[string]any)["options"].(string)] = true
					}
				}
			}
			for _, link := range linksIn(p["fieldConfig"]) {
				for part := range strings.SplitSeq(link, "&") {
					if m := whole.FindStringSubmatch(part); m != nil && !hidden[m[1]] {
						t.Errorf("%v: the column %s is seen, and is for links only", p["title"], m[1])
					}
				}
			}
		}
	}
}
