package dashboards

import "github.com/llmfleet/llmfleet/rules"

// front is the page that a person opens first: one screen that says whether the fleet is fine
// and, if it is not, where; below it what changed, and how full the fleet is.
var front = Dashboard{
	UID:   rules.DashboardUID,
	Title: fleetTitle + "capacity and reuse",
	About: "Is the fleet serving, is it full, is the cache reused, and who gets told? " +
		"Every number is a series of docs/series.md; dashed lines are where an alert decides.",
	Variables: aboutModels,
	Notes:     notes,
	Rows:      []Row{glanceRow, firingRow, changesRow, servingRow, capacityRow, reuseRow, capacityDepthRow},
}
