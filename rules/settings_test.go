package rules

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// tried are groups of the tests' own, so that they do not move when a definition does.
func tried() []Group {
	return []Group{{
		Name: "trial", About: "Tries the rendering.",
		Thresholds: []*Threshold{
			{Key: "waiting", Default: 20, Unit: "requests"},
			{Key: "kv_full", Default: 0.9, Unit: "ratio"},
			{Key: "window", Default: 300, Unit: DurationUnit},
		},
		Records: []Record{{
			Name: "backend:llm_requests_waiting:sum", Expr: `sum without (rank) (llm_requests_waiting)`,
			Unit: "requests", Labels: []string{"backend", "engine", "model"},
		}},
		Alerts: []Alert{{
			Name: "LlmQueueStuck", Severity: Warning, For: 10 * time.Minute, KeepFiring: 5 * time.Minute, Panel: "capacity/waiting",
			Expr: `
				min_over_time(llm_requests_waiting[${window}]) > ${waiting}
				and on (instance, backend) llm_kv_cache_usage_ratio > ${kv_full}`,
			Summary:     "{{ $labels.backend }} has kept more than ${waiting} requests waiting for ${window}.",
			Description: "There are {{ $value | printf \"%.0f\" }}. Look at\n\t\tits cache first.",
		}},
	}}
}

