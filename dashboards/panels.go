package dashboards

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/bargauge"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/rules"
)

// panel writes what all kinds share, then lets the kind add its own.
func (w *writer) panel(p Panel, at dashboard.GridPos) (*dashboard.Panel, error) {
	id, err := w.lock.Panel(w.uid, p.Key)
	if err != nil {
		return nil, err
	}
	line, err := w.line(p)
	if err != nil {
		return nil, err
	}
	if p.Title, err = w.expand(p.Title); err != nil {
		return nil, err
	}
	about, err := w.expand(p.about(line))
	if err != nil {
		return nil, err
	}
	out := dashboard.NewPanel()
	out.Id, out.Title, out.GridPos, out.Datasource = &id, &p.Title, &at, source()
	out.Description = &about
	out.Links = w.links(p)
	out.FieldConfig = dashboard.NewFieldConfigSource()
	d := &out.FieldConfig.Defaults
	d.Unit = ptr(grafanaUnit(p.Unit, p.PerSecond))
	d.Mappings = mappings(p.Words)
	if p.Blank != "" {
		d.NoValue = &p.Blank
	}
	if p.Max > 0 {
		d.Max = &p.Max
	}
	if p.Kind != Table {
		links, err := w.lineLinks(p)
		if err != nil {
			return nil, err
		}
		out.FieldConfig.Overrides = append(out.FieldConfig.Overrides, links...)
	}
	switch p.Kind {
	case Graph:
		graph(p, out, line)
	case Steps:
		steps(p, out)
	case Stat:
		bigNumber(p, out)
	case Table:
		w.table(p, out)
	case Bars:
		bars(p, out, line)
	case Heatmap:
		heat(p, out)
	}
	for _, t := range p.targets() {
		if t.Expr, err = w.expand(t.Expr); err != nil {
			return nil, err
		}
		out.Targets = append(out.Targets, w.query(p, t))
	}
	return out, out.Validate()
}

func (w *writer) query(p Panel, t target) *prometheus.Dataquery {
	q := prometheus.NewDataquery()
	q.Datasource, q.RefId, q.Expr = source(), &t.Ref, t.Expr
	q.EditorMode = ptr(prometheus.QueryEditorModeCode)
	q.Instant, q.Range = ptr(t.Now), ptr(!t.Now)
	q.Format = ptr(prometheus.PromQueryFormatTimeSeries)
	switch p.Kind {
	case Table:
		q.Format = ptr(prometheus.PromQueryFormatTable)
	case Heatmap:
		q.Format = ptr(prometheus.PromQueryFormatHeatmap)
	}
	if t.Legend != "" {
		q.LegendFormat = &t.Legend
	}
	return q
}

// graph is lines over time, with the alert's line and the explanations of gaps.
func graph(p Panel, out *dashboard.Panel, at *limit) {
	custom := lines(p, out)
	custom.LineWidth, custom.FillOpacity = ptr(1.5), ptr(8.0)
	custom.ThresholdsStyle = &common.GraphThresholdsStyleConfig{Mode: common.GraphThresholdsStyleModeOff}
	if p.Max == 0 && p.Unit != catalog.Seconds {
		custom.AxisSoftMax = ptr(1.0) // a line at 0 would be drawn on a scale to 100
	}
	if at != nil {
		custom.ThresholdsStyle.Mode = common.GraphThresholdsStyleModeDashed
		out.FieldConfig.Defaults.Thresholds = colorSteps(Color{0, "transparent"}, Color{at.value, bad})
		custom.AxisSoftMax = &at.value // the line is in sight also while all is well
	}
	for i, q := range p.Queries {
		if q.Limit {
			out.FieldConfig.Overrides = append(out.FieldConfig.Overrides, override("byFrameRefID", letter(i),
				property("custom.lineStyle", map[string]any{"fill": "dash", "dash": []int{10, 10}}),
				property("custom.lineWidth", 1), property("custom.fillOpacity", 0),
			))
		}
	}
	for _, b := range p.blanks() {
		out.FieldConfig.Overrides = append(out.FieldConfig.Overrides, b.undrawn())
	}
}

// steps is one block for each thing that holds, stacked: how many at a time, and which.
func steps(p Panel, out *dashboard.Panel) {
	custom := lines(p, out)
	custom.LineWidth, custom.FillOpacity = ptr(0.0), ptr(70.0)
	custom.LineInterpolation = ptr(common.LineInterpolationStepAfter)
	custom.Stacking = &common.StackingConfig{Mode: ptr(common.StackingModeNormal), Group: ptr("A")}
	// What is stacked is mostly what is wrong; the palette would paint the first of it green.
	color := "orange"
	if len(p.Colors) > 0 {
		color = p.Colors[0].Name
	}
	out.FieldConfig.Defaults.Color = &dashboard.FieldColor{Mode: dashboard.FieldColorModeIdShades, FixedColor: &color}
	out.FieldConfig.Defaults.Decimals = ptr(0.0)
}

