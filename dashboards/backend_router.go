package dashboards

import "github.com/llmfleet/llmfleet/exporter/catalog"

// asWorker is a series of routers' workers, of those that are the chosen backends.
func asWorker(series string) string {
	return `(` + series + `{instance=~"$instance"}` + thatAreIts + `)`
}

// thatAreIts keeps of what routers say of workers what is about the chosen backends.
const thatAreIts = ` and on (instance, backend, target) llm_router_target_backend_info{instance=~"$instance", worker=~"$backend"}`

// noRouterOfIts is what panels say where no router is known to have the backend as a worker.
const noRouterOfIts = "no router here is known to have it as a worker"

var backendRouter = Row{
	Key: "its-router", Title: "Its router: does it get its share?",
	Panels: []Panel{
		{
			Key: "backend/as-worker", Title: "What does its router say of it?", Unit: catalog.None, Kind: Table, Width: 12,
			About: "Where it is the worker of a router of the same exporter (known_as in the exporter's configuration helps where addresses differ).",
			Queries: []Query{
				{Expr: `max by (instance, backend, target) ` + asWorker(`llm_router_target_healthy`)},
				{Expr: `max by (instance, backend, target) ` + asWorker(`llm_router_circuit_breaker_state`)},
				{Expr: `max by (instance, backend, target) ` + asWorker(`llm_router_target_inflight_requests`)},
			},
			Columns: []Column{
				{Field: labelInstance, Title: "Exporter", Width: 90},
				{Field: catalog.LabelBackend, Title: "Router", Width: 110},
				{Field: catalog.LabelTarget, Title: "Worker"},
				{Field: "A", Title: "Healthy", Width: 80, Words: healthWords},
				{Field: "B", Title: "Circuit", Width: 90, Words: circuitWords},
				{Field: "C", Title: "In flight", Unit: catalog.Requests, Width: 80},
			},
			Cases: []Case{
				at(fleetIncidents, 690, `{backend="router", target="http://127.0.0.1:19302"} 0`).chosen("medium-b").because("its health check gave it up at 510"),
				at(fleetIncidents, 690, `{backend="router", target="http://127.0.0.1:19302"} 1`).of("B").chosen("medium-b"),
				at(fleetIncidents, 690, `{backend="router", target="http://127.0.0.1:19301"} 5`).of("C").chosen("medium-a"),
				at(fleetIncidents, 690).chosen("small").because("it has no router"),
			},
			Blank: noRouterOfIts,
		},
		{
			Key: "backend/from-router", Title: "Requests that its router gave to it", Unit: catalog.Requests, PerSecond: true, Width: 12,
			About: "By what became of them. A retry hides failures from the client, not from this panel.",
			Queries: []Query{{
				Expr: `sum by (instance, backend, target, outcome) (
  rate(llm_router_target_requests_total{instance=~"$instance"}[$__rate_interval])
   ` + thatAreIts + `
)`,
				Legend: "{{backend}}: {{target}} {{outcome}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 690, `{backend="router", target="http://127.0.0.1:19301", outcome="success"} 2.0444`).chosen("medium-a").because("(556 - 464) / 45"),
				at(fleetIncidents, 690, `{backend="router", target="http://127.0.0.1:19302", outcome="success"} 0`, `{backend="router", target="http://127.0.0.1:19302", outcome="failure"} 0`).chosen("medium-b"),
			},
			Blank: noRouterOfIts,
		},
	},
}
