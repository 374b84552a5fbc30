package dashboards

import "github.com/llmfleet/llmfleet/exporter/catalog"

// notRecorded is what a panel on a recorded name says when it is blank.
const notRecorded = "no engine here exports it, or the rules are not loaded"

var capacity = Row{
	Key: "capacity", Title: "Capacity: is it full?",
	Panels: []Panel{
		{
			Key: "capacity/running", Title: "Requests running", Unit: catalog.Requests, Width: 8, Of: catalog.RequestsRunning,
			About: "Requests that the engine works on.",
			Queries: []Query{{
				Expr: `backend:llm_requests_running:sum{instance=~"$instance", backend=~"$backend", model=~"$model"}`, Legend: "{{backend}} {{model}}",
			}},
			Blank: notRecorded,
		},
		{
			Key: "capacity/waiting", Title: "Requests waiting", Unit: catalog.Requests, Width: 8, Of: catalog.RequestsWaiting, Threshold: "queue_waiting",
			About: "Requests that the engine has accepted and not begun. A queue that empties now and then is a burst: what counts is how short it was at its shortest within ${queue_window}.",
			Queries: []Query{
				{
					Expr: `min_over_time(llm_requests_waiting{instance=~"$instance", backend=~"$backend", model=~"$model"}[${queue_window}])`, Legend: "{{backend}} {{model}} at the shortest",
				},
				{
					Expr: `backend:llm_requests_waiting:sum{instance=~"$instance", backend=~"$backend", model=~"$model"}`, Legend: "{{backend}} {{model}}",
				},
			},
			Blank: notRecorded,
		},
		{
			Key: "capacity/kv", Title: "KV cache in use", Unit: catalog.Ratio, Width: 8, Of: catalog.KVCacheUsage, Threshold: "kv_usage", Max: 1,
			About: "Share of the KV cache in use, of several ranks the fullest. It dips when a request is thrown out, so the fullest within ${kv_window} decides, together with preemptions or a queue.",
			Queries: []Query{
				{
					Expr: `max_over_time(llm_kv_cache_usage_ratio{instance=~"$instance", backend=~"$backend", model=~"$model"}[${kv_window}])`, Legend: "{{backend}} {{model}} at the fullest",
				},
				{
					Expr: `backend:llm_kv_cache_usage:max{instance=~"$instance", backend=~"$backend", model=~"$model"}`, Legend: "{{backend}} {{model}}",
				},
			},
			Blank: notRecorded,
		},
		{
			Key: "capacity/preemptions", Title: "Requests thrown out of the KV cache, per second", Unit: catalog.Requests, PerSecond: true, Width: 8, Of: catalog.Preemptions,
			About: "Running requests that lost their place for want of room and are computed again. Any steady rate means that the cache is too small for the load.",
			Queries: []Query{{
				Expr:   `sum without (rank) (rate(llm_preemptions_total{instance=~"$instance", backend=~"$backend", model=~"$model"}[$__rate_interval]))`,
				Legend: "{{backend}} {{model}}",
			}},
			Blank: "no engine here exports it",
		},
		{
			Key: "capacity/refused", Title: "Requests refused within ${rate_window}", Unit: catalog.Requests, Width: 8, Of: catalog.RequestsRejected, Threshold: "refused_requests",
			About: "Requests that the engine did not accept because its queue was full. They never wait, so the queue looks short.",
			Queries: []Query{{
				Expr: `backend:llm_requests_rejected:increase{instance=~"$instance", backend=~"$backend", model=~"$model"}`, Legend: "{{backend}} {{model}}",
			}},
			Blank: notRecorded,
		},
		{
			Key: "capacity/generated", Title: "Tokens generated per second", Unit: catalog.Tokens, PerSecond: true, Width: 8, Of: catalog.GenerationTokens,
			About: "What the fleet delivers, as a mean over ${rate_window}: llama.cpp counts tokens when a request ends, so a shorter window steps.",
			Queries: []Query{{
				Expr: `backend:llm_generation_tokens:rate{instance=~"$instance", backend=~"$backend", model=~"$model"}`, Legend: "{{backend}} {{model}}",
			}},
			Blank: notRecorded,
		},
	},
}
