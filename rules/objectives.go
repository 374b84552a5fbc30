package rules

import (
	"fmt"
	"time"
)

// Objectives over hours and days. A promise such as "98 of 100 requests begin in time" leaves a
// budget of two; a burn rate says how many times faster than allowed it is spent. Each alert
// asks a long window, so that a moment does not matter, and a short one, so that what is over
// does not go on ringing. The windows are no settings: a limit such as 14.4 is a share of a month's
// budget within its window, so that a window alone would change what its limit means. The targets,
// the limits and the events are settings.
var objectives = Group{
	Name:  "objectives",
	About: "Are the promises to clients kept over hours and days: is it fast enough, and do requests succeed?",
	Thresholds: []*Threshold{{
		Key: "latency_target", Default: 0.98, Unit: "ratio",
		About: "Share of requests that keep their time over the long run. What is above it is the budget for slow ones.",
		Evidence: []Evidence{{
			Statistic: `min(min_over_time((1 - backend:llm_objective_missed:ratio{objective="time_to_first_token"} and backend:llm_objective_events:increase > ${objective_events})[1h:15s]))`,
			Healthy:   []string{"vllm-0.32.0/dp2", "vllm-0.32.0/prefix-hot", "vllm-0.32.0/rust-frontend"},
			Incident:  []string{"vllm-0.32.0/overload-long", "vllm-0.32.0/kv-full-long"},
			Above:     false, Margin: 1.01,
			Source: "fleet-incidents: two of 1,500 requests begin late, while servers come and go",
		}},
	}, {
		Key: "success_target", Default: 0.99, Unit: "ratio",
		About: "Share of requests that are answered over the long run. Refused ones are not answered.",
		Evidence: []Evidence{{
			Statistic: `min(1 - increase(llm_objective_missed_events_total{objective="success"}[1h]) / (increase(llm_objective_events_total{objective="success"}[1h]) > 0))`,
			Healthy:   []string{"fleet-incidents", "vllm-0.32.0/basic", "vllm-0.32.0/overload-long"},
			Incident:  []string{"vllm-0.32.0/queue-limit"},
			Margin:    1.01,
			Source:    "reference fleet: a soak of 155 requests had no error; recordings: 8 of 2,300 requests are lost when a server is started again",
		}},
	}, {
		Key: "burn_fast", Default: 14.4, Unit: "count",
		About: "How many times too fast a budget is spent over an hour before somebody is woken.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time((backend:llm_objective_burn:rate_1h and backend:llm_objective_events:increase_1h > ${objective_events})[1h:15s]))`,
			Healthy:   []string{"fleet-incidents", "vllm-0.32.0/prefix-hot", "vllm-0.32.0/basic"},
			Incident:  []string{"vllm-0.32.0/kv-full-long", "vllm-0.32.0/queue-limit"},
			Above:     true, Margin: 1.5,
			Source: "2 % of the budget of 30 days in one hour",
		}},
	}, {
		Key: "burn_steady", Default: 6, Unit: "count",
		About: "How many times too fast over six hours before somebody is woken.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time((backend:llm_objective_burn:rate_6h and backend:llm_objective_events:increase_6h > ${objective_events})[1h:15s]))`,
			Healthy:   []string{"fleet-incidents", "vllm-0.32.0/prefix-hot", "vllm-0.32.0/basic"},
			Incident:  []string{"vllm-0.32.0/overload-long"},
			Above:     true, Margin: 1.5,
			Source: "5 % of the budget of 30 days in six hours",
		}},
	}, {
		Key: "burn_slow", Default: 3, Unit: "count",
		About: "How many times too fast over a day before it is a ticket.",
		Evidence: []Evidence{{
			Statistic: `max(last_over_time((backend:llm_objective_burn:rate_1d and backend:llm_objective_events:increase_1d > ${objective_events})[5m:15s]))`,
			Healthy:   []string{"fleet-incidents", "vllm-0.32.0/prefix-hot", "vllm-0.32.0/basic"},
			Incident:  []string{"vllm-0.32.0/kv-full-long", "vllm-0.32.0/overload-long"},
			Above:     true, Margin: 2,
			Source: "10 % of the budget of 30 days in one day",
		}},
	}, {
		Key: "objective_events", Default: 100, Unit: "requests",
		About: "Least requests in the long window before its burn rate is judged: a quiet night must not page for one slow request.",
		Evidence: []Evidence{{
			// A trickle is too few to judge, a loaded server has many times as many.
			Statistic: `max(max_over_time(backend:llm_objective_events:increase_1h{objective="time_to_first_token"}[1h]))`,
			Healthy:   []string{"vllm-0.10.2/basic", "vllm-0.9.2/basic"},
			Incident:  []string{"vllm-0.32.0/kv-full-long", "vllm-0.32.0/overload-long", "fleet-incidents"},
			Above:     true, Margin: 3,
			Source: "arithmetic: of 100 requests five slow ones are below the 6 % of a ticket at a target of 0.98, and two that fail below its 3 % at 0.99",
		}},
	}},
	Records: budgetWithin("5m"),
	Alerts:  []Alert{latencyBudgetBurning, latencyBudgetShrinking, errorBudgetBurning, errorBudgetShrinking},
}

