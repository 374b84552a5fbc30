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
		"not yaml":             {"job: [", `s.yml:2: this is not YAML: did not find expected node content`},
		"a second document":    {"job: a\n---\nbogus: 1\n", `s.yml:2: a second document begins here; a configuration is one document, remove the line ---`},
		"not a mapping":        {"- job\n", `s.yml:1: wants keys below it, not a list`},
		"unknown key":          {"jobb: x\n", `s.yml:1: jobb is not a key here; did you mean job?`},
		"key twice":            {"job: a\njob: b\n", `s.yml:2: job stands here again, first in line 1; remove one of the two`},
		"job with quotes":      {"job: 'a\"b'\n", `s.yml:1: job "a\"b" has a quote or a backslash, which stands in no expression; write a plain word, like llmfleet`},
		"job of nothing":       {"job: null\n", `s.yml:1: job is empty; give it a value or remove the key`},
		"job with a tab":       {"job: \"a\\tb\"\n", `s.yml:1: job "a\tb" has a line break or another control character; write it in one line`},
		"job of keys":          {"job: {a: b}\n", `s.yml:1: job wants a single value, not keys with values`},
		"no address":           {"\nrunbook_base_url: wiki/llm\n", `s.yml:2: runbook_base_url "wiki/llm" has no scheme; write http://wiki/llm, or "" for no links`},
		"address of keys":      {"runbook_base_url: {a: b}\n", `s.yml:1: runbook_base_url wants a single value, not keys with values`},
		"address of a list":    {"dashboard_base_url: [1, 2]\n", `s.yml:1: dashboard_base_url wants a single value, not a list`},
		"address with a query": {"dashboard_base_url: \"http://g/?orgId=1#x\"\n", `s.yml:1: dashboard_base_url "http://g/" has a query or a fragment; write it without what follows the ?, or "" for no links`},
		"address with a user":  {"dashboard_base_url: http://a:hunter2@g/\n", `s.yml:1: dashboard_base_url carries a user or a password; write it without them, for every alert shows it, or "" for no links`},
		"address of templates": {"runbook_base_url: \"http://g/{{x}}\"\n", `s.yml:1: runbook_base_url "http://g/{{x}}" has {{, which Prometheus takes for a template; write it without, or "" for no links`},
		"interval too long":    {"scrape_interval: 10m\n", `s.yml:1: scrape_interval "10m" must be from 1s to 5m; write 15s`},
		"labels not mapping":   {"labels: x\n", `s.yml:1: labels wants labels below it, not a single value`},
		"label twice":          {"labels:\n  team: a\n  team: b\n", `s.yml:3: labels.team stands here again, first in line 2; remove one of the two`},
		"no label name":        {"labels: {a-b: x}\n", `s.yml:1: labels.a-b is no label name; use letters, digits and _`},
		"label of the rules":   {"labels: {severity: page}\n", `s.yml:1: labels.severity is a label that the rules use; choose another name`},
		"label without text":   {"labels: {team: [a]}\n", `s.yml:1: labels.team wants a single value, not a list`},
		"label of nothing":     {"labels: {team: ~}\n", `s.yml:1: labels.team is empty; give it a value or remove the key`},
		"label of a template":  {"labels: {team: \"{{\"}\n", `s.yml:1: labels.team "{{" has {{, which Prometheus takes for a template; write it without`},
		"no resource label":    {"resource_labels: {release: a b}\n", `s.yml:1: resource_labels.release "a b" is no value of a label of Kubernetes; write letters, digits, -, _ and . alone`},
		"no resource key":      {"resource_labels: {a b: c}\n", `s.yml:1: resource_labels.a b is no key of a label of Kubernetes; write one like release or app.kubernetes.io/name`},
		"unknown threshold":    {"thresholds:\n  waitin: 3\n", `s.yml:2: thresholds.waitin is not a key here; did you mean waiting?`},
		"threshold no number":  {"thresholds:\n  waiting: many\n", `s.yml:2: thresholds.waiting "many" is no value of unit requests; the default is 20`},
		"not finite":           {"thresholds:\n  waiting: .inf\n", `s.yml:2: thresholds.waiting ".inf" is no value of unit requests; the default is 20`},
		"threshold of a list":  {"thresholds:\n  waiting: [3]\n", `s.yml:2: thresholds.waiting wants a single value, not a list`},
		"percent for ratio":    {"thresholds:\n  kv_full: 90\n", `s.yml:2: thresholds.kv_full "90" is out of range; allowed is above 0 and below 1, the default is 0.9`},
		"nothing is below":     {"thresholds:\n  kv_full: 0\n", `s.yml:2: thresholds.kv_full "0" is out of range; allowed is above 0 and below 1, the default is 0.9`},
		"nothing is above":     {"thresholds:\n  kv_full: 1.0\n", `s.yml:2: thresholds.kv_full "1.0" is out of range; allowed is above 0 and below 1, the default is 0.9`},
		"window too short":     {"thresholds:\n  window: 5s\n", `s.yml:2: thresholds.window "5s" is out of range; allowed is from 1m to 30d, the default is 5m`},
		"window of scrapes":    {"scrape_interval: 20s\nthresholds:\n  window: 1m\n", `s.yml:3: thresholds.window "1m" is shorter than four scrapes of 20s, so that one lost scrape would blind LlmQueueStuck; write 1m20s or more, or a scrape_interval of 15s or less`},
		"window left as it is": {"scrape_interval: 2m\n", `s.yml:1: scrape_interval "2m" leaves fewer than four scrapes in window, by which LlmQueueStuck decides (5m without thresholds.window in this file); write 1m15s or less, or thresholds: {window: 8m}`},
		"unknown alert":        {"for:\n  LlmQueueStick: 1m\n", `s.yml:2: for.LlmQueueStick is not a key here; did you mean LlmQueueStuck?`},
		"for of one scrape":    {"for: {LlmQueueStuck: 30s}\nscrape_interval: 20s\n", `s.yml:1: for.LlmQueueStuck "30s" must be from two scrape intervals (40s) to 1d; the default is 10m`},
		"for without unit":     {"for: {LlmQueueStuck: 30}\n", `s.yml:1: for.LlmQueueStuck "30" must be from two scrape intervals (30s) to 1d; the default is 10m`},
		"keep of no alert":     {"keep_firing_for:\n  LlmQueueStick: 1m\n", `s.yml:2: keep_firing_for.LlmQueueStick is not a key here; did you mean LlmQueueStuck?`},
		"keep for a month":     {"keep_firing_for: {LlmQueueStuck: 30d}\n", `s.yml:1: keep_firing_for.LlmQueueStuck "30d" must be from 0s to 1w; the default is 5m`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseSettings("s.yml", []byte(tt.in), tried())
			if err == nil || err.Error() != tt.want {
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

func TestAValueIsUsedAgainByItsAlias(t *testing.T) {
	s, err := ParseSettings("s.yml", []byte("labels: {share: &v 0.8}\nthresholds: {kv_full: *v}\n"), tried())
	if err != nil || s.Thresholds["kv_full"] != 0.8 || s.ExtraLabels["share"] != "0.8" {
		t.Errorf("settings = %+v (%v), want 0.8 twice", s, err)
	}
}

func TestSettingsAreReadOfARegularFileAlone(t *testing.T) {
	for file, want := range map[string]string{
		"/dev/zero": `settings file "/dev/zero" is not a regular file; name one that can be read again`,
		".":         `settings file "." is a directory; name the file in it`,
		"none-here": `settings file "none-here" cannot be read: `,
	} {
		if _, err := LoadSettings(file, tried()); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error = %v, want %s", file, err, want)
		}
	}
}
