package catalog

// What a router believes and does. Series about one worker carry target.
var (
	RouterTargetHealthy = declare(Series{
		Name: "llm_router_target_healthy", Kind: Gauge, Unit: Boolean, Labels: Worker,
		Help: "1 if the router would give the worker requests, by all that it says of it (health, circuit breaker), 0 if not; absent when it has no opinion.",
	})
	RouterTargetBackend = declare(Series{
		Name: "llm_router_target_backend_info", Kind: Info, Labels: With(Worker, LabelWorker), Origin: Computed,
		Help: "Which backend of the same exporter the router's worker is, by its address or by known_as; absent for a worker that is none of them.",
	})
	RouterTargets = declare(Series{
		Name: "llm_router_targets", Kind: Gauge, Unit: Count, Labels: With(Router, LabelState), Origin: Computed,
		Help: "Workers of the router by state: healthy, unhealthy.",
	})
	RouterTargetInflight = declare(Series{
		Name: "llm_router_target_inflight_requests", Kind: Gauge, Unit: Requests, Labels: Worker,
		Help: "Requests that the router has given to the worker and that have not ended.",
	})
	RouterInflight = declare(Series{
		Name: "llm_router_inflight_requests", Kind: Gauge, Unit: Requests, Labels: Router,
		Help: "Requests that the router has taken and that have not ended.",
	})
	RouterQueued = declare(Series{
		Name: "llm_router_queued_requests", Kind: Gauge, Unit: Requests, Labels: Router,
		Help: "Requests that wait in the router for a worker; absent for a router without a queue of its own.",
	})
	RouterRequests = declare(Series{
		Name: "llm_router_requests_total", Kind: Counter, Unit: Requests, Labels: With(Router, LabelModel),
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
	RouterFailovers = declare(Series{
		Name: "llm_router_failovers_total", Kind: Counter, Unit: Requests, Labels: With(Router, LabelModel, LabelFallback, LabelOutcome),
		Help: "Requests that went on elsewhere when the first choice failed, by outcome: success, failure; fallback is the model that was asked instead, if it was another.",
	})
	RouterEjections = declare(Series{
		Name: "llm_router_target_ejections_total", Kind: Counter, Unit: Count, Labels: Worker,
		Help: "How often the router took the worker out for its failures.",
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
	RouterTimeToFirstToken = declare(Series{
		Name: "llm_router_time_to_first_token_seconds", Kind: Histogram, Unit: Seconds, Labels: Router,
		Help: "Time from a request's arrival at the router to its first token; most routers see it of streamed answers only.",
	})
	RouterPromptTokens = declare(Series{
		Name: "llm_router_prompt_tokens_total", Kind: Counter, Unit: Tokens, Labels: With(Router, LabelModel),
		Help: "Prompt tokens of the requests that the router passed on; what it counts differs, docs/engines.md says how.",
	})
	RouterGenerationTokens = declare(Series{
		Name: "llm_router_generation_tokens_total", Kind: Counter, Unit: Tokens, Labels: With(Router, LabelModel),
		Help: "Generated tokens that passed through the router; what it counts differs, docs/engines.md says how.",
	})
)
