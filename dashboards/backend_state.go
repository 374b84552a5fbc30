package dashboards

import (
	"slices"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// backendState says whether the server serves, who it is, and what is known to be wrong with it.
func backendState(others pages) Row {
	state := others.figure("glance/backends", "B", "backend/state", "Does it serve?", 7)
	state.About = "Two facts: it says that it can serve, and its numbers arrive."
	state.Colors = []Color{{0, bad}, {0.5, "orange"}, {2.5, good}} // the words have these colors; this turns them on
	age := others.figure("glance/backends", "H", "backend/age", "Age of its numbers", 5)
	age.About = "Time since they were last fetched and read. Everything below is as old as that."
	age.Blank = "never read, or none are exported"
	table := others.repeat("glance/backends", "backend/identity", 24)
	table.Title, table.Height, table.Sort = "What is it, and in which state?", 4, "-B"
	const about = 8 // the first of the queries that name its card and its gravest alert: they have tables of their own here
	table.Queries = slices.Clone(table.Queries[:about])
	table.Queries[0].Expr = knownBackends("engine, version, url")
	table.Cases = slices.DeleteFunc(slices.Clone(table.Cases), func(c Case) bool { return c.Query >= letter(about) })
	table.Columns = slices.DeleteFunc(slices.Clone(table.Columns), func(c Column) bool {
		return c.Field == "D" || slices.Contains([]string{catalog.LabelGPU, "alertname"}, c.Field) // alerts are counted above
	})
	last := slices.IndexFunc(table.Columns, func(c Column) bool { return c.Field == labelInstance })
	table.Columns = slices.Insert(table.Columns, last,
		Column{Field: catalog.LabelVersion, Title: "Version", Width: 115}, Column{Field: catalog.LabelURL, Title: "Address", Width: 175})
	return Row{
		Key: "state", Title: "Does it serve, and what is wrong with it?",
		Panels: []Panel{state, backendFiring, backendUptime, age, table, backendAlerts, backendModels},
	}
}

var backendFiring = Panel{
	Key: "backend/firing", Title: "Alerts firing about it", Unit: catalog.Count, Kind: Stat, Width: 6, Text: ValueOnly,
	About: "Pages and tickets about the server, about the cards that it runs on, and about it as a router's worker. Says so instead of 0 when the watchdog does not fire: then no rule is evaluated and silence means nothing.",
	Queries: []Query{{
		Expr: `count(max by (alertname, instance, backend, target, gpu) ` + aboutIt(wanting+`, `) + `)
  or
0 * count(ALERTS{alertname="LlmWatchdog", alertstate="firing"})`, Legend: "firing",
	}},
	Words:  []Word{{0, "none", good}},
	Colors: []Color{{0, good}, {1, bad}},
	Cases: []Case{
		at(fleetIncidents, 465, `{} 0`).chosen("medium-b"),
		at(fleetIncidents, 690, `{} 2`).chosen("medium-b").because("it is down, and its router has it out"),
		at(fleetIncidents, 690, `{} 0`).chosen("small"),
		at(fleetIncidents, 690, `{} 2`),
	},
	Blank: "rules are not evaluated",
}

var backendUptime = Panel{
	Key: "backend/uptime", Title: "Running for", Unit: catalog.Seconds, Kind: Stat, Width: 6,
	About: "Since its process started. llama.cpp and others do not say when that was: the row about restarts tells by their counters.",
	Queries: []Query{{
		Expr: `time() - max by (instance, backend) (llm_engine_start_timestamp_seconds{instance=~"$instance", backend=~"$backend", engine=~"$engine"})`, Legend: "{{backend}}",
	}},
	Cases: []Case{
		at(fleetIncidents, 690, `{backend="medium-a"} 2781321.81`).because("process_start_time_seconds 1795980968.19; the replay begins with the year 2027, at 1798761600"),
		at(fleetIncidents, 690).chosen("small").because("llama.cpp does not say it"),
	},
	Blank: "down, or its engine does not say it",
}

var backendAlerts = Panel{
	Key: "backend/alerts", Title: "Alerts pending and firing about it", Unit: catalog.None, Kind: Table, Width: 14, Height: 6,
	About: "Alerts about the server, about the cards that it runs on, and about it as a router's worker. Each leads to its runbook.",
	Queries: []Query{{
		Expr:  aboutItBySeverity("alertname, alertstate, instance, backend, target, gpu"),
		Lacks: []string{catalog.LabelBackend, catalog.LabelGPU},
	}},
	Columns: []Column{
		{Field: "alertname", Title: "Alert", Width: 210, Runbook: true},
		{Field: "alertstate", Title: "State", Width: 85},
		severity,
		{Field: labelInstance, Title: "Exporter", Width: 90},
		{Field: catalog.LabelBackend, Title: "Of", Width: 100},
		{Field: catalog.LabelTarget, Title: "Worker"},
		{Field: catalog.LabelGPU, Title: "Card", Width: 115},
	},
	Sort: "alertstate,A",
	Cases: []Case{
		at(fleetIncidents, 690, `{alertname="LlmBackendDown", alertstate="firing", backend="medium-b"} 3`, `{alertname="LlmRouterTargetOut", alertstate="firing", backend="router", target="http://127.0.0.1:19302"} 2`).chosen("medium-b"),
		at(fleetIncidents, 690).chosen("small"),
		at(hostA1, 285, `{alertname="LlmGPUMemoryTight", alertstate="pending", gpu="0000:03:00.0"} 2`).chosen("radiance-0").because("its card has 922,746,880 bytes left; the other card's alerts are about radiance-1"),
	},
	Blank: "nothing is pending or firing",
}

var backendModels = Panel{
	Key: "backend/models", Title: "Which models does it have?", Unit: catalog.None, Kind: Table, Width: 10, Height: 6,
	About: "As the server lists them. Context is what one request may have, prompt and answer together; slots are the requests that it works on at once.",
	Queries: []Query{
		{Expr: `max by (backend, model, quantization) (llm_model_info{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"})`},
		{Expr: `max by (backend, model, state) (llm_model_state{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"} == 1)`},
		{Expr: `max by (backend, model) (llm_model_context_length_tokens{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"})`},
		{Expr: `sum by (backend, model) (llm_engine_max_concurrency{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"})`},
		{Expr: `max by (backend, model) (llm_model_size_bytes{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"})`},
	},
	Columns: []Column{
		{Field: catalog.LabelBackend, Title: "Backend", Width: 85},
		{Field: catalog.LabelModel, Title: "Model", Width: 110},
		{Field: catalog.LabelState, Title: "State", Width: 80},
		{Field: catalog.LabelQuantized, Title: "Weights", Width: 75},
		{Field: "E", Title: "Size", Unit: catalog.Bytes, Width: 75},
		{Field: "C", Title: "Context", Unit: catalog.Tokens, Width: 70},
		{Field: "D", Title: "Slots", Unit: catalog.Requests, Width: 55},
	},
	Sort: catalog.LabelModel,
	Cases: []Case{
		at(fleetIncidents, 690, `{backend="small", model="small", quantization="all F32"} 1`).chosen("small"),
		at(modelRouter, 300, `{backend="llamacpp", model="broken-model", state="unloaded"} 1`, `{backend="llamacpp", model="small-random-draft", state="unloaded"} 1`, `{backend="llamacpp", model="small-random-llama", state="loaded"} 1`, `{backend="llamacpp", model="tiny-random-llama", state="loaded"} 1`).of("B").because("/models, from 4 to 29"),
		at(fleetIncidents, 690, `{backend="small", model="small"} 2048`, `{backend="medium-a", model="medium"} 2048`).of("C").because("n_ctx of /props, max_model_len of /v1/models; medium-b is dead"),
		at(fleetIncidents, 690, `{backend="small", model="small"} 4`).of("D").because("total_slots of /props; vLLM does not export --max-num-seqs"),
		at(fleetIncidents, 690, `{backend="small", model="small"} 28443648`).of("E").because("size of /v1/models"),
	},
	Blank: "no backend that answers lists a model",
}
