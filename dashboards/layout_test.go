package dashboards

import (
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/llmfleet/llmfleet/rules"
)

func TestPanelsFlowFromTheLeftAndWrap(t *testing.T) {
	row := Row{Key: "r", Panels: []Panel{
		{Key: "a", Kind: Stat, Width: 10}, {Key: "b", Kind: Stat, Width: 14}, {Key: "c", Kind: Graph, Width: 24},
	}}
	got, next, err := row.place(5)
	if err != nil {
		t.Fatal(err)
	}
	want := []dashboard.GridPos{{X: 0, Y: 5, W: 10, H: 4}, {X: 10, Y: 5, W: 14, H: 4}, {X: 0, Y: 9, W: 24, H: 8}}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("panel %d is at %+v, want %+v", i, got[i], want[i])
		}
	}
	if next != 17 {
		t.Errorf("the next row begins at %d, want 17", next)
	}
}

func TestLayoutRefusesGapsAndSteps(t *testing.T) {
	for name, tt := range map[string]struct {
		panels []Panel
		want   string
	}{
		"line not full":   {[]Panel{{Key: "a", Width: 10}}, "row r: the last line ends at column 10 of 24; widen or move panels until each line has 24"},
		"beyond the grid": {[]Panel{{Key: "a", Width: 20}, {Key: "b", Width: 10}}, "panel b: width 10 does not fit in 24 columns at 20"},
		"no width":        {[]Panel{{Key: "a"}}, "panel a: width 0 does not fit in 24 columns at 0"},
		"uneven heights":  {[]Panel{{Key: "a", Width: 12}, {Key: "b", Width: 12, Height: 3}}, "panel b: height 3 beside panels of height 8"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := (Row{Key: "r", Panels: tt.panels}).place(0); err == nil || err.Error() != tt.want {
				t.Errorf("place = %v, want %s", err, tt.want)
			}
		})
	}
}

func TestGraphsShowNoMoreLinesThanCanBeToldApart(t *testing.T) {
	for _, d := range All() {
		for _, r := range d.Rows {
			for _, p := range r.Panels {
				for _, q := range p.targets() {
					bounded := strings.HasPrefix(q.Expr, "topk(") || strings.HasPrefix(q.Expr, "bottomk(")
					if p.Kind == Heatmap {
						bounded = strings.HasPrefix(q.Expr, "sum by (le) (") // the bounds of one histogram
					}
					if !q.Now && !bounded {
						t.Errorf("%s: query %s has no bound: %s", p.Key, q.Ref, q.Expr)
					}
				}
			}
		}
	}
}

func TestLineOfAThresholdThatNobodyHasIsRefused(t *testing.T) {
	w := &writer{groups: rules.Groups(), settings: rules.DefaultSettings()}
	if _, err := w.line(Panel{Threshold: "queue_waitin"}); err == nil || err.Error() != `threshold "queue_waitin": no group of rules has it` {
		t.Errorf("line = %v", err)
	}
}
