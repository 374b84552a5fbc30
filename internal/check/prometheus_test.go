package check

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/internal/promapi"
	"github.com/llmfleet/llmfleet/internal/recording"
	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/llmfleet/llmfleet/rules"
)

func TestAHealthyFleetHasNothingToMend(t *testing.T) {
	r := healthy().check(t)
	if !r.OK() {
		t.Errorf("causes: %+v", r.Causes)
	}
	if live := r.item(t, "LlmBackendDown"); live.Verdict != Live || !slices.Equal(live.Sees, []string{"medium-a", "medium-b", "router", "small"}) {
		t.Errorf("LlmBackendDown: %+v, want to see all four", live)
	}
	kv := r.item(t, "LlmKVCacheSaturated")
	if kv.Verdict != Live || !slices.Equal(kv.Sees, []string{"medium-a", "medium-b"}) || !slices.Equal(kv.Quiet["small"], []string{"llama.cpp has not exported the use of its KV cache since b5441"}) {
		t.Errorf("LlmKVCacheSaturated: %+v; want vLLM seen, and why llama.cpp is not", kv)
	}
	if replicas := r.item(t, "LlmRouterReplicasMissing"); len(replicas.Quiet) != 1 || replicas.Quiet["router"] == nil {
		t.Errorf("LlmRouterReplicasMissing: %+v; want the router named, and no model server", replicas)
	}
	if panel := r.item(t, "capacity/refused"); panel.Title != "Capacity and reuse › Requests refused within 5m" {
		t.Errorf("the panel is called %q, not what Grafana shows", panel.Title)
	}
	if r.Questions > 15 {
		t.Errorf("%d questions were asked", r.Questions)
	}
}

// TestWhatTheRulesSeeIsNamedBesideWhatTheyCanSee looks while a server is down, and its router has
// put it out: by the recording since 480 and 510, so both fire at 690.
func TestWhatTheRulesSeeIsNamedBesideWhatTheyCanSee(t *testing.T) {
	r := healthy().and(func(s *stage) { s.second = 690 }).check(t)
	want := "▲ 2 alerts are pending or firing now: LlmBackendDown (firing at medium-b), LlmRouterTargetOut (firing at router)."
	if page := strings.Join(strings.Fields(r.Page(false)), " "); !strings.Contains(page, want) {
		t.Errorf("the page does not say %q:\n%s", want, r.Page(false))
	}
	if page := healthy().check(t).Page(false); !strings.Contains(page, "● Nothing is blind: ") || strings.Contains(page, "▲") {
		t.Errorf("of a healthy fleet:\n%s", page)
	}
}

