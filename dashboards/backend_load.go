package dashboards

import "github.com/llmfleet/llmfleet/exporter/catalog"

// backendLoad is what the server works on, what waits for it, and how requests end.
func backendLoad(others pages) Row {
	return Row{
		Key: "load", Title: "Load: is it full, and how do requests end?",
		Panels: []Panel{
			others.repeat("capacity/running", "backend/running", 8),
			others.repeat("capacity/waiting", "backend/waiting", 8),
			others.repeat("capacity/slots", "backend/slots", 8),
			backendFinished,
			others.repeat("serving/failed", "backend/failed", 6),
			others.repeat("capacity/refused", "backend/refused", 6),
		},
	}
}

var backendFinished = Panel{
	Key: "backend/finished", Title: "Requests that ended, by reason", Unit: catalog.Requests, PerSecond: true, Width: 12, Of: catalog.RequestsFinished,
	About: "Stop: the model was done. Length: the answer or the context was at its end. Abort: the client left. Error: the engine failed.",
	Queries: []Query{{
		Expr:   `sum by (instance, backend, reason) (rate(llm_requests_finished_total{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}[$__rate_interval]))`,
		Legend: "{{backend}} {{reason}}",
	}},
	Cases: []Case{
		at(fleetIncidents, 690, `{backend="medium-a", reason="length"} 1.8667`, `{backend="medium-a", reason="stop"} 0.1333`, `{backend="medium-a", reason="abort"} 0`, `{backend="medium-a", reason="error"} 0`, `{backend="medium-a", reason="other"} 0`).chosen("medium-a").because("request_success_total of length 499 - 415, of stop 29 - 23, in 45 s"),
		at(fleetIncidents, 690, `{count="1", engine="llamacpp"} 0`).of("U").chosen("small").because("llama.cpp does not count them: said, not 0"),
	},
	Blank: "no engine here counts them",
}
