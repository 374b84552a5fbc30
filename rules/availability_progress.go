package rules

import "time"

var engineStalled = Alert{
	Name: "LlmEngineStalled", Severity: Critical, For: time.Minute, Panel: "capacity/generated",
	// The front end of a dead engine answers its health check, and gauges keep their last
	// value. Steps move while a request runs; tokens of llama.cpp only when it ends. Where
	// several front ends share one engine steps may go uncounted, so tokens must stand still too:
	// those of the same rank, or of all where they are counted together. Gauges of several
	// processes are born with the first request, which may take a minute without a step.
	Expr: `
		increase(llm_engine_steps_total[${stall_window}]) == 0
		unless increase(llm_generation_tokens_total[${stall_window}]) > 0
		unless on (instance, backend, model) increase(llm_generation_tokens_total{rank=""}[${stall_window}]) > 0
		and min_over_time((llm_requests_running + llm_requests_waiting)[${stall_window}:${scrape_interval}]) > 0
		and llm_requests_running offset ${stall_window}`,
	Summary: `{{ $labels.backend }} stands still: it has requests to {{ $labels.model }}, and its engine has made no step for ${stall_window}.`,
	Description: `{{ $labels.backend }} answers its health check, and requests hang. The engine behind the front end is dead or blocked.
		First see whether its cards work (nvidia-smi, rocm-smi) and what its log said last, keep that log, then restart it: it will not recover by itself.`,
	Valueless: "it is always 0: no step",
	Explains:  []Explanation{{By: []string{"instance", "backend", "model"}, Why: "While an engine stands still its queue, its cache and its latency only show that."}},
	Cases: []Case{{
		Recording: "vllm-0.32.0/overload-long", Edit: "counters-frozen-at-600",
		Fires: []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 810, Firing: 870, Text: "vllm stands still: it has requests to tiny-chat, and its engine has made no step for 4m."}},
		Why:   "six run and four wait for ever",
	}, {
		Recording: "llamacpp-0.7.0-b11669/overload-long", Edit: "counters-frozen-at-600",
		Fires: []Firing{{Labels: `backend="llamacpp", engine="llamacpp", model="small"`, Pending: 810, Firing: 870, Text: "llamacpp stands still: it has requests to small, and its engine has made no step for 4m."}},
		Why:   "four run and eight wait for ever",
	}, {
		Recording: "fleet-incidents", Quiet: true,
		Why: "idle at both ends, dead in the middle: no step, and no request either",
	}, {
		Recording: "vllm-0.32.0/overload-long", Edit: "steps-not-counted", Quiet: true,
		Why: "tokens come, so it works, whatever the count of steps says",
	}, {
		Recording: "vllm-0.32.0/dp2", Stretch: 15, Edit: "ranks-stand-still",
		Fires: []Firing{
			{Labels: `backend="vllm", engine="vllm", model="tiny-chat", rank="0"`, Pending: 390, Firing: 450, Resolved: 1125, Text: "vllm stands still: it has requests to tiny-chat, and its engine has made no step for 4m."},
			{Labels: `backend="vllm", engine="vllm", model="tiny-chat", rank="1"`, Pending: 390, Firing: 450, Resolved: 1125, Text: "vllm stands still: it has requests to tiny-chat, and its engine has made no step for 4m."},
		},
		Why: "two ranks whose tokens are counted together, as SGLang does",
	}, {
		Recording: "vllm-0.32.0/dp2", Stretch: 15, Edit: "ranks-count-tokens-together", Quiet: true,
		Why: "the tokens of both come",
	}, {
		Recording: "vllm-0.32.0/dp2", Quiet: true,
		Why: "the steps of two ranks are counted apart",
	}, {
		Recording: "vllm-0.32.0/dp2", Stretch: 15, Edit: "rank-1-dead-at-30",
		Fires: []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat", rank="1"`, Pending: 600, Firing: 660, Text: "vllm stands still: it has requests to tiny-chat, and its engine has made no step for 4m."}},
		Why:   "one rank is dead beside one that works, and the health check says 200",
	}, {
		Recording: "vllm-0.32.0/dp2-engine-dead", Stretch: 90,
		Fires: []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat", rank="1"`, Pending: 765, Firing: 825, Resolved: 1290, Text: "vllm stands still: it has requests to tiny-chat, and its engine has made no step for 4m."}},
		Why:   "the process of one rank is killed, and the server answers for some time, played slowly",
	}, {
		Recording: "vllm-0.32.0/overload-long", Edit: "second-model-dead-at-600",
		Fires: []Firing{{Labels: `backend="vllm", engine="vllm", model="second"`, Pending: 810, Firing: 870, Text: "vllm stands still: it has requests to second, and its engine has made no step for 4m."}},
		Why:   "of two models of one server one stands still",
	}, {
		Recording: "vllm-0.32.0/dp2", Stretch: 15, Edit: "steps-not-counted", Quiet: true,
		Why: "the tokens of each rank come",
	}, {
		Recording: "vllm-0.32.0/overload-long", Edit: "only-steps-counted", Quiet: true,
		Why: "steps are made, though no token comes",
	}},
}

