package dashboards

import (
	"testing"

	"github.com/llmfleet/llmfleet/rules"
)

// A panel that repeats another one leads to the same runbooks, and its line is the same alert's.
func TestRepeatedPanelsLeadToTheRunbooksOfTheFirst(t *testing.T) {
	w := &writer{groups: rules.Groups(), settings: rules.DefaultSettings()}
	repeated, linked := 0, 0
	for _, d := range All() {
		for _, r := range d.Rows {
			for _, p := range r.Panels {
				if p.Repeats == "" {
					continue
				}
				repeated++
				_, first, ok := PanelByKey(p.Repeats)
				if !ok {
					t.Fatalf("%s: repeats %s, which no page has", p.Key, p.Repeats)
				}
				got, want := w.links(p), w.links(first)
				if len(got) != len(want) {
					t.Errorf("%s: leads to %d runbooks, %s to %d", p.Key, len(got), first.Key, len(want))
				}
				linked += len(got)
				// A table may have other columns on its page.
				if p.Threshold != first.Threshold || p.Kind != Table && p.Queries[0].Expr != first.Queries[0].Expr {
					t.Errorf("%s: asks something else than %s, which it repeats", p.Key, first.Key)
				}
			}
		}
	}
	if repeated == 0 || linked == 0 {
		t.Errorf("%d panels repeat another one and lead to %d runbooks", repeated, linked)
	}
}

// On a page about one server, All would add up what should be seen apart.
func TestPageOfOneServerBeginsWithTheFirst(t *testing.T) {
	for path, d := range written(t) {
		for _, raw := range d["templating"].(map[string]any)["list"].([]any) {
			v := raw.(map[string]any)
			if v["type"] != "query" {
				continue
			}
			single := d["uid"] == rules.BackendDashboardUID && v["name"] == "backend"
			begun := v["current"] != nil
			if v["includeAll"] == single || begun == single || v["multi"] != true {
				t.Errorf("%s: $%s: All %v, several %v, begins with %v", path, v["name"], v["includeAll"], v["multi"], v["current"])
			}
		}
	}
}
