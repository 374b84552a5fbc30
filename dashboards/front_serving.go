package dashboards

import "github.com/llmfleet/llmfleet/exporter/catalog"

// servingRow is what became of the requests, and of the servers under them.
var servingRow = Row{
	Key: "serving", Title: "Serving: are requests answered?",
	Panels: []Panel{
		{
			Key: "serving/failed", Title: "Share of requests that failed", Unit: catalog.Ratio, Width: 8, Height: 9, Of: catalog.RequestsFinished, Threshold: "failed_share",
			About: "Of the requests that ended within ${latency_window}. Whose client left is not counted, and who was refused is another panel. Blank for engines that do not tell failures.",
			Queries: []Query{{
				Expr:   `backend:llm_requests_failed:ratio{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}`,
				Legend: "{{backend}} {{model}}",
			}},
			Cases: []Case{
				at("vllm-0.32.0/overload-long", 1185, `{backend="vllm", engine="vllm", model="tiny-chat"} 0`),
			},
			Blank: "no requests, no engine here tells failures, or the rules are not loaded",
		},
		{
			Key: "serving/overflow", Title: "Requests longer than the context", Unit: catalog.Ratio, Width: 8, Height: 9, Threshold: "overflow_share",
			About: "Of the requests to a router within ${latency_window}, where it names that failure (LiteLLM does). An engine refuses such a request and counts it nowhere.",
			Queries: []Query{{
				Expr:   `router:llm_context_overflow:ratio{instance=~"$instance", backend=~"$backend"}` + ofEngine,
				Legend: "{{backend}}",
			}},
			Cases: []Case{
				at("litellm-1.108.7/failover", 900, `{backend="litellm", router="litellm"} 0`).because("six failures, none of that kind"),
			},
			Blank: "none, or no router here names them",
		},
		{
			Key: "serving/restarts", Title: "Restarts within an hour", Unit: catalog.Count, Width: 8, Height: 9, Threshold: "restarts",
			About: "By the backend's health, by its counters that begin again, and by the start of its process, whichever saw most.",
			Queries: []Query{{
				Expr:   `backend:llm_restarts:count_1h{instance=~"$instance", backend=~"$backend"}` + ofEngine,
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
