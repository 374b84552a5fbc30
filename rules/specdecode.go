package rules

import "time"

// Is the drafter alive? No client can see that it is not: everything answers, only slower.
var specdecode = Group{
	Name:  "specdecode",
	About: "Does speculative decoding still draft where it should?",
	Thresholds: []*Threshold{{
		Key: "spec_tokens", Default: 1000, Unit: "tokens",
		About: "Tokens generated within the window before the absence of drafts is judged.",
		Evidence: []Evidence{{
			// How many tokens a server that drafts may generate without a draft.
			Statistic: `max(max_over_time((sum without (rank) (increase(llm_generation_tokens_total[5m])) unless sum without (rank) (increase(llm_spec_decode_draft_tokens_total[5m])) > 0)[1h:15s]))`,
			Incident:  []string{"fleet-incidents"},
			Above:     true, Margin: 2,
			Source: "drafters on n-grams draft nothing for a sentence or two, not for a thousand tokens",
		}},
	}, {
		Key: "spec_window", Default: 300, Unit: DurationUnit,
		About: "Window without any draft.",
		Evidence: []Evidence{{
			// Seconds of the worst five minutes in which a server that drafts generated for a minute without a draft.
			Statistic: `15 * max(max_over_time(count_over_time((increase(llm_spec_decode_draft_tokens_total[1m]) == 0 and increase(llm_generation_tokens_total[1m]) > 0)[5m:15s])[1h:15s])) or vector(0)`,
			Healthy:   []string{"vllm-0.32.0/spec-ngram", "llamacpp-0.7.0-b11669/spec-draft"},
			Above:     true, Margin: 2,
			Source: "llama.cpp counts tokens and drafts together when a request ends: an answer of 4,000 tokens at 15 tokens a second just fits",
		}},
	}, {
		Key: "spec_memory", Default: 86400, Unit: DurationUnit,
		About: "How long a backend that drafted is expected to draft, where the configuration does not say what to expect.",
		Evidence: []Evidence{{
			Source: "a day: a drafter lost by a restart in the night is still missed in the morning",
		}},
	}, {
		Key: "spec_acceptance_share", Default: 0.5, Unit: "ratio",
		About: "Share of its own usual acceptance below which a drafter no longer fits its model or its work.",
		Evidence: []Evidence{{
			Statistic: `min(min_over_time(backend:llm_spec_decode:acceptance_of_usual[1h]))`,
			Healthy:   []string{"fleet-incidents", "vllm-0.32.0/spec-ngram"},
			Margin:    1.3,
			Source:    "reference fleet: 0.60 to 0.69 with one drafter, 0.41 to 0.71 with another, by what was asked: never below 0.58 of the best",
		}},
	}, {
		Key: "spec_draft_tokens", Default: 500, Unit: "tokens",
		About: "Tokens drafted within spec_window before their acceptance is judged.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time((sum without (rank) (increase(llm_spec_decode_draft_tokens_total[5m])))[1h:15s]))`,
			Incident:  []string{"fleet-incidents", "vllm-0.32.0/spec-ngram"},
			Above:     true, Margin: 2,
			Source: "a hundred drafts and more: with fewer, one answer of another kind decides",
		}},
	}, {
		Key: "spec_speed_share", Default: 0.8, Unit: "ratio",
		About: "Share of the speed without drafts below which drafting costs more than it gives.",
		Evidence: []Evidence{{
			Statistic: `min(avg_over_time(backend:llm_decode_drafting:tokens_per_second[1h]) / avg_over_time(backend:llm_decode_plain:tokens_per_second[1h]))`,
			Incident:  []string{"fleet-incidents"},
			Margin:    1.4, // 1.49 with scrapes 30 s apart, which tell drafting from not drafting later
			Source:    "reference fleet: a drafter that pays gives 1.5 to 2 times the speed; one fifth is what the load of a machine changes by itself",
		}},
	}, {
		Key: "spec_light_load", Default: 2, Unit: "requests",
		About: "Requests generating at once, on average, below which speeds with and without drafts are compared: with more, the load decides.",
		Evidence: []Evidence{{
			// Where a server showed its speed with drafts and without, and where four slots were full.
			Statistic: `max(max_over_time(sum without (rank) (rate(llm_decode_seconds_total{engine="llamacpp"}[5m]))[1h:15s]))`,
			Healthy:   []string{"fleet-incidents"},
			Incident:  []string{"llamacpp-0.7.0-b11669/overload-long"},
			Above:     true, Margin: 1.1,
			Source: "reference fleet: drafting seven tokens instead of five is faster for one client and slower for four",
		}},
	}, {
		Key: "spec_samples", Default: 10, Unit: "count",
		About: "Samples of the speed, with drafts and without, before the two are compared.",
		Evidence: []Evidence{{
			// Where drafting was slower: so many samples with drafts.
			Statistic: `min(count_over_time(backend:llm_decode_drafting:tokens_per_second[1h]))`,
			Incident:  []string{"fleet-incidents"},
			Above:     true, Margin: 3,
			Source: "with the window of rates before them, more than seven minutes of each",
		}},
	}},
	Records: []Record{{
		Name: "backend:llm_spec_decode:acceptance_ratio", Unit: "ratio", Labels: perModel,
		Expr: `
			sum without (rank) (rate(llm_spec_decode_accepted_tokens_total[${spec_window}]))
			  / sum without (rank) (rate(llm_spec_decode_draft_tokens_total[${spec_window}]))
			>= 0`,
		About: "Share of drafted tokens that the model accepted; no sample while nothing is drafted.",
	}, {
		Name: "backend:llm_spec_decode_draft_tokens:rate", Unit: "tokens/s", Labels: perModel,
		Expr:  `sum without (rank) (rate(llm_spec_decode_draft_tokens_total[${spec_window}]))`,
		About: "Tokens drafted per second.",
	}, {
		Name: "backend:llm_spec_decode:acceptance_of_usual", Unit: "ratio", Labels: perModel,
		Expr: `
			backend:llm_spec_decode:acceptance_ratio
			  / (avg_over_time(backend:llm_spec_decode:acceptance_ratio[${spec_memory}]) > 0)`,
		About: "Share of drafted tokens accepted, as a share of what it was on average within ${spec_memory}.",
	}, {
		Name: "backend:llm_decode:tokens_per_second", Unit: "tokens/s", Labels: perModel,
		// The engine's own seconds: llama.cpp counts tokens and seconds together when a request ends.
		Expr: `
			backend:llm_generation_tokens:rate / (sum without (rank) (rate(llm_decode_seconds_total[${rate_window}])) > 0)`,
		About: "Tokens per second that one request gets, on average.",
	}, {
		Name: "backend:llm_decode_drafting:tokens_per_second", Unit: "tokens/s", Labels: perModel,
		Expr: `
			backend:llm_decode:tokens_per_second
			and sum without (rank) (rate(llm_decode_seconds_total[${rate_window}])) < ${spec_light_load}
			and sum without (rank) (rate(llm_spec_decode_draft_tokens_total[${shortest_window}])) > 0`,
		About: "Tokens per second that one request gets while drafts are made and few requests run.",
	}, {
		Name: "backend:llm_decode_plain:tokens_per_second", Unit: "tokens/s", Labels: perModel,
		Expr: `
			backend:llm_decode:tokens_per_second
			and sum without (rank) (rate(llm_decode_seconds_total[${rate_window}])) < ${spec_light_load}
			unless backend:llm_spec_decode_draft_tokens:rate > 0`,
		About: "Tokens per second that one request gets while no drafts are made and few requests run.",
	}},
	Alerts: []Alert{speculationOff, draftAcceptanceLow, draftingSlower},
}

