package rules

import (
	"fmt"
	"time"
)

// Is the server there, and do its numbers arrive? These alerts stand on the exporter's own
// health series, which carry only backend: their labels are the same before, while and after
// a server is down.
var availability = Group{
	Name:  "availability",
	About: "Is every backend there, can it serve, and do its numbers arrive?",
	Thresholds: []*Threshold{{
		Key: "missing_series", Default: 0, Unit: "count",
		About: "Names that an engine's version should export and did not send. Raise it only while you wait for a release that maps the new names.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(llm_scrape_missing_series[1h]))`,
			Healthy:   []string{"vllm-0.32.0/basic", "vllm-0.9.2/basic", "fleet-incidents"},
			Above:     true, Margin: 1.1,
			Source: "each name of the engine tables was read on a recording of that version: the healthy count is exactly 0",
		}},
	}, {
		Key: "stall_window", Default: 240, Unit: DurationUnit,
		About: "How long an engine that has requests may go without a step. Raise it where one batch takes minutes.",
		Evidence: []Evidence{{
			// Seconds of the worst four minutes in which a minute had passed without a step.
			Statistic: `15 * max(max_over_time(count_over_time((increase(llm_engine_steps_total[1m]) == 0 and min_over_time((llm_requests_running + llm_requests_waiting)[1m:15s]) > 0)[4m:15s])[1h:15s])) or vector(0)`,
			Healthy:   []string{"vllm-0.32.0/overload-long", "vllm-0.32.0/kv-full-long", "llamacpp-0.7.0-b11669/overload-long"},
			Above:     true, Margin: 2,
			Source: "one batch takes 15 s at worst: 32,000 prompt tokens in 11.8 s on one card of the reference fleet",
		}},
	}, {
		Key: "stuck_window", Default: 1200, Unit: DurationUnit,
		About: "How long an engine that counts no steps may have requests of which none ends and no token is counted. Raise it where one answer takes longer.",
		Evidence: []Evidence{{
			// The longest that requests ran and none ended.
			Statistic: `max(max_over_time((time() - max_over_time(timestamp(increase(llm_requests_finished_total[1m]) > 0)[30m:15s]) and on (instance, backend) llm_requests_running > 0)[1h:15s]))`,
			Healthy:   []string{"fleet-incidents", "vllm-0.32.0/overload-long", "vllm-0.32.0/kv-full-long"},
			Above:     true, Margin: 4,
			Source: "programs that count a request when it ends: 20,000 tokens at 20 tokens a second are 17 minutes, and on the reference fleet none takes 5",
		}},
	}, {
		Key: "reason_window", Default: 300, Unit: DurationUnit,
		About: "How long a reason for missing numbers is remembered while the reasons take turns.",
		Evidence: []Evidence{{
			Source: "twenty scrapes of 15 s: a server that is slow fails with a timeout and a reset in turn from one scrape to the next",
		}},
	}},
	Alerts: []Alert{backendDown, engineStalled, requestsStuck, expectedModelMissing, modelLoadingLong, metricsUnavailable, notMetrics, seriesMissing},
}

// reasonOf looks up where the backend is and why the exporter could not read it. They are queries and no
// labels, because an alert whose labels change while it fires is another alert to Alertmanager.
const reasonOf = `{{ with printf "llm_backend_info{instance=%q,backend=%q}" $labels.instance $labels.backend | query }} It is at {{ first . | label "url" }}.{{ end }}` +
	`{{ range printf "llm_scrape_failed{instance=%q,backend=%q} == 1" $labels.instance $labels.backend | query }} The exporter says: {{ label "reason" . }}.{{ end }}`

