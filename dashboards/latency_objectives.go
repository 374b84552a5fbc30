package dashboards

import "github.com/llmfleet/llmfleet/exporter/catalog"

var missedRow = Row{
	Key: "missed", Title: "Is it slower than promised?",
	Panels: []Panel{
		{
			Key: "latency/slow", Title: "Requests slower than objective", Unit: catalog.Ratio, Width: 12, Of: catalog.TimeToFirstToken, Threshold: "slow_share",
			About:   "Of the requests within ${latency_window}. The objective is the backend's own, rounded up to a bound of its engine's buckets; the panels above draw it.",
			Queries: []Query{missing("time_to_first_token", "first token"), missing("request_duration", "whole request"), missing("queue_duration", "queue")},
			Idle:    observed(catalog.TimeToFirstToken),
			Cases: []Case{
				at("vllm-0.32.0/overload-long", 1185, `{backend="vllm", engine="vllm", model="tiny-chat", objective="time_to_first_token"} 0.3341`).because("from 600 to 1185 146 of 437"),
			},
			Blank: "no requests, no engine here exports it, or the rules are not loaded",
		},
		{
			Key: "latency/slow-outputs", Title: "Outputs slower than objective", Unit: catalog.Ratio, Width: 12, Of: catalog.InterTokenLatency, Threshold: "slow_outputs_share",
			About:   "Of the pauses between two outputs of a request within ${latency_window}.",
			Queries: []Query{missing("inter_token_latency", "between outputs")},
			Idle:    observed(catalog.InterTokenLatency),
			Cases: []Case{
				at("vllm-0.10.2/basic", 450, `{backend="vllm", engine="vllm", model="tiny-chat", objective="inter_token_latency"} 0.05905`).because("93 of 1575"),
			},
			Blank: "no requests, no engine here exports it, or the rules are not loaded",
		},
	},
}

var objectivesRow = Row{
	Key: "objectives", Title: "Are promises kept over hours and days?",
	Panels: []Panel{
		{
			Key: "objectives/fast", Title: "Budget burn over an hour", Unit: catalog.None, Width: 12, Of: catalog.TimeToFirstToken, Threshold: "burn_fast",
			About:   "1 is just as fast as allowed: of 100 requests as many are slow (or fail) as the target leaves. At the line the budget of 30 days is gone in two.",
			Queries: []Query{burn("1h", `=~"time_to_first_token|request_duration"`), burn("1h", `="success"`)},
			Cases: []Case{
				at("vllm-0.32.0/overload-long", 1140, `{backend="vllm", engine="vllm", model="tiny-chat", objective="time_to_first_token"} 15.6962`, `{backend="vllm", engine="vllm", model="tiny-chat", objective="request_duration"} 1.7615`).because("248 of 790 and 26 of 738, of a budget of 0.02; it is recorded once a minute"),
				at("vllm-0.32.0/overload-long", 1185, `{backend="vllm", engine="vllm", model="tiny-chat", objective="success"} 0`).of("B"),
			},
			Blank: "no requests, no engine here exports it, or the rules are not loaded",
		},
		{
			Key: "objectives/slow", Title: "Budget burn over a day", Unit: catalog.None, Width: 12, Of: catalog.TimeToFirstToken, Threshold: "burn_slow",
			About:   "At the line the budget of 30 days is gone in ten.",
			Queries: []Query{burn("1d", `=~"time_to_first_token|request_duration"`), burn("1d", `="success"`)},
			Cases: []Case{
				at("vllm-0.32.0/overload-long", 1080, `{backend="vllm", engine="vllm", model="tiny-chat", objective="time_to_first_token"} 15.1042`, `{backend="vllm", engine="vllm", model="tiny-chat", objective="request_duration"} 0.8357`).because("232 of 768 and 12 of 718, of a budget of 0.02; it is recorded every two minutes"),
				at("vllm-0.32.0/overload-long", 1185, `{backend="vllm", engine="vllm", model="tiny-chat", objective="success"} 0`).of("B"),
			},
			Blank: "no requests, no engine here exports it, or the rules are not loaded",
		},
	},
}

// burn is how fast the budgets of some objectives are spent within a window.
func burn(window, objectives string) Query {
	return Query{
		Expr:   `backend:llm_objective_burn:rate_` + window + `{objective` + objectives + `, instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}`,
		Legend: "{{backend}} {{model}} {{objective}}",
	}
}
