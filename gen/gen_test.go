package gen

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/llmfleet/llmfleet/internal/golden"
	"github.com/llmfleet/llmfleet/rules"
	"go.yaml.in/yaml/v3"
)

const root = ".."

func TestGeneratedFilesAreCurrent(t *testing.T) {
	files := generated(t)
	if golden.Update() {
		if err := write(root, files); err != nil {
			t.Fatal(err)
		}
	}
	diff, err := check(root, files)
	if err != nil {
		t.Fatal(err)
	}
	if diff != "" {
		t.Errorf("stale; run: go run ./cmd/llmfleet generate\n%s", diff)
	}
}

// everything is made once: it plays recordings.
var everything = sync.OnceValues(func() (map[string][]byte, error) { return Files(rules.DefaultSettings()) })

func generated(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := everything()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestEveryFileSaysThatItIsGenerated(t *testing.T) {
	for name, data := range generated(t) {
		head := string(data[:min(len(data), 400)])
		if !strings.HasSuffix(name, ".json") && !strings.Contains(head, mark) {
			t.Errorf("%s does not say that it is generated", name)
		}
	}
}

func TestSettingsReachEveryFileWithoutTouchingCode(t *testing.T) {
	s := rules.DefaultSettings()
	s.Job = "engines"
	s.ExtraLabels = map[string]string{"team": "inference"}
	s.RunbookBaseURL = "https://wiki.example.org/llm"
	s.DashboardBaseURL = "https://grafana.example.org"
	s.Thresholds = map[string]float64{"queue_waiting": 7, "queue_window": 600}
	bundle, err := Bundle(s)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"prometheus/rules/llm-capacity.yml": {"[10m]) >= 7", "team: inference", "https://wiki.example.org/llm/requests-queueing.md", "https://grafana.example.org/d/llmfleet-capacity"},
		"prometheus/rules/llm-watching.yml": {`up{job="engines"}`},
		"prometheus/prometheus.yml":         {"job_name: engines"},
		"README.md":                         {"https://grafana.example.org/d/llmfleet-capacity"},
		"grafana/dashboards/LLM fleet/llmfleet-capacity.json": {
			`"value": 7`, "[10m])", "The dashed line is at 7", "https://wiki.example.org/llm/requests-queueing.md", "https://wiki.example.org/llm/README.md#${__data.fields.alertname}",
		},
	} {
		for _, text := range want {
			if !strings.Contains(string(bundle[name]), text) {
				t.Errorf("%s does not contain %q", name, text)
			}
		}
	}
}

