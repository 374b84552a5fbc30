package rules

import (
	"fmt"
	"slices"
	"time"
)

// What a client feels. The exporter counts what took longer than the backend's objective, at a
// bound of the engine's own buckets: shares of that add up over ranks and windows, and need no
// bound in the rules. Quantiles are for people; they are taken per backend, where all buckets
// have the same bounds.
var latency = Group{
	Name:  "latency",
	About: "Do clients wait longer than their objective: for the first token, between tokens, for the whole answer?",
	Thresholds: []*Threshold{{
		Key: "slow_share", Default: 0.05, Unit: "ratio",
		About: "Share of requests that may take longer than their objective. The objective itself is set in the exporter's configuration, for all backends or for one: objectives.time_to_first_token, request_duration, queue_duration.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time((backend:llm_objective_missed:ratio{objective=~"time_to_first_token|queue_duration"} and backend:llm_objective_events:increase > ${latency_events})[1h:15s]))`,
			Healthy:   []string{"vllm-0.32.0/basic", "vllm-0.32.0/prefix-hot", "vllm-0.32.0/rust-frontend", "vllm-0.16.0/basic", "fleet-incidents"},
			Incident:  []string{"vllm-0.32.0/overload-long", "vllm-0.32.0/kv-full-long", "vllm-0.32.0/kv-full-queueing"},
			Above:     true, Margin: 1.05,
			Source: "reference fleet: warm turns of 90,000 tokens begin after 1.1 to 2.7 s, cold ones of 30,000 tokens after 12 to 22 s",
		}, {
			Statistic: `max(max_over_time((backend:llm_objective_missed:ratio{objective="request_duration"} and backend:llm_objective_events:increase > ${latency_events})[1h:15s]))`,
			Healthy:   []string{"vllm-0.32.0/basic", "vllm-0.32.0/prefix-hot", "vllm-0.32.0/dp2", "fleet-incidents"},
			Incident:  []string{"vllm-0.32.0/overload-long"},
			Above:     true, Margin: 1.2,
			Source: "reference fleet: turns of agents take 1 to 22 s, 25 to 45 s at the median when the cards are over-committed",
		}},
	}, {
		Key: "slow_outputs_share", Default: 0.05, Unit: "ratio",
		About: "Share of outputs that may come later after the one before than objectives.inter_token_latency.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time((backend:llm_objective_missed:ratio{objective="inter_token_latency"} and backend:llm_objective_events:increase > ${output_events})[1h:15s]))`,
			Healthy:   []string{"vllm-0.32.0/overload-long", "vllm-0.32.0/kv-full-long", "vllm-0.32.0/prefix-hot", "vllm-0.16.0/basic", "fleet-incidents"},
			Incident:  []string{"vllm-0.10.2/basic", "vllm-0.9.2/basic"},
			Above:     true, Margin: 1.3,
			Source: "reference fleet: 24 to 29 ms between tokens at 1 to 8 clients; a person reads five words a second",
		}},
	}, {
		Key: "latency_events", Default: 20, Unit: "requests",
		About: "Least requests in the window before their share of slow ones is judged. With twenty, one slow request is no share of 0.05.",
		Evidence: []Evidence{{
			// A trickle of sixteen requests is too few to judge, a loaded server has many times as many.
			Statistic: `max(max_over_time(backend:llm_objective_events:increase{objective="time_to_first_token"}[1h]))`,
			Healthy:   []string{"vllm-0.10.2/basic"},
			Incident:  []string{"vllm-0.32.0/overload-long", "vllm-0.32.0/kv-full-long", "fleet-incidents"},
			Above:     true, Margin: 1.05,
			Source: "arithmetic: one of n requests is more than a twentieth only if n < 20",
		}},
	}, {
		Key: "output_events", Default: 200, Unit: "count",
		About: "Least outputs in the window before their share of slow ones is judged. One answer is dozens of outputs, and a pause holds up all that run beside it.",
		Evidence: []Evidence{{
			// Sixteen requests already make enough outputs to be judged.
			Statistic: `max(max_over_time(backend:llm_objective_events:increase{objective="inter_token_latency"}[1h]))`,
			Incident:  []string{"vllm-0.10.2/basic", "vllm-0.9.2/basic", "vllm-0.32.0/overload-long"},
			Above:     true, Margin: 5,
			Source: "arithmetic: eight requests that run together and pause once are eight slow outputs, less than a twentieth of 200",
		}},
	}, {
		Key: "latency_window", Default: 600, Unit: DurationUnit,
		About: "Window of the shares and percentiles. Shorter reacts sooner, and leaves a quiet server with too few requests to judge.",
		Evidence: []Evidence{{
			// Seconds that a server at work needs for latency_events requests.
			Statistic: `max(${latency_events} / max_over_time(backend:llm_requests_finished:rate[1h]))`,
			Healthy:   []string{"fleet-incidents", "vllm-0.32.0/overload-long"},
			Above:     true, Margin: 4,
			Source: "twenty requests in ten minutes is one every half minute, what one agent loop of the reference fleet makes",
		}},
	}},
	Records: []Record{{
		Name: "backend:llm_objective_events:increase", Unit: "count", Labels: perObjective,
		Expr:  `sum without (rank) (increase(llm_objective_events_total[${latency_window}]))`,
		About: "What the objective judged within the window.",
	}, {
		Name: "backend:llm_objective_missed:ratio", Unit: "ratio", Labels: perObjective,
		Expr: `
			sum without (rank, bound) (increase(llm_objective_missed_events_total[${latency_window}]))
			  / (backend:llm_objective_events:increase > 0)`,
		About: "Share of it that missed the objective; no sample while there was nothing to judge.",
	}},
	Alerts: []Alert{timeToFirstTokenHigh, interTokenLatencyHigh, requestLatencyHigh, queueWaitHigh},
}

