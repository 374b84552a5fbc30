package dashboards

import "github.com/llmfleet/llmfleet/exporter/catalog"

var good, bad, dull = "green", "red", "text"

// glanceRow answers within one screen: is it fine, and if not, where. A number that could also
// mean "nobody is looking" is left out instead: no watchdog, no "0 alerts".
var glanceRow = Row{
	Key: "glance", Title: "Is it fine, and if not, where?",
	Panels: []Panel{
		{
			Key: "glance/firing", Title: "Alerts that want a person", Unit: catalog.Count, Kind: Stat, Width: 5, Text: ValueOnly,
			About: "Alerts firing now, pages and tickets. Says so instead of 0 when the watchdog does not fire: then no rule is evaluated and silence means nothing.",
			Queries: []Query{{
				Expr: `count(ALERTS{alertname=~"Llm.*", ` + wanting + `, backend=~"$backend|"}` + ofChosen + `)
  or
0 * count(ALERTS{alertname="LlmWatchdog", alertstate="firing"})`, Legend: "firing",
			}},
			Words:  []Word{{0, "none", good}},
			Colors: []Color{{0, good}, {1, bad}},
			Cases: []Case{
				at(fleetIncidents, 465, `{} 0`).because("nothing is wrong yet"),
				at(fleetIncidents, 690, `{} 2`).because("medium-b is down for 210 s, the router has it out for just as long"),
				at(fleetIncidents, 690, `{} 0`).chosen("small").because("neither alert is about small"),
			},
			Blank: "rules are not evaluated",
		},
		{
			Key: "glance/worst", Title: "Where is it worst?", Unit: catalog.None, Kind: Stat, Width: 5, Text: NameOnly,
			About: "Of the backends about which an alert wants a person: one that cannot serve, else the one with most alerts; one page outweighs any number of tickets. The table begins with the same ones.",
			Queries: []Query{{
				Expr: `topk(1,
  sum by (instance, backend) (
    100 * ALERTS{alertname=~"Llm.*", alertstate="firing", severity="critical", backend=~"$backend", backend!=""}
      or
    ALERTS{alertname=~"Llm.*", alertstate="firing", severity="warning", backend=~"$backend", backend!=""}
      or
    1000 * (llm_healthy{backend=~"$backend"} == bool 0) and on (instance, backend) ALERTS{alertname=~"Llm.*", ` + wanting + `}
  )` + ofChosen + `
)`, Legend: "{{backend}}",
			}},
			Colors: []Color{{0, "orange"}, {100, bad}},
			Cases: []Case{
				at(fleetIncidents, 465),
				at(fleetIncidents, 690, `{backend="medium-b"} 1100`).because("it is down: 1000, for which there is a page: 100; the router has one ticket: 1"),
				at("caddy-2.11.9/failover", 600, `{backend="caddy"} 101`).because("a page and a ticket, and it answers"),
			},
			Blank: "nowhere",
		},
		{
			Key: "glance/serving", Title: "Backends that can serve", Unit: catalog.Count, Kind: Stat, Width: 5,
			About: "Backends that answer and say that they can serve, out of those that are watched. A router that has lost a replica may say that it cannot.",
			Queries: []Query{
				{Expr: `sum(max by (instance, backend) (llm_healthy{instance=~"$instance", backend=~"$backend"}` + ofEngine + `))`, Legend: "can serve"},
				{Expr: `count(max by (instance, backend) (llm_scrape_duration_seconds{instance=~"$instance", backend=~"$backend"}` + ofEngine + `))`, Legend: "watched"},
			},
			Cases: []Case{
				at(fleetIncidents, 690, `{} 3`).because("/health: medium-a 200, small 200, medium-b refused; /readiness of the router 200"),
				at(fleetIncidents, 690, `{} 4`).of("B"),
			},
			Blank: "no exporter answers",
		},
		{
			Key: "glance/numbers", Title: "Without numbers", Unit: catalog.Count, Kind: Stat, Width: 4, Text: ValueOnly,
			About: "Backends that should give numbers and did not in the newest scrape. Programs that export none are not counted; the table names them.",
			Queries: []Query{{
				Expr: `count(max by (instance, backend) (llm_up{instance=~"$instance", backend=~"$backend"}` + ofEngine + `) == 0)
  or
0 * count(llm_up{instance=~"$instance", backend=~"$backend"}` + ofEngine + `)`, Legend: "without numbers",
			}},
			Words:  []Word{{0, "none", good}},
			Colors: []Color{{0, good}, {1, bad}},
			Cases: []Case{
				at(fleetIncidents, 465, `{} 0`),
				at(fleetIncidents, 690, `{} 1`),
			},
			Blank: "no exporter answers",
		},
		{
			Key: "glance/told", Title: "Who is told?", Unit: catalog.Count, Kind: Stat, Width: 5, Text: ValueOnly,
			About: "Alertmanagers that Prometheus has found; with several Prometheus, those of the worst off. Nobody: it found none, or what it sent within ${watching_window} was lost, because none takes anything. Alerts are then evaluated and shown here, and nobody hears of them.",
			Queries: []Query{{
				Expr: `min(
  prometheus_notifications_alertmanagers_discovered
    unless on (instance, job) min without (alertmanager) (increase(prometheus_notifications_dropped_total[${watching_window}])) > 0
  or
  0 * prometheus_notifications_alertmanagers_discovered
)`, Legend: "Alertmanagers",
			}},
			Words:  []Word{{0, "nobody", bad}, {1, "1 Alertmanager", good}},
			Colors: []Color{{0, bad}, {1, good}},
			Cases: []Case{
				at(fleetIncidents, 690, `{} 1`),
				at("prometheus-2.42.0/with-alertmanager", 690, `{} 1`).because("one is named, and takes what it gets"),
				at("prometheus-2.42.0/without-alertmanager", 690, `{} 0`).because("none is named"),
				at("prometheus-2.42.0/dead-alertmanager", 690, `{} 0`).because("the one that is named does not answer, and is found all the same"),
			},
			Blank: "Prometheus does not watch itself",
		},
		backends,
	},
}

