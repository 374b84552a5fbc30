package rules

import "time"

// Alerts about room that is short, wasted, or in the wrong place.

var preemptionsGrowing = Alert{
	Name: "LlmPreemptionsGrowing", Severity: Warning, For: 5 * time.Minute, Panel: "capacity/preempted",
	// An engine that says how often it throws requests out need not say how full its cache is.
	// Where nothing ends any more the share is infinite, and above every number.
	Expr: `
		backend:llm_preemptions:per_request > ${preempted}
		and sum without (rank) (increase(llm_preemptions_total[${rate_window}])) > ${preemptions}`,
	Summary: `{{ $labels.backend }} does its work twice: for each request to {{ $labels.model }} that ends, {{ $value | printf "%.1f" }} are thrown out of the KV cache and begun again.`,
	Description: `Answers pause in the middle and everybody waits longer, because {{ $labels.backend }} spends its time on prompts that it had already computed.
		First send fewer requests at once: as soon as those that run fit, all of them are faster. Then give the cache more memory or a smaller data type.`,
	Cases: []Case{{
		Recording: "vllm-0.32.0/kv-full-long",
		Fires:     []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 150, Firing: 450, Resolved: 0, Text: "vllm does its work twice: for each request to tiny-chat that ends, 1.3 are thrown out of the KV cache and begun again."}},
		Why:       "932 preemptions for 699 requests",
	}, {
		Recording: "vllm-0.32.0/kv-full-queueing",
		Fires:     []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 165, Firing: 465, Resolved: 0, Text: "vllm does its work twice: for each request to tiny-chat that ends, 1.6 are thrown out of the KV cache and begun again."}},
		Why:       "124 preemptions for 100 requests",
	}, {
		Recording: "vllm-0.32.0/kv-full-long", Edit: "preemptions-rare", Quiet: true,
		Why: "one request in fifteen is thrown out",
	}, {
		Recording: "vllm-0.32.0/kv-full-long", Edit: "few-requests-all-thrown-out", Quiet: true,
		Why: "a trickle: a handful of requests says nothing",
	}, {
		Recording: "vllm-0.32.0/overload-long", Quiet: true,
		Why: "a queue alone throws nobody out",
	}},
}

var contextBeyondCache = Alert{
	Name: "LlmContextBeyondCache", Severity: Warning, For: 5 * time.Minute, Panel: "capacity/fits",
	Expr:    `backend:llm_kv_cache:full_requests < ${full_requests}`,
	Summary: `{{ $labels.backend }} promises more context than its KV cache holds: {{ $value | humanizePercentage }} of one request to {{ $labels.model }} of full length fit.`,
	Description: `A request as long as {{ $labels.backend }} allows is refused, cut off, or waits for ever, although the server is idle.
		First compare the cache with the one of the start before (its log says how many tokens fit): other weights, a larger chunk of prefill or another program on the card take memory from it. Then lower the context length, or give the cache more memory.`,
	Cases: []Case{{
		Recording: "vllm-0.32.0/kv-full-long", Edit: "cache-below-context",
		Fires: []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 0, Firing: 300, Resolved: 0, Text: "vllm promises more context than its KV cache holds: 82.03% of one request to tiny-chat of full length fit."}},
		Why:   "the pool has shrunk below one request of full length",
	}, {
		Recording: "vllm-0.32.0/kv-full-long", Quiet: true,
		Why: "one and a half requests of full length fit, which is little, and what was promised",
	}},
}

