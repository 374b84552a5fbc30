package proof

import (
	"regexp"
	"slices"
	"time"

	"github.com/llmfleet/llmfleet/internal/recording"
)

// Edit changes a recording in one small, named way, to show what nobody could record: a name
// that a future version drops, a cache that stops hitting, an exporter that is gone.
type Edit struct {
	Name  string // cases name it
	About string
	// Recording changes what the servers answered. It gets a copy.
	Recording func(*recording.Recording)
	// Host is lines that the machine's tree ends with: see testdata/hosts.
	Host string
	// Scrape changes what Prometheus gets from a target of a job.
	Scrape func(job string, at time.Duration, p Page) (Page, error)
	// Beside is the instances of further exporters that read the same servers.
	Beside []string
}

// allEdits lists every edit, by what it changes.
func allEdits() []Edit {
	return slices.Concat(edits, servingEdits, engineEdits, routerEdits, watchEdits, hostEdits)
}

// edits lists the edits of what servers answer, and of who can be reached.
var edits = []Edit{
	{
		Name: "prefix-hits-never-counted", About: "the prefix cache is asked and never hit",
		Recording: setValue(`vllm:prefix_cache_hits(_total)?`, "0"),
	},
	{
		Name: "prefix-hits-rare", About: "of twenty hits in the prefix cache one is left",
		Recording: Scale(`vllm:(prefix_cache_hits|prompt_tokens_cached)(_total)?`, 0.05),
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
		Name: "router-failures-rare", About: "of twenty requests that the router gave up one is left",
		Recording: Scale(`vllm_router_retries_exhausted_total`, 0.05),
	},
	{
		Name: "refusals-rare", About: "of a hundred refusals one is left",
		Recording: Scale(`vllm:admission_rejections(_total)?`, 0.01),
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
		Name: "speculation-expected", About: "the operator expects the last backend to draft",
		Recording: configure("    expect: {speculation: true}\n"),
	},
	{
		Name: "speculation-not-expected", About: "the operator expects the last backend not to draft",
		Recording: configure("    expect: {speculation: false}\n"),
	},
	{
		Name: "another-model-expected", About: "the operator expects the last backend to serve a model that it has not",
		Recording: configure("    expect: {models: [large]}\n"),
	},
	{
		Name: "its-model-expected", About: "the operator expects the last backend to serve the model that it has",
		Recording: configure("    expect: {models: [small]}\n"),
	},
	{
		Name: "three-replicas-expected", About: "the operator expects the last backend, a router, to have three replicas",
		Recording: configure("    expect: {replicas: 3}\n"),
	},
	{
		Name: "two-replicas-expected", About: "the operator expects the last backend, a router, to have two replicas",
		Recording: configure("    expect: {replicas: 2}\n"),
	},
	{
		Name: "metrics-time-out-and-reset-in-turn", About: "the metrics path times out four times, is reset four times, and so on; the rest answers",
		Recording: failing(func(n int) recording.Failure {
			return []recording.Failure{recording.TimedOut, recording.Reset}[n/4%2]
		}),
	},
	{
		Name: "metrics-reset-then-time-out", About: "the metrics path is reset four times, and times out from then on; the rest answers",
		Recording: failing(func(n int) recording.Failure {
			if n < 4 {
				return recording.Reset
			}
			return recording.TimedOut
		}),
	},
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
		Name: "preemptions-never-counted", About: "the engine throws requests out of its cache and does not say so",
		Recording: setValue(`vllm:num_preemptions(_total)?`, "0"),
	},
	{
		Name: "counters-frozen-at-600", About: "from second 600 on the servers answer, and no number moves",
		Recording: freezeFrom(600 * time.Second),
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
		Name: "html-instead-of-metrics", About: "the metrics path of every server answers with a web page",
		Recording: answerInstead("text/html; charset=utf-8", "<!DOCTYPE html><html><body>Login</body></html>\n"),
	},
	{
		Name: "json-instead-of-metrics", About: "the metrics path of every server answers with JSON",
		Recording: answerInstead("application/json", `{"detail":"Not Found"}`),
	},
	{
		Name: "nothing-instead-of-metrics", About: "the metrics path of every server answers with an empty page",
		Recording: answerInstead("text/plain; version=0.0.4", ""),
	},
	{
		Name: "key-wanted-for-everything", About: "every path of every server answers 401",
		Recording: answerEverywhere(401, "application/json", `{"error":"Unauthorized"}`),
	},
	{
		Name: "another-program-at-the-address", About: "the metrics path answers as node_exporter does, every other path 404",
		Recording: func(r *recording.Recording) {
			answerEverywhere(404, "text/plain; charset=utf-8", "404 page not found\n")(r)
			for _, s := range r.Servers {
				for i := range s.Answers {
					if a := &s.Answers[i]; recording.IsNumbers(a.Path) {
						a.Status, a.ContentType, a.Body = 200, "text/plain; version=0.0.4", []byte("# TYPE node_load1 gauge\nnode_load1 0.5\n")
					}
				}
			}
		},
	},
	{
		Name: "json-at-every-path", About: "every path of every server answers 200 with the same JSON",
		Recording: answerEverywhere(200, "application/json", `{"status":"ok"}`),
	},
	{
		Name: "nothing-at-the-address", About: "every path of every server answers 404",
		Recording: answerEverywhere(404, "text/plain; charset=utf-8", "404 page not found\n"),
	},
	{
		Name: "exporter-gone-300-900", About: "the exporter does not answer from second 300 to 900",
		Scrape: goneBetween(300*time.Second, 900*time.Second),
	},
	{
		Name: "exporter-removed-at-300", About: "from second 300 on Prometheus has no target of the exporter's job",
		Scrape: removedFrom(300 * time.Second),
	},
	{
		Name: "reload-refused-300-900", About: "the exporter refuses its configuration file from second 300 to 900",
		Scrape: setScraped(300*time.Second, 900*time.Second, "llmfleet_exporter_config_last_reload_successful", "0"),
	},
	{
		Name: "alertmanager-lost-300-1200", About: "Prometheus knows no Alertmanager from second 300 to 1200",
		Scrape: setScraped(300*time.Second, 1200*time.Second, "prometheus_notifications_alertmanagers_discovered", "0"),
	},
	{
		Name: "prometheus-unwatched-from-300", About: "from second 300 on nobody scrapes Prometheus itself",
		Scrape: func(job string, at time.Duration, p Page) (Page, error) {
			if job == prometheusProgram && at >= 300*time.Second {
				return Page{}, errNoTarget
			}
			return p, nil
		},
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

// findEdit finds an edit by name, nil if there is none.
func findEdit(name string) *Edit {
	all := allEdits()
	if i := slices.IndexFunc(all, func(e Edit) bool { return e.Name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// editNames lists the edits.
func editNames() []string {
	var out []string
	for _, e := range allEdits() {
		out = append(out, e.Name)
	}
	return out
}