var speculationOff = Alert{
	Name: "LlmSpeculationOff", Severity: Warning, For: 2 * time.Minute, KeepFiring: 15 * time.Minute, Panel: "speculation/drafting",
	// A counter at zero says nothing: llama.cpp and vLLM's Rust front end have it without a
	// drafter, vLLM's Python front end has none then. So it must be expected, or have been.
	// Without generated tokens nothing can be said, and the alert is kept over the pause.
	Expr: `
		sum without (rank) (increase(llm_generation_tokens_total[${spec_window}])) > ${spec_tokens}
		unless sum without (rank) (increase(llm_spec_decode_draft_tokens_total[${spec_window}])) > 0
		unless on (instance, backend) llm_expected_speculation == 0
		and on (instance, backend) (
		  llm_expected_speculation == 1
		  or max_over_time(backend:llm_spec_decode_draft_tokens:increase[${spec_memory}]) > 0
		)`,
	Summary: `{{ $labels.backend }} does not draft: {{ $value | humanize }} tokens of {{ $labels.model }} within ${spec_window} without speculative decoding.`,
	Description: `Every answer is right, and comes slower than it could. The drafter was not loaded, most often since a restart with other arguments.
		First compare the command line of {{ $labels.backend }} with the one that drafted (-md and --spec-type of llama.cpp, --speculative-config of vLLM), and start it again with its drafter. If it is not meant to draft, say so with expect.speculation in the exporter's configuration.`,
	Cases: []Case{{
		Recording: "fleet-incidents",
		Fires:     []Firing{{Labels: `backend="small", engine="llamacpp", model="small"`, Pending: 915, Firing: 1035, Resolved: 0, Text: "small does not draft: 54.69k tokens of small within 5m without speculative decoding."}},
		Why:       "started again at 643 without its drafter; its counters exist, at zero",
	}, {
		Recording: "hosts/replicas-uneven",
		Fires:     []Firing{{Labels: `backend="quiet", engine="llamacpp", model="small"`, Pending: 915, Firing: 1035, Resolved: 0, Text: "quiet does not draft: 54.69k tokens of small within 5m without speculative decoding."}},
		Why:       "the same server beside another one",
	}, {
		Recording: "vllm-0.32.0/spec-ngram", Stretch: 15, Edit: "drafter-lost-at-30",
		Fires: []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 660, Firing: 780, Resolved: 0, Text: "vllm does not draft: 4.456k tokens of tiny-chat within 5m without speculative decoding."}},
		Why:   "vLLM has no series of speculation at all after such a restart",
	}, {
		Recording: "llamacpp-0.7.0-b11669/basic", Edit: "speculation-expected",
		Fires: []Firing{{Labels: `backend="llamacpp", engine="llamacpp", model="small"`, Pending: 180, Firing: 300, Resolved: 0, Text: "llamacpp does not draft: 4.089k tokens of small within 5m without speculative decoding."}},
		Why:   "drafting is expected and the server never did",
	}, {
		Recording: "fleet-incidents", Edit: "speculation-not-expected", Quiet: true,
		Why: "the operator says that it need not draft",
	}, {
		Recording: "llamacpp-0.7.0-b11669/spec-draft", Stretch: 60, Edit: "drafter-lost-at-10", Quiet: true,
		Why: "too few tokens to judge",
	}, {
		Recording: "vllm-0.32.0/spec-ngram", Stretch: 15, Quiet: true,
		Why: "it drafts",
	}, {
		Recording: "llamacpp-0.7.0-b11669/basic", Quiet: true,
		Why: "counters at zero on a server without a drafter",
	}, {
		Recording: "vllm-0.32.0/rust-frontend", Quiet: true,
		Why: "counters at zero on a server without a drafter",
	}},
}

