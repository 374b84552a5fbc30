package dashboards

import (
	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/rules"
)

// routers is the page about what stands before replicas: it answers while one of them is dead.
var routers = Dashboard{
	UID:       rules.RoutersDashboardUID,
	Title:     fleetTitle + "routers",
	About:     "Does every worker carry its share, do requests fail, and what do retries hide? A router answers as long as one worker does; dashed lines are where an alert decides.",
	Variables: []Variable{chooseSource, chooseInstance, chooseRouter},
	Notes:     []Annotation{markAlerts(`backend=~"$router|"}`)},
	Rows:      []Row{shareRow, retriesRow},
}

// chooseRouter is not called backend: the choice of a model server on another page would leave
// nothing of this one.
var chooseRouter = Variable{
	Name: "router", Title: "Router", Label: catalog.LabelBackend, About: "Name of a router in the exporter's configuration.",
	Query: `label_values({__name__=~"llm_router_.+", instance=~"$instance"}, backend)`,
}

// What a router holds of a worker, in words.
var (
	healthWords  = []Word{{0, "✕ out", bad}, {1, "✓ in", good}}
	circuitWords = []Word{{0, "closed", good}, {1, "open", bad}, {2, "half open", "orange"}}
)

var shareRow = Row{
	Key: "router", Title: "Does every worker carry its share?",
	Panels: []Panel{
		{
			Key: "router/targets", Title: "Every worker, as its router sees it", Unit: catalog.None, Kind: Table, Width: 24,
			About: "A router answers as long as one worker does, so this is where a lost replica shows. A circuit that is open gets no requests. Itself is what the worker says of itself, where it is a backend of the same exporter (known_as in its configuration helps where addresses differ).",
			Queries: []Query{
				{Expr: `max by (instance, backend, target) (llm_router_target_healthy{instance=~"$instance", backend=~"$router"})`},
				{Expr: `max by (instance, backend, target) (llm_router_circuit_breaker_state{instance=~"$instance", backend=~"$router"})`},
				{Expr: `max by (instance, backend, target) (llm_router_target_inflight_requests{instance=~"$instance", backend=~"$router"})`},
				{Expr: `max by (instance, backend, target, worker) (target:llm_healthy:own{instance=~"$instance", backend=~"$router"})`, Lacks: []string{catalog.LabelWorker}},
			},
			Columns: []Column{
				{Field: "instance", Title: "Exporter"},
				{Field: catalog.LabelBackend, Title: "Router"},
				{Field: catalog.LabelTarget, Title: "Worker", Width: 300},
				{Field: "A", Title: "Healthy", Width: 90, Words: healthWords},
				{Field: "B", Title: "Circuit", Width: 100, Words: circuitWords},
				{Field: catalog.LabelWorker, Title: "Is the backend"},
				{Field: "D", Title: "Itself", Width: 90, Words: []Word{{0, "✕ down", bad}, {1, "✓ up", good}}},
				{Field: "C", Title: "In flight", Unit: catalog.Requests, Width: 100},
			},
			Sort: "-A,instance,backend,target", // those that are out come first
			Cases: []Case{
				at(fleetIncidents, 690, `{backend="router", target="http://127.0.0.1:19301"} 1`, `{backend="router", target="http://127.0.0.1:19302"} 0`),
				at(fleetIncidents, 690, `{backend="router", target="http://127.0.0.1:19301"} 0`, `{backend="router", target="http://127.0.0.1:19302"} 1`).of("B"),
				at(fleetIncidents, 690, `{backend="router", target="http://127.0.0.1:19301"} 5`, `{backend="router", target="http://127.0.0.1:19302"} 0`).of("C"),
				at(fleetIncidents, 690, `{backend="router", target="http://127.0.0.1:19301", worker="medium-a"} 1`, `{backend="router", target="http://127.0.0.1:19302", worker="medium-b"} 0`).of("D"),
			},
			Blank: "no router here",
		},
		{
			Key: "router/known", Title: "Workers that each router knows", Unit: catalog.Count, Width: 8,
			About: "By what it makes of them. Some routers forget the dead: then only their number tells. Dashed is what the configuration expects.",
			Queries: []Query{
				{
					Expr: `sum by (instance, backend, state) (llm_router_targets{instance=~"$instance", backend=~"$router"})`, Legend: "{{backend}} {{state}}",
				},
				{
					Expr: `max by (instance, backend) (llm_expected_replicas{instance=~"$instance", backend=~"$router"})`, Legend: "{{backend}} expected", Limit: true,
				},
			},
			Cases: []Case{
				at(fleetIncidents, 690, `{backend="router", state="healthy"} 1`, `{backend="router", state="unhealthy"} 1`),
				at("dynamo-1.6.1/kv-router-outage", 405, `{backend="dynamo", state="healthy"} 0`, `{backend="dynamo", state="unhealthy"} 0`).because("both workers are dead, and it knows none any more"),
			},
			Blank: "no router here says how many it knows",
		},
		{
			Key: "router/out", Title: "Which workers were out?", Unit: catalog.Count, Kind: Steps, Width: 8,
			Height: 8, About: "One step for each worker that its router gives nothing, by its health check, its circuit breaker or its silence.",
			Queries: []Query{{
				Expr:   `max by (instance, backend, target) (1 - llm_router_target_healthy{instance=~"$instance", backend=~"$router"}) == 1`,
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
			Key: "router/flaps", Title: "Workers taken out or in", Unit: catalog.Count, Width: 8, Threshold: "router_flaps",
			About: "Changes within ${router_flap_window}. Out and in again is two.",
			Queries: []Query{{
				Expr: `changes(llm_router_target_healthy{instance=~"$instance", backend=~"$router"}[${router_flap_window}])`, Legend: "{{backend}}: {{target}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 1260, `{backend="router", router="vllm_router", target="http://127.0.0.1:19301"} 0`, `{backend="router", router="vllm_router", target="http://127.0.0.1:19302"} 2`).because("out at 480, in at 1260"),
			},
			Blank: "no router here",
		},
		{
			Key: "router/share", Title: "Share of requests for each worker", Unit: catalog.Ratio, Width: 12, Max: 1,
			About: "Of the requests that the router gave to its workers. A policy that keeps conversations together is uneven on purpose; a worker at 0 is not.",
			Queries: []Query{{
				Expr: `sum by (instance, backend, target) (rate(llm_router_target_requests_total{instance=~"$instance", backend=~"$router"}[$__rate_interval]))
    / on (instance, backend) group_left ()
  (sum by (instance, backend) (rate(llm_router_target_requests_total{instance=~"$instance", backend=~"$router"}[$__rate_interval])) > 0)`,
				Legend: "{{backend}}: {{target}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 480, `{backend="router", target="http://127.0.0.1:19301"} 0.3051`, `{backend="router", target="http://127.0.0.1:19302"} 0.6949`).because("successes from 435 to 480: 116 - 98 and 207 - 166, of 59; the first failures have no scrape before them"),
				at(fleetIncidents, 690, `{backend="router", target="http://127.0.0.1:19301"} 1`, `{backend="router", target="http://127.0.0.1:19302"} 0`),
			},
			Blank: "no requests, or no router here counts them",
		},
		{
			Key: "router/fair", Title: "Work of each, of an even share", Unit: catalog.Ratio, Width: 12, Threshold: "router_fair_share", Least: true,
			About: "1 is what each would get if all got the same within ${router_share_window}. An alert decides only where expect.replicas says that the workers are replicas.",
			Queries: []Query{{
				Expr: `router:llm_router_target_requests:fair_share{instance=~"$instance", backend=~"$router"}`, Legend: "{{backend}}: {{target}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 465, `{backend="router", router="vllm_router", target="http://127.0.0.1:19301"} 0.7108`, `{backend="router", router="vllm_router", target="http://127.0.0.1:19302"} 1.2892`).because("6 at 195 and 109 at 465 by one, 2 at 180 and 192 by the other"),
			},
			Blank: "too few requests, or no router here counts them by worker",
		},
	},
}

var retriesRow = Row{
	Key: "router-failures", Title: "Do requests fail, or do retries hide it?",
	Panels: []Panel{
		{
			Key: "router/given-up", Title: "Requests given up within ${router_window}", Unit: catalog.Requests, Width: 8, Threshold: "router_failed_requests",
			About: "Requests for which no worker could answer, after every retry: what clients feel. Counted by routers that retry.",
			Queries: []Query{{
				Expr: `increase(llm_router_retries_exhausted_total{instance=~"$instance", backend=~"$router"}[${router_window}])`, Legend: "{{backend}}",
			}},
			Cases: []Case{
				at("vllm-router-0.1.17/outage", 525, `{backend="router", router="vllm_router"} 42.864`).because("26 and 19 at 525 less 4 at 360, when they are born: 41 in 165 s, and half a scrape more"),
			},
			Blank: "none, or no router here counts them",
		},
		{
			Key: "router/errors", Title: "Requests that ended in an error", Unit: catalog.Ratio, Width: 8, Max: 1, Threshold: "router_error_share",
			About: "Of routers whose errors are requests. Others count attempts, or requests that never began: their clients' failures are those given up.",
			Queries: []Query{{
				Expr: `router:llm_router_errors:ratio{instance=~"$instance", backend=~"$router"}`, Legend: "{{backend}}",
			}},
			Cases: []Case{
				at("caddy-2.11.9/failover", 450, `{backend="caddy", router="caddy"} 0.2624`).because("errors 7 at 315, when they are born, and 35 at 450; requests 45 at 165 and 152 at 450"),
			},
			Blank: "no requests, or no router here counts its errors by request",
		},
		{
			Key: "router/failing", Title: "Share of what each worker failed", Unit: catalog.Ratio, Width: 8, Max: 1, Threshold: "router_failing_share",
			About: "Attempts that the worker failed by all that it got. A retry hides them from the client.",
			Queries: []Query{{
				Expr: `router:llm_router_target_failed:ratio{instance=~"$instance", backend=~"$router"}`, Legend: "{{backend}}: {{target}}",
			}},
			Cases: []Case{
				at("vllm-router-0.1.17/outage", 450, `{backend="router", router="vllm_router", target="http://127.0.0.1:18181"} 0`, `{backend="router", router="vllm_router", target="http://127.0.0.1:18182"} 0.6326`).because("18182: failures 3 at 240 to 10 at 450, successes 11 at 165 to 15; 18181: failures born at 360 with 10 that stay 10"),
			},
			Blank: "no requests, or no router here counts failures by worker",
		},
		{
			Key: "router/retries", Title: "Attempts repeated and given up", Unit: catalog.Requests, PerSecond: true, Width: 8,
			About: "A retry hides a failing worker from the client; a request that is given up does not.",
			Queries: []Query{
				{
					Expr:   `sum by (instance, backend) (rate(llm_router_retries_total{instance=~"$instance", backend=~"$router"}[$__rate_interval]))`,
					Legend: "{{backend}} again",
				},
				{
					Expr:   `sum by (instance, backend) (rate(llm_router_retries_exhausted_total{instance=~"$instance", backend=~"$router"}[$__rate_interval]))`,
					Legend: "{{backend}} given up",
				},
			},
			Cases: []Case{
				at(fleetIncidents, 510, `{backend="router"} 0`).because("the counter is born at 480 with 4 and stays there"),
			},
			Blank: "none, or no router here counts them",
		},
		{
			Key: "router/retried", Title: "Share of attempts repeated", Unit: catalog.Ratio, Width: 8, Threshold: "router_retry_share",
			About: "Retries are work that clients do not see. Infinite while there are retries and no worker gets anything.",
			Queries: []Query{{
				Expr: `router:llm_router_retries:ratio{instance=~"$instance", backend=~"$router"}`, Legend: "{{backend}}",
			}},
			Cases: []Case{
				at("haproxy-2.6.12/failover", 450, `{backend="haproxy", router="haproxy"} 0.1031`).because("14 redispatches; 112 - 15 and 52 - 17 answers"),
			},
			Blank: "no requests, or no router here counts retries",
		},
		{
			Key: "router/failovers", Title: "Requests rerouted within ${router_failover_window}", Unit: catalog.Requests, Width: 8, Threshold: "router_failovers",
			About: "To another worker in the midst of an answer, or to another model. Clients are answered, by their second choice.",
			Queries: []Query{{
				Expr: `sum without (model, fallback, outcome) (increase(llm_router_failovers_total{instance=~"$instance", backend=~"$router"}[${router_failover_window}]))`, Legend: "{{backend}}",
			}},
			Cases: []Case{
				at("litellm-1.110.2/fallback", 900, `{backend="litellm", router="litellm"} 89`).because("1 at 390 and 89 at 900 from primary to backup, taken back to 0; the one from unreachable is born and stays 1"),
			},
			Blank: "none, or no router here counts them",
		},
	},
}