var backendDown = Alert{
	Name: "LlmBackendDown", Severity: Critical, For: 2 * time.Minute, Panel: "glance/backends",
	// A server that loads its model says so; it has its own, longer alert.
	Expr: `
		llm_healthy == 0
		unless on (instance, backend) llm_scrape_failed{reason="loading"} == 1`,
	Summary: `{{ $labels.backend }} is down: it does not answer, or says that it cannot serve.`,
	Description: `Clients of {{ $labels.backend }} get errors, unless a router in front of it sends them elsewhere.` + reasonOf + `
		First see whether its process lives and what it logged last (systemctl status, podman logs); if it is gone, start it again.`,
	Valueless: onlyState,
	Explains:  []Explanation{{By: []string{"instance", "backend"}, Why: "A backend that is down needs no word about its numbers."}},
	Cases: append([]Case{{
		Recording: "fleet-incidents",
		Fires:     []Firing{{Labels: `backend="medium-b"`, Pending: 480, Firing: 600, Resolved: 1245, Text: "medium-b is down: it does not answer, or says that it cannot serve."}},
		Why:       "one of two replicas is killed at 480, is started again, and loads for minutes with its port closed",
	}, {
		Recording: "vllm-0.32.0/replica-down",
		Fires:     []Firing{{Labels: `backend="b"`, Pending: 195, Firing: 315, Resolved: 0, Text: "b is down: it does not answer, or says that it cannot serve."}},
		Why:       "a replica is killed and does not come back; the other stays well",
	}, {
		Recording: "vllm-0.32.0/restart",
		Fires:     []Firing{{Labels: `backend="vllm"`, Pending: 135, Firing: 255, Resolved: 525, Text: "vllm is down: it does not answer, or says that it cannot serve."}},
		Why:       "a restart whose model loads slowly: the port is closed all the while",
	}, {
		Recording: "vllm-router-0.1.17/failover",
		Fires:     []Firing{{Labels: `backend="replica-b"`, Pending: 465, Firing: 585, Resolved: 765, Text: "replica-b is down: it does not answer, or says that it cannot serve."}},
		Why:       "a worker behind a router is killed and started again",
	}, {
		Recording: "smg-1.13.0/failover",
		Fires:     []Firing{{Labels: `backend="replica-b"`, Pending: 390, Firing: 510, Resolved: 660, Text: "replica-b is down: it does not answer, or says that it cannot serve."}},
		Why:       "a worker behind another router",
	}, {
		Recording: "litellm-1.110.2/failover",
		Fires:     []Firing{{Labels: `backend="replica-b"`, Pending: 540, Firing: 660, Resolved: 975, Text: "replica-b is down: it does not answer, or says that it cannot serve."}},
		Why:       "a worker behind another router",
	}, {
		Recording: "production-stack-router-0.1.12-14-ga6c01db/failover",
		Fires:     []Firing{{Labels: `backend="replica-b"`, Pending: 465, Firing: 585, Resolved: 795, Text: "replica-b is down: it does not answer, or says that it cannot serve."}},
		Why:       "a worker behind another router",
	}, {
		Recording: "nginx-1.22.1/failover",
		Fires:     []Firing{{Labels: `backend="replica-d"`, Pending: 240, Firing: 360, Resolved: 465, Text: "replica-d is down: it does not answer, or says that it cannot serve."}},
		Why:       "nginx itself cannot tell",
	}, {
		Recording: "dynamo-1.6.1/failover",
		Fires:     []Firing{{Labels: `backend="replica-b"`, Pending: 195, Firing: 315, Resolved: 330, Text: "replica-b is down: it does not answer, or says that it cannot serve."}},
		Why:       "a worker behind another router",
	}, {
		Recording: "dynamo-1.6.1/kv-router-outage",
		Fires:     []Firing{{Labels: `backend="dynamo"`, Pending: 345, Firing: 465, Resolved: 0, Text: "dynamo is down: it does not answer, or says that it cannot serve."}, {Labels: `backend="replica-a"`, Pending: 300, Firing: 420, Resolved: 0, Text: "replica-a is down: it does not answer, or says that it cannot serve."}},
		Why:       "the front end answers 200 and says healthy, with nobody left behind it",
	}, {
		Recording: "dynamo-1.6.1/states#no-worker",
		Fires:     []Firing{{Labels: `backend="service"`, Pending: 0, Firing: 120, Resolved: 0, Text: "service is down: it does not answer, or says that it cannot serve."}},
		Why:       "a front end that no worker has joined yet",
	}, {
		Recording: "dynamo-1.6.1/states#kv-outage",
		Fires:     []Firing{{Labels: `backend="service"`, Pending: 0, Firing: 120, Resolved: 0, Text: "service is down: it does not answer, or says that it cannot serve."}},
		Why:       "the same after its workers died",
	}, {
		Recording: "llamacpp-0.7.0-b11669/restart", Quiet: true, MayPend: true,
		Why: "a restart of a few seconds is over before the hold time",
	}, {
		Recording: "llamacpp-0.7.0-b11669/states#loading", Quiet: true,
		Why: "503 to every question while the model loads, and says so",
	}, {
		Recording: "llamacpp-0.7.0-b11669/sleep", Quiet: true,
		Why: "a server that may sleep answers its health check",
	}, {
		Recording: "vllm-router-0.1.17/outage", Quiet: true,
		Why: "the router itself answers while both of its workers are dead",
	}}, deadEngine()...),
}

