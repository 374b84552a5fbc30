package proof

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/internal/recording"
	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/storage"
)

// onCases prepares a proof of the shipped rules, changed by hand, and plays the cases of one alert.
func onCases(t *testing.T, alert string, change func([]rules.Group)) *run {
	t.Helper()
	root, err := recording.Root()
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Groups: rules.Groups(), Settings: rules.DefaultSettings(), Recordings: os.DirFS(root), Only: func(name string) bool { return name == alert }}
	change(o.Groups)
	r := newRun(o)
	t.Cleanup(r.close)
	if err := r.render(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	replays, stepped, err := r.replays()
	if err != nil {
		t.Fatal(err)
	}
	for _, rep := range replays {
		if r.caseKeys[rep.String()] == nil {
			continue
		}
		if err := r.playOne(t.Context(), rep, stepped[rep.String()]); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// without takes a text out of an expression of a rule.
func without(t *testing.T, groups []rules.Group, rule, text string) {
	t.Helper()
	cut := func(expr *string) {
		if !strings.Contains(*expr, text) {
			t.Fatalf("%s has no %q", rule, text)
		}
		*expr = strings.Replace(*expr, text, "", 1)
	}
	for i := range groups {
		g := &groups[i]
		g.Alerts, g.Records = slices.Clone(g.Alerts), slices.Clone(g.Records)
		for j := range g.Alerts {
			if g.Alerts[j].Name == rule {
				cut(&g.Alerts[j].Expr)
			}
		}
		for j := range g.Records {
			if g.Records[j].Name == rule {
				cut(&g.Records[j].Expr)
			}
		}
	}
}

func TestAGuardTakenAwayTurnsTheProofRed(t *testing.T) {
	for name, tt := range map[string]struct {
		rule, guard string
		alert, want string
	}{
		"too few prompts to judge their reuse": {
			rule: "LlmPrefixReuseCollapsed", guard: `and sum without (rank) (increase(llm_prefix_cache_query_tokens_total[${reuse_window}])) > ${reuse_tokens}`,
			alert: "LlmPrefixReuseCollapsed", want: `LlmPrefixReuseCollapsed: want quiet`,
		},
		"a server that loads its model": {
			rule: "LlmBackendDown", guard: `unless on (instance, backend) llm_scrape_failed{reason="loading"} == 1`,
			alert: "LlmBackendDown", want: `LlmBackendDown: want quiet`,
		},
		"no drafts are made, in a recording rule": {
			rule: "backend:llm_decode_drafting:tokens_per_second", guard: `and sum without (rank) (rate(llm_spec_decode_draft_tokens_total[${shortest_window}])) > 0`,
			alert: "LlmDraftingSlower", want: `LlmDraftingSlower: want`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := onCases(t, tt.alert, func(groups []rules.Group) { without(t, groups, tt.rule, tt.guard) })
			if err := r.checkAlerts(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(r.report.Failures, func(f string) bool { return strings.Contains(f, tt.want) }) {
				t.Errorf("failures lack %q:\n%s", tt.want, &r.report)
			}
		})
	}
}

func TestRecordsLaidOverThemselvesChangeNothing(t *testing.T) {
	r := onCases(t, "LlmSpeculationOff", func([]rules.Group) {})
	tried := 0
	for _, rec := range r.recordRules {
		who := r.readersOf(rec.Name)
		for _, p := range r.played {
			o := newOverlay(p)
			for _, next := range append([]parsedRule{rec.rule}, who.records...) {
				if err := o.evaluate(t.Context(), p, next); err != nil {
					t.Fatal(err)
				}
			}
			for _, a := range who.alerts {
				stored, err := summaries(t, p.prometheus, a.rule.Rule, p)
				if err != nil {
					t.Fatal(err)
				}
				laid, err := summaries(t, o, a.rule.Rule, p)
				if err != nil || !slices.Equal(stored, laid) {
					t.Errorf("%s over %s: %s: %q, as stored %q (%v)", rec.Name, p.replay, a.Name, laid, stored, err)
				}
				tried += len(stored)
			}
		}
	}
	if tried == 0 {
		t.Error("nothing fired: the replays test nothing")
	}
}

func summaries(t *testing.T, data storage.Queryable, rule rulefmt.Rule, p *played) ([]string, error) {
	t.Helper()
	spans, err := replay.SpansOf(t.Context(), data, rule, p.replay.Length)
	return spanLines(replay.WithSummaries(t.Context(), data, rule, spans)), err
}
