package rules

import (
	"fmt"
	"strings"
	"time"
)

// Is it full? A full server does not fail: it queues, throws requests out of its cache, or
// refuses them, and each shows in another series.
var capacity = Group{
	Name:  "capacity",
	About: "Is a backend full: does it queue, refuse, or run out of KV cache?",
	Thresholds: []*Threshold{{
		Key: "kv_usage", Default: 0.9, Unit: "ratio",
		About: "Share of the KV cache in use above which it counts as full.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(llm_kv_cache_usage_ratio[1h]))`,
			Healthy:   []string{"vllm-0.32.0/overload-long", "vllm-0.32.0/prefix-hot", "llamacpp-b5036/inprocess"},
			Incident:  []string{"vllm-0.32.0/kv-full-long", "vllm-0.32.0/kv-full-queueing"},
			Above:     true, Margin: 1.1,
			Source: "the reference fleet's page used the same share",
		}},
	}, {
		Key: "kv_window", Default: 300, Unit: DurationUnit,
		About: "Window in which the cache must have been full once: a preemption empties a third of it, so it is never full for long.",
		Evidence: []Evidence{{
			// The longest that a saturated cache, with requests waiting for it, stayed below its mark.
			Statistic: `max(max_over_time((time() - max_over_time(timestamp(llm_kv_cache_usage_ratio > ${kv_usage})[30m:15s]) and on (instance, backend, model) llm_requests_waiting > 0)[1h:15s]))`,
			Healthy:   []string{"vllm-0.32.0/kv-full-long", "vllm-0.32.0/kv-full-queueing"},
			Above:     true, Margin: 2,
			Source: "vllm-0.32.0/kv-full-long: above 0.9 in 29 of 64 scrapes, never in more than three in a row",
		}},
	}, {
		Key: "queue_waiting", Default: 2, Unit: "requests",
		About: "Requests that wait at the same time, without a break, before it counts as a queue.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(min_over_time(llm_requests_waiting[5m])[1h:15s]))`,
			Healthy:   []string{"fleet-incidents", "vllm-0.32.0/basic", "vllm-0.32.0/prefix-hot", "llamacpp-b9294/basic"},
			Incident:  []string{"vllm-0.32.0/overload-long", "vllm-0.32.0/kv-full-long", "llamacpp-0.7.0-b11669/overload-long"},
			Above:     true, Margin: 1.5,
		}},
	}, {
		Key: "queue_window", Default: 300, Unit: DurationUnit,
		About: "How long the queue must have been at least that long. A queue that empties now and then shows in the time to first token.",
		Evidence: []Evidence{{
			// Seconds of the worst ten minutes in which two or more waited.
			Statistic: `15 * max(max_over_time(count_over_time((llm_requests_waiting >= 2)[10m:15s])[1h:15s])) or vector(0)`,
			Healthy:   []string{"fleet-incidents"},
			Incident:  []string{"vllm-0.32.0/overload-long", "vllm-0.32.0/kv-full-long", "llamacpp-0.7.0-b11669/overload-long"},
			Above:     true, Margin: 1.9,
			Source: "twelve minutes with the alert's own seven, so that a burst of ten is worked off unseen; the reference fleet's rule waited ten",
		}},
	}, {
		Key: "refused_requests", Default: 10, Unit: "requests",
		About: "Requests refused within the window. A few refusals in a burst are what a queue limit is for.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(backend:llm_requests_rejected:increase[1h]))`,
			Healthy:   []string{"vllm-0.32.0/basic", "vllm-0.32.0/overload-long", "vllm-0.32.0/kv-full-long"},
			Incident:  []string{"vllm-0.32.0/queue-limit"},
			Above:     true, Margin: 3,
		}},
	}, {
		Key: "rate_window", Default: 300, Unit: DurationUnit,
		About: "Window of rates of tokens and requests. llama.cpp counts tokens when a request ends, so a shorter one steps.",
		Evidence: []Evidence{{
			// Seconds of the worst five minutes in which requests ran and a minute had passed without a token.
			Statistic: `15 * max(max_over_time(count_over_time((increase(llm_generation_tokens_total[1m]) == 0 and min_over_time(llm_requests_running[1m]) > 0)[5m:15s])[1h:15s])) or vector(0)`,
			Healthy:   []string{"llamacpp-0.7.0-b11669/overload-long", "fleet-incidents", "vllm-0.32.0/overload-long"},
			Above:     true, Margin: 2,
			Source: "twenty scrapes of 15 s; an answer of 4,000 tokens at 15 tokens a second just fits",
		}},
	}, {
		Key: "preempted", Default: 0.5, Unit: "count",
		About: "Requests thrown out of the KV cache for each one that ends, above which the work is done twice.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(backend:llm_preemptions:per_request[1h])) or vector(0)`,
			Healthy:   []string{"vllm-0.32.0/overload-long", "vllm-0.32.0/basic", "fleet-incidents"},
			Incident:  []string{"vllm-0.32.0/kv-full-long", "vllm-0.32.0/kv-full-queueing"},
			Above:     true, Margin: 2,
			Source: "reference fleet: with three agents on a card that holds two, three of four turns were computed anew",
		}},
	}, {
		Key: "preemptions", Default: 10, Unit: "count",
		About: "Requests thrown out within rate_window before their share is judged.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(increase(llm_preemptions_total[5m])[1h:15s])) or vector(0)`,
			Healthy:   []string{"vllm-0.32.0/overload-long", "fleet-incidents"},
			Incident:  []string{"vllm-0.32.0/kv-full-long", "vllm-0.32.0/kv-full-queueing"},
			Above:     true, Margin: 2,
		}},
	}, {
		Key: "full_requests", Default: 1, Unit: "count",
		About: "Requests of full length that the KV cache must hold at least.",
		Evidence: []Evidence{{
			Statistic: `min(min_over_time(backend:llm_kv_cache:full_requests[1h]))`,
			Healthy:   []string{"vllm-0.32.0/kv-full-long", "vllm-0.32.0/overload-long", "fleet-incidents", "ik_llamacpp-8337e4cd/basic"},
			Margin:    1.2,
			Source:    "what the server promises; on the reference fleet 1.07 for one card, 1.62 for two, and a pool that was halved at a start because memory was short",
		}},
	}, {
		Key: "slots_busy", Default: 1, Unit: "ratio",
		About: "Share of the slots that must be taken all the time.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(min_over_time(backend:llm_slots_busy:ratio[10m])[1h:15s]))`,
			Healthy:   []string{"fleet-incidents"},
			Above:     true, Margin: 1.1,
			Source: "arithmetic: with one slot free the next request need not wait",
		}},
	}, {
		Key: "slots_window", Default: 600, Unit: DurationUnit,
		About: "How long no slot was free.",
		Evidence: []Evidence{{
			// Seconds of the worst twenty minutes in which no slot was free.
			Statistic: `15 * max(max_over_time(count_over_time((backend:llm_slots_busy:ratio >= 1)[20m:15s])[1h:15s])) or vector(0)`,
			Healthy:   []string{"fleet-incidents"},
			Incident:  []string{"llamacpp-0.7.0-b11669/overload-long"},
			Above:     true, Margin: 1.5,
			Source: "fifteen minutes with the alert's own five: a batch job or a burst is over by then",
		}},
	}, {
		Key: "ranks_spread", Default: 0.4, Unit: "ratio",
		About: "How much fuller, in shares of its KV cache, one rank may be than another on average.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(backend:llm_kv_cache_usage:spread[1h])) or vector(0)`,
			Healthy:   []string{"vllm-0.32.0/dp2", "vllm-0.32.0/dp2-engine-dead"},
			Above:     true, Margin: 1.5,
			Source: "a field report: one rank at 0.9, the other at 0.1, and a mean of 0.5",
		}},
	}, {
		Key: "ranks_window", Default: 600, Unit: DurationUnit,
		About: "Time over which the ranks' use of their KV caches is averaged.",
		Evidence: []Evidence{{
			Source: "ranks take requests in turn: for the length of one long answer, some minutes, one is always fuller",
		}},
	}},
	Records: []Record{{
		Name: "backend:llm_generation_tokens:rate", Unit: "tokens/s", Labels: perModel,
		Expr:  `sum without (rank) (rate(llm_generation_tokens_total[${rate_window}]))`,
		About: "Tokens generated per second.",
	}, {
		Name: "backend:llm_prompt_tokens:rate", Unit: "tokens/s", Labels: perModel,
		Expr:   `sum without (rank) (rate(llm_prompt_tokens_total[${rate_window}]))`,
		About:  "Prompt tokens per second, those from the prefix cache included.",
		Unread: "only the energy of tokens is worked out from it, and a test of written series holds that",
	}, {
		Name: "backend:llm_requests_finished:rate", Unit: "requests/s", Labels: perModel,
		Expr:  `sum without (rank, reason) (rate(llm_requests_finished_total[${rate_window}]))`,
		About: "Requests that ended per second, for whatever reason.",
	}, {
		Name: "backend:llm_requests_rejected:increase", Unit: "requests", Labels: perModel,
		Expr:  `sum without (rank, reason) (increase(llm_requests_rejected_total[${rate_window}]))`,
		About: "Requests refused within the window.",
	}, {
		Name: "backend:llm_requests_waiting:sum", Unit: "requests", Labels: perModel,
		Expr:  `sum without (rank) (llm_requests_waiting)`,
		About: "Requests that wait, of all ranks.",
	}, {
		Name: "backend:llm_requests_running:sum", Unit: "requests", Labels: perModel,
		Expr:  `sum without (rank) (llm_requests_running)`,
		About: "Requests that are worked on, of all ranks.",
	}, {
		Name: "backend:llm_kv_cache_usage:max", Unit: "ratio", Labels: perModel,
		Expr:  `max without (rank) (llm_kv_cache_usage_ratio)`,
		About: "Share of the KV cache in use, of the fullest rank.",
	}, {
		Name: "backend:llm_kv_cache_usage:spread", Unit: "ratio", Labels: perModel,
		// One rank alone has no other; dp ranks only carry the label.
		Expr: `
			max without (rank) (avg_over_time(llm_kv_cache_usage_ratio{rank!=""}[${ranks_window}]))
			  - min without (rank) (avg_over_time(llm_kv_cache_usage_ratio{rank!=""}[${ranks_window}]))`,
		About: "How much fuller the KV cache of the fullest rank was on average than that of the emptiest.",
	}, {
		Name: "backend:llm_kv_cache:full_requests", Unit: "count", Labels: perModel,
		Expr:  `min without (rank) (llm_kv_cache_capacity_tokens) / llm_model_context_length_tokens`,
		About: "Requests of full length that fit into the KV cache of one rank together.",
	}, {
		Name: "backend:llm_preemptions:per_request", Unit: "count", Labels: perModel,
		// Nothing thrown out and nothing ended is 0/0, which no comparison lets through.
		Expr:  `sum without (rank) (rate(llm_preemptions_total[${rate_window}])) / backend:llm_requests_finished:rate >= 0`,
		About: "Requests thrown out of the KV cache for each request that ended; infinite while none ends.",
	}, {
		Name: "backend:llm_slots_busy:ratio", Unit: "ratio", Labels: perModel,
		Expr:  `backend:llm_requests_running:sum / (sum without (rank) (llm_engine_max_concurrency) > 0)`,
		About: "Share of the slots that are taken.",
	}},
	Alerts: []Alert{
		requestsRefused, requestsQueueing, kvCacheSaturated,
		preemptionsGrowing, contextBeyondCache, slotsBusy, ranksUneven, replicasUneven,
	},
}

