package dashboards

import (
	"slices"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// field is the name that Grafana gives to a column: labels keep theirs, and a value is named
// after its query, unless the table has only one.
func (p Panel) field(name string) string {
	switch {
	case p.Across != "" && name == p.Sort:
		return name + `\` + p.Across
	case !isValue(name):
		return name
	case len(p.Queries) == 1:
		return "Value"
	}
	return "Value #" + name
}

// isValue says whether a column is the value of a query, by its letter, and not a label.
func isValue(name string) bool { return len(name) == 1 }

// title is what stands above a column.
func (p Panel) title(name string) string {
	for _, c := range p.Columns {
		if c.Field == name {
			return c.Title
		}
	}
	return name
}

// sorting is the order of the rows: by the first column, those that are equal by the next.
func (p Panel) sorting() (out []common.TableSortByFieldState) {
	for column := range strings.SplitSeq(p.Sort, ",") {
		name, lowest := strings.CutPrefix(column, "-")
		out = append(out, common.TableSortByFieldState{DisplayName: p.title(name), Desc: ptr(isValue(name) && !lowest)})
	}
	return out
}

// transformations join the queries of a table on their labels and put the columns in order.
// Values that no column asks for are hidden.
func (p Panel) transformations() []dashboard.DataTransformerConfig {
	if p.Across != "" {
		return []dashboard.DataTransformerConfig{{Id: "groupingToMatrix", Options: map[string]any{
			"columnField": p.Across, "rowField": p.Sort, "valueField": "Value", "emptyValue": "null",
		}}}
	}
	order, hidden := map[string]any{}, map[string]any{"Time": true}
	for i, c := range p.Columns {
		order[p.field(c.Field)] = i
	}
	for i, column := range p.choices() {
		order[column] = len(p.Columns) + i
	}
	for i := range p.Queries {
		shown := slices.ContainsFunc(p.Columns, func(c Column) bool { return c.Field == letter(i) })
		if !shown {
			hidden[p.field(letter(i))] = true
		}
	}
	return []dashboard.DataTransformerConfig{
		{Id: "merge", Options: map[string]any{}},
		{Id: "organize", Options: map[string]any{"excludeByName": hidden, "indexByName": order, "renameByName": map[string]any{}}},
	}
}

func (w *writer) properties(p Panel, c Column) []dashboard.DynamicConfigValue {
	// What the panel says when it is blank is not what an empty cell says.
	out := []dashboard.DynamicConfigValue{property("displayName", c.Title), property("noValue", "–")}
	if c.Unit != "" {
		out = append(out, property("unit", grafanaUnit(c.Unit, false)))
	} else if !isValue(c.Field) {
		out = append(out, property("unit", "string")) // a label that looks like a number gets the panel's unit else
	}
	if c.Width > 0 {
		out = append(out, property("custom.width", c.Width))
	}
	if len(c.Words) > 0 {
		out = append(out, property("mappings", mappings(c.Words)), coloredText())
	}
	if len(c.Colors) > 0 {
		out = append(out, property("thresholds", colorSteps(c.Colors...)), coloredText(),
			property("color", dashboard.FieldColor{Mode: dashboard.FieldColorModeIdThresholds}))
	}
	if link := w.cellLink(p, c); link != nil {
		out = append(out, property("links", []map[string]any{link}))
	}
	return out
}

// cellLink is the page that the column's label opens, or its own link; nil: none.
func (w *writer) cellLink(p Panel, c Column) map[string]any {
	if !c.Runbook {
		return w.rowLink(p, c)
	}
	if w.settings.RunbookBaseURL == "" {
		return nil
	}
	return map[string]any{"title": "Open the runbook", "url": w.settings.RunbookBaseURL + "/README.md#${__data.fields." + c.Field + "}"}
}

func coloredText() dashboard.DynamicConfigValue {
	return property("custom.cellOptions", common.TableColorTextCellOptions{Type: common.TableCellDisplayModeColorText})
}

func override(by, what string, properties ...dashboard.DynamicConfigValue) dashboard.DashboardFieldConfigSourceOverrides {
	return dashboard.DashboardFieldConfigSourceOverrides{
		Matcher: dashboard.MatcherConfig{Id: by, Options: what}, Properties: properties,
	}
}

func property(id string, value any) dashboard.DynamicConfigValue {
	return dashboard.DynamicConfigValue{Id: id, Value: value}
}
