package replay

import "time"

// routerEdits are edits of what a router says.
var routerEdits = []Edit{
	{
		Name: "router-failures-rare", About: "of twenty requests that the router gave up one is left",
		Recording: scale(`vllm_router_retries_exhausted_total`, 0.05),
	},
	{
		Name: "router-frozen-at-470", About: "from second 470 on the router says of its workers what it said then",
		Recording: freezeServer("router-metrics", 470*time.Second),
	},
	{
		Name: "router-frozen-at-40", About: "from second 40 on the router says of its workers what it said then",
		Recording: freezeServer("metrics", 40*time.Second),
	},
	{
		Name: "circuit-flaps", About: "the breaker of the first worker opens for a moment every two minutes",
		Recording: setValueWhen(every(2*time.Minute), circuitOfFirst, "1"),
	},
	{
		Name: "circuit-opens-rarely", About: "the breaker of the first worker opens for a moment every seven and a half minutes",
		Recording: setValueWhen(every(450*time.Second), circuitOfFirst, "1"),
	},
	{
		Name: "fallbacks-rare", About: "of seven requests that went to the fallback one is left",
		Recording: scale(`litellm_deployment_successful_fallbacks(_total)?`, 0.15),
	},
	{
		Name: "retries-rare", About: "of fifty retries one is left",
		Recording: scale(`vllm_router_retries_total`, 0.02),
	},
	{
		Name: "one-worker-never-chosen", About: "two replicas are expected; the first of them, healthy but for the first moment, never gets a request",
		Recording: inTurn(
			loseLines(`vllm_router_cb_outcomes_total\{[^\n]*18181`), configure("    expect: {replicas: 2}\n"),
			setValueWhen(func(at time.Duration) bool { return at < time.Second }, `vllm_router_worker_health\{worker="http://127.0.0.1:18181"\}`, "0"),
		),
	},
	{
		Name: "one-worker-rarely-chosen", About: "two replicas are expected, and the first of them gets a twentieth of what it got",
		Recording: inTurn(scale(`vllm_router_cb_outcomes_total\{[^\n]*18181[^\n]*\}`, 0.05), configure("    expect: {replicas: 2}\n")),
	},
	{
		Name: "dead-worker-never-chosen", About: "two replicas are expected, and the one that is killed and started again never gets a request",
		Recording: inTurn(loseLines(`vllm_router_cb_outcomes_total\{[^\n]*18182`), configure("    expect: {replicas: 2}\n")),
	},
	{
		Name: "one-worker-never-chosen-of-two-models", About: "the first of two workers never gets a request, and nobody says that they are replicas",
		Recording: loseLines(`vllm_router_cb_outcomes_total\{[^\n]*18181`),
	},
}

// circuitOfFirst is the breaker of the first worker of the fleet's router.
const circuitOfFirst = `vllm_router_cb_state\{worker="http://127.0.0.1:19301"\}`

// every holds for one scrape in each period, of a recording with a scrape every 15 s.
func every(period time.Duration) func(time.Duration) bool {
	return func(at time.Duration) bool { return at%period < StepLength }
}