var requestsRefused = Alert{
	Name: "LlmRequestsRefused", Severity: Critical, For: 2 * time.Minute, Panel: "capacity/refused",
	// A queue limit keeps the queue empty, so nothing but this counter tells.
	Expr:    `backend:llm_requests_rejected:increase > ${refused_requests}`,
	Summary: `{{ $labels.backend }} turns clients away: {{ $value | printf "%.0f" }} requests to {{ $labels.model }} refused within ${rate_window}.`,
	Description: `Clients of {{ $labels.backend }} get 503: its queue limit is reached, and its queue looks empty because of it.
		First send less at once (fewer clients, or a router with another replica); raise the queue limit only if clients would rather wait.`,
	Explains: []Explanation{{
		By: []string{"instance", "backend", "model"}, Alerts: []string{"LlmTimeToFirstTokenHigh", "LlmRequestLatencyHigh", "LlmRequestsQueueing", "LlmErrorBudgetBurning", "LlmErrorBudgetShrinking"},
		Why: "To refuse is the last stage of being full.",
	}},
	Cases: []Case{{
		Recording: "vllm-0.32.0/queue-limit",
		Fires:     []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 15, Firing: 135, Resolved: 0, Text: "vllm turns clients away: 515 requests to tiny-chat refused within 5m."}},
		Why:       "480 of 537 requests are refused while nothing waits in any scrape",
	}, {
		Recording: "vllm-0.32.0/queue-limit", Edit: "ten-hosts",
		Fires: onTenHosts(Firing{Labels: `backend="vllm", engine="vllm", job="llmfleet", model="tiny-chat"`, Pending: 15, Firing: 135, Resolved: 0, Text: "vllm turns clients away: 515 requests to tiny-chat refused within 5m."}),
		Why:   "ten hosts whose backends have the same name stay ten",
	}, {
		Recording: "vllm-0.32.0/queue-limit", Edit: "refusals-rare", Quiet: true,
		Why: "a few refusals in a burst are what a queue limit is for",
	}, {
		Recording: "vllm-0.32.0/overload-long", Quiet: true,
		Why: "a queue without a limit refuses nobody",
	}},
}

