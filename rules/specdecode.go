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
			Source: "llama.cpp counts tokens and drafts together when a request ends: an answer of 4,000 tokens at 15 tokens a second just fits",
		}},
	}, {
		Key: "spec_memory", Default: 86400, Unit: DurationUnit,
		About: "How long a backend that drafted is expected to draft, where the configuration does not say what to expect.",
		Evidence: []Evidence{{
			Source: "a day: a drafter lost by a restart in the night is still missed in the morning",
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
	}},
	Alerts: []Alert{speculationOff},
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
		  or increase(llm_spec_decode_draft_tokens_total[${spec_memory}]) > 0
		)`,
	Summary: `{{ $labels.backend }} does not draft: {{ $value | humanize }} tokens of {{ $labels.model }} within ${spec_window} without speculative decoding.`,
	Description: `Every answer is right, and comes slower than it could. The drafter was not loaded, most often since a restart with other arguments.
		First compare the command line of {{ $labels.backend }} with the one that drafted (-md and --spec-type of llama.cpp, --speculative-config of vLLM), and start it again with its drafter. If it shall not draft, say so: expect.speculation in the exporter's configuration.`,
	Cases: []Case{{
		Recording: "fleet-incidents",
		Fires:     []Firing{{Labels: `backend="small", engine="llamacpp", model="small"`, Pending: 915, Firing: 1035, Resolved: 0, Text: "small does not draft: 54.69k tokens of small within 5m without speculative decoding."}},
		Why:       "started again at 643 without its drafter; its counters exist, at zero",
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
	Survivors: map[string]string{
		"threshold spec_memory ×10": "a memory of ten days: no recording is longer than an hour",
		"threshold spec_memory ÷10": "a memory of two hours: no recording is longer than an hour",
	},
}
