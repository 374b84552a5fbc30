package dashboards

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// columns is the width of Grafana's grid. Phones ignore it and stack the panels in order.
const columns = 24

// height of a kind, in rows of the grid (30 pixels and a gap each).
func (k Kind) height() int {
	return map[Kind]int{Stat: 4, Graph: 8, Steps: 7, Table: 8, Bars: 8, Heatmap: 8}[k]
}

func (p Panel) height() int {
	if p.Height > 0 {
		return p.Height
	}
	return p.Kind.height()
}

// place flows the panels of a row from the left, below y, and returns where the next row
// begins. Every line must be full and level: Grafana would close gaps its own way.
func (r Row) place(y int) ([]dashboard.GridPos, int, error) {
	var out []dashboard.GridPos
	x, line := 0, 0
	for _, p := range r.Panels {
		switch {
		case p.Width < 1 || x+p.Width > columns:
			return nil, 0, fmt.Errorf("panel %s: width %d does not fit in %d columns at %d", p.Key, p.Width, columns, x)
		case x > 0 && p.height() != line:
			return nil, 0, fmt.Errorf("panel %s: height %d beside panels of height %d", p.Key, p.height(), line)
		}
		line = p.height()
		out = append(out, dashboard.GridPos{X: uint32(x), Y: uint32(y), W: uint32(p.Width), H: uint32(line)})
		if x += p.Width; x == columns {
			x, y = 0, y+line
		}
	}
	if x != 0 {
		return nil, 0, fmt.Errorf("row %s: the last line ends at column %d of %d; widen or move panels until each line has %d", r.Key, x, columns, columns)
	}
	return out, y, nil
}