// percentiles are for panels, and for whoever looks at them over days. No alert decides by them,
// so once a minute is enough. Asked of the histograms, those of a day of fifty backends would keep
// a page waiting.
var percentiles = Group{
	Name:     "percentiles",
	About:    "Percentiles of the latencies, for panels: no alert decides by them, so they are recorded once a minute.",
	Interval: time.Minute,
	Records: slices.Concat(
		percentilesOf("llm_time_to_first_token_seconds", "the time to the first token; no sample while there are no requests."),
		percentilesOf("llm_request_duration_seconds", "the time of a whole request; no sample while none ends."),
		percentilesOf("llm_inter_token_latency_seconds", "the time between two outputs of a request; no sample while nothing is generated."),
		percentilesOf("llm_request_queue_duration_seconds", "the time in the queue; no sample while no request ends."),
	),
}

// percentilesOf records the median and the 95th percentile of a histogram. An idle one gives NaN,
// which the comparison drops.
func percentilesOf(histogram, of string) []Record {
	one := func(suffix, quantile, about string) Record {
		return Record{
			Name: "backend:" + histogram + ":" + suffix, Unit: "seconds", Labels: perModel, About: about + " of " + of,
			Expr: fmt.Sprintf(`
			histogram_quantile(%s,
			  sum without (rank) (rate(%s_bucket[${latency_window}]))
			) >= 0`, quantile, histogram),
		}
	}
	return []Record{one("p50", "0.5", "Median"), one("p95", "0.95", "95th percentile")}
}

// objectiveTime writes the objective of an alert's backend, as people say it.
func objectiveTime(objective string) string {
	return `{{ with printf "llm_objective_seconds{instance=%q,backend=%q,model=%q,objective=\"` + objective + `\"}" $labels.instance $labels.backend $labels.model | query }}{{ . | first | value | humanizeDuration }}{{ else }}their objective{{ end }}`
}

// toModel names the model of an alert, which routers do not have.
const toModel = `{{ with $labels.model }} to {{ . }}{{ end }}`