var draftAcceptanceLow = Alert{
	Name: "LlmDraftAcceptanceLow", Severity: Warning, For: 10 * time.Minute, Panel: "speculation/usual",
	// No number is good for every drafter: each is compared with itself.
	Expr: `
		backend:llm_spec_decode:acceptance_of_usual < ${spec_acceptance_share}
		and sum without (rank) (increase(llm_spec_decode_draft_tokens_total[${spec_window}])) > ${spec_draft_tokens}`,
	Summary: `{{ $labels.backend }} drafts in vain: of the tokens drafted for {{ $labels.model }} only {{ $value | humanizePercentage }} of what is usual here are accepted.`,
	Description: `Answers are right and come slower, since most of what is drafted is thrown away.
		First see whether {{ $labels.backend }} was started again with another drafter, another model or other weights of the same model (a drafter belongs to exactly one), then whether it is asked for something else than before (another language, a higher temperature).`,
	Cases: []Case{{
		Recording: "vllm-0.32.0/spec-ngram", Stretch: 20, Edit: "drafts-miss-from-30", MayPend: true,
		Fires: []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 810, Firing: 1410, Resolved: 1560, Text: "vllm drafts in vain: of the tokens drafted for tiny-chat only 46.45% of what is usual here are accepted."}},
		Why:   "from second 30 on a fifth of what was accepted is accepted",
	}, {
		Recording: "vllm-0.32.0/spec-ngram", Stretch: 20, Quiet: true,
		Why: "the same drafter, as it was",
	}, {
		Recording: "fleet-incidents", Quiet: true,
		Why: "a drafter that is lost is no drafter that misses",
	}},
}