var slotsBusy = Alert{
	Name: "LlmSlotsBusy", Severity: Info, For: 5 * time.Minute, Panel: "capacity/slots",
	Expr:    `min_over_time(backend:llm_slots_busy:ratio[${slots_window}]) >= ${slots_busy}`,
	Summary: `{{ $labels.backend }} has had no free slot for {{ $labels.model }} for ${slots_window}: the next request waits.`,
	Description: `All that {{ $labels.backend }} may work on at once is taken all the time. Nobody need wait yet; LlmRequestsQueueing tells when somebody does.
		First see whether the slots do work (tokens per second) or are held by requests that do not end; then add slots, if the KV cache has room for them, or a replica.`,
	Valueless: "it is always the whole share: no slot was free",
	Cases: []Case{{
		Recording: "llamacpp-0.7.0-b11669/overload-long",
		Fires:     []Firing{{Labels: `backend="llamacpp", engine="llamacpp", model="small"`, Pending: 765, Firing: 1065, Resolved: 1155, Text: "llamacpp has had no free slot for small for 10m: the next request waits."}},
		Why:       "four of four slots for sixteen minutes",
	}, {
		Recording: "hosts/replicas-uneven",
		Fires:     []Firing{{Labels: `backend="crowded", engine="llamacpp", model="small"`, Pending: 765, Firing: 1065, Resolved: 1155, Text: "crowded has had no free slot for small for 10m: the next request waits."}},
		Why:       "the same beside a replica that has room",
	}},
}

var ranksUneven = Alert{
	Name: "LlmRanksUneven", Severity: Warning, For: 5 * time.Minute, Panel: "capacity/ranks",
	// Averages: ranks take requests in turn, so that for moments one is always fuller.
	Expr:    `backend:llm_kv_cache_usage:spread > ${ranks_spread}`,
	Summary: `{{ $labels.backend }} fills its ranks unevenly: the KV cache of one is {{ $value | humanizePercentage }} of its size fuller than that of another.`,
	Description: `Requests to {{ $labels.model }} on the full rank wait or are thrown out while the other has room; sums and means of {{ $labels.backend }} look half busy.
		First see whether a rank is dead (its counters stand still), then how requests are given to ranks: a router that keeps conversations together should know the ranks, not only the server.`,
	Cases: []Case{{
		Recording: "vllm-0.32.0/dp2", Stretch: 20, Edit: "rank-0-full-rank-1-idle",
		Fires: []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 210, Firing: 510, Resolved: 0, Text: "vllm fills its ranks unevenly: the KV cache of one is 90% of its size fuller than that of another."}},
		Why:   "one rank is full and one is nearly empty: their mean looks healthy",
	}, {
		Recording: "vllm-0.32.0/dp2", Stretch: 20, Edit: "ranks-a-little-uneven", Quiet: true,
		Why: "ranks are never quite even",
	}, {
		Recording: "vllm-0.32.0/dp2", Stretch: 20, Quiet: true,
		Why: "two ranks that share the work",
	}},
}

var replicasUneven = Alert{
	Name: "LlmReplicasUneven", Severity: Warning, For: 5 * time.Minute, Panel: "capacity/waiting",
	// Replicas are backends that serve the same model, on whatever host; each exporter has its own.
	Expr: `
		min_over_time(llm_requests_waiting[${queue_window}]) >= ${queue_waiting}
		and on (job, model) max_over_time(backend:llm_requests_waiting:sum[${queue_window}]) == 0`,
	Summary: `{{ $labels.backend }} has a queue while another replica of {{ $labels.model }} has none: never fewer than {{ $value | printf "%.0f" }} requests waiting within ${queue_window}.`,
	Description: `Clients of {{ $labels.backend }} wait for a place that another server has. More replicas would not help.
		First see how requests are spread (a router with hash affinity gives one server everything that begins alike; clients may name one server only); then whether the idle one is in the router's list at all.`,
	Explains: []Explanation{{By: []string{"instance", "backend", "model"}, Alerts: []string{"LlmRequestsQueueing"}, Why: "The queue is there because the other replica is not used."}},
	Cases: []Case{{
		Recording: "hosts/replicas-uneven",
		Fires:     []Firing{{Labels: `backend="crowded", engine="llamacpp", model="small"`, Pending: 465, Firing: 765, Resolved: 1155, Text: "crowded has a queue while another replica of small has none: never fewer than 7 requests waiting within 5m."}},
		Why:       "twelve clients on one server, two on the other",
	}, {
		Recording: "hosts/replicas-uneven", Edit: "queue-of-one", Quiet: true,
		Why: "one request that waits is no queue",
	}, {
		Recording: "llamacpp-0.7.0-b11669/overload-long", Quiet: true,
		Why: "a queue at the only server there is",
	}},
}