func TestTheSameSettingsGiveTheSameBytes(t *testing.T) {
	a, err := Bundle(rules.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	b, err := Bundle(rules.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	for name := range a {
		if !bytes.Equal(a[name], b[name]) {
			t.Errorf("%s differs from one run to the next", name)
		}
	}
}

func TestCheckShowsWhatIsStaleMissingAndLeftOver(t *testing.T) {
	dir := t.TempDir()
	files := map[string][]byte{
		"gen/bundle/a.yml": []byte("# " + mark + "\none\ntwo\nthree\n"),
		"docs/b.md":        []byte("<!-- " + mark + " -->\nnew\n"),
	}
	put(t, dir, "gen/bundle/a.yml", "# "+mark+"\none\n2\nthree\n")
	put(t, dir, "gen/bundle/old.yml", "# "+mark+"\nold\n")
	put(t, dir, "gen/bundle/mine.yml", "written by hand\n")
	put(t, dir, "gen/gen.go", "// "+mark+"\n")
	got, err := check(dir, files)
	if err != nil {
		t.Fatal(err)
	}
	want := `--- /dev/null
+++ b/docs/b.md
@@ -0,0 +1,2 @@
+<!-- ` + mark + ` -->
+new
--- a/gen/bundle/a.yml
+++ b/gen/bundle/a.yml
@@ -1,4 +1,4 @@
 # ` + mark + `
 one
-2
+two
 three
--- a/gen/bundle/old.yml
+++ /dev/null
@@ -1,2 +0,0 @@
-# ` + mark + `
-old
`
	if got != want {
		t.Errorf("check =\n%s\nwant\n%s", got, want)
	}
	if err := write(dir, files); err != nil {
		t.Fatal(err)
	}
	if got, err := check(dir, files); err != nil || got != "" {
		t.Errorf("after write: %v\n%s", err, got)
	}
	for _, kept := range []string{"gen/bundle/mine.yml", "gen/gen.go"} {
		if _, err := os.Stat(filepath.Join(dir, kept)); err != nil {
			t.Errorf("%s is not ours and was removed", kept)
		}
	}
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestYAMLOfTheBundleCanBeRead(t *testing.T) {
	bundle, err := Bundle(rules.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range bundle {
		if !strings.HasSuffix(name, ".yml") {
			continue
		}
		var v map[string]any
		if err := yaml.Unmarshal(data, &v); err != nil || len(v) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAlertmanagerNamesOnlyAlertsThatExist(t *testing.T) {
	bundle, err := Bundle(rules.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, g := range rules.Groups() {
		for _, a := range g.Alerts {
			known[a.Name] = true
		}
	}
	named := regexp.MustCompile(`\bLlm\w+`).FindAllString(string(bundle["alertmanager/alertmanager.yml"]), -1)
	if len(named) == 0 {
		t.Error("the example names no alert")
	}
	for _, name := range named {
		if !known[name] {
			t.Errorf("alertmanager.yml names %s, which no rule defines", name)
		}
	}
}

func TestRatesOfPanelsMatchTheScrapeInterval(t *testing.T) {
	bundle, err := Bundle(rules.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"prometheus/prometheus.yml":                     "scrape_interval: 15s",
		"grafana/provisioning/datasources/llmfleet.yml": "timeInterval: 15s",
	} {
		if !strings.Contains(string(bundle[name]), text) {
			t.Errorf("%s does not say %q", name, text)
		}
	}
}

var markdownLink = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)

func TestLinksBetweenPagesLeadSomewhere(t *testing.T) {
	files := generated(t)
	for name, data := range files {
		if !strings.HasSuffix(name, ".md") {
			continue
		}
		for _, m := range markdownLink.FindAllStringSubmatch(string(data), -1) {
			target := filepath.ToSlash(filepath.Join(filepath.Dir(name), m[1]))
			_, err := os.Stat(filepath.Join(root, target))
			if _, ok := files[target]; !ok && err != nil {
				t.Errorf("%s links to %s, which is not there", name, target)
			}
		}
	}
}

func TestTheSettingsShownInTheBundleAreTaken(t *testing.T) {
	bundle, err := Bundle(rules.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(bundle["README.md"]), "```yaml\n")
	example, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatal("the README shows no settings")
	}
	s, err := rules.ParseSettings("example", []byte(example), rules.Groups())
	if err != nil {
		t.Fatal(err)
	}
	if s.Hold["LlmBackendDown"] == 0 || s.ResourceLabels["release"] == "" || len(s.Thresholds) != 2 {
		t.Errorf("the example sets %+v", s)
	}
	if bundle, err = Bundle(s); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"prometheus/rules/llm-availability.yml": "for: 5m",
		"kubernetes/llm-capacity.yml":           "release: kube-prometheus-stack",
		"mimir/llmfleet.yml":                    "team: inference",
	} {
		if !strings.Contains(string(bundle[name]), text) {
			t.Errorf("%s does not contain %q", name, text)
		}
	}
}

func TestAlertmanagerIsToldOfEveryExplanation(t *testing.T) {
	bundle, err := Bundle(rules.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Rules []struct {
			Source []string `yaml:"source_matchers"`
			Target []string `yaml:"target_matchers"`
			Equal  []string `yaml:"equal"`
		} `yaml:"inhibit_rules"`
	}
	if err := yaml.Unmarshal(bundle["alertmanager/alertmanager.yml"], &config); err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, g := range rules.Groups() {
		for _, a := range g.Alerts {
			for _, x := range a.Explains {
				want = append(want, a.Name+" by "+strings.Join(x.By, ", "))
			}
		}
	}
	for _, r := range config.Rules {
		if len(r.Source) != 1+len(r.Equal) || len(r.Target) == 0 {
			t.Errorf("the rule of %q matches %q", r.Source, r.Target)
		}
		got = append(got, strings.Trim(strings.TrimPrefix(r.Source[0], "alertname="), `"`)+" by "+strings.Join(r.Equal, ", "))
	}
	if len(want) == 0 || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("alertmanager is told of\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
