package dashboards

import (
	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/rules"
)

// watching is the page about the watching itself: whether what the other pages show can be believed.
var watching = Dashboard{
	UID:       rules.WatchingDashboardUID,
	Title:     fleetTitle + "the watching itself",
	About:     "Is every exporter heard, is every rule evaluated, is somebody told, and what cannot be seen? When all is quiet, this page says whether that means anything.",
	Variables: aboutBackends,
	Notes:     notes,
	Rows:      []Row{heardRow, toldRow, blindRow},
}

var heardRow = Row{
	Key: "watching", Title: "Is every exporter heard, and in time?",
	Panels: []Panel{
		{
			Key: "watching/answered", Title: "Scrapes that were answered", Unit: catalog.Ratio, Width: 12, Max: 1, Threshold: "scrapes_answered", Least: true,
			About: "Within ${scrapes_window}. Each gap ends the alerts that are pending, so that one which must hold for minutes may never fire.",
			Queries: []Query{{
				Expr: `avg_over_time(up{job="${job}", instance=~"$instance"}[${scrapes_window}])`, Legend: "{{instance}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 690, `{} 1`),
			},
			Blank: "Prometheus has no such job",
		},
		{
			Key: "watching/scrape", Title: "Time that the exporter takes to answer", Unit: catalog.Seconds, Width: 12, Threshold: "scrape_seconds",
			About: "On average of ${slow_scrape_window}. Beyond scrape_timeout the page is lost whole.",
			Queries: []Query{{
				Expr: `avg_over_time(scrape_duration_seconds{job="${job}", instance=~"$instance"}[${slow_scrape_window}])`, Legend: "{{instance}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 690, `{} 0`).because("the proof plays the exporter without a network and without waiting"),
			},
			Blank: "Prometheus has no such job",
		},
		{
			Key: "watching/clock", Title: "How far are the clocks apart?", Unit: catalog.Seconds, Width: 12, Threshold: "clock_skew",
			About: "The exporter's clock beside that of Prometheus; a scrape's own time is in it.",
			Queries: []Query{{
				Expr: `min without (backend) (
  abs(timestamp(llm_scrape_last_success_timestamp_seconds{instance=~"$instance"}) - llm_scrape_last_success_timestamp_seconds{instance=~"$instance"})
    and on (instance, backend)
  llm_up{instance=~"$instance"} == 1
)`, Legend: "{{instance}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 690, `{} 0`),
			},
			Blank: "no backend gave numbers",
		},
		{
			Key: "watching/starts", Title: "Exporter starts and reloads", Unit: catalog.Count, Width: 12, Threshold: "exporter_starts",
			About: "Changes of the time at which it read its configuration, within ${starts_window}.",
			Queries: []Query{{
				Expr: `changes(llmfleet_exporter_config_last_reload_success_timestamp_seconds{instance=~"$instance"}[${starts_window}])`, Legend: "{{instance}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 690, `{} 0`),
			},
			Blank: "no exporter answers",
		},
	},
}

var toldRow = Row{
	Key: "watching-alerts", Title: "Are rules evaluated, and alerts delivered?",
	Panels: []Panel{
		{
			Key: "watching/rules", Title: "Rules failed or left out in ${watching_window}", Unit: catalog.Count, Width: 8, Height: 7,
			About: "A rule that cannot be evaluated cannot fire. A group that takes longer than its interval leaves turns out.",
			Queries: []Query{
				{
					Expr: `increase(prometheus_rule_evaluation_failures_total{rule_group=~"(.*/)?llm-[^/]*"}[${watching_window}])`, Legend: "{{rule_group}} failed",
				},
				{
					Expr: `increase(prometheus_rule_group_iterations_missed_total{rule_group=~"(.*/)?llm-[^/]*"}[${watching_window}])`, Legend: "{{rule_group}} left out",
				},
			},
			Cases: []Case{
				at("prometheus-2.42.0/in-trouble", 750, `{rule_group="llm-failing.yml;failing"} 40`, `{rule_group="llm-slow.yml;slow"} 0`).because("1 at 165 and 40 at 750, taken back to 0 at 150"),
				at("prometheus-2.42.0/in-trouble", 750, `{rule_group="llm-failing.yml;failing"} 0`, `{rule_group="llm-slow.yml;slow"} 9`).of("B").because("0 at 165, 9 at 750"),
			},
			Blank: "Prometheus does not watch itself, or has none of these rules",
		},
		{
			Key: "watching/notifications", Title: "Failed alert deliveries in ${watching_window}", Unit: catalog.Count, Width: 8, Height: 7, Threshold: "notification_errors",
			About: "By Alertmanager. Where one of several takes them, somebody is told all the same.",
			Queries: []Query{{
				Expr: `increase(prometheus_notifications_errors_total[${watching_window}])`, Legend: "{{alertmanager}}",
			}},
			Cases: []Case{
				at("prometheus-2.42.0/in-trouble", 750, `{alertmanager="http://127.0.0.1:19393/api/v2/alerts"} 0`, `{alertmanager="http://127.0.0.1:19394/api/v2/alerts"} 8`).because("0 at 165, 8 at 750; the second is dead from 197 on"),
			},
			Blank: "Prometheus does not watch itself, or has no Alertmanager",
		},
		{
			Key: "watching/config", Title: "Whose configuration was refused?", Unit: catalog.Count, Kind: Steps, Width: 8,
			About: "One step for each exporter and each Prometheus that keeps the configuration before, because there is a mistake in the one that was put in place.",
			Queries: []Query{{
				Expr: `(llmfleet_exporter_config_last_reload_successful{instance=~"$instance"} == 0
  or
prometheus_config_last_reload_successful == 0) + 1`, Legend: "{{job}} {{instance}}",
			}},
			Cases: []Case{
				at("prometheus-2.42.0/in-trouble", 300),
				at("prometheus-2.42.0/in-trouble", 600, `{} 1`).because("refused at 302"),
			},
			Blank: "none, or nobody watches them",
		},
	},
}
