package replay

import (
	"fmt"
	"math"
	"time"
)

// watchEdits are edits of what exporters and Prometheus say of themselves.
var watchEdits = []Edit{
	{
		Name: "exporter-gone-300-900", About: "the exporter does not answer from second 300 to 900",
		Scrape: goneBetween(300*time.Second, 900*time.Second),
	},
	{
		Name: "exporter-removed-at-300", About: "from second 300 on Prometheus has no target of the exporter's job",
		Scrape: removedFrom(300 * time.Second),
	},
	{
		Name: "reload-refused-300-900", About: "the exporter refuses its configuration file from second 300 to 900",
		Scrape: setScraped(300*time.Second, 900*time.Second, "llmfleet_exporter_config_last_reload_successful", "0"),
	},
	{
		Name: "alertmanager-lost-300-1200", About: "Prometheus knows no Alertmanager from second 300 to 1200",
		Scrape: setScraped(300*time.Second, 1200*time.Second, "prometheus_notifications_alertmanagers_discovered", "0"),
	},
	{
		Name: "prometheus-unwatched-from-300", About: "from second 300 on nobody scrapes Prometheus itself",
		Scrape: func(job string, at time.Duration, p Page) (Page, error) {
			if job == PrometheusProgram && at >= 300*time.Second {
				return Page{}, errNoTarget
			}
			return p, nil
		},
	},
	{
		Name: "page-slow-300-900", About: "the exporter's page takes eight seconds from second 300 to 900",
		Scrape: slowWhen(func(at time.Duration) bool { return at >= 300*time.Second && at < 900*time.Second }),
	},
	{
		Name: "page-slow-now-and-then", About: "every tenth page of the exporter takes eight seconds",
		Scrape: slowWhen(func(at time.Duration) bool { return at/StepLength%10 == 0 }),
	},
	{
		Name: "every-seventh-scrape-lost", About: "of seven scrapes of the exporter one gets no answer",
		Scrape: goneWhen(func(at time.Duration) bool { return at/StepLength%7 == 5 }),
	},
	{
		Name: "one-scrape-lost", About: "one scrape of the exporter gets no answer, in the midst of an incident",
		Scrape: goneWhen(func(at time.Duration) bool { return at == 540*time.Second }),
	},
	{
		Name: "two-scrapes-lost", About: "two scrapes of the exporter get no answer, three minutes apart",
		Scrape: goneWhen(func(at time.Duration) bool { return at == 540*time.Second || at == 720*time.Second }),
	},
	{
		Name: "exporter-gone-twice", About: "the exporter does not answer from second 300 to 900, and from 1350 on",
		Scrape: goneWhen(func(at time.Duration) bool {
			return at >= 300*time.Second && at < 900*time.Second || at >= 1350*time.Second
		}),
	},
	{
		Name: "counters-garbled", About: "the values of what llama.cpp counts are no numbers",
		Recording: setValue(`llamacpp:[a-z_]+_total`, "-nan(ind)"),
	},
	{
		Name: "one-value-per-label", About: "the exporter's configuration allows one value for each label of the last backend",
		Recording: configure("    label_value_limit: 1\n"),
	},
	{
		Name: "second-exporter", About: "a second exporter with the same configuration, on another host",
		Beside: []string{"llmfleet-2"},
	},
	{
		Name: "ten-hosts", About: "ten hosts, each with an exporter and servers of the same names",
		Beside: []string{"llmfleet-2", "llmfleet-3", "llmfleet-4", "llmfleet-5", "llmfleet-6", "llmfleet-7", "llmfleet-8", "llmfleet-9", "llmfleet-10"},
	},
	{
		Name: "exporter-starts-every-minute", About: "the exporter is started again every minute from second 300 to 900",
		Scrape: startsEvery(time.Minute, 300*time.Second, 900*time.Second),
	},
	{
		Name: "exporter-started-four-times", About: "the exporter is started again every six minutes",
		Scrape: startsEvery(6*time.Minute, 100*time.Second, 1185*time.Second),
	},
	{
		Name: "clock-ahead", About: "the clock of the exporter's host is five minutes ahead",
		Scrape: clockOff(5 * time.Minute),
	},
	{
		Name: "clock-behind", About: "the clock of the exporter's host is five minutes behind",
		Scrape: clockOff(-5 * time.Minute),
	},
	{
		Name: "clock-ten-seconds-ahead", About: "the clock of the exporter's host is ten seconds ahead",
		Scrape: clockOff(10 * time.Second),
	},
}

// slowWhen lets the exporter's page take eight seconds at some times.
func slowWhen(when func(at time.Duration) bool) scrapeEdit {
	return func(job string, at time.Duration, p Page) (Page, error) {
		if job != PrometheusProgram && when(at) {
			p.Took = 8 * time.Second
		}
		return p, nil
	}
}

// startsEvery moves the time at which the exporter read its configuration on, as if it were
// started again, and lets it stand at the last start from then on.
func startsEvery(every, from, to time.Duration) scrapeEdit {
	line := sampleLine("llmfleet_exporter_config_last_reload_success_timestamp_seconds")
	return func(_ string, at time.Duration, p Page) (Page, error) {
		if at = min(at, to); at >= from {
			started := Epoch.Add(from + (at-from)/every*every)
			p.Body = line.ReplaceAll(p.Body, fmt.Appendf(nil, "${1} %d", started.Unix()))
		}
		return p, nil
	}
}

// clockOff lets the exporter's times be those of a clock that is ahead, or behind.
func clockOff(ahead time.Duration) scrapeEdit {
	line := sampleLine("llm_scrape_last_success_timestamp_seconds")
	return func(_ string, _ time.Duration, p Page) (Page, error) {
		p.Body = eachSample(line, p.Body, func(_ string, v float64) float64 { return math.Round(v + ahead.Seconds()) })
		return p, nil
	}
}
