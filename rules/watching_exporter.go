package rules

import "time"

// Alerts about exporters that answer, and do it too slowly, too seldom, twice, or in part.

var scrapeSlow = Alert{
	Name: "LlmScrapeSlow", Severity: Warning, For: 5 * time.Minute, Panel: "watching/scrape",
	Expr:    `avg_over_time(scrape_duration_seconds{job="${job}"}[${slow_scrape_window}]) > ${scrape_seconds}`,
	Summary: `The exporter {{ $labels.instance }} takes {{ $value | humanizeDuration }} to answer, and Prometheus gives up after 10s unless it is told otherwise.`,
	Description: `A little slower, and its page is lost whole: then every alert about its backends is quiet.
		First see which backend is slow (llm_scrape_duration_seconds): the exporter waits for each no longer than its timeout, so lower that timeout in its configuration; then raise scrape_timeout in Prometheus' configuration, or give half of the backends to a second exporter.`,
	Cases: []Case{{
		Recording: "fleet-incidents", Edit: "page-slow-300-900",
		Fires: []Firing{{Labels: `instance="llmfleet", job="llmfleet"`, Pending: 480, Firing: 780, Resolved: 1005, Text: "The exporter llmfleet takes 8s to answer, and Prometheus gives up after 10s unless it is told otherwise."}},
		Why:   "the page takes eight seconds for ten minutes; in the proof it takes none, so the time is written by hand",
	}, {
		Recording: "fleet-incidents", Edit: "page-slow-now-and-then", Quiet: true, MayPend: true,
		Why: "one slow page in ten",
	}},
}

var scrapesMissing = Alert{
	Name: "LlmScrapesMissing", Severity: Warning, For: 2 * time.Minute, Panel: "watching/answered",
	// One gap ends every alert that is pending: what must hold for minutes then never fires.
	Expr: `
		avg_over_time(up{job="${job}"}[${scrapes_window}]) < ${scrapes_answered}
		and changes(up{job="${job}"}[${scrapes_window}]) > ${scrapes_changes}`,
	Summary: `The exporter {{ $labels.instance }} answers only {{ $value | humanizePercentage }} of the time: there are gaps in everything it sees.`,
	Description: `Each gap ends the alerts that are pending about its backends, so that one which must hold for minutes may never fire.
		First see whether {{ $labels.instance }} is started again and again (LlmExporterRestarting), then whether its answers take about as long as Prometheus waits (LlmScrapeSlow), then whether the network between them loses packets.`,
	Cases: []Case{{
		Recording: "fleet-incidents", Edit: "every-seventh-scrape-lost",
		Fires: []Firing{{Labels: `instance="llmfleet", job="llmfleet"`, Pending: 180, Firing: 300, Resolved: 0, Text: "The exporter llmfleet answers only 85.71% of the time: there are gaps in everything it sees."}},
		Why:   "of seven scrapes one gets no answer",
	}, {
		Recording: "fleet-incidents", Edit: "two-scrapes-lost", Quiet: true, MayPend: true,
		Why: "two gaps in twenty-five minutes",
	}, {
		Recording: "fleet-incidents", Edit: "exporter-gone-twice", Quiet: true,
		Why: "gone, back, and gone again later: two outages",
	}, {
		Recording: "fleet-incidents", Edit: "exporter-gone-300-900", Quiet: true,
		Why: "gone for ten minutes without a break: LlmExporterDown tells",
	}},
}

var samplesDropped = Alert{
	Name: "LlmSamplesDropped", Severity: Warning, For: 5 * time.Minute, Panel: "watching/dropped",
	Expr:    `backend:llm_scrape_dropped:ratio > ${dropped_share}`,
	Summary: `{{ $labels.backend }} sends numbers that cannot be used: {{ $value | humanizePercentage }} of its samples are dropped.`,
	Description: `What is dropped is missing on panels and in alerts about {{ $labels.backend }}, and nothing else says so.
		First look at its metrics page: lines that are cut off, NaN and infinities are the usual ones. A few are normal for some programs; many came with an upgrade or a proxy in between.`,
	Cases: []Case{{
		Recording: "llamacpp-0.7.0-b11669/basic", Edit: "counters-garbled",
		Fires: []Firing{{Labels: `backend="llamacpp"`, Pending: 15, Firing: 315, Resolved: 0, Text: "llamacpp sends numbers that cannot be used: 59.45% of its samples are dropped."}},
		Why:   "an old build writes -nan in other words: most of its lines cannot be read",
	}, {
		Recording: "haproxy-2.6.12/failover", Quiet: true,
		Why: "ten NaN of 353 samples are HAProxy's daily work",
	}},
}

var seriesFolded = Alert{
	Name: "LlmSeriesFolded", Severity: Warning, For: 5 * time.Minute, Panel: "watching/folded",
	Expr:    `increase(llm_scrape_folded_series_total[${watching_window}]) > 0`,
	Summary: `{{ $labels.backend }} has more label values than its limit: some of its series are added up as "other".`,
	Description: `Models, adapters or workers of {{ $labels.backend }} beyond the limit have no rows and no alerts of their own.
		First see how many there are and whether they should be (a label with a value for each user or request is a mistake of the server's configuration); if they should, raise label_value_limit of this backend in the exporter's configuration.`,
	Valueless: "how often something was folded does not say how many there are",
	Cases: []Case{{
		Recording: "vllm-router-0.1.17/failover", Edit: "one-value-per-label",
		Fires: []Firing{{Labels: `backend="router"`, Pending: 150, Firing: 450, Resolved: 0, Text: "router has more label values than its limit: some of its series are added up as \"other\"."}},
		Why:   "two workers, and a limit of one",
	}, {
		Recording: "vllm-router-0.1.17/failover", Quiet: true,
		Why: "the same with the limit as it comes",
	}},
}