var requestsQueueing = Alert{
	Name: "LlmRequestsQueueing", Severity: Warning, For: 7 * time.Minute, Panel: "capacity/waiting",
	Expr:    `min_over_time(llm_requests_waiting[${queue_window}]) >= ${queue_waiting}`,
	Summary: `{{ $labels.backend }} has a queue that does not end: never fewer than {{ $value | printf "%.0f" }} requests to {{ $labels.model }} waiting within ${queue_window}.`,
	Description: `More requests arrive at {{ $labels.backend }} than it finishes, so all wait longer and longer.
		First see whether the KV cache or the number of sequences is the limit: if the cache is full, shorten contexts or send less; if not, raise the limit of sequences or slots.`,
	Explains: []Explanation{{By: []string{"instance", "backend", "model"}, Alerts: []string{"LlmSlotsBusy"}, Why: "Who waits has found no free slot."}},
	Cases: []Case{{
		Recording: "vllm-0.32.0/overload-long",
		Fires:     []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 525, Firing: 945, Resolved: 1155, Text: "vllm has a queue that does not end: never fewer than 4 requests to tiny-chat waiting within 5m."}},
		Why:       "a queue for fifteen minutes while the cache is half empty",
	}, {
		Recording: "vllm-0.32.0/kv-full-long",
		Fires:     []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 420, Firing: 840, Resolved: 1095, Text: "vllm has a queue that does not end: never fewer than 4 requests to tiny-chat waiting within 5m."}},
		Why:       "a queue because the cache is full",
	}, {
		Recording: "vllm-0.32.0/kv-full-queueing",
		Fires:     []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 360, Firing: 780, Resolved: 1335, Text: "vllm has a queue that does not end: never fewer than 4 requests to tiny-chat waiting within 5m."}},
		Why:       "the same, shorter",
	}, {
		Recording: "llamacpp-0.7.0-b11669/overload-long",
		Fires:     []Firing{{Labels: `backend="llamacpp", engine="llamacpp", model="small"`, Pending: 465, Firing: 885, Resolved: 1155, Text: "llamacpp has a queue that does not end: never fewer than 7 requests to small waiting within 5m."}},
		Why:       "twelve clients on four slots; llama.cpp has no latency, so this is the only sign",
	}, {
		Recording: "hosts/replicas-uneven",
		Fires:     []Firing{{Labels: `backend="crowded", engine="llamacpp", model="small"`, Pending: 465, Firing: 885, Resolved: 1155, Text: "crowded has a queue that does not end: never fewer than 7 requests to small waiting within 5m."}},
		Why:       "the same beside a replica that has room",
	}, {
		Recording: "llamacpp-0.7.0-b11669/basic", Quiet: true, MayPend: true,
		Why: "a queue of ten minutes that is worked off",
	}, {
		Recording: "vllm-0.32.0/queue-limit", Quiet: true,
		Why: "a full queue limit keeps the queue empty",
	}, {
		Recording: "llamacpp-b9294/basic", Stretch: 60, Quiet: true,
		Why: "one request that waits is no queue",
	}},
}

