package rules

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// explained are three alerts of which the first two may explain others.
func explained() []Group {
	return []Group{{Name: "trial", Alerts: []Alert{
		{Name: "LlmGone", Severity: Critical, Expr: `up == 0`},
		{Name: "LlmDown", Severity: Critical, Expr: `llm_healthy == 0`},
		{Name: "LlmWaiting", Severity: Warning, Expr: `llm_requests_waiting > 1`},
		{Name: "LlmUntold", Severity: Warning, Expr: `prometheus_notifications_alertmanagers_discovered == 0`},
		{Name: "LlmAlive", Severity: None, Expr: `vector(1)`},
	}}}
}

func TestAnAlertExplainsAllThatCarryItsLabels(t *testing.T) {
	g := explained()
	g[0].Alerts[0].Explains = []Explanation{{By: []string{"instance"}, Why: "It is gone."}}
	g[0].Alerts[1].Explains = []Explanation{{By: []string{"instance", "backend"}, Why: "It is down."}}
	got, err := Inhibitions(g, DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	want := []Inhibition{
		{Source: "LlmGone", By: []string{"instance"}, Targets: []string{"LlmDown", "LlmWaiting"}, All: true, Except: []string{"LlmGone", "LlmUntold"}, Why: "It is gone."},
		{Source: "LlmDown", By: []string{"instance", "backend"}, Targets: []string{"LlmWaiting"}, All: true, Except: []string{"LlmDown", "LlmUntold"}, Why: "It is down."},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAnExplanationThatCannotHoldIsAMistake(t *testing.T) {
	for name, tt := range map[string]struct {
		alert    int
		explains []Explanation
		want     string
	}{
		"unknown":          {1, []Explanation{{By: []string{"instance"}, Alerts: []string{"LlmWaitin"}}}, `LlmDown: explains: unknown alert "LlmWaitin"; did you mean "LlmWaiting"?`},
		"target drops it":  {2, []Explanation{{By: []string{"instance", "model"}, Alerts: []string{"LlmUntold", "LlmAlive"}}}, `LlmWaiting: explains: LlmAlive never carries all of the labels instance, model`},
		"source drops it":  {0, []Explanation{{By: []string{"instance", "backend"}}}, `LlmGone: explains: its own expression drops one of the labels instance, backend`},
		"of every machine": {0, []Explanation{{Alerts: []string{"LlmWaiting"}}}, `LlmGone: explains: no labels: it would hold back alerts of every machine`},
		"a page is hidden": {2, []Explanation{{By: []string{"backend"}, Alerts: []string{"LlmDown"}}}, `LlmWaiting: explains: LlmDown is critical, and would be hidden behind a warning`},
		"itself":           {1, []Explanation{{By: []string{"instance"}, Alerts: []string{"LlmDown"}}}, `LlmDown: explains: hold back each other in a circle, so that nobody is told`},
		"nobody is told":   {1, []Explanation{{By: []string{"instance"}, Alerts: []string{"LlmGone"}}}, `LlmDown, LlmGone: explains: hold back each other in a circle, so that nobody is told`},
	} {
		t.Run(name, func(t *testing.T) {
			g := explained()
			if name == "nobody is told" {
				g[0].Alerts[0].Explains = []Explanation{{By: []string{"instance"}}}
			}
			g[0].Alerts[tt.alert].Explains = tt.explains
			if _, err := Inhibitions(g, DefaultSettings()); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want %s", err, tt.want)
			}
		})
	}
}

// TestOneCauseMakesOnePage names what a person must not be told twice, whatever the
// definitions say.
func TestOneCauseMakesOnePage(t *testing.T) {
	all, err := Inhibitions(Groups(), DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		source, by string
		holds      []string
		tells      []string
	}{
		{"LlmExporterDown", "instance", []string{"LlmBackendDown", "LlmGPULost", "LlmRequestsQueueing", "LlmConfigReloadFailed"}, []string{"LlmExporterDown", "LlmNobodyNotified", "LlmWatchdog"}},
		{"LlmBackendDown", "instance, backend", []string{"LlmEngineStalled", "LlmRequestsQueueing", "LlmTimeToFirstTokenHigh"}, []string{"LlmExporterDown", "LlmGPULost", "LlmBackendDown"}},
		{"LlmEngineStalled", "instance, backend, model", []string{"LlmRequestsQueueing", "LlmKVCacheSaturated"}, []string{"LlmBackendDown", "LlmGPULost"}},
		{"LlmGPULost", "instance, gpu", []string{"LlmGPUHot", "LlmGPULinkDegraded", "LlmGPUMemoryTight"}, []string{"LlmBackendDown", "LlmHardwareBlind"}},
	} {
		i := slices.IndexFunc(all, func(i Inhibition) bool { return i.Source == tt.source })
		if i < 0 || strings.Join(all[i].By, ", ") != tt.by {
			t.Errorf("%s explains nothing by %s", tt.source, tt.by)
			continue
		}
		for _, name := range tt.holds {
			if !slices.Contains(all[i].Targets, name) {
				t.Errorf("%s does not hold back %s", tt.source, name)
			}
		}
		for _, name := range tt.tells {
			if slices.Contains(all[i].Targets, name) {
				t.Errorf("%s holds back %s", tt.source, name)
			}
		}
	}
}
