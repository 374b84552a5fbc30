package rules

import "time"

// Who watches the watchers: the exporter, Prometheus, and the way to a person.
var watching = Group{
	Name:  "watching",
	About: "Does the watching itself work: the exporter, its configuration, and the way to a person?",
	Thresholds: []*Threshold{{
		Key: "scrape_seconds", Default: 5, Unit: "seconds",
		About: "Time that an exporter may take to answer. Keep it at half of scrape_timeout in Prometheus' configuration.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(avg_over_time(scrape_duration_seconds[5m])[1h:15s]))`,
			Healthy:   []string{"prometheus-2.42.0/with-alertmanager"},
			Above:     true, Margin: 10,
			Source: "half of Prometheus' own default of 10 s; the exporter ends a page half a second before the timeout that Prometheus tells it",
		}},
	}, {
		Key: "scrapes_answered", Default: 0.9, Unit: "ratio",
		About: "Share of scrapes within scrapes_window that an exporter must answer.",
		Evidence: []Evidence{{
			Source: "arithmetic: at 0.9 the mean time between two gaps is two and a half minutes, about as long as most alerts must hold",
		}},
	}, {
		Key: "scrapes_changes", Default: 2, Unit: "count",
		About: "Changes between answered and not within scrapes_window that one outage or restart makes.",
		Evidence: []Evidence{{
			Source: "arithmetic: down and up again are two",
		}},
	}, {
		Key: "scrapes_window", Default: 900, Unit: DurationUnit,
		About: "Window in which answered scrapes are counted.",
		Evidence: []Evidence{{
			Source: "sixty scrapes of 15 s: a single gap is 0.983",
		}},
	}, {
		Key: "dropped_share", Default: 0.1, Unit: "ratio",
		About: "Share of a backend's samples that may be unusable.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(backend:llm_scrape_dropped:ratio[1h])) or vector(0)`,
			Healthy:   []string{"haproxy-2.6.12/failover", "litellm-1.110.2/failover", "fleet-incidents"},
			Above:     true, Margin: 2,
		}},
	}, {
		Key: "watching_window", Default: 600, Unit: DurationUnit,
		About: "Window in which failures of the watching are counted: dropped samples, folded series, rules that fail or come late, alerts that nobody took.",
		Evidence: []Evidence{{
			// Seconds that more failures than notification_errors took, while an Alertmanager was dead.
			Statistic: `${notification_errors} / max(max_over_time(rate(prometheus_notifications_errors_total[5m])[1h:15s]))`,
			Healthy:   []string{"prometheus-2.42.0/in-trouble", "prometheus-2.42.0/dead-alertmanager"},
			Above:     true, Margin: 2,
			Source: "Prometheus sends what still fires again every minute or more",
		}},
	}, {
		Key: "slow_scrape_window", Default: 300, Unit: DurationUnit,
		About: "Time over which the duration of an exporter's scrapes is averaged. Raise it where one slow page in ten is usual.",
		Evidence: []Evidence{{
			Source: "twenty scrapes of 15 s: one that takes the whole ten seconds adds half a second",
		}},
	}, {
		Key: "exporter_starts", Default: 3, Unit: "count",
		About: "Starts and reloads of an exporter within starts_window that a person makes.",
		Evidence: []Evidence{{
			Source: "a service that ends at once is started every few seconds to a minute: fifteen times and more",
		}},
	}, {
		Key: "starts_window", Default: 900, Unit: DurationUnit,
		About: "Window in which starts are counted.",
		Evidence: []Evidence{{
			Source: "three starts in five minutes each are somebody at work, who is done by then",
		}},
	}, {
		Key: "clock_skew", Default: 30, Unit: "seconds",
		About: "How far the clocks of an exporter and of Prometheus may be apart.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(abs(timestamp(llm_scrape_last_success_timestamp_seconds) - llm_scrape_last_success_timestamp_seconds and on (instance, backend) llm_up == 1)[1h:15s]))`,
			Healthy:   []string{"fleet-incidents", "vllm-0.32.0/basic"},
			Above:     true, Margin: 3,
			Source: "a page may take ten seconds, and NTP keeps clocks within milliseconds",
		}},
	}, {
		Key: "notification_errors", Default: 2, Unit: "count",
		About: "Tries to send alerts to one Alertmanager that may fail within watching_window.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(increase(prometheus_notifications_errors_total[10m])[1h:15s]))`,
			Healthy:   []string{"prometheus-2.42.0/with-alertmanager"},
			Incident:  []string{"prometheus-2.42.0/in-trouble", "prometheus-2.42.0/dead-alertmanager"},
			Above:     true, Margin: 3,
		}},
	}},
	Records: []Record{{
		Name: "backend:llm_scrape_dropped:ratio", Unit: "ratio", Labels: perBackend,
		Expr: `
			increase(llm_scrape_dropped_samples_total[${watching_window}])
			  / (increase(llm_scrape_dropped_samples_total[${watching_window}]) + sum_over_time(llm_scrape_samples[${watching_window}]))
			>= 0`,
		About: "Share of a backend's samples that could not be used.",
	}},
	Alerts: []Alert{
		exporterDown, scrapesMissing, scrapeSlow, exporterRestarting, clockSkewed, configReloadFailed,
		samplesDropped, seriesFolded, backendReadTwice,
		rulesFailing, rulesSlow, prometheusReloadFailed, notificationsFailing, nobodyNotified, watchdog,
	},
}

