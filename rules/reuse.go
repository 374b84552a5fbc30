package rules

import "time"

// Are prompts computed twice? Reuse is a share of tokens over a window; an average since the
// server's start says nothing about now.
var reuse = Group{
	Name:  "reuse",
	About: "Are prompts computed again that the prefix cache should hold?",
	Thresholds: []*Threshold{{
		Key: "reuse_hit_ratio", Default: 0.1, Unit: "ratio",
		About: "Share of looked-up prompt tokens found in the prefix cache below which reuse has collapsed. Agents that send their whole conversation each turn reach 0.5 to 0.95: raise it to 0.2 for them. Set it to 0 where prompts have nothing in common.",
		Evidence: []Evidence{{
			Statistic: `min(sum without (rank) (increase(llm_prefix_cache_hit_tokens_total[1h])) / sum without (rank) (increase(llm_prefix_cache_query_tokens_total[1h])) >= 0)`,
			Healthy:   []string{"vllm-0.32.0/prefix-hot", "vllm-0.32.0/dp2", "vllm-0.32.0/kv-full-long", "llamacpp-0.7.0-b11669/overload-long"},
			Margin:    1.5,
			Source:    "reference fleet: 0.76 for a prompt sent twice, 0.14 to 0.23 with more families of prompts than the cards hold",
		}},
	}, {
		Key: "reuse_tokens", Default: 10000, Unit: "tokens",
		About: "Prompt tokens looked up within the window before their reuse is judged.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time((sum without (rank) (increase(llm_prefix_cache_query_tokens_total[10m])))[1h:15s]))`,
			Healthy:   []string{"llamacpp-0.7.0-b11669/spec-draft", "llamacpp-0.7.0-b11669/restart", "vllm-0.10.2/basic", "vllm-0.32.0/dp2-engine-dead"},
			Incident:  []string{"vllm-0.32.0/prefix-hot", "fleet-incidents", "vllm-0.32.0/kv-full-long"},
			Above:     true, Margin: 2,
			Source: "a third of one prompt of the reference fleet's agents; one cold prompt leaves the window before the alert fires",
		}},
	}, {
		Key: "reuse_prompt_blocks", Default: 4, Unit: "count",
		About: "Mean length of prompts, in blocks of the cache, below which a low share is normal: prefixes are reused in whole blocks only.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(backend:llm_request_prompt_blocks:mean[1h]))`,
			Healthy:   []string{"vllm-0.32.0/spec-ngram"},
			Incident:  []string{"vllm-0.32.0/prefix-hot"},
			Above:     true, Margin: 1.3,
			Source: "reference fleet: no reuse of a prompt under two blocks; the shared part of a prompt is about half of it",
		}},
	}, {
		Key: "reuse_window", Default: 600, Unit: DurationUnit,
		About: "Window of the share of reuse.",
		Evidence: []Evidence{{
			// Seconds that a server at work needs to look reuse_tokens up.
			Statistic: `max(${reuse_tokens} / max_over_time(sum without (rank) (rate(llm_prefix_cache_query_tokens_total[10m]))[1h:15s]))`,
			Healthy:   []string{"fleet-incidents"},
			Above:     true, Margin: 3,
			Source: "turns of the reference fleet's agents take 1 to 22 s: ten minutes hold at least twenty of them",
		}},
	}, {
		Key: "reuse_memory", Default: 86400, Unit: DurationUnit,
		About: "How long a backend that looked prompts up in its prefix cache is expected to go on doing so.",
		Evidence: []Evidence{{
			Source: "a day, as for a drafter: a cache lost by a restart in the night is still missed in the morning",
		}},
	}},
	Records: []Record{{
		Name: "backend:llm_prefix_cache:hit_ratio", Unit: "ratio", Labels: perModel,
		// 0/0 is NaN, which no comparison lets through: idle gives no sample.
		Expr: `
			sum without (rank) (rate(llm_prefix_cache_hit_tokens_total[${reuse_window}]))
			  / sum without (rank) (rate(llm_prefix_cache_query_tokens_total[${reuse_window}]))
			>= 0`,
		About: "Share of looked-up prompt tokens that the prefix cache had; no sample while nothing is looked up.",
	}, {
		Name: "backend:llm_request_prompt_blocks:mean", Unit: "count", Labels: perModel,
		Expr: `
			sum without (rank) (rate(llm_request_prompt_tokens_sum[${reuse_window}]))
			  / sum without (rank) (rate(llm_request_prompt_tokens_count[${reuse_window}]))
			  / on (instance, backend) group_left max by (instance, backend) (last_over_time(llm_kv_cache_block_size_tokens[${reuse_window}]))
			>= 0`,
		About: "Mean length of finished requests' prompts in blocks of the cache; no sample while none ends.",
	}},
	Alerts: []Alert{prefixReuseCollapsed, prefixCacheOff},
}