var draftingSlower = Alert{
	Name: "LlmDraftingSlower", Severity: Info, For: 5 * time.Minute, Panel: "speculation/speed",
	// Acceptance cannot tell: only the speed with drafts beside the speed without, at a load
	// that is much the same, where the server has shown both within a day. While it drafts nothing
	// that is nobody's trouble: LlmSpeculationOff tells.
	Expr: `
		avg_over_time(backend:llm_decode_drafting:tokens_per_second[${spec_memory}])
		  / avg_over_time(backend:llm_decode_plain:tokens_per_second[${spec_memory}]) < ${spec_speed_share}
		and count_over_time(backend:llm_decode_drafting:tokens_per_second[${spec_memory}]) > ${spec_samples}
		and count_over_time(backend:llm_decode_plain:tokens_per_second[${spec_memory}]) > ${spec_samples}
		and backend:llm_spec_decode_draft_tokens:rate > 0`,
	Summary: `{{ $labels.backend }} is slower with its drafter: answers of {{ $labels.model }} come at {{ $value | humanizePercentage }} of the speed without drafts.`,
	Description: `Within ${spec_memory} {{ $labels.backend }} has worked with drafts and without, and one request got fewer tokens per second with them. A drafter that is accepted often and is slow itself can do that.
		First compare at a quiet hour, one client at a time, with and without the drafter; then draft fewer tokens at a time, or leave the drafter out.`,
	Cases: []Case{{
		Recording: "fleet-incidents", Edit: "drafts-again-from-1130",
		Fires: []Firing{{Labels: `backend="small", engine="llamacpp", model="small"`, Pending: 1140, Firing: 1440, Resolved: 0, Text: "small is slower with its drafter: answers of small come at 56.34% of the speed without drafts."}},
		Why:   "46 to 85 tokens per second with its drafter until 640, 98 to 148 without, and slow again with it",
	}, {
		Recording: "fleet-incidents", Quiet: true,
		Why: "slower with its drafter than without, and now without it: LlmSpeculationOff tells",
	}, {
		Recording: "vllm-0.32.0/spec-ngram", Stretch: 20, Quiet: true,
		Why: "always with drafts: nothing to compare with",
	}, {
		Recording: "fleet-incidents", Edit: "drafter-pays", Quiet: true,
		Why: "faster with its drafter than without",
	}, {
		Recording: "fleet-incidents", Edit: "drafts-first-from-1130", Quiet: true, MayPend: true,
		Why: "two minutes with drafts are too few to judge them",
	}, {
		Recording: "fleet-incidents", Edit: "drafts-again-from-1000", Quiet: true,
		Why: "a minute without drafts is too little to compare with",
	}, {
		Recording: "fleet-incidents", Edit: "crowded-with-drafts", Quiet: true,
		Why: "it drafts while many requests share it: the load decides, not the drafts",
	}, {
		Recording: "fleet-incidents", Edit: "crowded-without-drafts", Quiet: true,
		Why: "many requests shared it while it did not draft",
	}},
}
