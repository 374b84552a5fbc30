package rules

import "time"

// Who watches the watchers: the exporter, Prometheus, and the way to a person.
var watching = Group{
	Name:   "watching",
	About:  "Does the watching itself work: the exporter, its configuration, and the way to a person?",
	Alerts: []Alert{exporterDown, configReloadFailed, nobodyNotified, watchdog},
}

var exporterDown = Alert{
	Name: "LlmExporterDown", Severity: Critical, For: 5 * time.Minute, Panel: "glance/serving",
	// When the exporter is gone every llm_ series is gone with it, and every other alert here is quiet.
	Expr: `
		up{job="${job}"} == 0
		or absent(up{job="${job}"})`,
	Summary: `The exporter {{ with $labels.instance }}{{ . }} {{ end }}is down: nothing of the fleet is seen any more.`,
	Description: `Prometheus gets no answer from {{ with $labels.instance }}{{ . }}{{ else }}any target of the job {{ $labels.job }}{{ end }}. The servers may be well, but no alert about them can fire.
		First start llmfleet_exporter again and read its log; if it runs, compare its address with the target in Prometheus' configuration.`,
	Explains: []Explanation{{By: []string{"instance"}, Why: "What an exporter said last is old when it is gone; other exporters still see."}},
	Cases: []Case{{
		Recording: "fleet-incidents", Edit: "exporter-gone-300-900",
		Fires: []Firing{{Labels: `instance="llmfleet", job="llmfleet"`, Pending: 300, Firing: 600, Resolved: 900, Text: "The exporter llmfleet is down: nothing of the fleet is seen any more."}},
		Why:   "the exporter is gone for ten minutes",
	}, {
		Recording: "fleet-incidents", Edit: "exporter-removed-at-300",
		Fires: []Firing{{Labels: `job="llmfleet"`, Pending: 300, Firing: 600, Resolved: 0, Text: "The exporter is down: nothing of the fleet is seen any more."}},
		Why:   "nobody scrapes it any more",
	}, {
		Recording: "fleet-incidents", Quiet: true,
		Why: "servers that die do not take the exporter with them",
	}},
}

var configReloadFailed = Alert{
	Name: "LlmConfigReloadFailed", Severity: Warning, For: 5 * time.Minute, Panel: "glance/numbers",
	Expr:    `llmfleet_exporter_config_last_reload_successful == 0`,
	Summary: `The exporter {{ $labels.instance }} refused its configuration file and keeps the one before it.`,
	Description: `What was changed is not in force; at its next start the exporter will not come up.
		First run llmfleet_exporter --config.check with the file: it names each mistake with its line.`,
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
		or min without (alertmanager) (increase(prometheus_notifications_dropped_total[10m])) > 0
		or absent(prometheus_notifications_alertmanagers_discovered)`,
	Summary: `{{ with $labels.instance }}Prometheus {{ . }} has nobody to notify{{ else }}Nobody can say whether Prometheus has somebody to notify{{ end }}: alerts are shown, and no person is told.`,
	Description: `{{ with $labels.instance }}Prometheus {{ . }} knows no Alertmanager, or none that takes its alerts. First see whether one runs at the address under alerting in Prometheus' configuration; the bundle has an example.
		{{ else }}No job scrapes Prometheus itself. First add one (target localhost:9090), so that this can be seen.{{ end }}`,
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
}