// everyRule counts the rules in the files of the bundle.
func everyRule(t *testing.T) string {
	t.Helper()
	files, err := rules.Files(rules.Groups(), rules.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range files {
		n += len(regexp.MustCompile(`(?m)^ *- (alert|record): `).FindAll(f.Data, -1))
	}
	return strconv.Itoa(n)
}

// TestWhatIsWrongIsFound breaks one thing after the other.
func TestWhatIsWrongIsFound(t *testing.T) {
	edited := func(old, new string) func([]rules.File) []rules.File {
		return func(files []rules.File) []rules.File {
			for i := range files {
				files[i].Data = bytes.ReplaceAll(files[i].Data, []byte(old), []byte(new))
			}
			return files
		}
	}
	oldFile := rules.File{Name: "llm-gone.yml", Data: []byte("groups:\n- name: llm-gone\n  rules:\n  - {alert: LlmForgotten, expr: llm_up == 7}\n")}
	for name, tt := range map[string]struct {
		break_ func(*stage)
		what   string   // in the cause
		do     string   // in what mends it
		blinds []string // rules and panels, some of them
	}{
		"no rules": {
			func(s *stage) { s.files = func([]rules.File) []rules.File { return nil } },
			"none of the " + everyRule(t) + " rules is loaded: rule_files matches no file of the bundle (its paths are relative to prometheus.yml)", "rule_files", []string{"LlmBackendDown", "LlmWatchdog", "backend:llm_requests_waiting:sum", "reuse/hit-ratio"},
		},
		"one file left out": {
			func(s *stage) {
				s.files = func(files []rules.File) []rules.File {
					return slices.DeleteFunc(files, func(f rules.File) bool { return f.Name == "llm-reuse.yml" })
				}
			},
			" rules are not loaded: llm-reuse.yml is missing", "rule_files", []string{"LlmPrefixReuseCollapsed", "backend:llm_prefix_cache:hit_ratio", "reuse/hit-ratio"},
		},
		"two files left out": {
			func(s *stage) {
				s.files = func(files []rules.File) []rules.File {
					return slices.DeleteFunc(files, func(f rules.File) bool { return f.Name == "llm-reuse.yml" || f.Name == "llm-watching.yml" })
				}
			},
			" rules are not loaded: llm-reuse.yml, llm-watching.yml are missing", "rule_files", []string{"LlmPrefixReuseCollapsed", "LlmWatchdog"},
		},
		"a file of a version without one of its rules": {
			func(s *stage) { s.files = edited("alert: LlmSeriesMissing\n", "alert: LlmSeriesLost\n") },
			"1 rule is not loaded, of llm-availability.yml: that file is of another version", "rule_files", []string{"LlmSeriesMissing"},
		},
		"another expression": {
			func(s *stage) { s.files = edited("llm_scrape_missing_series > 0", "llm_scrape_missing_series > 3") },
			"the rule is stale: loaded with another expression", "--settings=FILE", []string{"LlmSeriesMissing"},
		},
		"another severity": {
			func(s *stage) { s.files = edited("severity: none", "severity: info") },
			"the rule is stale: loaded with another label", "reload", []string{"LlmWatchdog"},
		},
		"another hold time": {
			func(s *stage) { s.files = edited("for: 15m", "for: 16m") },
			"the rule is stale: loaded with another for", "reload", []string{"LlmModelLoadingLong"},
		},
		"rules of an old version": {
			func(s *stage) { s.files = func(f []rules.File) []rules.File { return append(f, oldFile) } },
			"LlmForgotten in llm-gone.yml (group llm-gone) is of another version", "remove the old rule files", nil,
		},
		"a file twice": {
			func(s *stage) {
				s.files = func(f []rules.File) []rules.File {
					return append(f, rules.File{Name: "copy/" + f[0].Name, Data: f[0].Data})
				}
			},
			"the rule is loaded 2 times, from llm-availability.yml (group llm-availability) and from copy/llm-availability.yml (group llm-availability)",
			"take one of the files out", []string{"LlmBackendDown"},
		},
		"rules that nobody evaluates": {
			func(s *stage) { s.waiting, s.second = true, 330 }, // longer than the interval of any group
			"the rule is loaded, and has never been evaluated", "log of Prometheus", []string{"LlmGPUHot"},
		},
		"a rule that fails": {
			func(s *stage) {
				s.files = edited("llm_scrape_missing_series > 0", "llm_scrape_missing_series > on (instance) llm_up")
				s.failing = true
			},
			"the evaluation of the rule fails: ", "there twice", []string{"LlmSeriesMissing"},
		},
		"another job": {
			func(s *stage) { s.job = "llm" },
			`exporters are scraped as job "llm", and the rules ask for job "llmfleet"`, "write job: llm into the settings file", []string{"LlmExporterDown"},
		},
		"no exporter": {
			func(s *stage) { s.source = noExporter(s.source) },
			`no exporter is scraped: no target has job "llmfleet"`, "bundle's prometheus.yml", []string{"LlmExporterDown", "LlmBackendDown", "capacity/waiting", "LlmGPUHot"},
		},
		"the exporter is down": {
			func(s *stage) {
				s.source = target(s.source, func(t *promapi.Target) { t.Health, t.LastError = promapi.TargetDown, "connection refused" })
			},
			"the exporter fleet-incidents:10770 is down: connection refused", "Prometheus asks http://fleet-incidents:10770/metrics", nil,
		},
		"a scrape interval of two minutes": {
			func(s *stage) { s.source = target(s.source, func(t *promapi.Target) { t.ScrapeInterval = "2m" }) },
			"the scrape interval of 2m is too long for windows of 5m", "scrape the exporter more often", []string{"LlmRequestsQueueing", "backend:llm_generation_tokens:rate"},
		},
		"a scrape interval beyond Grafana's windows": {
			func(s *stage) { s.source = target(s.source, func(t *promapi.Target) { t.ScrapeInterval = "20s" }) },
			"the scrape interval of 20s is too long for windows of 1m", "scrape_interval: 20s", []string{"router/share"},
		},
		"nobody to tell": {
			func(s *stage) { *s = s.told() },
			"Prometheus knows no Alertmanager", "alertmanager/alertmanager.yml", nil,
		},
		"an Alertmanager that is not there": {
			func(s *stage) {
				*s = s.told(deadAlertmanager)
				s.companion, s.second = "prometheus-2.42.0/dead-alertmanager", 120
			},
			"sending alerts to the Alertmanager " + deadAlertmanager + " failed within the last 3m: nobody was told", "reached at that address", nil,
		},
		"one Alertmanager of two that is not there": {
			func(s *stage) {
				*s = s.told("http://127.0.0.1:9093/api/v2/alerts", deadAlertmanager)
				s.companion, s.second = "prometheus-2.42.0/dead-alertmanager", 120
			},
			"sending alerts to the Alertmanager " + deadAlertmanager + " failed within the last 3m: only the others were told", "reached at that address", nil,
		},
		"Prometheus does not watch itself": {
			func(s *stage) { s.companion = "" },
			"no series of Prometheus about itself", "add its job", []string{"glance/told"},
		},
		"an old Prometheus": {
			func(s *stage) { *s = s.asked(func(src *promapi.Source) { src.Version = "2.41.0" }) },
			"Prometheus 2.41.0 is older than 2.42", "upgrade", nil,
		},
		"a configuration that was refused": {
			func(s *stage) {
				s.answers = map[string]func(string) string{"/api/v1/status/runtimeinfo": func(answer string) string {
					return strings.Replace(answer, `"reloadConfigSuccess":true`, `"reloadConfigSuccess":false`, 1)
				}}
			},
			"Prometheus refused its last configuration and works with the one before", "promtool check config", nil,
		},
		"an exporter's configuration that was refused": {
			func(s *stage) { s.exposes = refusedConfiguration },
			"the exporter fleet-incidents:10770 refused its last configuration and works with the one before", "llmfleet_exporter --config.check", nil,
		},
		"one exporter under two jobs": {
			func(s *stage) { s.jobs, s.failing = []string{"node"}, true }, // what joins on instance finds everything twice
			"the exporter fleet-incidents:10770 is scraped by the jobs llmfleet and node: everything counts twice", "take all but one of them out", nil,
		},
		"a group slower than its interval": {
			func(s *stage) {
				s.answers = map[string]func(string) string{"/api/v1/rules": func(answer string) string {
					group := regexp.MustCompile(`("name":"llm-capacity",.*?"interval":15,"limit":0,"evaluationTime":)[^,]+`) // each rule has one too
					return group.ReplaceAllString(answer, "${1}21.5")
				}}
			},
			"group llm-capacity takes 21.5 s to evaluate and is due every 15 s", "more processor", nil,
		},
		"two exporters, one fleet": {
			func(s *stage) {
				s.recordings = []string{"fleet-incidents", "fleet-incidents"}
				s.instances = []string{"hostb:10770", "hostc:10770"}
			},
			"http://small is read by several exporters, hostb:10770 (as small) and hostc:10770 (as small)", "all but one", nil,
		},
		"a server without --metrics": {
			func(s *stage) {
				s.recordings = append(s.recordings, "llamacpp-0.7.0-b11669/states#no-metrics-no-slots")
			},
			"no numbers (disabled)", "start llama-server with --metrics (LLAMA_ARG_ENDPOINT_METRICS=1)", []string{"LlmRequestsQueueing", "LlmEngineStalled", "capacity/waiting"},
		},
		"a server that wants a key": {
			func(s *stage) { s.recordings = append(s.recordings, "llamacpp-0.7.0-b11669/states#apikey-none") },
			"no numbers (auth)", "authorization.credentials_file", []string{"LlmRequestsQueueing"},
		},
		"a server that is down": {
			func(s *stage) { s.second = 690 },
			"no numbers (refused)", "start the server", []string{"LlmTimeToFirstTokenHigh"},
		},
		"an upgrade that renamed a histogram": {
			func(s *stage) {
				s.recordings, s.edit = []string{"vllm-0.32.0/basic"}, func(r *recording.Recording) {
					for i := range r.Servers[0].Answers {
						a := &r.Servers[0].Answers[i]
						a.Body = bytes.ReplaceAll(a.Body, []byte("vllm:time_to_first_token_seconds"), []byte("vllm:first_token_seconds"))
					}
				}
			},
			"1 names that its version should send are missing", "map the new names", []string{"LlmTimeToFirstTokenHigh", "latency/ttft"},
		},
		"a tool that hangs": {
			func(s *stage) { s.recordings = append(s.recordings, "hosts/edge-smi-hang") },
			"nvidia of the machine cannot be read (timeout)", "run the tool by hand", []string{"LlmGPUHot"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := healthy()
			tt.break_(&s)
			r := s.check(t)
			c := r.cause(t, tt.what)
			if !strings.Contains(c.Do, tt.do) {
				t.Errorf("%q is mended by %q, want it to say %q", c.What, c.Do, tt.do)
			}
			for _, key := range tt.blinds {
				if !slices.Contains(c.Rules, key) && !slices.Contains(c.Panels, key) {
					t.Errorf("%q does not blind %s, but %q and %q", c.What, key, c.Rules, c.Panels)
				}
			}
			if r.OK() {
				t.Error("the report is OK")
			}
		})
	}
}

// deadAlertmanager is the one of the recording of that name.
const deadAlertmanager = "http://127.0.0.1:19493/api/v2/alerts"

// TestAnAlertmanagerThatWasTakenOutIsNotAccused corrects the address of a dead Alertmanager: its
// failures are in the series still, and those of the one that is named now are not there.
func TestAnAlertmanagerThatWasTakenOutIsNotAccused(t *testing.T) {
	s := healthy().told("http://127.0.0.1:9093/api/v2/alerts")
	s.companion, s.second = "prometheus-2.42.0/dead-alertmanager", 120
	if r := s.check(t); !r.OK() {
		t.Errorf("causes: %+v", r.Causes)
	}
}

// target changes what is said of the exporter's target.
func target(before func(*promapi.Source), change func(*promapi.Target)) func(*promapi.Source) {
	return func(s *promapi.Source) {
		before(s)
		targets := s.Targets()
		for i := range targets {
			if targets[i].Labels["job"] == "llmfleet" {
				change(&targets[i])
			}
		}
		s.Targets = func() []promapi.Target { return targets }
	}
}

// noExporter is a Prometheus without its job: as the stage's before its first scrape.
func noExporter(before func(*promapi.Source)) func(*promapi.Source) {
	return func(s *promapi.Source) {
		before(s)
		s.Now = func() time.Time { return replay.Epoch.Add(-time.Hour) }
		s.Started = s.Now().Add(-time.Minute)
		s.Targets = nil
	}
}

// TestWhatHasJustBeenMendedIsNotAccused looks right after changes of Prometheus' own configuration,
// when queries still see what was there before them.
func TestWhatHasJustBeenMendedIsNotAccused(t *testing.T) {
	for name, left := range map[string][]string{
		"a job that was renamed": {
			`llmfleet_exporter_targets{job="llm", instance="fleet-incidents:10770"}`,
			`llm_backend_info{job="llm", instance="fleet-incidents:10770", backend="small", engine="llamacpp", url="http://small"}`,
			`llm_scrape_failed{job="llm", instance="fleet-incidents:10770", backend="small", reason="refused"}`,
		},
		"a backend that was taken out": {
			`llm_backend_info{job="llmfleet", instance="fleet-incidents:10770", backend="gone", engine="llamacpp", url="http://gone"}`,
			`llm_scrape_failed{job="llmfleet", instance="fleet-incidents:10770", backend="gone", reason="refused"}`,
			`llm_up{job="llmfleet", instance="fleet-incidents:10770", backend="gone"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := healthy().and(func(s *stage) { s.left = left }).check(t)
			if !r.OK() || r.Exporters != 1 || r.Backends != 4 {
				t.Errorf("%d exporters, %d backends, causes: %+v", r.Exporters, r.Backends, r.Causes)
			}
		})
	}
}

// TestAnExporterOfAnotherPrometheusIsLookedAt has one that is no target here: its series are handed
// on, and as young as they would be then.
func TestAnExporterOfAnotherPrometheusIsLookedAt(t *testing.T) {
	r := healthy().and(func(s *stage) {
		s.left = []string{
			`llmfleet_exporter_targets{job="llmfleet", instance="far:10770"}`,
			`llm_backend_info{job="llmfleet", instance="far:10770", backend="far", engine="llamacpp", url="http://far"}`,
			`llm_scrape_failed{job="llmfleet", instance="far:10770", backend="far", reason="refused"}`,
		}
	}).check(t)
	if c := r.cause(t, "no numbers (refused)"); r.Exporters != 2 || !slices.Equal(c.Where, []string{"far"}) {
		t.Errorf("%d exporters, cause %+v", r.Exporters, c)
	}
}

// TestTheFirstMomentsOfAPrometheusAreOneFact looks before its first scrapes, and before it has
// found its targets.
func TestTheFirstMomentsOfAPrometheusAreOneFact(t *testing.T) {
	for name, tt := range map[string]struct {
		targets  []promapi.Target
		what, do string
	}{
		"nothing is scraped": {
			[]promapi.Target{
				{Labels: map[string]string{"job": "llmfleet", "instance": "hostb:10770"}, Health: promapi.TargetUnknown, ScrapeInterval: "15s"},
				{Labels: map[string]string{"job": "prometheus", "instance": "localhost:9090"}, Health: promapi.TargetUnknown, ScrapeInterval: "1m"},
			},
			"not scraped yet: hostb:10770 (job llmfleet), localhost:9090 (job prometheus)", "check again in 1m",
		},
		"nothing is scraped, and the job is another": {
			[]promapi.Target{{Labels: map[string]string{"job": "llm", "instance": "hostb:10770"}, Health: promapi.TargetUnknown, ScrapeInterval: "15s"}},
			"not scraped yet: hostb:10770 (job llm)", "check again in 15s",
		},
		"nothing is found": {nil, "Prometheus has not looked for its targets yet: it loaded its configuration a moment ago", "check again in 10s"},
	} {
		t.Run(name, func(t *testing.T) {
			r := healthy().and(func(s *stage) { s.waiting = true }).asked(func(s *promapi.Source) {
				s.Now = func() time.Time { return replay.Epoch.Add(-time.Hour) }
				s.Started = s.Now().Add(-4 * time.Second)
				s.Targets = func() []promapi.Target { return tt.targets }
				s.Alertmanagers = nil
			}).check(t)
			if len(r.Causes) != 1 || r.Causes[0].What != tt.what || r.Causes[0].Do != tt.do || !slices.Contains(r.Causes[0].Rules, "LlmBackendDown") {
				t.Errorf("causes: %+v, want that alone: %s", r.Causes, tt.what)
			}
		})
	}
}

// TestAnExporterThatIsDownIsOneFact has no series of any.
func TestAnExporterThatIsDownIsOneFact(t *testing.T) {
	r := healthy().asked(func(s *promapi.Source) {
		s.Now = func() time.Time { return replay.Epoch.Add(-time.Hour) }
		s.Started = s.Now().Add(-time.Hour)
	}).and(func(s *stage) {
		s.waiting = true
		s.source = target(s.source, func(t *promapi.Target) { t.Health, t.LastError = promapi.TargetDown, "connection refused" })
	}).check(t)
	if c := r.cause(t, "the exporter fleet-incidents:10770 is down: connection refused"); !slices.Contains(c.Rules, "LlmBackendDown") {
		t.Errorf("it blinds %q", c.Rules)
	}
	for _, c := range r.Causes {
		if strings.Contains(c.What, "no exporter answers") {
			t.Errorf("cause: %+v", c)
		}
	}
}

func TestSeriesThatAreNotThereForAReasonAreQuiet(t *testing.T) {
	r := healthy().and(func(s *stage) {
		s.recordings = []string{
			"fleet-incidents", "hosts/a1", "hosts/b", "vllm-0.32.0/dp2", "ollama-0.17.4/basic", "llamacpp-0.7.0-b11669/states#loading",
		}
	}).check(t)
	for name, tt := range map[string]struct{ item, where, why string }{
		"nobody said what to expect":   {"LlmExpectedModelMissing", "medium-a", "expect.models"},
		"a feature that is off":        {"backend:llm_spec_decode_draft_tokens:rate", "medium-a", "only with --speculative-config"},
		"a counter before its first":   {"LlmRouterRequestsFailing", "router of fleet-incidents:10770", "vllm_router_retries_exhausted_total: only with a flag, a feature, or after its first use"},
		"a driver that does not say":   {"LlmGPUThrottled", "hosts/a1:10770", "absent where its driver does not say it"},
		"a machine that is not looked": {"LlmGPUHot", "fleet-incidents:10770", "this exporter does not read its machine"},
		"a server that loads":          {"LlmRequestsQueueing", "service", "no numbers now: loading"},
		"registers that need rights":   {"links/atomics", "hosts/b:10770", "CAP_SYS_ADMIN only"},
		"a program without numbers":    {"capacity/waiting", "ollama", "exports no numbers"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := r.item(t, tt.item).Quiet[tt.where]; !strings.Contains(strings.Join(got, "; "), tt.why) {
				t.Errorf("%s at %s is quiet for %q, want %q; item %+v", tt.item, tt.where, got, tt.why, r.item(t, tt.item))
			}
		})
	}
	// Recordings have the same addresses, which would be one server read twice.
	for _, c := range r.Causes {
		if !strings.Contains(c.What, "is read by several exporters") {
			t.Errorf("cause: %+v", c)
		}
	}
}

// TestWhatIsBlindIsNotQuietToo takes the rules away: each is blind for that, and the page names none
// of them among what is quiet for a good reason.
func TestWhatIsBlindIsNotQuietToo(t *testing.T) {
	r := healthy().and(func(s *stage) { s.files = func([]rules.File) []rules.File { return nil } }).check(t)
	_, quiet, found := strings.Cut(r.Page(false), "for a good reason:\n")
	if !found {
		t.Fatal("nothing is quiet")
	}
	for _, it := range r.Items {
		if it.Kind == Panel {
			continue
		}
		if it.Verdict != Blind || len(it.Quiet) > 0 {
			t.Errorf("%s: %+v, want it blind and nothing else", it.Key, it)
		}
		if regexp.MustCompile(`\b` + it.Key + `\b`).MatchString(quiet) {
			t.Errorf("%s stands among what is quiet:\n%s", it.Key, quiet)
		}
	}
}

func TestRulesAreNotCalledBlindBeforeTheirTurn(t *testing.T) {
	r := healthy().and(func(s *stage) { s.waiting, s.second = true, 15 }).check(t)
	if it := r.item(t, "LlmGPUHot"); it.Verdict != Quiet || !slices.Contains(it.Quiet[""], "loaded a moment ago, and due within 15s") {
		t.Errorf("LlmGPUHot: %+v", it)
	}
	if !r.OK() {
		t.Errorf("causes: %+v", r.Causes)
	}
}

func TestAFleetWithoutARouterIsNotBlindForIt(t *testing.T) {
	r := healthy().and(func(s *stage) { s.recordings = []string{"vllm-0.32.0/basic"} }).check(t)
	if it := r.item(t, "LlmRouterTargetOut"); it.Verdict != Quiet || !slices.Equal(it.Quiet[""], []string{"no router here"}) {
		t.Errorf("LlmRouterTargetOut: %+v", it)
	}
	if !r.OK() {
		t.Errorf("causes: %+v", r.Causes)
	}
}

// TestSettingsOfTheBundleAreThoseOfTheCheck loads rules with another threshold: they are stale to
// a check without that setting only.
func TestSettingsOfTheBundleAreThoseOfTheCheck(t *testing.T) {
	settings, err := rules.ParseSettings("s.yml", []byte("thresholds: {queue_waiting: 9}\nlabels: {team: a}\n"), rules.Groups())
	if err != nil {
		t.Fatal(err)
	}
	server := healthy().and(func(s *stage) {
		s.files = func([]rules.File) []rules.File {
			files, err := rules.Files(rules.Groups(), settings)
			if err != nil {
				t.Fatal(err)
			}
			return files
		}
	}).play(t)
	with := options()
	with.Settings = settings
	if r, err := Prometheus(t.Context(), server, with); err != nil || !r.OK() {
		t.Errorf("with the settings: %v, %+v", err, r.Causes)
	}
	r, err := Prometheus(t.Context(), server, options())
	if err != nil {
		t.Fatal(err)
	}
	if c := r.cause(t, "the rule is stale: loaded with another expression, label"); !slices.Contains(c.Rules, "LlmRequestsQueueing") {
		t.Errorf("without them: %+v", c)
	}
}
