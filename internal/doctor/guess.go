package doctor

import (
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// clue is what the name of a family must have in it to be taken for a series: a word of each
// group, and none of the words of not.
type clue struct {
	to  *catalog.Series
	all [][]string
	not []string
}

// Words that mean the same in the names of many programs.
var (
	aRequest  = []string{"request", "requests", "req", "reqs", "sequence", "sequences", "seq", "seqs", "slot", "slots", "job", "jobs", "query", "queries", "generations", "completions"}
	isRunning = []string{"running", "processing", "active", "inflight", "flight", "progress", "executing", "current", "busy"}
	isWaiting = []string{"waiting", "queued", "queue", "pending", "deferred", "backlog"}
	aToken    = []string{"token", "tokens"}
	ofPrompt  = []string{"prompt", "input", "prefill"}
	ofOutput  = []string{"generation", "generated", "output", "completion", "predicted", "decode", "decoded", "out"}
	aTime     = []string{"seconds", "second", "sec", "ms", "milliseconds", "time", "duration", "latency", "us", "microseconds"}
	aDraft    = []string{"draft", "drafted", "spec", "speculative", "proposed"}
	aCache    = []string{"cache", "cached", "kv", "kvcache"}
	isReuse   = []string{"cached", "reused", "hit", "hits", "cache"}
	isFull    = []string{"max", "limit", "capacity", "size", "total"}
)

// clues are tried in order, the more special before the more general.
var clues = []clue{
	{catalog.TimeToFirstToken, [][]string{{"ttft"}}, nil},
	{catalog.TimeToFirstToken, [][]string{{"first"}, aToken}, nil},
	{catalog.RequestTimePerOutputToken, [][]string{{"tpot"}}, nil},
	{catalog.RequestTimePerOutputToken, [][]string{{"per"}, ofOutput, aToken, aTime}, nil},
	{catalog.InterTokenLatency, [][]string{{"itl"}}, nil},
	{catalog.InterTokenLatency, [][]string{{"inter", "between"}, aToken}, nil},
	{catalog.RequestQueueDuration, [][]string{append([]string{"wait"}, isWaiting...), aTime}, aToken},
	{catalog.RequestPrefillDuration, [][]string{{"prefill", "prompt"}, aTime}, aToken},
	{catalog.RequestDecodeDuration, [][]string{{"decode", "decoding", "generation"}, aTime}, aToken},
	{catalog.RequestDuration, [][]string{append([]string{"e2e", "inference", "generate"}, aRequest...), aTime}, append([]string{"http"}, aToken...)},
	{catalog.RequestPromptTokens, [][]string{ofPrompt, append([]string{"length", "len"}, aToken...)}, aTime},
	{catalog.RequestGenerationTokens, [][]string{ofOutput, append([]string{"length", "len"}, aToken...)}, aTime},

	{catalog.SpecDecodeAcceptedTokens, [][]string{{"accepted"}, aToken}, []string{"per", "pos", "position", "rate"}},
	{catalog.SpecDecodeDraftTokens, [][]string{aDraft, aToken}, []string{"accepted", "rejected", "per", "pos", "rate"}},
	{catalog.SpecDecodeDrafts, [][]string{{"drafts"}}, aToken},
	{catalog.PrefixCacheHits, [][]string{{"prefix"}, {"hit", "hits"}}, []string{"rate", "ratio"}},
	{catalog.PrefixCacheQueries, [][]string{{"prefix"}, {"query", "queries", "lookups"}}, []string{"rate", "ratio"}},
	{catalog.PromptCachedTokens, [][]string{isReuse, ofPrompt, aToken}, append([]string{"per", "miss", "misses"}, aTime...)},
	{catalog.PromptTokens, [][]string{ofPrompt, aToken}, append([]string{"per", "computed", "hit", "cached"}, aTime...)},
	{catalog.GenerationTokens, [][]string{ofOutput, aToken}, append([]string{"per", "draft", "accepted", "rejected"}, aTime...)},
	{catalog.PrefillSeconds, [][]string{ofPrompt, aTime}, aToken},
	{catalog.DecodeSeconds, [][]string{ofOutput, aTime}, aToken},
	{catalog.Preemptions, [][]string{{"preemption", "preemptions", "preempted"}}, nil},
	{catalog.RequestsRejected, [][]string{aRequest, {"rejected", "refused", "shed"}}, nil},
	{catalog.RequestsFinished, [][]string{aRequest, {"finished", "success", "successful", "completed", "done"}}, aTime},

	{catalog.KVCacheCapacity, [][]string{aCache, aToken, isFull}, []string{"used", "usage"}},
	{catalog.KVCacheUsed, [][]string{aCache, aToken}, append([]string{"per", "hit", "prefix"}, isFull...)},
	{catalog.KVCacheUsage, [][]string{aCache, {"usage", "utilization", "utilisation", "used", "fill", "percent", "perc", "ratio"}},
		[]string{"hit", "hits", "prefix", "cpu", "disk", "bytes", "blocks", "block", "pages", "tokens"}},
	{catalog.EngineMaxConcurrency, [][]string{aRequest, {"max", "limit", "capacity"}}, []string{"length", "len", "tokens"}},
	{catalog.RequestsWaiting, [][]string{isWaiting}, append([]string{"max", "limit", "capacity", "bytes"}, slices.Concat(aTime, aToken)...)},
	{catalog.RequestsRunning, [][]string{aRequest, isRunning}, append([]string{"max", "limit", "lora"}, slices.Concat(aTime, aToken)...)},
}

// routerClues are those of a program that passes requests on.
var routerClues = []clue{
	{catalog.RouterTimeToFirstToken, [][]string{{"ttft", "first"}}, nil},
	{catalog.RouterRequestDuration, [][]string{append([]string{"e2e"}, aRequest...), aTime}, append([]string{"http"}, aToken...)},
	{catalog.RouterCircuitState, [][]string{{"circuit", "breaker", "cb"}, {"state"}}, nil},
	{catalog.RouterTargetHealthy, [][]string{{"healthy", "health", "up", "alive"}}, []string{"check", "checks", "time", "total", "count"}},
	{catalog.RouterRetriesExhausted, [][]string{{"retry", "retries"}, {"exhausted", "failed"}}, nil},
	{catalog.RouterRetries, [][]string{{"retry", "retries", "retried"}}, aTime},
	{catalog.RouterEjections, [][]string{{"ejection", "ejections", "ejected", "evicted"}}, nil},
	{catalog.RouterTargetRequests, [][]string{aRequest}, append(slices.Concat(isRunning, isWaiting, aTime, aToken), "http")},
	{catalog.RouterRequests, [][]string{aRequest}, append(slices.Concat(isRunning, isWaiting, aTime, aToken), "http", "errors", "failed")},
	{catalog.RouterQueued, [][]string{isWaiting}, append([]string{"max", "limit"}, slices.Concat(aTime, aToken)...)},
	{catalog.RouterTargetInflight, [][]string{isRunning}, append([]string{"max", "limit", "workers"}, slices.Concat(aTime, aToken)...)},
	{catalog.RouterInflight, [][]string{isRunning}, append([]string{"max", "limit", "workers"}, slices.Concat(aTime, aToken)...)},
}

// Labels of samples by what they are in the vocabulary.
var labelNames = map[string][]string{
	catalog.LabelModel:  {"model_name", "model", "model_id", "served_model_name", "served_model"},
	catalog.LabelRank:   {"dp_rank", "rank", "engine_id"},
	catalog.LabelTarget: {"worker", "worker_id", "worker_url", "backend", "target", "upstream", "replica", "server", "endpoint", "destination", "deployment"},
	catalog.LabelReason: {"finish_reason", "finished_reason", "reason"},
}

// guess is a line of a mapping.
type guess struct {
	from   *family
	to     *catalog.Series
	labels []string // as YAML: model: model_name
	scale  string
	check  string // what a person must look at
}

// guesses takes each family for a series, where its name says enough. Of several for one
// series the first counts: more would stand in for each other.
func guesses(all []*family, router bool) (found []guess, rest []*family) {
	list := clues
	if router {
		list = routerClues
	}
	taken := map[*catalog.Series]bool{}
	for _, f := range all {
		g, ok := f.guess(list, taken)
		if !ok {
			rest = append(rest, f)
			continue
		}
		taken[g.to] = true
		found = append(found, g)
	}
	return found, rest
}

func (f *family) guess(list []clue, taken map[*catalog.Series]bool) (guess, bool) {
	if f.summary {
		return guess{}, false
	}
	parts := words(f.name)
	for _, c := range list {
		if c.to.Kind != f.kind || taken[c.to] || !c.fits(parts) {
			continue
		}
		g := guess{from: f, to: c.to}
		if g.fillLabels() {
			g.fillScale(parts)
			return g, true
		}
	}
	return guess{}, false
}

func (c *clue) fits(parts []string) bool {
	has := func(any []string) bool {
		return slices.ContainsFunc(any, func(w string) bool { return slices.Contains(parts, w) })
	}
	return !has(c.not) && !slices.ContainsFunc(c.all, func(group []string) bool { return !has(group) })
}

// fillLabels says where the labels of the series are taken from; false where one that must be
// there is not.
func (g *guess) fillLabels() bool {
	for _, label := range g.to.Labels {
		from := g.from.labelOf(label)
		switch {
		case from != "" && label == catalog.LabelReason && g.to == catalog.RequestsFinished:
			g.labels = append(g.labels, "reason: {from: "+from+", words: {stop: stop, length: length, abort: abort, error: error, \"\": other}}")
		case from != "":
			g.labels = append(g.labels, label+": "+from)
		case label == catalog.LabelReason:
			g.labels = append(g.labels, "reason: {const: unknown}")
		case label == catalog.LabelOutcome:
			g.labels = append(g.labels, "outcome: {const: unknown}")
		case label == catalog.LabelTarget:
			return false
		}
	}
	return true
}

// labelOf finds the family's label that is one of the vocabulary, "" if it has none.
func (f *family) labelOf(label string) string {
	for _, n := range labelNames[label] {
		if slices.Contains(f.labels, n) {
			return n
		}
	}
	return ""
}

// fillScale brings a value to the unit of its series.
func (g *guess) fillScale(parts []string) {
	has := func(any ...string) bool {
		return slices.ContainsFunc(any, func(w string) bool { return slices.Contains(parts, w) })
	}
	switch {
	case g.to.Unit == catalog.Seconds && has("ms", "milliseconds", "millis"):
		g.scale = "0.001"
	case g.to.Unit == catalog.Seconds && has("us", "microseconds"):
		g.scale = "0.000001"
	case g.to.Unit == catalog.Seconds && !has("seconds", "second", "sec", "s"):
		g.check = "in seconds? if in milliseconds, add scale: 0.001"
	case g.to.Unit == catalog.Ratio && g.from.highest > 1:
		g.scale = "0.01"
	case g.to.Unit == catalog.Ratio && has("percent", "percentage", "pct"):
		g.check = "from 0 to 1? if from 0 to 100, add scale: 0.01"
	}
}

// isRouter says whether a page speaks of workers: some label names several addresses.
func isRouter(all []*family) bool {
	for _, f := range all {
		label := f.labelOf(catalog.LabelTarget)
		if label != "" && slices.ContainsFunc(f.values[label], func(v string) bool { return strings.Contains(v, ":") }) {
			return true
		}
	}
	return false
}