// badBudget is a target of an objective that an alert cannot judge.
type badBudget struct {
	target, burn string // keys of thresholds; no burn: whatever the burn is
	value        float64
	wrong        string
}

// Error names the target, its value and what to do.
func (b badBudget) Error() string {
	return fmt.Sprintf("thresholds.%s %g %s", b.target, b.value, b.wrong)
}

// unreachable finds targets that leave no budget, and those that leave so large a one that it
// cannot be spent fast enough for an alert, though every request misses: the alert would look well
// for ever.
func unreachable(groups []Group, s Settings) []badBudget {
	values := map[string]float64{}
	for _, t := range AllThresholds(groups) {
		values[t.Key] = s.Value(t)
	}
	var out []badBudget
	for _, target := range []string{"latency_target", "success_target"} {
		t, known := values[target]
		switch {
		case !known:
			continue
		case t >= 1: // what is missed would be divided by a budget of 0
			out = append(out, badBudget{target, "", t, "leaves no budget, so that one request that misses spends it infinitely fast; set the target below 1"})
			continue
		}
		for _, burn := range []string{"burn_fast", "burn_steady", "burn_slow"} {
			if b := values[burn]; b*(1-t) >= 1 {
				out = append(out, badBudget{target, burn, t, fmt.Sprintf(
					"leaves a budget of %.4g, which cannot be spent %g times too fast (%s), not even if every request misses; set the target above %.4g, or %s below %.4g",
					1-t, b, burn, 1-1/b, burn, 1/(1-t))})
			}
		}
	}
	return out
}

// promise names an objective as people say it.
const promise = `{{ if eq $labels.objective "time_to_first_token" }}begin{{ else }}end{{ end }} in time`

// What a client feels from outside: time in the queue and between tokens are parts of it.
var latencyBudgetBurning = Alert{
	Name: "LlmLatencyBudgetBurning", Severity: Critical, For: 2 * time.Minute, KeepFiring: 5 * time.Minute, Panel: "objectives/fast",
	Expr: `
		backend:llm_objective_burn:rate_1h{objective=~"time_to_first_token|request_duration"} > ${burn_fast}
		  and backend:llm_objective_burn:rate_5m > ${burn_fast}
		  and backend:llm_objective_events:increase_1h > ${objective_events}
		or
		backend:llm_objective_burn:rate_6h{objective=~"time_to_first_token|request_duration"} > ${burn_steady}
		  and backend:llm_objective_burn:rate_30m > ${burn_steady}
		  and backend:llm_objective_events:increase_6h > ${objective_events}`,
	Summary: `{{ $labels.backend }} breaks its promise: requests` + toModel + ` do not ` + promise + `, {{ $value | printf "%.0f" }} times more often than allowed.`,
	Description: `So many requests are slower than the objective that the budget of a month is gone within hours or days, and it goes on now.
		First find out which part of the time grows (queue, first token, between tokens) on the page of {{ $labels.backend }}, then take load off it or bring a missing replica back.`,
	Explains: []Explanation{{
		By: []string{"instance", "backend", "model"}, Alerts: []string{"LlmLatencyBudgetShrinking", "LlmTimeToFirstTokenHigh", "LlmRequestLatencyHigh", "LlmInterTokenLatencyHigh", "LlmQueueWaitHigh"},
		Why: "Somebody looks at the backend's latency already.",
	}},
	Cases: []Case{{
		Recording: "vllm-0.32.0/kv-full-long",
		Fires:     []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat", objective="time_to_first_token"`, Pending: 300, Firing: 420, Text: "vllm breaks its promise: requests to tiny-chat do not begin in time, 38 times more often than allowed."}},
		Why:       "two of three requests begin late",
	}, {
		Recording: "vllm-0.32.0/kv-full-queueing", Quiet: true,
		Why: "seventy slow requests: a ticket at once, and too few to wake somebody",
	}, {
		Recording: "vllm-0.32.0/overload-long",
		Fires:     []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat", objective="time_to_first_token"`, Pending: 360, Firing: 480, Text: "vllm breaks its promise: requests to tiny-chat do not begin in time, 16 times more often than allowed."}},
		Why:       "one of three begins late, one of eight ends late",
	}, {
		Recording: "fleet-incidents", Stretch: 12, Edit: "bad-from-1000",
		Fires: []Firing{{Labels: `backend="medium-a", engine="vllm", model="medium", objective="time_to_first_token"`, Pending: 14580, Firing: 14700, Resolved: 15705, Text: "medium-a breaks its promise: requests to medium do not begin in time, 14 times more often than allowed."}},
		Why:   "after hours of health the hour tells before the six hours do",
	}, {
		Recording: "fleet-incidents", Stretch: 12, Edit: "bad-until-400",
		Fires: []Firing{{Labels: `backend="medium-a", engine="vllm", model="medium", objective="time_to_first_token"`, Pending: 5400, Firing: 5520, Resolved: 6780, Text: "medium-a breaks its promise: requests to medium do not begin in time, 38 times more often than allowed."}},
		Why:   "it ends soon after the cause has ended",
	}, {
		Recording: "vllm-0.10.2/basic", Quiet: true,
		Why: "a trickle: sixteen requests, all of them slow",
	}, {
		Recording: "fleet-incidents", Quiet: true,
		Why: "one slow request when the fleet is woken",
	}},
}

