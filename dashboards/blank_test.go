package dashboards

import (
	"slices"
	"strings"
	"testing"
)

// A legend shows its first entries and scrolls for the rest: what stands behind twelve lines is
// not seen, and neither is what stands behind fifty reasons.
func TestReasonsForGapsStandBeforeTheLinesAndAreFew(t *testing.T) {
	panels := 0
	for path, d := range written(t) {
		for _, p := range drawn(d) {
			lines := false
			for _, raw := range p["targets"].([]any) {
				q := raw.(map[string]any)
				reason := p["type"] == "timeseries" && slices.Contains([]any{refFailed, refUnsupported, refIdle}, q["refId"])
				if reason && lines {
					t.Errorf("%s: %v: the reason %s stands behind lines", path, p["title"], q["refId"])
				}
				lines = lines || !reason
				if text := q["expr"].(string); reason && !strings.HasPrefix(text, "topk(3, ") && !strings.HasPrefix(text, "0 * count_values by () ") && !strings.HasPrefix(text, "0 * count_values by (engine) ") {
					t.Errorf("%s: %v: the reason %s may have as many entries as there are backends: %s", path, p["title"], q["refId"], text)
				}
				if reason {
					panels++
				}
			}
		}
	}
	if panels < 30 {
		t.Errorf("only %d reasons were looked at", panels)
	}
}
