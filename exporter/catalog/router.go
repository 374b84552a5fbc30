package catalog

// What a router believes and does. Series about one worker carry target.
var (
	RouterTargetHealthy = declare(Series{
		Name: "llm_router_target_healthy", Kind: Gauge, Unit: Boolean, Labels: Worker,
		Help: "1 if the router holds the worker to be healthy, 0 if not; absent when it has no opinion.",
	})
	RouterTargets = declare(Series{
		Name: "llm_router_targets", Kind: Gauge, Unit: Count, Labels: With(Router, LabelState), Origin: Computed,
		Help: "Workers of the router by state: healthy, unhealthy.",
	})
	RouterTargetInflight = declare(Series{
		Name: "llm_router_target_inflight_requests", Kind: Gauge, Unit: Requests, Labels: Worker,
		Help: "Requests that the router has given to the worker and that have not ended.",
	})
	RouterRequests = declare(Series{
		Name: "llm_router_requests_total", Kind: Counter, Unit: Requests, Labels: Router,
		Help: "Requests that the router passed on; what it counts differs, docs/engines.md says how.",
	})
	RouterErrors = declare(Series{
		Name: "llm_router_errors_total", Kind: Counter, Unit: Count, Labels: With(Router, LabelReason),
		Help: "Errors as the router counts them: some count attempts, so this is no share of the requests.",
	})
	RouterTargetRequests = declare(Series{
		Name: "llm_router_target_requests_total", Kind: Counter, Unit: Requests, Labels: With(Worker, LabelOutcome),
		Help: "Requests given to the worker, by outcome: success, failure, unknown.",
	})
	RouterRetries = declare(Series{
		Name: "llm_router_retries_total", Kind: Counter, Unit: Count, Labels: Router,
		Help: "Attempts that the router made again with another worker.",
	})
	RouterRetriesExhausted = declare(Series{
		Name: "llm_router_retries_exhausted_total", Kind: Counter, Unit: Requests, Labels: Router,
		Help: "Requests that failed for the client after the last attempt.",
	})
	RouterCircuitState = declare(Series{
		Name: "llm_router_circuit_breaker_state", Kind: Gauge, Unit: Count, Labels: Worker,
		Help: "State of the worker's circuit breaker: 0 closed, 1 open (no requests), 2 half open (trying).",
	})
	RouterPolicyDecisions = declare(Series{
		Name: "llm_router_policy_decisions_total", Kind: Counter, Unit: Requests, Labels: Worker,
		Help: "How often the routing policy chose the worker.",
	})
	RouterRequestDuration = declare(Series{
		Name: "llm_router_request_duration_seconds", Kind: Histogram, Unit: Seconds, Labels: Router,
		Help: "Time that the router took for a request.",
	})
)