// deadEngine are answers of a front end whose engine process was killed, seconds apart.
func deadEngine() []Case {
	var out []Case
	for i := 2; i <= 9; i++ {
		out = append(out, Case{
			Recording: fmt.Sprintf("vllm-0.32.0/errors#dead-%d", i),
			Fires:     []Firing{{Labels: `backend="service"`, Pending: 0, Firing: 120, Text: "service is down: it does not answer, or says that it cannot serve."}},
			Why:       "the front end refuses connections after its engine died",
		})
	}
	return out
}

var expectedModelMissing = Alert{
	Name: "LlmExpectedModelMissing", Severity: Critical, For: 5 * time.Minute, Panel: "glance/backends",
	Expr:    `llm_expected_model_served == 0`,
	Summary: `{{ $labels.backend }} does not serve {{ $labels.model }}, which is expected of it.`,
	Description: `{{ $labels.backend }} is alive and serves another model, so clients that ask for {{ $labels.model }} get errors.
		First read the list of models of {{ $labels.backend }} (curl /v1/models): if the server was started with another model or another name, start it with the right one; if the change is meant, correct expect.models in the exporter's configuration.`,
	Valueless: onlyState,
	Cases: []Case{{
		Recording: "fleet-incidents", Edit: "another-model-expected",
		Fires: []Firing{{Labels: `backend="small", model="large"`, Pending: 0, Firing: 300, Text: "small does not serve large, which is expected of it."}},
		Why:   "alive is not serving",
	}, {
		Recording: "fleet-incidents", Edit: "its-model-expected", Quiet: true,
		Why: "it serves what is expected, before and after its restart",
	}},
}

var modelLoadingLong = Alert{
	Name: "LlmModelLoadingLong", Severity: Warning, For: 15 * time.Minute, Panel: "glance/missing",
	Expr:    `llm_scrape_failed{reason="loading"} == 1`,
	Summary: `{{ $labels.backend }} has been loading its model for more than ${for}.`,
	Description: `{{ $labels.backend }} answers, and says that its model is still loading. Loading takes minutes for a large model on a slow disk, not ${for}.
		First look at the server's log: it names the step that hangs, and a restart loop shows there too.`,
	Valueless: onlyState,
	Cases: []Case{{
		Recording: "llamacpp-0.7.0-b11669/states#loading",
		Fires:     []Firing{{Labels: `backend="service", reason="loading"`, Pending: 0, Firing: 900, Resolved: 0, Text: "service has been loading its model for more than 15m."}},
		Why:       "a model that is still loading after a quarter of an hour",
	}, {
		Recording: "vllm-0.32.0/restart", Quiet: true,
		Why: "vLLM does not answer while it loads: that is down, not loading",
	}},
}

