package rules

import (
	"fmt"
	"slices"
	"time"
)

// What the long windows of the objectives say changes slowly, and a day of samples of every scrape
// is dear to look at in every round: so they are recorded less often. A window of half an hour
// says the same a minute later.
var (
	budgets = Group{
		Name:     "budgets",
		About:    "How fast the budgets of the objectives are spent over half an hour and an hour.",
		Interval: time.Minute,
		Records:  slices.Concat(budgetWithin("30m"), budgetWithin("1h")),
	}
	longBudgets = Group{
		Name:     "long-budgets",
		About:    "How fast they are spent over hours and a day.",
		Interval: 2 * time.Minute,
		Records:  slices.Concat(budgetWithin("2h"), budgetWithin("6h"), budgetWithin("1d")),
	}
)

// budgetWithin records what the objectives judged within a window, and their burn rates: how many
// times faster than allowed the budget is spent.
func budgetWithin(window string) []Record {
	events := "backend:llm_objective_events:increase_" + window
	return []Record{{
		Name: events, Unit: "count", Labels: perObjective,
		Expr:  fmt.Sprintf(`sum without (rank) (increase(llm_objective_events_total[%s]))`, window),
		About: "What the objective judged within " + window + ".",
	}, {
		Name: "backend:llm_objective_burn:rate_" + window, Labels: perObjective,
		Expr: fmt.Sprintf(`
			(
			    sum without (rank, bound) (increase(llm_objective_missed_events_total{objective!="success"}[%[1]s])) / (1 - ${latency_target})
			  or
			    sum without (rank, bound) (increase(llm_objective_missed_events_total{objective="success"}[%[1]s])) / (1 - ${success_target})
			)
			  / (%[2]s > 0)`, window, events),
		About: "How many times faster than allowed the objective's budget is spent within " + window + "; no sample while there was nothing to judge.",
	}}
}
