package rules

import "time"

// Alerts about workers that a router uses, and about what the router makes of their failures.

var routerErrorShare = Alert{
	Name: "LlmRouterErrorShare", Severity: Critical, For: 2 * time.Minute, Panel: "router/errors",
	// Only of routers that count requests here: the others count attempts, or requests that never
	// began, and tell what reached a client by their exhausted retries (LlmRouterRequestsFailing).
	Expr: `
		router:llm_router_errors:ratio > ${router_error_share}
		and sum without (reason) (increase(llm_router_errors_total[${router_window}])) > ${router_failed_requests}`,
	Summary: `{{ $labels.backend }} fails its clients: {{ $value | humanizePercentage }} of the requests within ${router_window} ended with an error of the router or of a worker.`,
	Description: `Clients of {{ $labels.backend }} get errors, and may send everything again.
		First see which workers are out (LlmRouterTargetOut names them) and whether those that are left answer at all; a worker that is well can be out for some seconds because another failed.`,
	Explains: []Explanation{{By: []string{"instance", "backend"}, Alerts: []string{"LlmRouterTargetOut", "LlmRouterTargetFailing"}, Why: "Clients that get errors come before the workers that are out."}},
	Cases: []Case{{
		Recording: "caddy-2.11.9/failover",
		Fires:     []Firing{{Labels: `backend="caddy", router="caddy"`, Pending: 345, Firing: 465, Resolved: 645, Text: "caddy fails its clients: 27.12% of the requests within 5m ended with an error of the router or of a worker."}},
		Why:       "one failed exchange put the live worker out for five seconds as well: 29 of 164 requests got 503, while its own gauge called it healthy",
	}, {
		Recording: "production-stack-router-0.1.12-14-ga6c01db/failover", Quiet: true,
		Why: "three errors are what the death of a worker costs",
	}, {
		Recording: "vllm-router-0.1.17/outage", Quiet: true,
		Why: "458 errors of 35 requests: it counts attempts, and LlmRouterRequestsFailing tells",
	}, {
		Recording: "dynamo-1.6.1/kv-router-outage", Quiet: true,
		Why: "more errors than requests that began: LlmRouterRequestsFailing tells",
	}},
}

var routerTargetFailing = Alert{
	Name: "LlmRouterTargetFailing", Severity: Warning, For: 2 * time.Minute, Panel: "router/failing",
	// Attempts by attempts: whatever was tried again elsewhere, this worker failed it.
	Expr: `
		router:llm_router_target_failed:ratio > ${router_failing_share}
		and sum without (outcome) (increase(llm_router_target_requests_total{outcome="failure"}[${router_window}])) > ${router_failures}`,
	Summary: `{{ $labels.target }} fails what {{ $labels.backend }} gives it: {{ $value | humanizePercentage }} of its requests within ${router_window}.`,
	Description: `{{ $labels.backend }} tries them again elsewhere, as long as there is an elsewhere, so clients are served late rather than not at all.
		First read what {{ $labels.target }} logged last: a worker that refuses (queue limit, context length), that is starting, or that is dead each fail in their own way.`,
	Cases: []Case{{
		Recording: "vllm-router-0.1.17/outage",
		Fires:     []Firing{{Labels: `backend="router", router="vllm_router", target="http://127.0.0.1:18182"`, Pending: 345, Firing: 465, Resolved: 645, Text: "http://127.0.0.1:18182 fails what router gives it: 77.46% of its requests within 5m."}},
		Why:       "the worker that died first, until its breaker keeps all requests from it",
	}, {
		Recording: "litellm-1.108.7/failover",
		Fires:     []Firing{{Labels: `backend="litellm", router="litellm", target="http://127.0.0.1:18182"`, Pending: 450, Firing: 570, Resolved: 735, Text: "http://127.0.0.1:18182 fails what litellm gives it: 66.25% of its requests within 5m."}},
		Why:       "a deployment that is tried again after each cooldown",
	}, {
		Recording: "litellm-1.110.2/fallback",
		Fires:     []Firing{{Labels: `backend="litellm", router="litellm", target="http://127.0.0.1:18182"`, Pending: 600, Firing: 720, Resolved: 810, Text: "http://127.0.0.1:18182 fails what litellm gives it: 100% of its requests within 5m."}},
		Why:       "the same of a group of its own",
	}, {
		Recording: "vllm-router-0.1.17/failover", Quiet: true,
		Why: "three failures, then the breaker is open",
	}, {
		Recording: "litellm-1.110.2/failover", Quiet: true,
		Why: "three failures, each ended by a cooldown",
	}},
}