var exporterDown = Alert{
	Name: "LlmExporterDown", Severity: Critical, For: 5 * time.Minute, Panel: "watching/answered",
	// When the exporter is gone every llm_ series is gone with it, and every other alert here is quiet.
	Expr: `
		up{job="${job}"} == 0
		or absent(up{job="${job}"})`,
	Summary: `{{ with $labels.instance }}The exporter {{ . }} is down: nothing that it reads is seen any more.{{ else }}No exporter is scraped as job {{ $labels.job }}: these rules see nothing of the fleet.{{ end }}`,
	Description: `Prometheus {{ with $labels.instance }}gets no answer from {{ . }}{{ else }}has no target of the job {{ $labels.job }}{{ end }}. The servers may be well, but no alert about them can fire.
		First start llmfleet_exporter again and read its log; if it runs, compare its address and the name of its job with Prometheus' configuration.`,
	Valueless: onlyState,
	Explains:  []Explanation{{By: []string{"instance"}, Why: "What an exporter said last is old when it is gone; other exporters still see."}},
	Cases: []Case{{
		Recording: "fleet-incidents", Edit: "exporter-gone-300-900",
		Fires: []Firing{{Labels: `instance="llmfleet", job="llmfleet"`, Pending: 300, Firing: 600, Resolved: 900, Text: "The exporter llmfleet is down: nothing that it reads is seen any more."}},
		Why:   "the exporter is gone for ten minutes",
	}, {
		Recording: "fleet-incidents", Edit: "exporter-removed-at-300",
		Fires: []Firing{{Labels: `job="llmfleet"`, Pending: 300, Firing: 600, Resolved: 0, Text: "No exporter is scraped as job llmfleet: these rules see nothing of the fleet."}},
		Why:   "nobody scrapes it any more",
	}, {
		Recording: "fleet-incidents", Quiet: true,
		Why: "servers that die do not take the exporter with them",
	}},
}

var configReloadFailed = Alert{
	Name: "LlmConfigReloadFailed", Severity: Warning, For: 5 * time.Minute, Panel: "watching/config",
	Expr:    `llmfleet_exporter_config_last_reload_successful == 0`,
	Summary: `The exporter {{ $labels.instance }} refused its configuration file and keeps the one before it.`,
	Description: `What was changed is not in force; at its next start the exporter will not come up.
		First run llmfleet_exporter --config.check with the file: it names each mistake with its line.`,
	Valueless: onlyState,
	Cases: []Case{{
		Recording: "fleet-incidents", Edit: "reload-refused-300-900",
		Fires: []Firing{{Labels: `instance="llmfleet", job="llmfleet"`, Pending: 300, Firing: 600, Resolved: 900, Text: "The exporter llmfleet refused its configuration file and keeps the one before it."}},
		Why:   "a file with a mistake was put in place, and corrected",
	}},
}

var nobodyNotified = Alert{
	Name: "LlmNobodyNotified", Severity: Warning, For: 10 * time.Minute, Panel: "glance/told",
	// An Alertmanager that is dead still counts as found; what no Alertmanager took is dropped.
	// Newer releases count that for each of them, so that one of two may be dead.
	// Absence is as bad: nobody can say whether anybody is told.
	Expr: `
		prometheus_notifications_alertmanagers_discovered == 0
		or min without (alertmanager) (increase(prometheus_notifications_dropped_total[${watching_window}])) > 0
		or absent(prometheus_notifications_alertmanagers_discovered)`,
	Summary: `{{ with $labels.instance }}Prometheus {{ . }} has nobody to notify{{ else }}Nobody can say whether Prometheus has somebody to notify{{ end }}: alerts are shown, and no person is told.`,
	Description: `{{ with $labels.instance }}Prometheus {{ . }} knows no Alertmanager, or none that takes its alerts. First see whether one runs at the address under alerting in Prometheus' configuration; the bundle has an example.
		{{ else }}No job scrapes Prometheus itself. First add one (target localhost:9090), so that this can be seen.{{ end }}`,
	Valueless: onlyState,
	Cases: []Case{{
		Recording: "prometheus-2.42.0/without-alertmanager",
		Fires:     []Firing{{Labels: `instance="prometheus", job="prometheus"`, Pending: 0, Firing: 600, Text: "Prometheus prometheus has nobody to notify: alerts are shown, and no person is told."}},
		Why:       "a Prometheus without Alertmanager: alerts are on its page only",
	}, {
		Recording: "prometheus-2.42.0/dead-alertmanager", MayPend: true,
		Fires: []Firing{{Labels: `instance="prometheus", job="prometheus"`, Pending: 75, Firing: 675, Text: "Prometheus prometheus has nobody to notify: alerts are shown, and no person is told."}},
		Why:   "the only Alertmanager is named, and does not answer",
	}, {
		Recording: "prometheus-2.42.0/with-alertmanager", Quiet: true,
		Why: "one Alertmanager is known, and takes what it gets",
	}, {
		Recording: "fleet-incidents", Edit: "alertmanager-lost-300-1200",
		Fires: []Firing{{Labels: `instance="prometheus", job="prometheus"`, Pending: 300, Firing: 900, Resolved: 1200, Text: "Prometheus prometheus has nobody to notify: alerts are shown, and no person is told."}},
		Why:   "the only Alertmanager is lost for a while",
	}, {
		Recording: "fleet-incidents", Edit: "prometheus-unwatched-from-300",
		Fires: []Firing{{Labels: ``, Pending: 300, Firing: 900, Resolved: 0, Text: "Nobody can say whether Prometheus has somebody to notify: alerts are shown, and no person is told."}},
		Why:   "Prometheus is not scraped, so nobody can say",
	}},
}

var watchdog = Alert{
	Name: "LlmWatchdog", Severity: None, Panel: "glance/told",
	Expr:        `vector(1)`,
	Summary:     `The way from the rules to a person works.`,
	Description: `This alert always fires. Send it to a service that calls you when it stops arriving (a dead man's switch): then Prometheus, the rules, Alertmanager or the network between them is broken.`,
	Valueless:   onlyState,
}
