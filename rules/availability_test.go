package rules

import (
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// A reason is left out of the alert, or its runbook says what to do: a new one must be decided on.
func TestEveryReasonForMissingNumbersIsExplainedOrLeftOut(t *testing.T) {
	_, matcher, _ := strings.Cut(metricsUnavailable.Expr, `reason!~"`)
	leftOut, _, ok := strings.Cut(matcher, `"`)
	if !ok {
		t.Fatal("the alert leaves out no reason; the test no longer fits")
	}
	page, ok := Runbook(metricsUnavailable.Name)
	if !ok {
		t.Fatal("the alert has no runbook")
	}
	for _, reason := range catalog.Reasons() {
		out := strings.Contains("|"+leftOut+"|", "|"+string(reason)+"|")
		explained := strings.Contains(page, "`"+string(reason)+"`")
		if out == explained {
			t.Errorf("reason %s: left out of the alert: %v, in its runbook: %v; want one of the two", reason, out, explained)
		}
	}
}
