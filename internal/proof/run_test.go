package proof

import (
	"context"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/llmfleet/llmfleet/internal/recording"
	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/llmfleet/llmfleet/rules"
)

// fleetAlone is testdata/recordings with one recording in it.
func fleetAlone(t *testing.T) fs.FS {
	t.Helper()
	root, err := recording.Root()
	if err != nil {
		t.Fatal(err)
	}
	const name = "fleet-incidents"
	out := fstest.MapFS{}
	all := os.DirFS(root)
	files, err := fs.Glob(all, path.Join(name, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := fs.ReadFile(all, f)
		if err != nil {
			t.Fatal(err)
		}
		out[f] = &fstest.MapFile{Data: data}
	}
	return out
}

// replicaDown is a small group whose proof holds on the fleet: medium-b is killed at 480 and
// answers again at 1245.
func replicaDown() []rules.Group {
	return []rules.Group{{
		Name: "trial",
		Thresholds: []*rules.Threshold{{
			Key: "least_healthy", Default: 0.9, Unit: "ratio",
			Evidence: []rules.Evidence{{
				Statistic: `min_over_time(llm_healthy{backend="medium-b"}[1h])`, Incident: []string{"fleet-incidents"}, Margin: 2,
			}},
		}},
		Records: []rules.Record{{
			Name: "backend:llm_healthy:avg", Unit: "ratio", Labels: []string{"backend"}, Expr: `avg_over_time(llm_healthy[2m])`,
		}},
		Alerts: []rules.Alert{{
			Name: "LlmTrial", Severity: rules.Warning, For: time.Minute, Panel: "glance/backends",
			Expr:    `backend:llm_healthy:avg < ${least_healthy} and on (instance, backend) llm_healthy{backend!="router"} == 0`,
			Summary: "{{ $labels.backend }} is down", Description: "Start it.", Valueless: "a share of two minutes",
			Cases: []rules.Case{{
				Recording: "fleet-incidents",
				Fires:     []rules.Firing{{Labels: `backend="medium-b"`, Pending: 480, Firing: 540, Resolved: 1245, Text: "medium-b is down"}},
			}},
		}},
	}}
}

func prove(t *testing.T, groups []rules.Group, more ...Expression) *Report {
	t.Helper()
	report, err := Run(t.Context(), Options{Groups: groups, Settings: rules.DefaultSettings(), Recordings: fleetAlone(t), Expressions: more})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestAProofCountsWhatItTried(t *testing.T) {
	groups := replicaDown()
	got := prove(t, groups).Summary()
	// Ten times the threshold is above every ratio: the guard decides alone, at the same second.
	want := "expressions 2/2 evaluated, alerts 1/1 fire, 1/1 quiet elsewhere, mutants 12/18 killed, evidence 1/1 within margin (1 thresholds computed, 0 measured elsewhere), links 0/0 open a number"
	if got != want {
		t.Errorf("summary = %s, want %s", got, want)
	}
	const guard, alone = `llm_healthy{backend!="router"}`, "only one backend is ever down, and with its metrics"
	groups[0].Alerts[0].Survivors = map[string]string{
		"threshold least_healthy ×10":                            "the guard decides alone then",
		"label instance of on before " + guard + " == 0 dropped": alone,
		"label backend of on before " + guard + " == 0 dropped":  alone,
		"name llm_up for " + guard:                               alone,
	}
	groups[0].Records[0].Survivors = map[string]string{
		"window llm_healthy[2m] ÷10":  "the guard decides alone then",
		"name llm_up for llm_healthy": alone,
	}
	report := prove(t, groups)
	if want := strings.Replace(want, "12/18 killed", "12/12 killed (and 6 survive with a reason)", 1); report.Summary() != want || !report.OK() {
		t.Errorf("report = %s, want %s", report, want)
	}
}

func TestWhatIsWrongIsFound(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*rules.Group)
		more   []Expression
		want   string
	}{
		"a firing second that is off": {
			change: func(g *rules.Group) { g.Alerts[0].Cases[0].Fires[0].Firing = 555 },
			want:   `fleet-incidents: second 555: LlmTrial: want {backend="medium-b"} pending 480 firing 555 resolved 1245, got pending 480 firing 540 resolved 1245`,
		},
		"a recording that is not there": {
			change: func(g *rules.Group) { g.Alerts[0].Cases[0].Recording = "fleet" },
			want:   `LlmTrial: case: recording "fleet": no such recording`,
		},
		"an edit that is not there": {
			change: func(g *rules.Group) { g.Alerts[0].Cases[0].Edit = "gone" },
			want:   `LlmTrial: case: recording "fleet-incidents": no edit "gone"`,
		},
		"an alert without cases": {
			change: func(g *rules.Group) { g.Alerts[0].Cases = nil },
			want:   `fleet-incidents: second 540: LlmTrial: want quiet (no case names this recording), got LlmTrial{backend="medium-b"} pending 480 firing 540 resolved 1245`,
		},
		"an expression that is blank": {
			change: func(g *rules.Group) {
				g.Records = append(g.Records, rules.Record{Name: "backend:llm_lora_adapters:sum", Labels: []string{"backend", "engine", "model", "state"}, Expr: "sum without (rank) (llm_lora_adapters)"})
			},
			want: `backend:llm_lora_adapters:sum (recording rule): no result on any of 1 replays`,
		},
		"a record that is NaN": {
			change: func(g *rules.Group) {
				g.Records = append(g.Records, rules.Record{Name: "backend:llm_up:nothing", Labels: []string{"backend"}, Expr: "llm_up - llm_up"}, rules.Record{
					Name: "backend:llm_up:share", Labels: []string{"backend"}, Expr: "backend:llm_up:nothing / backend:llm_up:nothing or llm_up"})
			},
			want: `backend:llm_up:share (recording rule): fleet-incidents: second 0: is NaN; leave it without a sample`,
		},
		"a panel that is blank": {
			more: []Expression{{Key: "trial/blank", Text: `llm_up{backend="nobody"}`, Kind: Panel}},
			want: `trial/blank (panel): no result on any of 1 replays`,
		},
		"a panel that gives numbers nobody wrote down": {
			more: []Expression{{Key: "trial/up", Text: `llm_up{backend="small"}`, Kind: Panel, Shows: []Shown{{"fleet-incidents", 0, nil, []string{`{backend="small"} 0`}}}}},
			want: `trial/up (panel): fleet-incidents: second 0: want {backend="small"} 0, got {backend="small"} 1`,
		},
		"a rate of a gauge": {
			more: []Expression{{Key: "trial/rate", Text: `rate(llm_up[5m])`, Kind: Panel}},
			want: `trial/rate (panel): llm_up: rate or increase of a gauge; only counters reset`,
		},
		"evidence that is gone": {
			change: func(g *rules.Group) { g.Thresholds[0].Evidence[0].Healthy = []string{"fleet-incidents"} },
			want:   `evidence: threshold least_healthy = 0.9: fleet-incidents: the statistic is 0, the healthy side is at least 1.8`,
		},
		"a threshold without evidence": {
			change: func(g *rules.Group) { g.Thresholds[0].Evidence = nil },
			want:   `threshold least_healthy: no evidence; give a statistic with recordings, or the source of the number`,
		},
		"a survivor that is none": {
			change: func(g *rules.Group) { g.Alerts[0].Survivors = map[string]string{"moon": "because"} },
			want:   `LlmTrial: rules/survivors.go lists "moon", which is no mutant`,
		},
		"a survivor that dies": {
			change: func(g *rules.Group) { g.Alerts[0].Survivors = map[string]string{"for dropped": "because"} },
			want:   `LlmTrial: rules/survivors.go lists "for dropped", but a replay notices it; take the entry out`,
		},
		"a mutant that lives": {
			change: func(g *rules.Group) { g.Alerts[0].Expr += ` and on (instance) up < 10 * ${least_healthy}` },
			want:   `LlmTrial: no replay notices the mutant`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			groups := replicaDown()
			if tt.change != nil {
				tt.change(&groups[0])
			}
			report := prove(t, groups, tt.more...)
			if report.OK() {
				t.Error("the proof holds")
			}
			if !slices.ContainsFunc(report.Failures, func(f string) bool { return strings.HasPrefix(f, tt.want) }) {
				t.Errorf("failures lack %q:\n%s", tt.want, report)
			}
		})
	}
}

