package proof

import "time"

// routerEdits are edits of what a router says.
var routerEdits = []Edit{
	{
		Name: "circuit-flaps", About: "the breaker of the first worker opens for a moment every two minutes",
		Recording: setValueWhen(
			func(at time.Duration) bool { return at%(8*time.Second) < time.Second },
			`vllm_router_cb_state\{worker="http://127.0.0.1:18181"\}`, "1",
		),
	},
	{
		Name: "one-worker-never-chosen", About: "two replicas are expected, and the first of them never gets a request",
		Recording: inTurn(loseLines(`vllm_router_cb_outcomes_total\{[^\n]*18181`), configure("    expect: {replicas: 2}\n")),
	},
	{
		Name: "one-worker-never-chosen-of-two-models", About: "the first of two workers never gets a request, and nobody says that they are replicas",
		Recording: loseLines(`vllm_router_cb_outcomes_total\{[^\n]*18181`),
	},
}