var kvCacheSaturated = Alert{
	Name: "LlmKVCacheSaturated", Severity: Warning, For: 5 * time.Minute, Panel: "capacity/kv",
	// Each preemption frees room, so a saturated cache dips far below the mark and a plain
	// "above 0.9 for five minutes" misses it. A cache that is merely kept full (llama.cpp
	// leaves old prompts in it) harms nobody: somebody must wait or be thrown out.
	Expr: `
		max_over_time(llm_kv_cache_usage_ratio[${kv_window}]) > ${kv_usage}
		and (
		  increase(llm_preemptions_total[${kv_window}]) > 0
		  or min_over_time(llm_requests_waiting[${kv_window}]) > 0
		)`,
	Summary: `{{ $labels.backend }} has too little KV cache: it fills up to {{ $value | humanizePercentage }}, and requests to {{ $labels.model }} wait or are computed again.`,
	Description: `The requests of {{ $labels.backend }} do not fit into its KV cache together. vLLM throws some out and computes them again, which costs more work than it saves.
		First send fewer or shorter requests at once; then give the cache more memory, a smaller data type, or move a family of prompts to another backend.`,
	Explains: []Explanation{{By: []string{"instance", "backend", "model"}, Alerts: []string{"LlmPreemptionsGrowing"}, Why: "Requests are thrown out because the cache is full."}},
	Cases: []Case{{
		Recording: "vllm-0.32.0/kv-full-long",
		Fires:     []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 135, Firing: 435, Resolved: 0, Text: "vllm has too little KV cache: it fills up to 100%, and requests to tiny-chat wait or are computed again."}},
		Why:       "above 0.9 in 29 of 64 scrapes, never in more than three in a row",
	}, {
		Recording: "vllm-0.32.0/kv-full-queueing",
		Fires:     []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 105, Firing: 405, Resolved: 0, Text: "vllm has too little KV cache: it fills up to 100%, and requests to tiny-chat wait or are computed again."}},
		Why:       "the same at another pace: dips to 0.23 after each preemption",
	}, {
		Recording: "vllm-0.32.0/kv-full-long", Edit: "preemptions-never-counted",
		Fires: []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 420, Firing: 720, Resolved: 1095, Text: "vllm has too little KV cache: it fills up to 100%, and requests to tiny-chat wait or are computed again."}},
		Why:   "requests that wait all the time are sign enough",
	}, {
		Recording: "vllm-0.32.0/overload-long", Quiet: true,
		Why: "a queue with a cache that is half empty",
	}, {
		Recording: "llamacpp-b5036/inprocess", Edit: "kv-kept-full-at-rest", Quiet: true,
		Why: "a cache that keeps old prompts is full at rest, and nobody waits",
	}},
}

// onTenHosts is the same firing once for each of the hosts of the edit ten-hosts.
func onTenHosts(f Firing) []Firing {
	var out []Firing
	for _, suffix := range []string{"", "-2", "-3", "-4", "-5", "-6", "-7", "-8", "-9", "-10"} {
		one := f
		one.Labels = strings.TrimPrefix(fmt.Sprintf(`%s, instance="llmfleet%s"`, f.Labels, suffix), ", ")
		one.Text = strings.ReplaceAll(f.Text, "llmfleet", "llmfleet"+suffix)
		out = append(out, one)
	}
	return out
}
