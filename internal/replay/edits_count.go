package replay

import (
	"regexp"
	"time"

	"github.com/llmfleet/llmfleet/internal/recording"
)

// countEdits are edits of which counters a server has, and of which stand still: what tells one that is
// stuck from one that rests.
var countEdits = []Edit{
	{
		Name: "steps-not-counted", About: "the count of the engine's steps stands still while it works",
		Recording: setValue(`vllm:iteration_tokens_total_count`, "7"),
	},
	{
		Name: "ranks-stand-still", About: "no rank makes a step, and the tokens of all are counted together and do not move",
		Recording: inTurn(setValue(stepsOfVllm+"_count", "7"), tokensWithoutRank, setValue(tokensOfVllm, "7")),
	},
	{
		Name: "ranks-count-tokens-together", About: "steps are not counted, and the tokens of all ranks are counted together",
		Recording: inTurn(setValue(stepsOfVllm+"_count", "7"), tokensWithoutRank),
	},
	{
		Name: "nothing-ends", About: "the server counts no steps, no token comes and no request ends, while it has requests",
		Recording: inTurn(dropName(stepsOfVllm), setValue(tokensOfVllm, "7"), setValue(endsOfVllm, "7")),
	},
	{
		Name: "nothing-ends-no-tokens-no-queue", About: "the same of a server that counts neither tokens nor what waits",
		Recording: inTurn(dropName(stepsOfVllm), dropName(tokensOfVllm), dropName("vllm:num_requests_waiting"), setValue(endsOfVllm, "7")),
	},
	{
		Name: "nothing-begins-no-ends", About: "the server counts no steps and no ends, no token comes, and what waits is never begun",
		Recording: inTurn(dropName(stepsOfVllm), dropName(endsOfVllm), setValue(tokensOfVllm, "7"), setValue("vllm:num_requests_running", "0")),
	},
	{
		Name: "only-tokens-counted", About: "the server counts no steps and no end of a request",
		Recording: inTurn(dropName(stepsOfVllm), setValue(endsOfVllm, "7")),
	},
	{
		Name: "only-ends-counted", About: "the server counts no steps and no tokens",
		Recording: inTurn(dropName(stepsOfVllm), setValue(tokensOfVllm, "7")),
	},
	{
		Name: "only-steps-counted", About: "the server counts no tokens and no end of a request",
		Recording: inTurn(setValue(tokensOfVllm, "7"), setValue(endsOfVllm, "7")),
	},
	{
		Name: "nothing-counted", About: "the server has no counters of steps, tokens and ends",
		Recording: inTurn(dropName(stepsOfVllm), dropName(tokensOfVllm), dropName(endsOfVllm)),
	},
	{
		Name: "counters-frozen-at-600", About: "from second 600 on the servers answer, and no number moves",
		Recording: freezeFrom(600 * time.Second),
	},
}

// Counters of vLLM that edits let stand still.
const (
	stepsOfVllm  = "vllm:iteration_tokens_total"
	tokensOfVllm = "vllm:generation_tokens_total"
	endsOfVllm   = "vllm:request_success_total"
)

// tokensWithoutRank takes the rank off the counters of generated tokens.
func tokensWithoutRank(r *recording.Recording) {
	sample := regexp.MustCompile(`(?m)^(` + tokensOfVllm + `\{)engine="\d+",`)
	eachPage(func(_ time.Duration, body []byte) []byte { return sample.ReplaceAll(body, []byte("$1")) })(r)
}
