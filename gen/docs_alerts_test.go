package gen

import (
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/rules"
)

func TestEveryRunbookSaysWhyItsThresholdsAreWhereTheyAre(t *testing.T) {
	pages, s := generated(t), rules.DefaultSettings()
	for _, g := range rules.Groups() {
		for i := range g.Alerts {
			a := &g.Alerts[i]
			page := string(pages["docs/runbooks/"+rules.RunbookFile(a.Name)])
			for _, stand := range rules.StandsOn(rules.Groups(), a) {
				_, rest, ok := strings.Cut(page, "\n- `"+stand.Key+"` = "+value(stand.Threshold, s))
				if !ok {
					t.Errorf("%s: its page does not say what %s is", a.Name, stand.Key)
					continue
				}
				facts, _, _ := strings.Cut(rest, "\n- ")
				for _, e := range stand.Evidence {
					if !strings.Contains(facts, expanded(e.Statistic, s)) || !strings.Contains(facts, strings.Join(strings.Fields(e.Source), " ")) {
						t.Errorf("%s: its page does not give the evidence for %s:\n%s", a.Name, stand.Key, facts)
					}
				}
			}
		}
	}
}

func TestEvidenceIsSaidInWords(t *testing.T) {
	for _, tt := range []struct {
		evidence rules.Evidence
		want     string
	}{
		{rules.Evidence{Source: "a vendor's limit"}, "measured elsewhere: a vendor's limit"},
		{
			rules.Evidence{Statistic: "max(x[${kv_window}])", Healthy: []string{"a", "b"}, Incident: []string{"c"}, Above: true, Margin: 1.5},
			"`max(x[5m])` is below on the healthy `a`, `b` and above on the incidents `c`, by a factor of 1.5 at least",
		},
		{
			rules.Evidence{Statistic: "min(x)", Incident: []string{"c"}, Margin: 2, Source: "a measurement"},
			"`min(x)` is below on the incidents `c`, by a factor of 2 at least; elsewhere: a measurement",
		},
	} {
		if got := evidenceText(tt.evidence, rules.DefaultSettings()); got != tt.want {
			t.Errorf("evidence is %q, want %q", got, tt.want)
		}
	}
}

func TestTheTableOfAlertsLeavesNoCellEmpty(t *testing.T) {
	_, rest, _ := strings.Cut(string(generated(t)["docs/alerts.md"]), "## What each stands on\n\n")
	table, _, _ := strings.Cut(rest, "\n\n")
	rows := strings.Split(table, "\n")
	if want := "| alert | severity | thresholds | evidence for them | fires on | runbook |"; rows[0] != want {
		t.Fatalf("the table has the columns %s, want %s", rows[0], want)
	}
	for _, row := range rows[2:] {
		for _, cell := range strings.Split(strings.Trim(row, "| "), "|") {
			if cell = strings.TrimSpace(cell); cell == "" || cell == "–" {
				t.Errorf("a cell says nothing: %s", row)
			}
		}
	}
}