var requestsStuck = Alert{
	Name: "LlmRequestsStuck", Severity: Warning, For: time.Minute, Panel: "capacity/running",
	// For programs without a count of steps (docs/engines.md says which): most count tokens and
	// requests only when a request ends, so the window is that of the longest answer. Some count
	// one of the two, some no queue.
	Expr: `
		min_over_time((sum without (rank) (llm_requests_running + llm_requests_waiting or llm_requests_running))[${stuck_window}:${scrape_interval}]) > 0
		and (sum without (rank) (llm_requests_running offset ${stuck_window}))
		and on (instance, backend) (llm_generation_tokens_total or llm_requests_finished_total)
		unless on (instance, backend) llm_engine_steps_total
		unless on (instance, backend) increase(llm_generation_tokens_total[${stuck_window}]) > 0
		unless on (instance, backend) increase(llm_requests_finished_total[${stuck_window}]) > 0`,
	Summary: `{{ $labels.backend }} has had at least {{ $value | printf "%.0f" }} requests to {{ $labels.model }} for ${stuck_window}, and none has ended.`,
	Description: `{{ $labels.backend }} answers its health check, and its requests hang, or one of them is very long. It counts no steps, so this is seen late.
		First send it a request of one token: if that does not come back at once, keep its log and restart it.`,
	Cases: []Case{{
		Recording: "vllm-0.32.0/overload-long", Stretch: 2, Edit: "nothing-ends",
		Fires: []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 1665, Firing: 1725, Resolved: 2370, Text: "vllm has had at least 10 requests to tiny-chat for 20m, and none has ended."}},
		Why:   "a program that counts no steps, and whose requests run for ever",
	}, {
		Recording: "vllm-0.32.0/overload-long", Stretch: 2, Edit: "nothing-ends-no-tokens-no-queue",
		Fires: []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 1665, Firing: 1725, Resolved: 2370, Text: "vllm has had at least 6 requests to tiny-chat for 20m, and none has ended."}},
		Why:   "the same where neither tokens nor a queue are counted",
	}, {
		Recording: "vllm-0.32.0/overload-long", Stretch: 2, Edit: "nothing-begins-no-ends",
		Fires: []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 1665, Firing: 1725, Resolved: 2310, Text: "vllm has had at least 4 requests to tiny-chat for 20m, and none has ended."}},
		Why:   "a dead engine takes none from its queue, and ends are not counted",
	}, {
		Recording: "vllm-0.32.0/overload-long", Stretch: 2, Edit: "only-tokens-counted", Quiet: true,
		Why: "tokens come",
	}, {
		Recording: "vllm-0.32.0/overload-long", Stretch: 2, Edit: "only-ends-counted", Quiet: true,
		Why: "requests end, as in a program that counts no tokens",
	}, {
		Recording: "vllm-0.32.0/overload-long", Stretch: 2, Edit: "only-steps-counted", Quiet: true,
		Why: "steps are made",
	}, {
		Recording: "vllm-0.32.0/overload-long", Stretch: 2, Edit: "nothing-counted", Quiet: true,
		Why: "what does not count cannot stand still",
	}},
}