var metricsUnavailable = Alert{
	Name: "LlmMetricsUnavailable", Severity: Warning, For: 10 * time.Minute, Panel: "glance/missing",
	// The window keeps the reason when timeouts and resets take turns: each change would
	// begin the waiting time anew. Whether an address that wants a key for everything, or is
	// another program's, can serve is not known: it has no llm_healthy, and is told here.
	Expr: `
		max_over_time(llm_scrape_failed{reason!~"asleep|loading|skipped|not_metrics"}[${reason_window}]) == 1
		and on (instance, backend) llm_up == 0
		unless on (instance, backend) llm_healthy == 0`,
	Summary: `{{ $labels.backend }} answers, but its numbers do not arrive ({{ $labels.reason }}): the other alerts cannot see it.`,
	Description: `{{ $labels.backend }} is not known to be down, so leave the server alone; its numbers are missing.
		{{ if eq $labels.reason "disabled" }}It was started without metrics: start llama.cpp with --metrics, vLLM without --disable-log-stats.
		{{ else if eq $labels.reason "auth" }}It wants a key: put it into a file and name that under authorization.credentials_file of this backend in the exporter's configuration.
		{{ else if eq $labels.reason "timeout" }}Its numbers do not come in time, often because a long batch blocks them: raise the backend's timeout, and upgrade a llama.cpp older than b10438.
		{{ else if eq $labels.reason "http" }}The path of the metrics answers with an error: ask it with curl -i and read the body.
		{{ else if eq $labels.reason "too_large" }}The answer is larger than the backend's limits: look at what grew, then raise body_limit or series_limit in the exporter's configuration.
		{{ else if eq $labels.reason "unrecognized" }}The exporter knows no program with these names: name the engine, or write a mapping, in its configuration.
		{{ else }}The exporter cannot reach the address of the metrics: compare the backend's url with where the server listens, and ask it with curl -v.{{ end }}`,
	Valueless: onlyState,
	Cases: []Case{{
		Recording: "llamacpp-0.7.0-b11669/states#no-metrics-no-slots",
		Fires:     []Firing{{Labels: `backend="service", reason="disabled"`, Pending: 0, Firing: 600, Resolved: 0, Text: "service answers, but its numbers do not arrive (disabled): the other alerts cannot see it."}},
		Why:       "started without --metrics: 501 on the metrics path alone",
	}, {
		Recording: "llamacpp-0.7.0-b11669/states#apikey-none",
		Fires:     []Firing{{Labels: `backend="service", reason="auth"`, Pending: 0, Firing: 600, Resolved: 0, Text: "service answers, but its numbers do not arrive (auth): the other alerts cannot see it."}},
		Why:       "a key is wanted, health is open to all",
	}, {
		Recording: "llamacpp-0.7.0-b11669/states#apikey-wrong",
		Fires:     []Firing{{Labels: `backend="service", reason="auth"`, Pending: 0, Firing: 600, Resolved: 0, Text: "service answers, but its numbers do not arrive (auth): the other alerts cannot see it."}},
		Why:       "the key is wrong",
	}, {
		Recording: "smg-1.13.0/states#plain",
		Fires:     []Firing{{Labels: `backend="service", reason="disabled"`, Pending: 0, Firing: 600, Resolved: 0, Text: "service answers, but its numbers do not arrive (disabled): the other alerts cannot see it."}},
		Why:       "its numbers are on a port of their own, which nobody named",
	}, {
		Recording: "litellm-1.110.2/states#none",
		Fires:     []Firing{{Labels: `backend="service", reason="auth"`, Pending: 0, Firing: 600, Text: "service answers, but its numbers do not arrive (auth): the other alerts cannot see it."}},
		Why:       "without a key it refuses its numbers and its list of models alike",
	}, {
		Recording: "vllm-0.32.0/basic", Edit: "metrics-time-out-and-reset-in-turn",
		Fires: []Firing{{Labels: `backend="vllm", reason="refused"`, Pending: 60, Firing: 660, Resolved: 0, Text: "vllm answers, but its numbers do not arrive (refused): the other alerts cannot see it."}, {Labels: `backend="vllm", reason="timeout"`, Pending: 0, Firing: 600, Resolved: 0, Text: "vllm answers, but its numbers do not arrive (timeout): the other alerts cannot see it."}},
		Why:   "reasons that take turns from scrape to scrape do not begin the hold time anew",
	}, {
		Recording: "vllm-0.32.0/basic", Edit: "metrics-reset-then-time-out", MayPend: true,
		Fires: []Firing{{Labels: `backend="vllm", reason="timeout"`, Pending: 60, Firing: 660, Resolved: 0, Text: "vllm answers, but its numbers do not arrive (timeout): the other alerts cannot see it."}},
		Why:   "a reason that has passed does not fire",
	}, {
		Recording: "vllm-0.32.0/basic", Edit: "key-wanted-for-everything",
		Fires: []Firing{{Labels: `backend="vllm", reason="auth"`, Pending: 0, Firing: 600, Resolved: 0, Text: "vllm answers, but its numbers do not arrive (auth): the other alerts cannot see it."}},
		Why:   "a proxy wants a key for the health check too, so nobody knows whether it serves",
	}, {
		Recording: "vllm-0.32.0/basic", Edit: "another-program-at-the-address",
		Fires: []Firing{{Labels: `backend="vllm", reason="unrecognized"`, Pending: 0, Firing: 600, Resolved: 0, Text: "vllm answers, but its numbers do not arrive (unrecognized): the other alerts cannot see it."}},
		Why:   "the address is that of another exporter",
	}, {
		Recording: "vllm-0.32.0/basic", Edit: "json-at-every-path",
		Fires: []Firing{{Labels: `backend="vllm", reason="unrecognized"`, Pending: 0, Firing: 600, Resolved: 0, Text: "vllm answers, but its numbers do not arrive (unrecognized): the other alerts cannot see it."}},
		Why:   "the address is that of a program that answers JSON whatever it is asked",
	}, {
		Recording: "vllm-0.32.0/basic", Edit: "nothing-at-the-address",
		Fires: []Firing{{Labels: `backend="vllm", reason="http"`, Pending: 0, Firing: 600, Resolved: 0, Text: "vllm answers, but its numbers do not arrive (http): the other alerts cannot see it."}},
		Why:   "404 for everything: the wrong port of the right machine",
	}, {
		Recording: "llamacpp-0.7.0-b11669/states#asleep", Quiet: true,
		Why: "asleep",
	}, {
		Recording: "llamacpp-0.7.0-b11669/states#loading", Quiet: true,
		Why: "loading has its own alert",
	}, {
		Recording: "fleet-incidents", Quiet: true,
		Why: "a backend that is down has no numbers either: that is one fault, not two",
	}, {
		Recording: "vllm-0.32.0/basic", Edit: "html-instead-of-metrics", Quiet: true,
		Why: "a web page in place of numbers is LlmNotMetrics",
	}},
}