var timeToFirstTokenHigh = Alert{
	Name: "LlmTimeToFirstTokenHigh", Severity: Warning, For: 2 * time.Minute, Panel: "latency/slow",
	Expr: `
		backend:llm_objective_missed:ratio{objective="time_to_first_token"} > ${slow_share}
		and backend:llm_objective_events:increase > ${latency_events}`,
	Summary: `{{ $labels.backend }} is slow to begin: {{ $value | humanizePercentage }} of the requests` + toModel + ` wait longer than ` + objectiveTime("time_to_first_token") + ` for the first token.`,
	Description: `Clients see nothing for that long. Either requests queue, or prompts are long and not reused.
		First look at requests waiting and at the reuse of prefixes of {{ $labels.backend }}: send it less at once, or add a replica.`,
	Explains: []Explanation{{By: []string{"instance", "backend", "model"}, Alerts: []string{"LlmRequestLatencyHigh"}, Why: "A slow answer begins with a slow first token."}},
	Cases: []Case{{
		Recording: "vllm-0.32.0/overload-long",
		Fires:     []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat", objective="time_to_first_token"`, Pending: 270, Firing: 390, Text: "vllm is slow to begin: 29.41% of the requests to tiny-chat wait longer than 5s for the first token."}},
		Why:       "ten clients on six sequences",
	}, {
		Recording: "vllm-0.32.0/kv-full-long",
		Fires:     []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat", objective="time_to_first_token"`, Pending: 165, Firing: 285, Text: "vllm is slow to begin: 72.81% of the requests to tiny-chat wait longer than 5s for the first token."}},
		Why:       "ten clients on a cache for a few",
	}, {
		Recording: "vllm-0.32.0/kv-full-queueing",
		Fires:     []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat", objective="time_to_first_token"`, Pending: 255, Firing: 375, Text: "vllm is slow to begin: 70.97% of the requests to tiny-chat wait longer than 5s for the first token."}},
		Why:       "the same, shorter",
	}, {
		Recording: "vllm-0.32.0/kv-full-queueing", Stretch: 60, Quiet: true,
		Why: "a trickle: so few requests that a single one could be the share",
	}, {
		Recording: "vllm-0.32.0/kv-full-long", Edit: "twenty-seconds-are-fine", Quiet: true,
		Why: "a backend with an objective of its own, for agents with long prompts",
	}, {
		Recording: "vllm-0.32.0/kv-full-long", Edit: "objective-beyond-the-buckets",
		Fires: []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat", objective="time_to_first_token"`, Pending: 165, Firing: 285, Text: "vllm is slow to begin: 21.05% of the requests to tiny-chat wait longer than 10s for the first token."}},
		Why:   "old buckets end at 10 s, the objective is 15 s: what overflows them counts as slow",
	}, {
		Recording: "vllm-0.32.0/prefix-hot", Quiet: true,
		Why: "long prompts that are reused",
	}, {
		Recording: "vllm-0.32.0/dp2", Quiet: true,
		Why: "two ranks are one backend",
	}, {
		Recording: "fleet-incidents", Quiet: true,
		Why: "one slow request among twenty-two; then one replica carries all, and is not yet slow",
	}},
}

var interTokenLatencyHigh = Alert{
	Name: "LlmInterTokenLatencyHigh", Severity: Warning, For: 2 * time.Minute, Panel: "latency/slow-outputs",
	Expr: `
		backend:llm_objective_missed:ratio{objective="inter_token_latency"} > ${slow_outputs_share}
		and backend:llm_objective_events:increase > ${output_events}`,
	Summary: `{{ $labels.backend }} is slow to go on: {{ $value | humanizePercentage }} of the outputs of {{ $labels.model }} come more than ` + objectiveTime("inter_token_latency") + ` after the one before.`,
	Description: `Answers stutter. A batch is too large for the card, prompts of others are computed in between, or the card (or the processor that feeds it) is slow.
		First compare with the number of requests that run on {{ $labels.backend }}: if it is usual, look at the card's clock and heat; if it is high, allow fewer at once or smaller pieces of prompts.`,
	Cases: []Case{{
		Recording: "vllm-0.10.2/basic",
		Fires:     []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat", objective="inter_token_latency"`, Pending: 150, Firing: 270, Text: "vllm is slow to go on: 11.52% of the outputs of tiny-chat come more than 500ms after the one before."}},
		Why:       "six clients on a machine that is too slow for them",
	}, {
		Recording: "vllm-0.9.2/basic", MayPend: true,
		Fires: []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat", objective="inter_token_latency"`, Pending: 360, Firing: 480, Text: "vllm is slow to go on: 5.505% of the outputs of tiny-chat come more than 500ms after the one before."}},
		Why:   "the same under the older name of the histogram",
	}, {
		Recording: "vllm-0.10.2/basic", Stretch: 150, Quiet: true,
		Why: "one or two answers in the window",
	}, {
		Recording: "vllm-0.32.0/overload-long", Quiet: true,
		Why: "requests wait long for their turn, and are then served at a good pace",
	}},
}

