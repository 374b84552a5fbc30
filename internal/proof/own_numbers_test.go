package proof

import (
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/rules"
)

// proveWith proves a group with the settings of a file.
func proveWith(t *testing.T, groups []rules.Group, file string, more ...Expression) *Report {
	t.Helper()
	settings, err := rules.ParseSettings("settings.yml", []byte(file), groups)
	if err != nil {
		t.Fatal(err)
	}
	report, err := Run(t.Context(), Options{Groups: groups, Settings: settings, Recordings: fleetAlone(t), Expressions: more})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestOwnNumbersAreNotComparedWithTheSecondsOfTheDefaults(t *testing.T) {
	shown := Expression{
		Key: "trial/low", Text: `backend:llm_healthy:avg < 0.5`, Keys: []string{"least_healthy"}, Kind: Panel,
		Shows: []Shown{{"fleet-incidents", 0, nil, []string{`{backend="small"} 7`}}},
	}
	for name, file := range map[string]string{
		"a later hold":                 "for: {LlmTrial: 3m}",
		"it goes on":                   "keep_firing_for: {LlmTrial: 2m}",
		"a threshold":                  "thresholds: {least_healthy: 0.5}",
		"a threshold that is a choice": "thresholds: {least_healthy: 0.2}\nfor: {LlmTrial: 5m}",
	} {
		t.Run(name, func(t *testing.T) {
			groups := replicaDown()
			groups[0].Thresholds[0].Evidence[0].Margin = 1.5
			report := proveWith(t, groups, file, shown)
			failures := strings.Join(report.Failures, "\n")
			if moved := strings.Contains(file, "thresholds"); moved == (failures != "") || moved != (len(report.Unshown) == 1) {
				t.Errorf("the panel's number is compared only where it is that of the defaults:\n%s", report)
			}
			if report.Fire != 1 || report.Quiet != 1 || report.Mutants != 0 || len(report.Remarks) > 0 {
				t.Errorf("the alert fires, is quiet elsewhere, and has no mutants:\n%s", report)
			}
			if !strings.Contains(report.String(), "NOT COMPARED, because they are of the default numbers: seconds, texts and mutants of 1 alerts (LlmTrial)") {
				t.Errorf("the report does not say what it leaves out:\n%s", report)
			}
		})
	}
}

func TestANumberThatMakesAnAlertBlindIsReported(t *testing.T) {
	groups := replicaDown()
	groups[0].Alerts[0].Expr = `backend:llm_healthy:avg < ${least_healthy} - 0.1`
	report := proveWith(t, groups, "thresholds: {least_healthy: 0.1}")
	said := report.String()
	for _, want := range []string{
		"NUMBERS OF YOUR OWN: least_healthy = 0.1 (default 0.9)\n",
		"LlmTrial{backend=\"medium-b\"} no longer fires on fleet-incidents with least_healthy = 0.1 (default 0.9)\n",
		"LlmTrial: fires on none of its 1 incidents with least_healthy = 0.1 (default 0.9): it is blind\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("report lacks %q:\n%s", want, said)
		}
	}
	if report.OK() {
		t.Error("a blind alert passes")
	}
}

func TestAnIncidentThatIsMissedWhileAnotherIsSeenIsAChoice(t *testing.T) {
	groups := replicaDown()
	c := groups[0].Alerts[0].Cases[0]
	c.Stretch = 0.2 // over within three minutes
	groups[0].Alerts[0].Cases = append(groups[0].Alerts[0].Cases, c)
	report := proveWith(t, groups, "for: {LlmTrial: 10m}")
	want := `LlmTrial{backend="medium-b"} no longer fires on fleet-incidents stretched 0.2× with for = 10m (default 1m)`
	if len(report.Remarks) != 1 || report.Remarks[0] != want || !report.OK() {
		t.Errorf("report is\n%s\nwant the remark %s and no failure", report, want)
	}
}

func TestANumberThatMakesAnAlertLoudIsReported(t *testing.T) {
	groups := replicaDown()
	groups[0].Alerts[0].Expr = `backend:llm_healthy:avg{backend!="router"} < 10 * ${least_healthy} - 8.5`
	report := proveWith(t, groups, "thresholds: {least_healthy: 0.999}")
	want := `LlmTrial: must be quiet on fleet-incidents, and is not with least_healthy = 0.999 (default 0.9): LlmTrial{backend="small"} pending 0 firing 60 resolved never`
	if !strings.Contains(report.String(), want) || report.Quiet != 0 {
		t.Errorf("report lacks %q:\n%s", want, report)
	}
}

func TestDefaultNumbersAreNotSpokenOf(t *testing.T) {
	report := proveWith(t, replicaDown(), "thresholds: {least_healthy: 0.9}\nfor: {LlmTrial: 1m}\nlabels: {team: ml}")
	if said := report.String(); strings.Contains(said, "OWN") || strings.Contains(said, "NOT COMPARED") || report.Mutants == 0 {
		t.Errorf("numbers that are the defaults are treated as others:\n%s", said)
	}
}
