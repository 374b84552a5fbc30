package dashboards

import "github.com/llmfleet/llmfleet/exporter/catalog"

// backendHistory is what changed over time.
func backendHistory(others pages) Row {
	missing := others.repeat("glance/missing", "backend/missing", 8)
	missing.Title = "Why were numbers missing?"
	return Row{
		Key: "history", Title: "History: restarts, models, alerts",
		Panels: []Panel{missing, backendLoaded, backendFired, others.repeat("serving/restarts", "backend/restarts", 12), backendVersions},
	}
}

var backendFired = Panel{
	Key: "backend/fired", Title: "Which alerts fired, and when?", Unit: catalog.Count, Kind: Steps, Width: 8,
	About: "One step for each alert about the server, its cards, or it as a router's worker.",
	Queries: []Query{{
		Expr: `max by (alertname, instance, backend, target, gpu) ` + aboutIt(`alertstate="firing", `), Legend: "{{alertname}} {{target}} {{gpu}}",
	}},
	Cases: []Case{
		at(fleetIncidents, 690, `{alertname="LlmBackendDown", backend="medium-b"} 1`, `{alertname="LlmRouterTargetOut", backend="router", target="http://127.0.0.1:19302"} 1`).chosen("medium-b"),
		at(fleetIncidents, 690).chosen("small"),
	},
	Blank: "none fired",
}

var backendLoaded = Panel{
	Key: "backend/loaded", Title: "Which models were in memory?", Unit: catalog.Count, Kind: Steps, Width: 8,
	About: "One step for each model that is loaded. A model that sleeps or was unloaded costs the next request its load time.",
	Queries: []Query{{
		Expr:   `max by (instance, backend, model) (llm_model_state{state="loaded", instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}) == 1`,
		Legend: "{{backend}} {{model}}",
	}},
	Colors: []Color{{Name: "blue"}},
	Cases: []Case{
		at(modelRouter, 45),
		at(modelRouter, 300, `{backend="llamacpp", model="small-random-llama"} 1`, `{backend="llamacpp", model="tiny-random-llama"} 1`),
		at(modelRouter, 450, `{backend="llamacpp", model="small-random-llama"} 1`).because("tiny-random-llama is unloaded from 30, played fifteen times slower"),
	},
	Blank: "none, or no engine here says what is loaded",
}

var backendVersions = Panel{
	Key: "backend/versions", Title: "Another program or version", Unit: catalog.Count, Width: 12,
	About: "Changes of what answers at its address within an hour. After one, compare speed, memory and the names that are missing.",
	Queries: []Query{{
		Expr: `max by (instance, backend) (increase(llm_engine_changes_total{instance=~"$instance", backend=~"$backend"}[1h])` + ofEngine + `)`, Legend: "{{backend}}",
	}},
	Cases: []Case{
		at(fleetIncidents, 1380, `{backend="medium-a"} 0`, `{backend="medium-b"} 0`, `{backend="router"} 0`, `{backend="small"} 0`).because("small is another start of the same build"),
	},
	Blank: "no exporter answers",
}
