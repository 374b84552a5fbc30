package ruletest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/internal/recording"
	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/prometheus/prometheus/model/labels"
	"go.yaml.in/yaml/v3"
)

// promtoolRun does with a written file what promtool does: it loads the series, evaluates
// the rules at the file's pace, and compares what fires at the named seconds.
func promtoolRun(t *testing.T, file []byte, all []rules.File) (compared int) {
	t.Helper()
	var doc struct {
		Files []string   `yaml:"rule_files"`
		Tests []ruleTest `yaml:"tests"`
	}
	if err := yaml.Unmarshal(file, &doc); err != nil {
		t.Fatal(err)
	}
	var files []rules.File
	for _, f := range all {
		if slices.ContainsFunc(doc.Files, func(name string) bool { return strings.HasSuffix(name, f.Name) }) {
			files = append(files, f)
		}
	}
	for _, test := range doc.Tests {
		p, err := replay.NewPrometheus(nil, files)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		if err := loadInput(t.Context(), p, test.Input); err != nil {
			t.Fatal(err)
		}
		p.EvaluateEveryStep() // promtool evaluates every group at its file's pace
		next := time.Duration(0)
		until := func(second string) time.Duration {
			at, err := time.ParseDuration(second)
			if err != nil {
				t.Fatal(err)
			}
			for ; next <= at; next += promtoolStep {
				if _, err := p.Step(t.Context(), next); err != nil {
					t.Fatal(err)
				}
			}
			return at
		}
		for _, q := range test.Firing {
			compared += len(q.Want)
			fires, _, err := p.Instant(t.Context(), q.Expr, until(q.EvalTime))
			if err != nil {
				t.Fatal(err)
			}
			var got, want []string
			for _, s := range fires {
				got = append(got, seriesText(s.Metric))
			}
			for _, s := range q.Want {
				want = append(want, s.Labels)
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("%s: %s: fires %q, want %q", test.Name, q.EvalTime, got, want)
			}
		}
		for _, a := range test.Alerts {
			compared += len(a.Want)
			until(a.EvalTime)
			if got, want := texts(firing(p, a.Name)), texts(a.Want); !slices.Equal(got, want) {
				t.Errorf("%s: %s: fires %q, want %q", test.Name, a.EvalTime, got, want)
			}
		}
	}
	return compared
}

func texts(firing []expectedAlert) []string {
	var out []string
	for _, f := range firing {
		out = append(out, fmt.Sprintf("%s %q", replay.LabelText(labels.FromMap(f.Labels)), f.Annotations))
	}
	slices.Sort(out)
	return out
}

func TestWrittenPromtoolTestsHoldByThemselves(t *testing.T) {
	root, err := recording.Root()
	if err != nil {
		t.Fatal(err)
	}
	hosts, err := recording.HostsRoot()
	if err != nil {
		t.Fatal(err)
	}
	groups, settings := rules.Groups(), rules.DefaultSettings()
	all, err := rules.Files(groups, settings)
	if err != nil {
		t.Fatal(err)
	}
	files, err := Files(t.Context(), groups, settings, os.DirFS(root), os.DirFS(hosts))
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, f := range files {
		compared += promtoolRun(t, f.Data, all)
	}
	if want := len(groups); compared < want {
		t.Errorf("only %d firing alerts were compared, want at least %d", compared, want)
	}
}

// replicaDown is a group that fires on the fleet: medium-b is killed at 480 and answers again at 1245.
func replicaDown() []rules.Group {
	return []rules.Group{{
		Name: "trial",
		Alerts: []rules.Alert{{
			Name: "LlmTrial", Severity: rules.Warning, For: time.Minute, Panel: "glance/backends",
			Expr:    `llm_healthy{backend!="router"} == 0`,
			Summary: "{{ $labels.backend }} is down", Description: "Start it.", Valueless: "a state",
			Cases: []rules.Case{{
				Recording: "fleet-incidents",
				Fires:     []rules.Firing{{Labels: `backend="medium-b"`, Pending: 480, Firing: 540, Resolved: 1245}},
			}},
		}},
	}}
}

// TestPromtoolTestsFollowOwnNumbers writes tests for a hold time that is longer than the incident of the
// case that comes first, and for one that is longer than every incident.
func TestPromtoolTestsFollowOwnNumbers(t *testing.T) {
	root, err := recording.Root()
	if err != nil {
		t.Fatal(err)
	}
	groups := replicaDown()
	short := groups[0].Alerts[0].Cases[0]
	short.Stretch = 0.2 // over within three minutes
	short.Fires = []rules.Firing{{Labels: short.Fires[0].Labels, Pending: 90, Firing: 150}}
	groups[0].Alerts[0].Cases = append(groups[0].Alerts[0].Cases, short)
	for hold, want := range map[string]string{
		"1m":  `name: LlmTrial fires on fleet-incidents stretched 0.2×`,
		"10m": "name: LlmTrial fires on fleet-incidents\n",
		"1h":  "# Left out, because with the numbers of the settings they fire on no recording: LlmTrial.",
	} {
		t.Run(hold, func(t *testing.T) {
			settings, err := rules.ParseSettings("settings.yml", []byte("for: {LlmTrial: "+hold+"}"), groups)
			if err != nil {
				t.Fatal(err)
			}
			files, err := Files(t.Context(), groups, settings, os.DirFS(root), nil)
			if err != nil {
				t.Fatal(err)
			}
			var written strings.Builder
			for _, f := range files {
				written.Write(f.Data)
			}
			if !strings.Contains(written.String(), want) {
				t.Errorf("the tests do not say %q:\n%.1500s", want, written.String())
			}
			all, err := rules.Files(groups, settings)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				promtoolRun(t, f.Data, all)
			}
		})
	}
}