var latencyBudgetShrinking = Alert{
	Name: "LlmLatencyBudgetShrinking", Severity: Warning, For: 15 * time.Minute, Panel: "objectives/slow",
	Expr: `
		backend:llm_objective_burn:rate_1d{objective=~"time_to_first_token|request_duration"} > ${burn_slow}
		  and backend:llm_objective_burn:rate_2h > ${burn_slow}
		  and backend:llm_objective_events:increase_1d > ${objective_events}`,
	Summary: `{{ $labels.backend }} will not keep its promise this month: requests` + toModel + ` do not ` + promise + `, {{ $value | printf "%.1f" }} times more often than allowed.`,
	Description: `Nobody has to get up for it, and at this pace the budget for slow requests is spent before the month ends.
		First compare with the days before: if load has grown, add capacity; if an upgrade or a change of settings came with it, look there.`,
	Cases: []Case{{
		Recording: "vllm-0.32.0/kv-full-long",
		Fires:     []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat", objective="time_to_first_token"`, Pending: 360, Firing: 1260, Text: "vllm will not keep its promise this month: requests to tiny-chat do not begin in time, 35.2 times more often than allowed."}},
		Why:       "two of three requests begin late",
	}, {
		Recording: "vllm-0.32.0/overload-long",
		Fires:     []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat", objective="time_to_first_token"`, Pending: 360, Firing: 1260, Text: "vllm will not keep its promise this month: requests to tiny-chat do not begin in time, 15.8 times more often than allowed."}},
		Why:       "one of three requests begins late",
	}, {
		Recording: "fleet-incidents", Stretch: 12, Edit: "bad-from-1000",
		Fires: []Firing{{Labels: `backend="medium-a", engine="vllm", model="medium", objective="time_to_first_token"`, Pending: 13320, Firing: 14220, Text: "medium-a will not keep its promise this month: requests to medium do not begin in time, 4.1 times more often than allowed."}},
		Why:   "an incident is felt in the day as well",
	}, {
		Recording: "fleet-incidents", Stretch: 12, Edit: "bad-until-400",
		Fires: []Firing{{Labels: `backend="medium-a", engine="vllm", model="medium", objective="time_to_first_token"`, Pending: 5400, Firing: 6300, Resolved: 11520, Text: "medium-a will not keep its promise this month: requests to medium do not begin in time, 24.4 times more often than allowed."}},
		Why:   "it ends when two hours were good",
	}, {
		Recording: "fleet-incidents", Stretch: 12, Edit: "bad-from-1150", Quiet: true,
		Why: "half an hour is bad for two hours, and not for a day",
	}, {
		Recording: "vllm-0.10.2/basic", Quiet: true,
		Why: "a trickle: sixteen requests, all of them slow",
	}},
}