// wanting chooses alerts that fire and want a person: pages and tickets. What is for information
// only stands in the tables of alerts, and is counted nowhere.
const wanting = `alertstate="firing", severity=~"critical|warning"`

// cardsOfBackends is 1 for each card that carries a backend, and alertsOfCards how many alerts
// about that card want a person.
const (
	cardsOfBackends = `max by (instance, backend, gpu) (llm_gpu_backend_info{instance=~"$instance", backend=~"$backend"}` + ofEngine + `)`
	alertsOfCards   = cardsOfBackends + ` * on (instance, gpu) group_left () count by (instance, gpu) (ALERTS{alertname=~"Llm.*", ` + wanting + `, gpu!=""})`
)

// worstAlert is the gravest of a backend's alerts and of those of its cards, by its severity.
var worstAlert = `topk by (instance, backend) (1,
  ` + bySeverity("instance, backend, alertname", `alertname=~"Llm.*", alertstate="firing", backend=~"$backend", backend!=""`, ofChosen) + `
    or
  max by (instance, backend, alertname) (
    ` + cardsOfBackends + `
      * on (instance, gpu) group_left (alertname)
    topk by (instance, gpu) (1, ` + bySeverity("instance, gpu, alertname", `alertname=~"Llm.*", alertstate="firing", gpu!=""`, "") + `)
  )
)`

// knownBackends is 1 for each backend of the configurations, with some of what is known of it.
func knownBackends(labels string) string {
	return `max by (instance, backend, ` + labels + `) (llm_backend_info{instance=~"$instance", backend=~"$backend", engine=~"$engine"})`
}

