package rules

import "time"

// What a client feels. Quantiles are taken per backend, where all buckets have the same
// bounds; engines and versions differ, so a quantile over several backends means nothing.
var latency = Group{
	Name:  "latency",
	About: "Do clients wait too long for the first token, or for the whole answer?",
	Thresholds: []*Threshold{{
		Key: "ttft_p95", Default: 5, Unit: "seconds",
		About: "Longest time to the first token that nineteen of twenty requests may take. Raise it for agents that send very long prompts; keep it below 10, the last bound of vLLM before 0.8.2.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time((backend:llm_time_to_first_token_seconds:p95 and sum without (rank) (increase(llm_time_to_first_token_seconds_count[${latency_window}])) > ${latency_events})[1h:15s]))`,
			Healthy:   []string{"vllm-0.32.0/basic", "vllm-0.32.0/prefix-hot", "vllm-0.32.0/rust-frontend", "vllm-0.16.0/basic"},
			Incident:  []string{"vllm-0.32.0/overload-long", "vllm-0.32.0/kv-full-long", "vllm-0.32.0/kv-full-queueing"},
			Above:     true, Margin: 1.2,
			Source: "reference fleet: warm turns of 90,000 tokens 1.1 to 2.7 s, cold ones of 30,000 tokens 12 to 22 s",
		}},
	}, {
		Key: "request_p95", Default: 30, Unit: "seconds",
		About: "Longest time from a request to the end of its answer that nineteen of twenty requests may take. Raise it where long answers are normal, up to the last bound of your engine's buckets (60 for vLLM before 0.8.2).",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time((backend:llm_request_duration_seconds:p95 and sum without (rank) (increase(llm_request_duration_seconds_count[${latency_window}])) > ${latency_events})[1h:15s]))`,
			Healthy:   []string{"vllm-0.32.0/basic", "vllm-0.32.0/prefix-hot", "vllm-0.32.0/dp2", "fleet-incidents"},
			Incident:  []string{"vllm-0.32.0/overload-long"},
			Above:     true, Margin: 1.2,
			Source: "reference fleet: turns of agents 1 to 22 s, 25 to 45 s at the median when the cards are over-committed",
		}},
	}, {
		Key: "latency_events", Default: 20, Unit: "requests",
		About: "Least requests in the window before their 95th percentile is judged. With twenty, one slow request cannot be the 95th percentile.",
		Evidence: []Evidence{{
			Source: "arithmetic: one of n requests is above the 95th percentile's rank only if n < 20",
		}},
	}, {
		Key: "latency_window", Default: 600, Unit: DurationUnit,
		About: "Window of the percentiles. Shorter reacts sooner, and leaves a quiet server with too few requests to judge.",
		Evidence: []Evidence{{
			Source: "twenty requests in ten minutes is one every half minute, what one agent loop of the reference fleet makes",
		}},
	}},
	Records: []Record{{
		Name: "backend:llm_time_to_first_token_seconds:p95", Unit: "seconds", Labels: perModel,
		Expr: `
			histogram_quantile(0.95,
			  sum without (rank) (rate(llm_time_to_first_token_seconds_bucket[${latency_window}]))
			) >= 0`,
		About: "95th percentile of the time to the first token; no sample while there are no requests.",
	}, {
		Name: "backend:llm_request_duration_seconds:p95", Unit: "seconds", Labels: perModel,
		Expr: `
			histogram_quantile(0.95,
			  sum without (rank) (rate(llm_request_duration_seconds_bucket[${latency_window}]))
			) >= 0`,
		About: "95th percentile of the time of a whole request; no sample while none ends.",
	}, {
		Name: "backend:llm_inter_token_latency_seconds:p95", Unit: "seconds", Labels: perModel,
		Expr: `
			histogram_quantile(0.95,
			  sum without (rank) (rate(llm_inter_token_latency_seconds_bucket[${latency_window}]))
			) >= 0`,
		About: "95th percentile of the time between two outputs of a request; no sample while nothing is generated.",
	}},
	Alerts: []Alert{timeToFirstTokenHigh, requestLatencyHigh},
}

var timeToFirstTokenHigh = Alert{
	Name: "LlmTimeToFirstTokenHigh", Severity: Critical, For: 2 * time.Minute, Panel: "latency/ttft",
	// What lies beyond the last bucket counts as the last bound, which is above the threshold.
	Expr: `
		backend:llm_time_to_first_token_seconds:p95 > ${ttft_p95}
		and sum without (rank) (increase(llm_time_to_first_token_seconds_count[${latency_window}])) > ${latency_events}`,
	Summary: `{{ $labels.backend }} is slow to begin: one of twenty requests to {{ $labels.model }} waits over {{ $value | humanizeDuration }} for its first token.`,
	Description: `Clients see nothing for longer than ${ttft_p95} s. Either requests queue, or prompts are long and not reused.
		First look at requests waiting and at the reuse of prefixes of {{ $labels.backend }}: send it less at once, or add a replica.`,
	Explains: []Explanation{{By: []string{"instance", "backend", "model"}, Alerts: []string{"LlmRequestLatencyHigh"}, Why: "A slow answer begins with a slow first token."}},
	Cases: []Case{{
		Recording: "vllm-0.32.0/overload-long",
		Fires:     []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 270, Firing: 390, Resolved: 0, Text: "vllm is slow to begin: one of twenty requests to tiny-chat waits over 7.122s for its first token."}},
		Why:       "ten clients on six sequences",
	}, {
		Recording: "vllm-0.32.0/kv-full-long",
		Fires:     []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 165, Firing: 285, Resolved: 0, Text: "vllm is slow to begin: one of twenty requests to tiny-chat waits over 17.62s for its first token."}},
		Why:       "ten clients on a cache for a few",
	}, {
		Recording: "vllm-0.32.0/kv-full-queueing",
		Fires:     []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 255, Firing: 375, Resolved: 0, Text: "vllm is slow to begin: one of twenty requests to tiny-chat waits over 14.83s for its first token."}},
		Why:       "the same, shorter",
	}, {
		Recording: "vllm-0.32.0/kv-full-queueing", Stretch: 60, Quiet: true,
		Why: "so few requests that a single one could be the percentile",
	}, {
		Recording: "vllm-0.32.0/prefix-hot", Quiet: true,
		Why: "long prompts that are reused",
	}, {
		Recording: "vllm-0.32.0/dp2", Quiet: true,
		Why: "two ranks are one backend",
	}, {
		Recording: "fleet-incidents", Quiet: true,
		Why: "one replica carries all: not yet slow",
	}},
}

var requestLatencyHigh = Alert{
	Name: "LlmRequestLatencyHigh", Severity: Critical, For: 2 * time.Minute, Panel: "latency/request",
	Expr: `
		backend:llm_request_duration_seconds:p95 > ${request_p95}
		and sum without (rank) (increase(llm_request_duration_seconds_count[${latency_window}])) > ${latency_events}`,
	Summary: `{{ $labels.backend }} is slow: one of twenty requests to {{ $labels.model }} takes over {{ $value | humanizeDuration }}.`,
	Description: `Overload shows as latency before anything fails: answers take longer than ${request_p95} s.
		First compare the time to the first token with the time between tokens of {{ $labels.backend }}: a slow start is a queue or long prompts, slow tokens are a batch or a card that does too much.`,
	Cases: []Case{{
		Recording: "vllm-0.32.0/overload-long",
		Fires:     []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 1140, Firing: 1260, Resolved: 0, Text: "vllm is slow: one of twenty requests to tiny-chat takes over 37.46s."}},
		Why:       "the overload, after the machine became a third as fast",
	}, {
		Recording: "vllm-0.32.0/overload-long", Stretch: 20, Quiet: true,
		Why: "slow, with fewer requests than could be judged",
	}, {
		Recording: "vllm-0.10.2/basic", Quiet: true,
		Why: "42 s at the percentile of sixteen requests: too few to judge",
	}, {
		Recording: "vllm-0.32.0/basic", Quiet: true,
		Why: "ordinary load",
	}, {
		Recording: "fleet-incidents", Quiet: true,
		Why: "one replica carries all: not yet slow",
	}},
}
