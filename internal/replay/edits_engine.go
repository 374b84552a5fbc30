package replay

import (
	"time"

	"github.com/llmfleet/llmfleet/internal/recording"
)

// everyCounter matches what vLLM counts.
const everyCounter = `vllm:[a-z0-9_]+_(?:total|count|sum|bucket)`

// engineEdits are edits of what an engine counts and measures.
var engineEdits = []Edit{
	{
		Name: "prefix-hits-never-counted", About: "the prefix cache is asked and never hit",
		Recording: setValue(`vllm:prefix_cache_hits(_total)?`, "0"),
	},
	{
		Name: "prefix-hits-rare", About: "of twenty hits in the prefix cache one is left",
		Recording: scale(`vllm:(prefix_cache_hits|prompt_tokens_cached)(_total)?`, 0.05),
	},
	{
		Name: "ttft-renamed", About: "vLLM sends its time to the first token under a name that nobody knows yet",
		Recording: dropName("vllm:time_to_first_token_seconds"),
	},
	{
		Name: "kv-kept-full-at-rest", About: "old prompts are left in the KV cache, so that it is full though nobody waits",
		Recording: setValue(`llamacpp:kv_cache_usage_ratio`, "0.97"),
	},
	{
		Name: "drafter-lost-at-10", About: "from second 10 on llama.cpp drafts nothing, and does not say so",
		Recording: loseFrom(10*time.Second, `llamacpp:spec_decode_`),
	},
	{
		Name: "drafter-lost-at-30", About: "from second 30 on the series of speculative decoding are gone, as after a restart of vLLM without a drafter",
		Recording: loseFrom(30*time.Second, `vllm:spec_decode_`),
	},
	{
		Name: "preemptions-never-counted", About: "the engine throws requests out of its cache and does not say so",
		Recording: setValue(`vllm:num_preemptions(_total)?`, "0"),
	},
	{
		Name: "preemptions-rare", About: "of twenty preemptions one is left",
		Recording: scale(`vllm:num_preemptions(_total)?`, 0.05),
	},
	{
		Name: "cache-below-context", About: "the KV cache holds less than one request of full length",
		Recording: setLabel("vllm:cache_config_info", "kv_cache_size_tokens", "840"),
	},
	{
		Name: "rank-0-full-rank-1-idle", About: "the KV cache of rank 0 is nearly full all the time, that of rank 1 nearly empty",
		Recording: inTurn(
			setValue(`vllm:kv_cache_usage_perc\{engine="0"[^\n]*?\}`, "0.95"),
			setValue(`vllm:kv_cache_usage_perc\{engine="1"[^\n]*?\}`, "0.05"),
		),
	},
	{
		Name: "ranks-a-little-uneven", About: "the KV cache of rank 0 is somewhat fuller than that of rank 1 all the time",
		Recording: inTurn(
			setValue(`vllm:kv_cache_usage_perc\{engine="0"[^\n]*?\}`, "0.6"),
			setValue(`vllm:kv_cache_usage_perc\{engine="1"[^\n]*?\}`, "0.45"),
		),
	},
	{
		Name: "few-requests-all-thrown-out", About: "of fifty requests one is left, which is thrown out as often as before",
		Recording: inTurn(scale(`vllm:num_preemptions(_total)?`, 0.02), scale(`vllm:request_success(_total)?`, 0.02)),
	},
	{
		Name: "queue-of-one", About: "of seven requests that wait one is left",
		Recording: scale(`llamacpp:requests_deferred`, 0.15),
	},
	{
		Name: "cold-restart-at-40", About: "the prefix cache is never hit, and at second 40 the server is started again",
		Recording: inTurn(setValue(`vllm:prefix_cache_hits(_total)?`, "0"), restartAt(40*time.Second, everyCounter)),
	},
	{
		Name: "prefix-cache-off-at-40", About: "at second 40 the server is started again, and looks no prompt up in a prefix cache",
		Recording: inTurn(restartAt(40*time.Second, everyCounter), zeroFrom(40*time.Second, `vllm:prefix_cache_(?:hits|queries)(?:_total)?`)),
	},
	{
		Name: "prefix-cache-off-and-few-prompts", About: "the same with one prompt token of twenty",
		Recording: inTurn(
			restartAt(40*time.Second, everyCounter), zeroFrom(40*time.Second, `vllm:prefix_cache_(?:hits|queries)(?:_total)?`),
			scale(`vllm:prompt_tokens(_total)?`, 0.05),
		),
	},
	{
		Name: "drafts-miss-from-30", About: "from second 30 on a fifth of the drafted tokens that were accepted is accepted",
		Recording: scaleFrom(30*time.Second, `vllm:spec_decode_num_accepted_tokens[a-z_]*`, 0.2),
	},
	{
		Name: "drafts-again-from-1130", About: "from second 1130 on llama.cpp drafts again, and generates two tokens where it generated five",
		Recording: inTurn(draftFrom(1130*time.Second), slowFrom(1130*time.Second)),
	},
	{
		Name: "drafts-again-from-1000", About: "the same from second 1000 on, after a minute without drafts",
		Recording: inTurn(draftFrom(1000*time.Second), slowFrom(1000*time.Second)),
	},
	{
		Name: "drafts-first-from-1130", About: "llama.cpp drafts nothing until second 1130, and then drafts and generates two tokens where it generated five",
		Recording: inTurn(zeroFrom(0, `llamacpp:spec_decode_[a-z_]*`), draftFrom(1130*time.Second), slowFrom(1130*time.Second)),
	},
	{
		Name: "crowded-with-drafts", About: "the same from second 1130 on, with thirty times as many requests while it drafts",
		Recording: inTurn(scaleUntil(640*time.Second, decodeOfLlamacpp, 30), draftFrom(1130*time.Second), slowFrom(1130*time.Second), scaleFrom(1130*time.Second, decodeOfLlamacpp, 30)),
	},
	{
		Name: "crowded-without-drafts", About: "the same from second 1130 on, with thirty times as many requests while it does not draft",
		Recording: inTurn(draftFrom(1130*time.Second), slowFrom(1130*time.Second), scaleFrom(640*time.Second, decodeOfLlamacpp, 30), scaleFrom(1130*time.Second, decodeOfLlamacpp, 1.0/30)),
	},
	{
		Name: "no-prompt-begins", About: "the server goes on with what it has, and is sent nothing new",
		Recording: setValue(`vllm:prompt_tokens(_total)?`, "7"),
	},
	{
		Name: "drafter-pays", About: "with its drafter llama.cpp takes a quarter of the time to generate, and from second 1130 on it drafts again",
		Recording: inTurn(scaleUntil(640*time.Second, `llamacpp:tokens_predicted_seconds_total`, 0.25), draftFrom(1130*time.Second)),
	},
}

// decodeOfLlamacpp matches what llama.cpp generated, and the time that it took.
const decodeOfLlamacpp = `llamacpp:tokens_predicted(?:_seconds)?_total`

// draftFrom lets llama.cpp draft from a second on, as fast as the recorded one did.
func draftFrom(from time.Duration) func(*recording.Recording) {
	return growFrom(from, `llamacpp:spec_decode_num_draft_tokens(_total)?`, 245)
}

// slowFrom lets llama.cpp generate two tokens where it generated five from a second on.
func slowFrom(from time.Duration) func(*recording.Recording) {
	return scaleFrom(from, `llamacpp:tokens_predicted_total`, 0.4)
}