// backends is the table of everything that is known, watched or not.
var backends = Panel{
	Key: "glance/backends", Title: "Every backend", Unit: catalog.None, Kind: Table, Width: 24, Height: 8,
	About: "One row for each backend of the exporter's configuration, also for those that are not scraped. State joins two facts: it says that it can serve, and its numbers arrive. Alerts are the pages and tickets about it and about the cards that it runs on; of several cards, the one with most alerts is named. The gravest alert, be it for information only, leads to its runbook. Read ago is the age of its numbers.",
	Queries: []Query{
		{Expr: knownBackends("engine")},
		{Expr: `2 * max by (instance, backend) (llm_healthy{instance=~"$instance", backend=~"$backend"}` + ofEngine + `)
  +
(
    max by (instance, backend) (llm_up{instance=~"$instance", backend=~"$backend"}` + ofEngine + `)
  or
    0 * max by (instance, backend) (llm_healthy{instance=~"$instance", backend=~"$backend"}` + ofEngine + `)
)
  or
0 * max by (instance, backend) (llm_up{instance=~"$instance", backend=~"$backend"} == 0` + ofEngine + `) - 1`},
		{Expr: `max by (instance, backend, reason) (llm_scrape_failed{instance=~"$instance", backend=~"$backend"} == 1` + ofEngine + `)
  or
max by (instance, backend, reason) (llm_unscraped_info{instance=~"$instance", backend=~"$backend"}` + ofEngine + `)`},
		{Expr: `sum by (instance, backend) (
  count by (instance, backend) (ALERTS{alertname=~"Llm.*", ` + wanting + `, backend=~"$backend", backend!=""}` + ofChosen + `)
    or
  ` + alertsOfCards + `
)`},
		{Expr: `sum by (instance, backend) (llm_requests_running{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"})`},
		{Expr: `sum by (instance, backend) (llm_requests_waiting{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"})`},
		{Expr: `max by (instance, backend) (llm_kv_cache_usage_ratio{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"})`},
		{Expr: `time() - max by (instance, backend) (llm_scrape_last_success_timestamp_seconds{instance=~"$instance", backend=~"$backend"}` + ofEngine + `)`},
		{Expr: `topk by (instance, backend) (1,
  ` + alertsOfCards + `
    or
  0 * ` + cardsOfBackends + `
)`, Lacks: []string{catalog.LabelGPU}},
		{Expr: worstAlert},
	},
	Columns: []Column{
		{Field: catalog.LabelBackend, Title: "Backend", Width: 150},
		{Field: "B", Title: "State", Width: 170, Words: []Word{
			{-1, "? answers, no numbers", "orange"}, {0, "✕ down", bad}, {1, "! says it cannot serve", "orange"}, {2, "– serves, no numbers", "orange"}, {3, "✓ serves", good},
		}},
		{Field: catalog.LabelReason, Title: "Why no numbers", Width: 125},
		{Field: catalog.LabelGPU, Title: "Card", Width: 115},
		{Field: "D", Title: "Alerts", Unit: catalog.Count, Width: 65, Colors: []Color{{0, good}, {1, bad}}},
		{Field: "alertname", Title: "Gravest alert", Width: 205, Runbook: true},
		{Field: "E", Title: "Running", Unit: catalog.Requests, Width: 75},
		{Field: "F", Title: "Waiting", Unit: catalog.Requests, Width: 75},
		{Field: "G", Title: "KV cache", Unit: catalog.Ratio, Width: 80},
		{Field: "H", Title: "Read ago", Unit: catalog.Seconds, Width: 80},
		{Field: catalog.LabelEngine, Title: "Engine", Width: 120},
		{Field: "instance", Title: "Exporter"},
	},
	Sort: "-B,D",
	Cases: []Case{
		at(fleetIncidents, 690, `{backend="medium-a"} 3`, `{backend="medium-b"} 0`, `{backend="router"} 3`, `{backend="small"} 3`).of("B"),
		at(fleetIncidents, 690, `{backend="medium-b", reason="refused"} 1`).of("C"),
		at(fleetIncidents, 690, `{backend="medium-b"} 1`, `{backend="router"} 1`).of("D"),
		at(hostA1, 600, `{backend="radiance-0"} 1`, `{backend="radiance-1"} 1`).of("D").because("0000:03:00.0 has 1 GiB left; 0000:0b:00.0 is behind a port that does not route AtomicOps, and that it hangs on one of its lanes is for information only"),
		at(hostA1, 600, `{backend="radiance-0", gpu="0000:03:00.0"} 1`, `{backend="radiance-1", gpu="0000:0b:00.0"} 1`).of("I"),
		at(hostA2, 600, `{backend="radiance", gpu="0000:03:00.0"} 1`).of("I").because("it runs on 0000:07:00.0 too, about which no alert fires"),
		at(fleetIncidents, 690, `{backend="medium-b", alertname="LlmBackendDown"} 3`, `{backend="router", alertname="LlmRouterTargetOut"} 2`).of("J"),
		at(hostA1, 600, `{backend="radiance-0", alertname="LlmGPUMemoryTight"} 2`, `{backend="radiance-1", alertname="LlmGPUAtomicsBlocked"} 2`).of("J").because("of its two the narrow link is for information only"),
		at(fleetIncidents, 690, `{backend="medium-a"} 5`, `{backend="small"} 2`).of("E").because("num_requests_running 5, requests_processing 2"),
		at(fleetIncidents, 690, `{backend="medium-a"} 0.0407`).of("G").because("kv_cache_usage_perc 0.040704; llama.cpp has none"),
		at(fleetIncidents, 690, `{backend="medium-a"} 0`, `{backend="medium-b"} 225`, `{backend="router"} 0`, `{backend="small"} 0`).of("H").because("medium-b answered last at 465"),
	},
	Blank: "no exporter answers",
}