var prefixReuseCollapsed = Alert{
	Name: "LlmPrefixReuseCollapsed", Severity: Warning, For: 10 * time.Minute, Panel: "reuse/hit-ratio",
	// A server that has just started has an empty cache: its first window says nothing.
	Expr: `
		backend:llm_prefix_cache:hit_ratio < ${reuse_hit_ratio}
		and sum without (rank) (increase(llm_prefix_cache_query_tokens_total[${reuse_window}])) > ${reuse_tokens}
		unless backend:llm_request_prompt_blocks:mean < ${reuse_prompt_blocks}
		unless sum without (rank) (resets(llm_prefix_cache_query_tokens_total[${reuse_window}])) > 0`,
	Summary: `{{ $labels.backend }} computes prompts again: only {{ $value | humanizePercentage }} of the prompt tokens of {{ $labels.model }} came from its prefix cache.`,
	Description: `Each turn pays for its whole prompt, so clients wait seconds instead of fractions for the first token, though nothing fails.
		First see whether {{ $labels.backend }} serves more different conversations than its KV cache holds, then whether the router still sends a conversation to the same replica, then whether the prompts begin with something that changes (a date, an id).`,
	Cases: []Case{{
		Recording: "vllm-0.32.0/prefix-hot", Stretch: 15, Edit: "prefix-hits-never-counted",
		Fires: []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 300, Firing: 900, Resolved: 0, Text: "vllm computes prompts again: only 0% of the prompt tokens of tiny-chat came from its prefix cache."}},
		Why:   "long prompts that share a prefix, and the cache has none of it",
	}, {
		Recording: "vllm-0.32.0/prefix-hot", Stretch: 15, Edit: "prefix-hits-rare",
		Fires: []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 300, Firing: 900, Resolved: 0, Text: "vllm computes prompts again: only 4.834% of the prompt tokens of tiny-chat came from its prefix cache."}},
		Why:   "one hit of twenty is left",
	}, {
		Recording: "vllm-0.32.0/prefix-hot", Stretch: 15, Edit: "cold-restart-at-40", Quiet: true, MayPend: true,
		Why: "the server is started again in the middle: its cache is given time to fill before it is judged again",
	}, {
		Recording: "vllm-0.32.0/prefix-hot", Stretch: 15, Quiet: true,
		Why: "the same with its cache",
	}, {
		Recording: "vllm-0.32.0/dp2", Stretch: 40, Edit: "prefix-hits-never-counted", Quiet: true,
		Why: "too little traffic to judge",
	}, {
		Recording: "vllm-0.32.0/spec-ngram", Stretch: 15, Quiet: true,
		Why: "prompts of two blocks, shared parts of less than one: no hit is possible",
	}, {
		Recording: "vllm-0.32.0/replica-down", Quiet: true,
		Why: "caching is off on one: nothing is looked up",
	}, {
		Recording: "vllm-0.32.0/kv-full-long", Quiet: true,
		Why: "a full cache costs reuse, but it does not collapse",
	}, {
		Recording: "fleet-incidents", Quiet: true,
		Why: "conversations through a router that keeps them together",
	}},
}

var prefixCacheOff = Alert{
	Name: "LlmPrefixCacheOff", Severity: Warning, For: 5 * time.Minute, KeepFiring: 15 * time.Minute, Panel: "reuse/asked",
	// Off is not a share of 0: nothing is looked up, and 0/0 is no number. Presence says nothing
	// either: vLLM has both counters without a cache. So it must have been in use within a day.
	Expr: `
		sum without (rank) (increase(llm_prompt_tokens_total[${reuse_window}])) > ${reuse_tokens}
		unless sum without (rank) (increase(llm_prefix_cache_query_tokens_total[${reuse_window}])) > 0
		and on (instance, backend) max_over_time(backend:llm_prefix_cache_query_tokens:increase[${reuse_memory}]) > 0`,
	Summary: `{{ $labels.backend }} no longer uses a prefix cache: {{ $value | humanize }} prompt tokens of {{ $labels.model }} within ${reuse_window}, none of them looked up.`,
	Description: `Every turn of a conversation is computed from its first word, so clients wait longer the longer they talk, though nothing fails.
		First compare the command line of {{ $labels.backend }} with the one before its last start (--no-enable-prefix-caching of vLLM, --disable-radix-cache of SGLang); some other features switch it off by themselves, and its log says so.`,
	Cases: []Case{{
		Recording: "vllm-0.32.0/prefix-hot", Stretch: 20, Edit: "prefix-cache-off-at-40",
		Fires: []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 1290, Firing: 1590, Resolved: 0, Text: "vllm no longer uses a prefix cache: 85.46k prompt tokens of tiny-chat within 10m, none of them looked up."}},
		Why:   "started again without its cache: both counters are there, at zero",
	}, {
		Recording: "vllm-0.32.0/prefix-hot", Stretch: 20, Edit: "prefix-cache-off-and-few-prompts", Quiet: true,
		Why: "a trickle: too few prompts to miss the cache",
	}, {
		Recording: "vllm-0.32.0/replica-down", Quiet: true,
		Why: "one that never had a cache; and too little traffic on the other",
	}, {
		Recording: "vllm-0.32.0/prefix-hot", Stretch: 15, Edit: "prefix-hits-never-counted", Quiet: true,
		Why: "a cache that is asked and has nothing is in use",
	}},
}