var requestLatencyHigh = Alert{
	Name: "LlmRequestLatencyHigh", Severity: Warning, For: 2 * time.Minute, Panel: "latency/slow",
	Expr: `
		backend:llm_objective_missed:ratio{objective="request_duration"} > ${slow_share}
		and backend:llm_objective_events:increase > ${latency_events}`,
	Summary: `{{ $labels.backend }} is slow: {{ $value | humanizePercentage }} of the requests` + toModel + ` take longer than ` + objectiveTime("request_duration") + `.`,
	Description: `Overload shows as latency before anything fails.
		First compare the time to the first token with the time between tokens of {{ $labels.backend }}: a slow start is a queue or long prompts, slow tokens are a batch or a card that does too much.`,
	Cases: []Case{{
		Recording: "vllm-0.32.0/overload-long",
		Fires:     []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat", objective="request_duration"`, Pending: 1140, Firing: 1260, Text: "vllm is slow: 7.608% of the requests to tiny-chat take longer than 30s."}},
		Why:       "the overload, after the machine became a third as fast",
	}, {
		Recording: "litellm-1.108.7/failover", Edit: "two-seconds-for-a-whole-request",
		Fires: []Firing{{Labels: `backend="litellm", engine="litellm", objective="request_duration"`, Pending: 330, Firing: 450, Resolved: 885, Text: "litellm is slow: 13.04% of the requests take longer than 2s."}, {Labels: `backend="litellm", engine="litellm", objective="request_duration"`, Pending: 945, Firing: 1065, Text: "litellm is slow: 12.5% of the requests take longer than their objective."}},
		Why:   "a router's own times, at a tight objective",
	}, {
		Recording: "vllm-0.32.0/overload-long", Stretch: 20, Quiet: true,
		Why: "slow, with fewer requests than could be judged",
	}, {
		Recording: "vllm-0.10.2/basic", Quiet: true,
		Why: "sixteen requests of up to 42 s: too few to judge",
	}, {
		Recording: "vllm-0.32.0/basic", Quiet: true,
		Why: "ordinary load",
	}, {
		Recording: "fleet-incidents", Quiet: true,
		Why: "one replica carries all: not yet slow",
	}},
}

var queueWaitHigh = Alert{
	Name: "LlmQueueWaitHigh", Severity: Warning, For: 2 * time.Minute, Panel: "latency/slow",
	Expr: `
		backend:llm_objective_missed:ratio{objective="queue_duration"} > ${slow_share}
		and backend:llm_objective_events:increase > ${latency_events}`,
	Summary: `{{ $labels.backend }} lets requests wait: {{ $value | humanizePercentage }} of those` + toModel + ` stood longer than ` + objectiveTime("queue_duration") + ` in its queue.`,
	Description: `The requests that were finished had waited before the engine began with them, however short its queue looks at a moment.
		First see what is full at {{ $labels.backend }}: its slots or sequences, or its KV cache; send it less at once, or add a replica.`,
	Cases: []Case{{
		Recording: "vllm-0.32.0/overload-long",
		Fires:     []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat", objective="queue_duration"`, Pending: 270, Firing: 390, Text: "vllm lets requests wait: 23.4% of those to tiny-chat stood longer than 5s in its queue."}},
		Why:       "ten clients on six sequences",
	}, {
		Recording: "vllm-0.32.0/kv-full-long",
		Fires:     []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat", objective="queue_duration"`, Pending: 165, Firing: 285, Text: "vllm lets requests wait: 69.61% of those to tiny-chat stood longer than 5s in its queue."}},
		Why:       "a cache for a few of ten clients",
	}, {
		Recording: "vllm-0.32.0/kv-full-queueing",
		Fires:     []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat", objective="queue_duration"`, Pending: 315, Firing: 435, Text: "vllm lets requests wait: 70% of those to tiny-chat stood longer than 5s in its queue."}},
		Why:       "the same, shorter",
	}, {
		Recording: "vllm-0.32.0/kv-full-queueing", Stretch: 60, Quiet: true,
		Why: "a trickle",
	}, {
		Recording: "vllm-0.32.0/overload-long", Edit: "twenty-seconds-are-fine", Quiet: true,
		Why: "a backend with an objective of its own, which three of a hundred miss",
	}, {
		Recording: "vllm-0.32.0/queue-limit", Quiet: true,
		Why: "who is refused does not wait",
	}},
}
