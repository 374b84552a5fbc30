package dashboards

import (
	"strings"
	"testing"
)

// Grafana leaves a table as it is when no column has the name.
func TestTablesAreSortedByColumnsThatTheyShow(t *testing.T) {
	for _, d := range All() {
		for _, r := range d.Rows {
			for _, p := range r.Panels {
				shown := map[string]bool{"": true}
				for _, c := range p.Columns {
					shown[c.Field] = true
				}
				for column := range strings.SplitSeq(p.Sort, ",") {
					if !shown[strings.TrimPrefix(column, "-")] {
						t.Errorf("panel %s: sorted by %q, which is no column", p.Key, column)
					}
				}
			}
		}
	}
}

func TestLabelsAreSortedInOrderAndValuesHighestFirst(t *testing.T) {
	p := Panel{Sort: "backend,B,-C", Columns: []Column{{Field: "backend", Title: "Backend"}, {Field: "B", Title: "Alerts"}, {Field: "C", Title: "State"}}}
	want := []struct {
		title string
		desc  bool
	}{{"Backend", false}, {"Alerts", true}, {"State", false}}
	got := p.sorting()
	if len(got) != len(want) {
		t.Fatalf("sorted by %d columns, want %d", len(got), len(want))
	}
	for i, w := range want {
		if got[i].DisplayName != w.title || *got[i].Desc != w.desc {
			t.Errorf("column %d: %q, descending %v, want %q, %v", i, got[i].DisplayName, *got[i].Desc, w.title, w.desc)
		}
	}
}
