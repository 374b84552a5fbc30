package rules

import "time"

// Alerts about Prometheus itself. They need a job that scrapes it; LlmNobodyNotified says when
// there is none.

var rulesFailing = Alert{
	Name: "LlmRulesFailing", Severity: Warning, For: 2 * time.Minute, Panel: "watching/rules",
	Expr:    `increase(prometheus_rule_evaluation_failures_total{rule_group=~"(.*/)?llm-[^/]*"}[${watching_window}]) > 0`,
	Summary: `Rules of {{ $labels.rule_group }} cannot be evaluated: {{ $value | printf "%.0f" }} failures within ${watching_window}.`,
	Description: `An alert that cannot be evaluated cannot fire, and looks as well as one that has nothing to say.
		First read the rule's error on Prometheus' page Alerts or Rules. "Duplicate series" means that a backend is read twice (LlmBackendReadTwice) or that labels were added to one of two series that a rule joins.`,
	Cases: []Case{{
		Recording: "prometheus-2.42.0/in-trouble",
		Fires:     []Firing{{Labels: `instance="prometheus", job="prometheus", rule_group="llm-failing.yml;failing"`, Pending: 180, Firing: 300, Resolved: 0, Text: "Rules of llm-failing.yml;failing cannot be evaluated: 10 failures within 10m."}},
		Why:       "a rule with two series where it wants one",
	}, {
		Recording: "prometheus-2.42.0/with-alertmanager", Quiet: true,
		Why: "rules that work",
	}},
}

var rulesSlow = Alert{
	Name: "LlmRulesSlow", Severity: Warning, For: 5 * time.Minute, Panel: "watching/rules",
	Expr:    `increase(prometheus_rule_group_iterations_missed_total{rule_group=~"(.*/)?llm-[^/]*"}[${watching_window}]) > 0`,
	Summary: `{{ $labels.rule_group }} takes longer than its interval: {{ $value | printf "%.0f" }} turns were left out within ${watching_window}, and alerts come late.`,
	Description: `What is skipped is never made up for: recorded names have gaps, and alerts fire minutes late.
		First see which group takes how long (prometheus_rule_group_last_duration_seconds), and whether Prometheus is short of processors or its storage is slow; then raise the interval.`,
	Cases: []Case{{
		Recording: "prometheus-2.42.0/in-trouble",
		Fires:     []Firing{{Labels: `instance="prometheus", job="prometheus", rule_group="llm-slow.yml;slow"`, Pending: 225, Firing: 525, Resolved: 0, Text: "llm-slow.yml;slow takes longer than its interval: 6 turns were left out within 10m, and alerts come late."}},
		Why:       "a group of twenty seconds every fifteen: each third turn is left out",
	}, {
		Recording: "prometheus-2.42.0/with-alertmanager", Quiet: true,
		Why: "rules that are done in a millisecond",
	}},
}

var prometheusReloadFailed = Alert{
	Name: "LlmPrometheusReloadFailed", Severity: Warning, For: 5 * time.Minute, Panel: "watching/config",
	Expr:    `prometheus_config_last_reload_successful == 0`,
	Summary: `Prometheus {{ $labels.instance }} refused its configuration and keeps the one before it.`,
	Description: `New rules, targets or Alertmanagers are not in force; at its next start Prometheus will not come up, and nobody watches anything.
		First run promtool check config with its file: it names the mistake.`,
	Valueless: onlyState,
	Cases: []Case{{
		Recording: "prometheus-2.42.0/in-trouble",
		Fires:     []Firing{{Labels: `instance="prometheus", job="prometheus"`, Pending: 315, Firing: 615, Resolved: 780, Text: "Prometheus prometheus refused its configuration and keeps the one before it."}},
		Why:       "a file with a bracket too few",
	}},
}

var notificationsFailing = Alert{
	Name: "LlmNotificationsFailing", Severity: Warning, For: 5 * time.Minute, Panel: "watching/notifications",
	// When no Alertmanager takes them they are dropped, and LlmNobodyNotified tells.
	Expr: `
		increase(prometheus_notifications_errors_total[${watching_window}]) > ${notification_errors}
		unless on (instance) min by (instance) (increase(prometheus_notifications_dropped_total[${watching_window}])) > 0`,
	Summary: `The Alertmanager {{ $labels.alertmanager }} does not take alerts: {{ $value | printf "%.0f" }} tries of {{ $labels.instance }} failed within ${watching_window}.`,
	Description: `Another one still does, so somebody is told; when that one goes too, nobody is.
		First see whether {{ $labels.alertmanager }} runs and can be reached from Prometheus; if it was taken away for good, take it out of Prometheus' configuration.`,
	Cases: []Case{{
		Recording: "prometheus-2.42.0/in-trouble",
		Fires:     []Firing{{Labels: `alertmanager="http://127.0.0.1:19394/api/v2/alerts", instance="prometheus", job="prometheus"`, Pending: 375, Firing: 675, Resolved: 0, Text: "The Alertmanager http://127.0.0.1:19394/api/v2/alerts does not take alerts: 7 tries of prometheus failed within 10m."}},
		Why:       "one of two is dead for ten minutes; prometheus_notifications_sent_total rises for both all the same",
	}, {
		Recording: "prometheus-2.42.0/dead-alertmanager", Quiet: true, MayPend: true,
		Why: "the only one is dead: LlmNobodyNotified tells",
	}},
}