// lines are the settings of every panel over time. The SDK's defaults hide the legend.
func lines(p Panel, out *dashboard.Panel) *common.GraphFieldConfig {
	out.Type = "timeseries"
	options := timeseries.NewOptions()
	options.Legend.ShowLegend = true
	options.Legend.Calcs = []string{"lastNotNull"}
	if p.Kind == Steps {
		options.Legend.Calcs = []string{}
	}
	options.Tooltip.Mode, options.Tooltip.Sort = common.TooltipDisplayModeMulti, common.SortOrderDescending
	out.Options = options
	custom := timeseries.NewFieldConfig()
	custom.DrawStyle = ptr(common.GraphDrawStyleLine)
	custom.ShowPoints = ptr(common.VisibilityModeNever)
	custom.SpanNulls = &common.BoolOrFloat64{Bool: ptr(false)} // a gap is a fact
	out.FieldConfig.Defaults.Custom = custom
	out.FieldConfig.Defaults.Min = ptr(0.0)
	// A line keeps its color when others come and go.
	out.FieldConfig.Defaults.Color = &dashboard.FieldColor{Mode: dashboard.FieldColorModeIdPaletteClassicByName}
	return custom
}

func bigNumber(p Panel, out *dashboard.Panel) {
	out.Type = "stat"
	options := stat.NewOptions()
	options.GraphMode, options.ColorMode = common.BigValueGraphModeNone, common.BigValueColorModeNone
	options.TextMode = map[Text]common.BigValueTextMode{
		ValueAndName: common.BigValueTextModeValueAndName, ValueOnly: common.BigValueTextModeValue, NameOnly: common.BigValueTextModeName,
	}[p.Text]
	options.ReduceOptions = common.ReduceDataOptions{Calcs: []string{"lastNotNull"}, Fields: ptr(""), Values: ptr(false)}
	options.Orientation = common.VizOrientationAuto
	colored(p, out)
	if len(p.Colors) > 0 {
		options.ColorMode = common.BigValueColorModeBackground
	}
	out.Options = options
}

func bars(p Panel, out *dashboard.Panel, at *limit) {
	if at != nil {
		// The bars count whole things: above n is n + 1.
		p.Colors = []Color{{0, good}, {at.value + 0.5, bad}}
	}
	out.Type = "bargauge"
	options := bargauge.NewOptions()
	options.DisplayMode, options.Orientation = common.BarGaugeDisplayModeBasic, common.VizOrientationHorizontal
	options.ReduceOptions = common.ReduceDataOptions{Calcs: []string{"lastNotNull"}, Fields: ptr(""), Values: ptr(false)}
	options.Legend = common.VizLegendOptions{DisplayMode: common.LegendDisplayModeList, Placement: common.LegendPlacementBottom, Calcs: []string{}}
	out.Options = options
	out.FieldConfig.Defaults.Min = ptr(0.0)
	colored(p, out)
}

func colored(p Panel, out *dashboard.Panel) {
	if len(p.Colors) > 0 {
		out.FieldConfig.Defaults.Color = &dashboard.FieldColor{Mode: dashboard.FieldColorModeIdThresholds}
		out.FieldConfig.Defaults.Thresholds = colorSteps(p.Colors...)
	}
}

func (w *writer) table(p Panel, out *dashboard.Panel) {
	out.Type = "table"
	options := table.NewOptions()
	// The SDK's own footer has a null that its strict decoder refuses.
	options.Footer = &common.TableFooterOptions{Reducer: []string{}, CountRows: ptr(false)}
	if p.Sort != "" {
		options.SortBy = p.sorting()
	}
	out.Options = options
	custom := common.NewTableFieldOptions()
	custom.Align, custom.Inspect = common.FieldTextAlignmentAuto, false
	custom.DisplayMode = nil
	out.FieldConfig.Defaults.Custom = custom
	out.Transformations = p.transformations()
	if p.Across != "" {
		// What the panel says when it is blank is not what an empty cell says.
		out.FieldConfig.Overrides = append(out.FieldConfig.Overrides, override("byType", "number", property("noValue", "–")))
	}
	for _, c := range p.Columns {
		out.FieldConfig.Overrides = append(out.FieldConfig.Overrides, override("byName", p.field(c.Field), w.properties(p, c)...))
	}
	for _, column := range p.choices() {
		out.FieldConfig.Overrides = append(out.FieldConfig.Overrides, unseen(column))
	}
}

// limit is where an alert decides.
type limit struct {
	value float64
	text  string // as PromQL and people write it
}

// expand puts the settings' numbers in the place of ${key}.
func (w *writer) expand(text string) (string, error) {
	return rules.Expand(text, w.groups, w.settings)
}

func (w *writer) line(p Panel) (*limit, error) {
	if p.Threshold == "" {
		return nil, nil
	}
	for _, g := range w.groups {
		for _, t := range g.Thresholds {
			if t.Key == p.Threshold {
				v := w.settings.Value(t)
				return &limit{v, t.Text(v)}, nil
			}
		}
	}
	return nil, fmt.Errorf("threshold %q: no group of rules has it", p.Threshold)
}
