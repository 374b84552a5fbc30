package dashboards

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/heatmap"
	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// heat is a histogram over time: a column for each moment, a cell for each bucket, the darker
// (on a dark page the lighter) the more fell into it. The unit of the panel is that of the
// bounds; cells are observations per second.
func heat(p Panel, out *dashboard.Panel) {
	out.Type = "heatmap"
	options := heatmap.NewOptions()
	options.Color.Mode = ptr(heatmap.HeatmapColorModeScheme)
	// The scheme that Grafana turns round on a dark page; a root, since buckets differ by orders of magnitude.
	options.Color.Scheme, options.Color.Steps = "Oranges", 32
	options.Color.Scale, options.Color.Exponent = ptr(heatmap.HeatmapColorScaleExponential), 0.5
	options.RowsFrame = &heatmap.RowsHeatmapOptions{Layout: ptr(common.HeatmapCellLayoutAuto)}
	options.YAxis = heatmap.YAxisConfig{Unit: ptr(grafanaUnit(p.Unit, false)), AxisPlacement: ptr(common.AxisPlacementLeft)}
	cells := grafanaUnit(catalog.Count, true)
	options.CellValues = &heatmap.CellValues{Unit: &cells}
	options.Legend.Show = true
	options.Tooltip = heatmap.HeatmapTooltip{Mode: common.TooltipDisplayModeSingle, YHistogram: ptr(true), ShowColorScale: ptr(true)}
	out.Options = options
	out.FieldConfig.Defaults.Unit = &cells
	out.FieldConfig.Defaults.Custom = heatmap.NewFieldConfig()
}

// heatmapOf is a histogram of the engine, over time; about says how it is read.
func heatmapOf(key, title string, s *catalog.Series, about, blank string, cases []Case) Panel {
	return Panel{
		Key: key, Title: title, Unit: s.Unit, Kind: Heatmap, Width: 12, Queries: []Query{buckets(s)},
		About: s.Help + " " + about, Blank: blank, Cases: cases,
	}
}

// buckets asks a histogram for its heatmap: how many fell below each bound per second, of all
// chosen backends together.
func buckets(s *catalog.Series) Query {
	return Query{
		Expr:   fmt.Sprintf(`sum by (le) (rate(%s_bucket{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}[$__rate_interval]))`, s.Name),
		Legend: "{{le}}",
	}
}