func TestSettingsChangeOnlyWhatTheySay(t *testing.T) {
	got, err := ParseSettings("settings.yml", []byte(`
job: llm
labels: {team: ml}
scrape_interval: 30s
runbook_base_url: https://wiki.example.org/llm/
dashboard_base_url: ""
thresholds:
  waiting: 40
  window: 10m
for:
  LlmQueueStuck: 1m
keep_firing_for:
  LlmQueueStuck: 0s
resource_labels: {release: monitoring, app.kubernetes.io/name: llm}
`), tried())
	if err != nil {
		t.Fatal(err)
	}
	want := Settings{
		Job: "llm", ExtraLabels: map[string]string{"team": "ml"}, ScrapeInterval: 30 * time.Second,
		RunbookBaseURL: "https://wiki.example.org/llm", DashboardBaseURL: "",
		Thresholds:     map[string]float64{"waiting": 40, "window": 600},
		Hold:           map[string]time.Duration{"LlmQueueStuck": time.Minute},
		Keep:           map[string]time.Duration{"LlmQueueStuck": 0},
		ResourceLabels: map[string]string{"release": "monitoring", "app.kubernetes.io/name": "llm"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("settings = %+v, want %+v", got, want)
	}
}

func TestAnAlertIsRenderedWithTheTimesOfItsSettings(t *testing.T) {
	s := DefaultSettings()
	s.Hold, s.Keep = map[string]time.Duration{"LlmQueueStuck": 2 * time.Minute}, map[string]time.Duration{"LlmQueueStuck": 0}
	got, err := Render(tried(), s)
	if err != nil {
		t.Fatal(err)
	}
	rule := got[0].Rules.Rules[1]
	if time.Duration(rule.For) != 2*time.Minute || rule.KeepFiringFor != 0 {
		t.Errorf("for %s and keep_firing_for %s, want 2m and 0s", rule.For, rule.KeepFiringFor)
	}
}

func TestAnEmptySettingsFileIsTheDefaults(t *testing.T) {
	for _, text := range []string{"", "# nothing\n"} {
		got, err := ParseSettings("settings.yml", []byte(text), tried())
		if err != nil || !reflect.DeepEqual(got, DefaultSettings()) {
			t.Errorf("settings of %q = %+v (%v), want the defaults", text, got, err)
		}
	}
}

func TestEveryMistakeInSettingsNamesItsLine(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"not yaml":             {"job: [", "settings.yml: yaml: line 1:"},
		"not a mapping":        {"- job\n", `settings.yml:1: the file is not a mapping; write key: value lines`},
		"unknown key":          {"jobb: x\n", `settings.yml:1: unknown key "jobb"; did you mean "job"?`},
		"key twice":            {"job: a\njob: b\n", `settings.yml:2: key "job" is written twice; keep one`},
		"job with quotes":      {"job: 'a\"b'\n", `settings.yml:1: value "a\"b" cannot be a label value here; write a plain, not empty word`},
		"no address":           {"\nrunbook_base_url: wiki/llm\n", `settings.yml:2: value "wiki/llm" is not an address; write https://host/path, or "" for none`},
		"interval too long":    {"scrape_interval: 10m\n", `settings.yml:1: scrape_interval "10m" must be from 1s to 5m; write 15s`},
		"labels not mapping":   {"labels: x\n", `settings.yml:1: labels is not a mapping; write key: value lines`},
		"label twice":          {"labels:\n  team: a\n  team: b\n", `settings.yml:3: key "labels.team" is written twice; keep one`},
		"no label name":        {"labels: {a-b: x}\n", `settings.yml:1: label "a-b" is no label name; use letters, digits and _`},
		"label of the rules":   {"labels: {severity: page}\n", `settings.yml:1: label "severity" is used by the rules; choose another name`},
		"label without text":   {"labels: {team: [a]}\n", `settings.yml:1: label "team" needs a text`},
		"unknown threshold":    {"thresholds:\n  waitin: 3\n", `settings.yml:2: unknown key "thresholds.waitin"; did you mean "waiting"?`},
		"threshold no number":  {"thresholds:\n  waiting: many\n", `settings.yml:2: thresholds.waiting "many" is no value of unit requests; the default is 20`},
		"percent for ratio":    {"thresholds:\n  kv_full: 90\n", `settings.yml:2: thresholds.kv_full 90 is out of range; allowed is above 0 and below 1, the default is 0.9`},
		"window too short":     {"thresholds:\n  window: 5s\n", `settings.yml:2: thresholds.window 5s is out of range; allowed is from 1m to 30d, the default is 5m`},
		"nothing is below":     {"thresholds:\n  kv_full: 0\n", `settings.yml:2: thresholds.kv_full 0 is out of range; allowed is above 0 and below 1, the default is 0.9`},
		"nothing is above":     {"thresholds:\n  kv_full: 1.0\n", `settings.yml:2: thresholds.kv_full 1.0 is out of range; allowed is above 0 and below 1, the default is 0.9`},
		"window of scrapes":    {"scrape_interval: 20s\nthresholds:\n  window: 1m\n", `settings.yml:3: thresholds.window "1m" is shorter than four scrapes of 20s, so that one lost scrape would blind LlmQueueStuck; write 1m20s or more, or a scrape_interval of 15s or less`},
		"window left as it is": {"scrape_interval: 2m\n", `settings.yml:1: scrape_interval "2m" leaves fewer than four scrapes in window, by which LlmQueueStuck decides (5m without thresholds.window in this file); write 1m15s or less, or thresholds: {window: 8m}`},
		"unknown alert":        {"for:\n  LlmQueueStick: 1m\n", `settings.yml:2: unknown key "for.LlmQueueStick"; did you mean "LlmQueueStuck"?`},
		"for of one scrape":    {"for: {LlmQueueStuck: 30s}\nscrape_interval: 20s\n", `settings.yml:1: for.LlmQueueStuck "30s" must be from two scrape intervals (40s) to 1d; the default is 10m`},
		"for without unit":     {"for: {LlmQueueStuck: 30}\n", `settings.yml:1: for.LlmQueueStuck "30" must be from two scrape intervals (30s) to 1d; the default is 10m`},
		"keep of no alert":     {"keep_firing_for:\n  LlmQueueStick: 1m\n", `settings.yml:2: unknown key "keep_firing_for.LlmQueueStick"; did you mean "LlmQueueStuck"?`},
		"keep for a month":     {"keep_firing_for: {LlmQueueStuck: 30d}\n", `settings.yml:1: keep_firing_for.LlmQueueStuck "30d" must be from 0s to 1w; the default is 5m`},
		"no resource label":    {"resource_labels: {release: a b}\n", `settings.yml:1: label "release": "a b" is no label of Kubernetes; write release: monitoring`},
		"not finite":           {"thresholds:\n  waiting: .inf\n", `settings.yml:2: thresholds.waiting ".inf" is no value of unit requests; the default is 20`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseSettings("settings.yml", []byte(tt.in), tried())
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error = %v, want %s", err, tt.want)
			}
		})
	}
}

func TestAllMistakesOfASettingsFileComeAtOnce(t *testing.T) {
	_, err := ParseSettings("s.yml", []byte("jobb: x\nthresholds:\n  waitin: 3\n  kv_full: 90\n"), tried())
	if err == nil || strings.Count(err.Error(), "s.yml:") != 3 {
		t.Errorf("error = %v, want three mistakes", err)
	}
}
