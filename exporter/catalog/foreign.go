package catalog

// Foreign is a series that we do not emit and that rules and panels may use all the same.
type Foreign struct {
	Name string
	Kind Kind
	Unit Unit
	From string // who emits it
}

// ForeignSeries lists them. Whatever stands here must be in a recording of its emitter.
func ForeignSeries() []Foreign {
	return []Foreign{
		{"up", Gauge, Boolean, "Prometheus, for every target it scrapes"},
		{"scrape_duration_seconds", Gauge, Seconds, "Prometheus, for every target it scrapes"},
		{"ALERTS", Gauge, Boolean, "Prometheus, for every alert that is pending or firing"},
		{"prometheus_notifications_alertmanagers_discovered", Gauge, Count, "Prometheus about itself"},
		{"prometheus_notifications_dropped_total", Counter, Count, "Prometheus about itself"},
		{"prometheus_rule_evaluation_failures_total", Counter, Count, "Prometheus about itself"},
		{"prometheus_rule_group_iterations_missed_total", Counter, Count, "Prometheus about itself"},
		{"prometheus_notifications_errors_total", Counter, Count, "Prometheus about itself"},
		{"prometheus_config_last_reload_successful", Gauge, Boolean, "Prometheus about itself"},
		{"llmfleet_exporter_build_info", Info, None, "the exporter, through the client library"},
	}
}