var routerTargetFlapping = Alert{
	Name: "LlmRouterTargetFlapping", Severity: Warning, For: time.Minute, Panel: "router/flaps",
	Expr:    `changes(llm_router_target_healthy[${router_flap_window}]) > ${router_flaps}`,
	Summary: `{{ $labels.backend }} takes {{ $labels.target }} out and in again: {{ $value | printf "%.0f" }} changes within ${router_flap_window}.`,
	Description: `Each time {{ $labels.backend }} loses what runs on {{ $labels.target }} or sends it elsewhere, and conversations find their cache cold; it is never out long enough for LlmRouterTargetOut.
		First see whether {{ $labels.target }} answers its health check late because it is busy (raise the check's timeout) or fails single requests (see LlmRouterTargetFailing); then make the breaker slower to open and slower to close.`,
	Cases: []Case{{
		Recording: "fleet-incidents", Edit: "circuit-flaps",
		Fires: []Firing{{Labels: `backend="router", router="vllm_router", target="http://127.0.0.1:19301"`, Pending: 480, Firing: 540, Resolved: 0, Text: "router takes http://127.0.0.1:19301 out and in again: 6 changes within 15m."}},
		Why:   "a breaker that opens for a moment every two minutes",
	}, {
		Recording: "fleet-incidents", Edit: "circuit-opens-rarely", Quiet: true,
		Why: "three times in twenty minutes",
	}, {
		Recording: "fleet-incidents", Quiet: true,
		Why: "out once, in again once",
	}, {
		Recording: "smg-1.13.0/failover", Quiet: true,
		Why: "killed, started again, and taken out by hand: three changes",
	}},
}

var routerFailoversGrowing = Alert{
	Name: "LlmRouterFailoversGrowing", Severity: Warning, For: 2 * time.Minute, Panel: "router/failovers",
	Expr:    `sum without (model, fallback, outcome) (increase(llm_router_failovers_total[${router_failover_window}])) > ${router_failovers}`,
	Summary: `{{ $labels.backend }} sends requests elsewhere again and again: {{ $value | printf "%.0f" }} failovers within ${router_failover_window}.`,
	Description: `Clients are served by their second choice: another worker that must begin again, or another model, with other answers and other costs.
		First see which model and which fallback (llm_router_failovers_total by model and fallback), and put the first choice right; a fallback that has become the rule should be written down as one.`,
	Cases: []Case{{
		Recording: "litellm-1.110.2/fallback",
		Fires:     []Firing{{Labels: `backend="litellm", router="litellm"`, Pending: 450, Firing: 570, Resolved: 0, Text: "litellm sends requests elsewhere again and again: 48 failovers within 10m."}},
		Why:       "89 requests to a dead group went to its backup, and all were answered",
	}, {
		Recording: "litellm-1.110.2/fallback", Stretch: 40, Edit: "fallbacks-rare", Quiet: true, MayPend: true,
		Why: "one request now and then",
	}, {
		Recording: "dynamo-1.6.1/failover", Quiet: true,
		Why: "five requests moved when their worker died",
	}},
}

