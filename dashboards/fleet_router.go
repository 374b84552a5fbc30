package dashboards

import "github.com/llmfleet/llmfleet/exporter/catalog"

var router = Row{
	Key: "router", Title: "Routers: does every replica carry its share?",
	Panels: []Panel{
		{
			Key: "router/targets", Title: "Every worker, as its router sees it", Unit: catalog.None, Kind: Table, Width: 12,
			About: "A router answers as long as one worker does, so this is where a lost replica shows. A circuit that is open gets no requests.",
			Queries: []Query{
				{Expr: `max by (backend, target) (llm_router_target_healthy{instance=~"$instance", backend=~"$backend"})`},
				{Expr: `max by (backend, target) (llm_router_circuit_breaker_state{instance=~"$instance", backend=~"$backend"})`},
				{Expr: `max by (backend, target) (llm_router_target_inflight_requests{instance=~"$instance", backend=~"$backend"})`},
			},
			Columns: []Column{
				{Field: catalog.LabelBackend, Title: "Router", Width: 140},
				{Field: catalog.LabelTarget, Title: "Worker"},
				{Field: "A", Title: "Healthy", Width: 110, Words: []Word{{0, "✕ out", bad}, {1, "✓ in", good}}},
				{Field: "B", Title: "Circuit", Width: 110, Words: []Word{{0, "closed", good}, {1, "open", bad}, {2, "half open", "orange"}}},
				{Field: "C", Title: "In flight", Unit: catalog.Requests, Width: 90},
			},
			Cases: []Case{
				at(fleetIncidents, 690, `{backend="router", target="http://127.0.0.1:19301"} 1`, `{backend="router", target="http://127.0.0.1:19302"} 0`),
				at(fleetIncidents, 690, `{backend="router", target="http://127.0.0.1:19301"} 0`, `{backend="router", target="http://127.0.0.1:19302"} 1`).of("B"),
				at(fleetIncidents, 690, `{backend="router", target="http://127.0.0.1:19301"} 5`, `{backend="router", target="http://127.0.0.1:19302"} 0`).of("C"),
			},
			Blank: "no router here",
		},
		{
			Key: "router/out", Title: "Which workers were out?", Unit: catalog.Count, Kind: Steps, Width: 12,
			Height: 8, About: "One step for each worker that its router gives nothing, by its health check, its circuit breaker or its silence.",
			Queries: []Query{{
				Expr:   `max by (instance, backend, target) (1 - llm_router_target_healthy{instance=~"$instance", backend=~"$backend"}) == 1`,
				Legend: "{{backend}}: {{target}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 465),
				at(fleetIncidents, 480, `{backend="router", target="http://127.0.0.1:19302"} 1`).because("its circuit opens at once; the health check notices at 510"),
				at(fleetIncidents, 690, `{backend="router", target="http://127.0.0.1:19302"} 1`),
			},
			Blank: "none, or no router here",
		},
		{
			Key: "router/share", Title: "Share of requests for each worker", Unit: catalog.Ratio, Width: 12, Max: 1,
			About: "Of the requests that the router gave to its workers. A policy that keeps conversations together is uneven on purpose; a worker at 0 is not.",
			Queries: []Query{{
				Expr: `sum by (instance, backend, target) (rate(llm_router_target_requests_total{instance=~"$instance", backend=~"$backend"}[$__rate_interval]))
    / on (instance, backend) group_left ()
  (sum by (instance, backend) (rate(llm_router_target_requests_total{instance=~"$instance", backend=~"$backend"}[$__rate_interval])) > 0)`,
				Legend: "{{backend}}: {{target}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 480, `{backend="router", target="http://127.0.0.1:19301"} 0.3051`, `{backend="router", target="http://127.0.0.1:19302"} 0.6949`).because("successes from 435 to 480: 116 - 98 and 207 - 166, of 59; the first failures have no scrape before them"),
				at(fleetIncidents, 690, `{backend="router", target="http://127.0.0.1:19301"} 1`, `{backend="router", target="http://127.0.0.1:19302"} 0`),
			},
			Blank: "no requests, or no router here counts them",
		},
		{
			Key: "router/retries", Title: "Attempts repeated and given up", Unit: catalog.Requests, PerSecond: true, Width: 12,
			About: "A retry hides a failing worker from the client; a request that is given up does not.",
			Queries: []Query{
				{
					Expr:   `sum by (instance, backend) (rate(llm_router_retries_total{instance=~"$instance", backend=~"$backend"}[$__rate_interval]))`,
					Legend: "{{backend}} again",
				},
				{
					Expr:   `sum by (instance, backend) (rate(llm_router_retries_exhausted_total{instance=~"$instance", backend=~"$backend"}[$__rate_interval]))`,
					Legend: "{{backend}} given up",
				},
			},
			Cases: []Case{
				at(fleetIncidents, 510, `{backend="router"} 0`).because("the counter is born at 480 with 4 and stays there"),
			},
			Blank: "none, or no router here counts them",
		},
	},
}
