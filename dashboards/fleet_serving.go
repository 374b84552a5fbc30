package dashboards

import "github.com/llmfleet/llmfleet/exporter/catalog"

// serving is what became of the requests, and of the servers under them.
var serving = Row{
	Key: "serving", Title: "Serving: are requests answered?",
	Panels: []Panel{
		{
			Key: "serving/failed", Title: "Share of requests that failed", Unit: catalog.Ratio, Width: 8, Of: catalog.RequestsFinished, Threshold: "failed_share",
			About: "Of the requests that ended within ${latency_window}. Whose client left is not counted, and who was refused is another panel. Blank for engines that do not tell failures.",
			Queries: []Query{{
				Expr:   `backend:llm_requests_failed:ratio{instance=~"$instance", backend=~"$backend", model=~"$model"}`,
				Legend: "{{backend}} {{model}}",
			}},
			Cases: []Case{
				at("vllm-0.32.0/overload-long", 1185, `{backend="vllm", engine="vllm", model="tiny-chat"} 0`),
			},
			Blank: "no requests, no engine here tells failures, or the rules are not loaded",
		},
		{
			Key: "serving/overflow", Title: "Requests longer than the context", Unit: catalog.Ratio, Width: 8, Threshold: "overflow_share",
			About: "Of the requests to a router within ${latency_window}, where it names that failure (LiteLLM does). An engine refuses such a request and counts it nowhere.",
			Queries: []Query{{
				Expr:   `router:llm_context_overflow:ratio{instance=~"$instance", backend=~"$backend"}`,
				Legend: "{{backend}}",
			}},
			Cases: []Case{
				at("litellm-1.108.7/failover", 900, `{backend="litellm", router="litellm"} 0`).because("six failures, none of that kind"),
			},
			Blank: "none, or no router here names them",
		},
		{
			Key: "serving/restarts", Title: "Restarts within an hour", Unit: catalog.Count, Width: 8, Threshold: "restarts",
			About: "By the backend's health, by its counters that begin again, and by the start of its process, whichever saw most.",
			Queries: []Query{{
				Expr:   `backend:llm_restarts:count_1h{instance=~"$instance", backend=~"$backend"}`,
				Legend: "{{backend}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 690, `{backend="medium-a"} 0`, `{backend="medium-b"} 0`, `{backend="router"} 0`, `{backend="small"} 1`).because("small is started again at 643; medium-b is away and has not come back"),
				at(fleetIncidents, 1380, `{backend="medium-a"} 0`, `{backend="medium-b"} 1`, `{backend="router"} 0`, `{backend="small"} 1`),
			},
			Blank: "no exporter answers, or the rules are not loaded",
		},
	},
}

var objectives = Row{
	Key: "objectives", Title: "Objectives: are promises kept over hours and days?",
	Panels: []Panel{
		{
			Key: "objectives/fast", Title: "Budget burn over an hour", Unit: catalog.None, Width: 12, Of: catalog.TimeToFirstToken, Threshold: "burn_fast",
			About: "1 is just as fast as allowed: of 100 requests as many are slow (or fail) as the target leaves. At the line the budget of 30 days is gone in two.",
			Queries: []Query{
				{
					Expr:   `backend:llm_objective_burn:rate_1h{objective=~"time_to_first_token|request_duration", instance=~"$instance", backend=~"$backend", model=~"$model"}`,
					Legend: "{{backend}} {{model}} {{objective}}",
				},
				{
					Expr:   `backend:llm_objective_burn:rate_1h{objective="success", instance=~"$instance", backend=~"$backend", model=~"$model"}`,
					Legend: "{{backend}} {{model}} {{objective}}",
				},
			},
			Cases: []Case{
				at("vllm-0.32.0/overload-long", 1185, `{backend="vllm", engine="vllm", model="tiny-chat", objective="time_to_first_token"} 15.826`, `{backend="vllm", engine="vllm", model="tiny-chat", objective="request_duration"} 1.8072`).because("251 of 793 and 27 of 747, of a budget of 0.02"),
				at("vllm-0.32.0/overload-long", 1185, `{backend="vllm", engine="vllm", model="tiny-chat", objective="success"} 0`).of("B"),
			},
			Blank: "no requests, no engine here exports it, or the rules are not loaded",
		},
		{
			Key: "objectives/slow", Title: "Budget burn over a day", Unit: catalog.None, Width: 12, Of: catalog.TimeToFirstToken, Threshold: "burn_slow",
			About: "At the line the budget of 30 days is gone in ten.",
			Queries: []Query{
				{
					Expr:   `backend:llm_objective_burn:rate_1d{objective=~"time_to_first_token|request_duration", instance=~"$instance", backend=~"$backend", model=~"$model"}`,
					Legend: "{{backend}} {{model}} {{objective}}",
				},
				{
					Expr:   `backend:llm_objective_burn:rate_1d{objective="success", instance=~"$instance", backend=~"$backend", model=~"$model"}`,
					Legend: "{{backend}} {{model}} {{objective}}",
				},
			},
			Cases: []Case{
				at("vllm-0.32.0/overload-long", 1185, `{backend="vllm", engine="vllm", model="tiny-chat", objective="time_to_first_token"} 15.826`, `{backend="vllm", engine="vllm", model="tiny-chat", objective="request_duration"} 1.8072`).because("251 of 793 and 27 of 747, of a budget of 0.02"),
				at("vllm-0.32.0/overload-long", 1185, `{backend="vllm", engine="vllm", model="tiny-chat", objective="success"} 0`).of("B"),
			},
			Blank: "no requests, no engine here exports it, or the rules are not loaded",
		},
	},
}