// onePage is a target that always sends the same.
type onePage string

func (p onePage) Scrape(context.Context, time.Duration) (replay.Page, error) {
	return replay.Page{Body: []byte(p), ContentType: "text/plain; version=0.0.4"}, nil
}

func TestNoQuantileIsComparedWithMoreThanItsLastBucket(t *testing.T) {
	p, err := replay.NewPrometheus([]replay.Target{{Job: "llmfleet", Instance: "here:1", Scraper: onePage("# TYPE llm_x histogram\nllm_x_bucket{backend=\"a\",le=\"1\"} 1\nllm_x_bucket{backend=\"a\",le=\"80\"} 1\nllm_x_bucket{backend=\"b\",le=\"40\"} 1\nllm_x_bucket{backend=\"b\",le=\"+Inf\"} 1\n")}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for at := time.Duration(0); at <= 15*time.Second; at += replay.StepLength {
		if _, err := p.Step(t.Context(), at); err != nil {
			t.Fatal(err)
		}
	}
	got := lastBuckets(t.Context(), []*played{{replay: &replay.Replay{Length: 15 * time.Second}, prometheus: p}})
	if len(got) != 1 || got["llm_x"] != 40 {
		t.Errorf("last buckets = %v, want llm_x 40", got)
	}
}

func TestOnlyWhatIsAskedForIsTried(t *testing.T) {
	report, err := Run(t.Context(), Options{
		Groups: replicaDown(), Settings: rules.DefaultSettings(), Recordings: fleetAlone(t),
		Only: func(name string) bool { return name == "backend:llm_healthy:avg" },
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := report.Summary(), "expressions 1/1 evaluated, alerts 0/0 fire, 0/0 quiet elsewhere, mutants 2/4 killed, evidence 1/1 within margin (1 thresholds computed, 0 measured elsewhere), links 0/0 open a number"; got != want {
		t.Errorf("summary = %s, want %s", got, want)
	}
}
