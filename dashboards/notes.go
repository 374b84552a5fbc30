package dashboards

// notes are the marks on the graphs of every page about backends.
var notes = []Annotation{markAlerts(`backend=~"$backend|"}` + ofChosen), restarted, modelChanged}

// markAlerts marks the alerts that the end of a selector chooses, and those about no backend.
func markAlerts(chosen string) Annotation {
	return marksOf(`(ALERTS{alertname=~"Llm.*", alertname!="LlmWatchdog", alertstate="firing", `+chosen+`)`,
		at(fleetIncidents, 465),
		at(fleetIncidents, 690, incidentsAt690...),
	)
}

// incidentsAt690 is what fires while a replica is dead and its router has it out.
var incidentsAt690 = []string{
	`{alertname="LlmBackendDown", severity="critical", backend="medium-b"} 1`,
	`{alertname="LlmRouterTargetOut", severity="warning", backend="router", target="http://127.0.0.1:19302"} 1`,
}

// marksOf marks when alerts fired.
func marksOf(alerts string, cases ...Case) Annotation {
	return Annotation{
		Key: "alerts", Title: "Alerts firing", Color: "red", Tags: "severity,backend,gpu", Format: "{{alertname}} {{backend}} {{target}} {{gpu}}",
		Expr:  `max by (alertname, severity, instance, backend, target, gpu) ` + alerts,
		Cases: cases,
	}
}

// restarted marks a minute in which a server was seen to have begun anew: its process has another
// start than the last one known, or its counters began again. How long it was away does not
// matter for the first sign; the second one is for engines that do not say when they started.
var restarted = Annotation{
	Key: "restarts", Title: "Restarts", Color: "orange", Tags: "backend", Format: "{{backend}} restarted",
	Expr: `max by (instance, backend) (
  llm_engine_start_timestamp_seconds{instance=~"$instance", backend=~"$backend", engine=~"$engine"}
    > bool last_over_time(llm_engine_start_timestamp_seconds{instance=~"$instance", backend=~"$backend", engine=~"$engine"}[1h] offset 1m)
    > 0
  or
  resets(llm_generation_tokens_total{instance=~"$instance", backend=~"$backend", engine=~"$engine"}[15m])
    > resets(llm_generation_tokens_total{instance=~"$instance", backend=~"$backend", engine=~"$engine"}[15m] offset 1m)
)`,
	Cases: []Case{
		at(fleetIncidents, 630),
		at(fleetIncidents, 645, `{backend="small"} 1`).because("tokens_predicted_total 53380 at 600 and 233 at 645: it was started at 643"),
		at(fleetIncidents, 690, `{backend="small"} 1`),
		at(fleetIncidents, 705).because("a minute later the mark ends"),
		at(fleetIncidents, 1245, `{backend="medium-b"} 1`).because("process_start_time_seconds is 1795982035.04 and was 1795980968.19 when it was last seen, at 465"),
		at(fleetIncidents, 1245).chosen("small"),
	},
}

// inMemory is 1 for each model that is loaded, and 0 for one that is not.
const inMemory = `llm_model_state{state="loaded", instance=~"$instance", backend=~"$backend", engine=~"$engine"}`

// modelChanged marks a minute in which another model than before was in memory. A server with one
// model that is started again with another one has new series for it, and those of the old one end.
// One that was away is compared with what it had before.
var modelChanged = Annotation{
	Key: "models", Title: "Model changes", Color: "blue", Tags: "backend,model", Format: "{{backend}}: {{model}} {{change}}",
	Expr: `max by (instance, backend, model, change) (
  label_replace(
    ` + inMemory + ` == 1
      unless on (instance, backend, model) last_over_time(` + inMemory + `[1h] offset 1m) == 1
      and on (instance, backend) last_over_time(` + inMemory + `[1h] offset 1m),
    "change", "loaded", "", ""
  )
  or
  label_replace(
    last_over_time(` + inMemory + `[1h] offset 1m) > ` + inMemory + `
      or
    ` + inMemory + ` offset 1m == 1
      unless on (instance, backend, model) ` + inMemory + `
      and on (instance, backend) ` + inMemory + `,
    "change", "no longer loaded", "", ""
  )
)`,
	Cases: []Case{
		at(modelRouter, 45),
		at(modelRouter, 60, `{backend="llamacpp", model="small-random-llama", change="loaded"} 1`, `{backend="llamacpp", model="tiny-random-llama", change="loaded"} 1`).because("/models calls both loaded from 4, played fifteen times slower"),
		at(modelRouter, 120),
		at(modelRouter, 450, `{backend="llamacpp", model="tiny-random-llama", change="no longer loaded"} 1`).because("unloaded from 30"),
		at("llamacpp-0.7.0-b11669/another-model", 60),
		at("llamacpp-0.7.0-b11669/another-model", 75, `{backend="llamacpp", model="tiny", change="loaded"} 1`, `{backend="llamacpp", model="small", change="no longer loaded"} 1`).because("/props names another model from 25, played three times slower"),
		at("llamacpp-0.7.0-b11669/another-model", 135).because("a minute later the mark ends"),
		at("ollama-0.17.4/basic", 525, `{backend="ollama", model="small:latest", change="no longer loaded"} 1`).because("/api/ps is empty again from 35"),
	},
}

// aboutIt are the alerts about the chosen backends: their own, those of the cards that they run
// on, and what a router says of them as its workers.
func aboutIt(matchers string) string {
	alerts := `ALERTS{alertname=~"Llm.*", instance=~"$instance", ` + matchers
	return `(
  ` + alerts + `backend=~"$backend", backend!=""}` + ofEngine + `
  or
  ` + alerts + `gpu!=""} and on (instance, gpu) ` + itsCardsInfo + `
  or
  ` + alerts + `target!=""}` + thatAreIts + `
)`
}

// aboutItBySeverity is 3, 2 or 1 for each of them, as bySeverity.
func aboutItBySeverity(labels string) string {
	of := func(severity string) string { return aboutIt(`severity="` + severity + `", `) }
	return "max by (" + labels + ") (\n3 * " + of("critical") + "\n  or\n2 * " + of("warning") + "\n  or\n" + of("info") + "\n)"
}

// alertsAboutIt marks when alerts about one server fired.
var alertsAboutIt = marksOf(aboutIt(`alertstate="firing", `),
	at(fleetIncidents, 690, incidentsAt690...).chosen("medium-b"),
	at(fleetIncidents, 690).chosen("medium-a"),
)