var routerRetriesMany = Alert{
	Name: "LlmRouterRetriesMany", Severity: Warning, For: 2 * time.Minute, Panel: "router/retried",
	// Retries by attempts. Requests would not do: some routers do not count those that they refuse.
	Expr: `
		router:llm_router_retries:ratio > ${router_retry_share}
		and increase(llm_router_retries_total[${router_window}]) > ${router_retries}`,
	Summary: `{{ $labels.backend }} tries again more than it should: more than ${router_retries} retries within ${router_window}, for more than ${router_retry_share} of what its workers get.`,
	Description: `Retries hide failing workers from clients, and load those that are left with work that is thrown away: near the limit they make an outage of a slowdown.
		First see which worker fails (LlmRouterTargetFailing, LlmRouterTargetOut) and take it out; then lower the number of retries and let them wait longer in between.`,
	Valueless: "it is infinite while workers get nothing; the text names the limits",
	Cases: []Case{{
		Recording: "vllm-router-0.1.17/outage",
		Fires:     []Firing{{Labels: `backend="router", router="vllm_router"`, Pending: 360, Firing: 480, Resolved: 0, Text: "router tries again more than it should: more than 10 retries within 5m, for more than 0.3 of what its workers get."}},
		Why:       "383 retries for some dozens of requests",
	}, {
		Recording: "vllm-router-0.1.17/outage", Edit: "retries-rare", Quiet: true,
		Why: "a handful of retries while workers get nothing",
	}, {
		Recording: "haproxy-2.6.12/failover", Quiet: true,
		Why: "14 requests of 247 were given to the other server",
	}, {
		Recording: "smg-1.13.0/failover", Quiet: true,
		Why: "ten retries, and nobody failed",
	}},
}

var routerShareUneven = Alert{
	Name: "LlmRouterShareUneven", Severity: Warning, For: 5 * time.Minute, Panel: "router/fair",
	// Only where the configuration says that the workers are replicas: a router of several models
	// gives each what is asked of it. A worker that never got a request has no counter at all.
	Expr: `
		router:llm_router_target_requests:fair_share < ${router_fair_share}
		and min_over_time(llm_router_target_healthy[${router_share_window}]) == 1
		and on (instance, backend) llm_expected_replicas`,
	Summary: `{{ $labels.backend }} gives {{ $labels.target }} next to nothing: {{ $value | humanizePercentage }} of an even share within ${router_share_window}.`,
	Description: `The other replicas carry its load, so clients wait at them while {{ $labels.target }} idles, though {{ $labels.backend }} holds it to be healthy.
		First see the policy: hash affinity gives one worker everything that begins alike (a common system prompt); then whether the worker came back after an outage and its conversations did not.`,
	Cases: []Case{{
		Recording: "vllm-router-0.1.17/failover", Edit: "one-worker-never-chosen",
		Fires: []Firing{{Labels: `backend="router", router="vllm_router", target="http://127.0.0.1:18181"`, Pending: 900, Firing: 1200, Resolved: 0, Text: "router gives http://127.0.0.1:18181 next to nothing: 0% of an even share within 15m."}},
		Why:   "one of two replicas is healthy all the time and gets nothing: it has no counter",
	}, {
		Recording: "vllm-router-0.1.17/failover", Edit: "one-worker-rarely-chosen",
		Fires: []Firing{{Labels: `backend="router", router="vllm_router", target="http://127.0.0.1:18181"`, Pending: 945, Firing: 1245, Resolved: 0, Text: "router gives http://127.0.0.1:18181 next to nothing: 17.05% of an even share within 15m."}},
		Why:   "one of two replicas gets a request now and then",
	}, {
		Recording: "vllm-router-0.1.17/failover", Edit: "dead-worker-never-chosen", Quiet: true,
		Why: "a replica that was out a moment ago may be left out for a while",
	}, {
		Recording: "vllm-router-0.1.17/failover", Edit: "two-replicas-expected", Quiet: true,
		Why: "the one that was killed got less, and was out",
	}, {
		Recording: "vllm-router-0.1.17/failover", Edit: "one-worker-never-chosen-of-two-models", Quiet: true,
		Why: "nobody said that the workers are replicas",
	}, {
		Recording: "litellm-1.110.2/fallback", Quiet: true,
		Why: "groups of several models: each gets what is asked of it",
	}},
}