var errorBudgetBurning = Alert{
	Name: "LlmErrorBudgetBurning", Severity: Critical, For: 2 * time.Minute, KeepFiring: 5 * time.Minute, Panel: "objectives/fast",
	Expr: `
		backend:llm_objective_burn:rate_1h{objective="success"} > ${burn_fast}
		  and backend:llm_objective_burn:rate_5m > ${burn_fast}
		  and backend:llm_objective_events:increase_1h > ${objective_events}
		or
		backend:llm_objective_burn:rate_6h{objective="success"} > ${burn_steady}
		  and backend:llm_objective_burn:rate_30m > ${burn_steady}
		  and backend:llm_objective_events:increase_6h > ${objective_events}`,
	Summary: `{{ $labels.backend }} breaks its promise: requests` + toModel + ` fail or are refused {{ $value | printf "%.0f" }} times more often than allowed.`,
	Description: `So many requests get no answer that the budget of a month is gone within hours or days, and it goes on now.
		First tell failures from refusals on the page of {{ $labels.backend }}: failures are in the server's log, refusals are a queue limit that is reached.`,
	Explains: []Explanation{{
		By: []string{"instance", "backend", "model"}, Alerts: []string{"LlmErrorBudgetShrinking", "LlmRequestsFailing"},
		Why: "Somebody looks at the backend's failures already.",
	}},
	Cases: []Case{{
		Recording: "vllm-0.32.0/queue-limit", Stretch: 4,
		Fires: []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat", objective="success"`, Pending: 60, Firing: 180, Text: "vllm breaks its promise: requests to tiny-chat fail or are refused 92 times more often than allowed."}},
		Why:   "480 of 537 requests are refused",
	}, {
		Recording: "vllm-0.32.0/queue-limit", Stretch: 4, Edit: "ten-hosts",
		Fires: onTenHosts(Firing{Labels: `backend="vllm", engine="vllm", model="tiny-chat", objective="success"`, Pending: 60, Firing: 180, Text: "vllm breaks its promise: requests to tiny-chat fail or are refused 92 times more often than allowed."}),
		Why:   "ten hosts have ten budgets, though their backends have the same name",
	}, {
		Recording: "vllm-0.32.0/queue-limit", Quiet: true, MayPend: true,
		Why: "two minutes are not over when it ends",
	}, {
		Recording: "fleet-incidents", Stretch: 12, Edit: "bad-from-1000",
		Fires: []Firing{{Labels: `backend="medium-a", engine="vllm", model="medium", objective="success"`, Pending: 14220, Firing: 14340, Resolved: 17400, Text: "medium-a breaks its promise: requests to medium fail or are refused 15 times more often than allowed."}},
		Why:   "after hours of health the hour tells before the six hours do",
	}, {
		Recording: "fleet-incidents", Stretch: 12, Edit: "bad-until-400",
		Fires: []Firing{{Labels: `backend="medium-a", engine="vllm", model="medium", objective="success"`, Pending: 5640, Firing: 5760, Resolved: 6780, Text: "medium-a breaks its promise: requests to medium fail or are refused 35 times more often than allowed."}},
		Why:   "it ends soon after the cause has ended",
	}, {
		Recording: "fleet-incidents", Quiet: true,
		Why: "what was cut off when a replica died was not counted by anybody as failed",
	}},
}

var errorBudgetShrinking = Alert{
	Name: "LlmErrorBudgetShrinking", Severity: Warning, For: 15 * time.Minute, Panel: "objectives/slow",
	Expr: `
		backend:llm_objective_burn:rate_1d{objective="success"} > ${burn_slow}
		  and backend:llm_objective_burn:rate_2h > ${burn_slow}
		  and backend:llm_objective_events:increase_1d > ${objective_events}`,
	Summary: `{{ $labels.backend }} will not keep its promise this month: requests` + toModel + ` fail or are refused {{ $value | printf "%.1f" }} times more often than allowed.`,
	Description: `Nobody has to get up for it, and at this pace the budget for failures is spent before the month ends.
		First look for what fails in the log of {{ $labels.backend }}: one kind of request that always fails is found there by its text.`,
	Cases: []Case{{
		Recording: "fleet-incidents", Stretch: 12, Edit: "bad-from-1000",
		Fires: []Firing{{Labels: `backend="medium-a", engine="vllm", model="medium", objective="success"`, Pending: 13200, Firing: 14100, Text: "medium-a will not keep its promise this month: requests to medium fail or are refused 5.0 times more often than allowed."}},
		Why:   "an incident is felt in the day as well",
	}, {
		Recording: "fleet-incidents", Stretch: 12, Edit: "bad-until-400",
		Fires: []Firing{{Labels: `backend="medium-a", engine="vllm", model="medium", objective="success"`, Pending: 5640, Firing: 6540, Resolved: 11760, Text: "medium-a will not keep its promise this month: requests to medium fail or are refused 17.6 times more often than allowed."}},
		Why:   "it ends when two hours were good",
	}, {
		Recording: "fleet-incidents", Stretch: 12, Edit: "bad-from-1150", Quiet: true,
		Why: "half an hour is bad for two hours, and not for a day",
	}},
}