// NotLoopback is a matcher of llm_backend_info that leaves out loopback addresses: such a one is
// another server on each host.
const NotLoopback = `url!~"[a-z]+://(localhost|127[.][0-9.]+|\\[::1\\])([:/].*)?"`

var backendReadTwice = Alert{
	Name: "LlmBackendReadTwice", Severity: Warning, For: 10 * time.Minute, Panel: "watching/twice",
	Expr: `
		max without (engine, version) (llm_backend_info{` + NotLoopback + `})
		and on (job, url) count by (job, url) (llm_backend_info) > 1`,
	Summary: `{{ $labels.url }} is read twice: by the exporter {{ $labels.instance }} as {{ $labels.backend }}, and under another name or by another exporter too.`,
	Description: `Everything about it counts double in sums, its alerts come twice, and it is asked twice as often.
		First see who else has it (llm_backend_info by url) and take it out of one configuration. Two exporters that stand in for each other need one of their labels dropped and the pages made one before they are stored.`,
	Valueless: onlyState,
	Cases: []Case{{
		Recording: "llamacpp-0.7.0-b11669/overload-long", Edit: "second-exporter",
		Fires: []Firing{{Labels: `backend="llamacpp", instance="llmfleet", job="llmfleet", url="http://service"`, Pending: 0, Firing: 600, Resolved: 0, Text: "http://service is read twice: by the exporter llmfleet as llamacpp, and under another name or by another exporter too."}, {Labels: `backend="llamacpp", instance="llmfleet-2", job="llmfleet", url="http://service"`, Pending: 0, Firing: 600, Resolved: 0, Text: "http://service is read twice: by the exporter llmfleet-2 as llamacpp, and under another name or by another exporter too."}},
		Why:   "a second exporter has the same configuration",
	}, {
		Recording: "fleet-incidents", Quiet: true,
		Why: "one exporter, and every server once",
	}, {
		Recording: "hosts/a1", Edit: "second-exporter", Quiet: true,
		Why: "two hosts that each read their own loopback: the addresses agree, the servers do not",
	}},
}

var exporterRestarting = Alert{
	Name: "LlmExporterRestarting", Severity: Warning, For: time.Minute, Panel: "watching/starts",
	// It reads its configuration when it starts; a reload does so too, and nobody reloads so often.
	Expr:    `changes(llmfleet_exporter_config_last_reload_success_timestamp_seconds[${starts_window}]) > ${exporter_starts}`,
	Summary: `The exporter {{ $labels.instance }} is started again and again: {{ $value | printf "%.0f" }} times within ${starts_window}.`,
	Description: `Between two starts its page is missing, and what it counts itself begins at zero each time.
		First see why it ends (journalctl, podman logs: a limit of memory is the usual reason), or who reloads its configuration in a loop.`,
	Explains: []Explanation{{By: []string{"instance"}, Alerts: []string{"LlmScrapesMissing"}, Why: "Each start is a gap."}},
	Cases: []Case{{
		Recording: "fleet-incidents", Edit: "exporter-starts-every-minute",
		Fires: []Firing{{Labels: `instance="llmfleet", job="llmfleet"`, Pending: 480, Firing: 540, Resolved: 0, Text: "The exporter llmfleet is started again and again: 5 times within 15m."}},
		Why:   "a start every minute for ten minutes",
	}, {
		Recording: "fleet-incidents", Edit: "exporter-started-four-times", Quiet: true,
		Why: "somebody is changing the configuration",
	}},
}

var clockSkewed = Alert{
	Name: "LlmClockSkewed", Severity: Warning, For: 5 * time.Minute, Panel: "watching/clock",
	// A backend whose numbers were fetched in this scrape was fetched now: the exporter's now.
	Expr: `
		min without (backend) (
		  abs(timestamp(llm_scrape_last_success_timestamp_seconds) - llm_scrape_last_success_timestamp_seconds)
		  and on (instance, backend) llm_up == 1
		) > ${clock_skew}`,
	Summary: `The clocks of {{ $labels.instance }} and of Prometheus are {{ $value | humanizeDuration }} apart.`,
	Description: `Ages are wrong by as much: numbers look stale or come from the future, and certificates expire at the wrong hour.
		First see which clock is right (timedatectl, chronyc tracking) and set the other by NTP.`,
	Cases: []Case{{
		Recording: "fleet-incidents", Edit: "clock-ahead",
		Fires: []Firing{{Labels: `instance="llmfleet", job="llmfleet"`, Pending: 0, Firing: 300, Resolved: 0, Text: "The clocks of llmfleet and of Prometheus are 5m 0s apart."}},
		Why:   "the exporter's host is five minutes ahead",
	}, {
		Recording: "fleet-incidents", Edit: "clock-behind",
		Fires: []Firing{{Labels: `instance="llmfleet", job="llmfleet"`, Pending: 0, Firing: 300, Resolved: 0, Text: "The clocks of llmfleet and of Prometheus are 5m 0s apart."}},
		Why:   "the exporter's host is five minutes behind",
	}, {
		Recording: "fleet-incidents", Edit: "clock-ten-seconds-ahead", Quiet: true,
		Why: "ten seconds may be a slow page",
	}, {
		Recording: "fleet-incidents", Quiet: true,
		Why: "numbers of a dead server are old, and no clock is wrong",
	}},
}