var notMetrics = Alert{
	Name: "LlmNotMetrics", Severity: Warning, For: 10 * time.Minute, Panel: "glance/missing",
	Expr:    `llm_scrape_failed{reason="not_metrics"} == 1`,
	Summary: `{{ $labels.backend }} answers with something that is no metrics page: HTML, JSON or nothing.`,
	Description: `The address of {{ $labels.backend }} is that of a web page or of another program; it can never give numbers.
		First open the url of the backend (the exporter's start page shows it) and correct it in the exporter's configuration.`,
	Valueless: onlyState,
	Cases: []Case{{
		Recording: "vllm-0.32.0/basic", Edit: "html-instead-of-metrics",
		Fires: []Firing{{Labels: `backend="vllm", reason="not_metrics"`, Pending: 0, Firing: 600, Resolved: 0, Text: "vllm answers with something that is no metrics page: HTML, JSON or nothing."}},
		Why:   "a web page",
	}, {
		Recording: "vllm-0.32.0/basic", Edit: "json-instead-of-metrics",
		Fires: []Firing{{Labels: `backend="vllm", reason="not_metrics"`, Pending: 0, Firing: 600, Resolved: 0, Text: "vllm answers with something that is no metrics page: HTML, JSON or nothing."}},
		Why:   "JSON",
	}, {
		Recording: "vllm-0.32.0/basic", Edit: "nothing-instead-of-metrics",
		Fires: []Firing{{Labels: `backend="vllm", reason="not_metrics"`, Pending: 0, Firing: 600, Resolved: 0, Text: "vllm answers with something that is no metrics page: HTML, JSON or nothing."}},
		Why:   "an empty page",
	}, {
		Recording: "llamacpp-0.7.0-b11669/states#no-metrics-no-slots", Quiet: true,
		Why: "a server that says that its metrics are off",
	}},
}

var seriesMissing = Alert{
	Name: "LlmSeriesMissing", Severity: Warning, For: 10 * time.Minute, Panel: "blind/missing",
	Expr:    `llm_scrape_missing_series > ${missing_series}`,
	Summary: `{{ $labels.backend }} no longer sends {{ $value | printf "%.0f" }} of the names that its version should have.`,
	Description: `Names went away, most often with an upgrade: panels and alerts that stand on them are blind for {{ $labels.backend }}.
		First read on the exporter's start page which names they are, then look for a release of llmfleet that knows the new version, or map the new names in the exporter's configuration.`,
	Cases: []Case{{
		Recording: "vllm-0.32.0/basic", Edit: "ttft-renamed",
		Fires: []Firing{{Labels: `backend="vllm"`, Pending: 0, Firing: 600, Resolved: 0, Text: "vllm no longer sends 1 of the names that its version should have."}},
		Why:   "an upgrade renamed a histogram",
	}, {
		Recording: "vllm-0.32.0/dp2", Quiet: true,
		Why: "several processes: gauges have no sample before the first request, and that is no rename",
	}, {
		Recording: "vllm-0.32.0/rust-frontend", Quiet: true,
		Why: "the Rust front end shows most names only after their first use",
	}, {
		Recording: "vllm-0.9.2/basic", Quiet: true,
		Why: "an old version under its own names",
	}},
}
