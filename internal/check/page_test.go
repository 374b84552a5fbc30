package check

import (
	"testing"

	"github.com/llmfleet/llmfleet/internal/golden"
)

// told is a report with one of everything.
func told() *Report {
	r := &Report{Address: "http://prometheus:9090", Prometheus: "2.42.0", Exporters: 2, Backends: 3, Items: []Item{
		{Kind: Alert, Key: "LlmBackendDown", Verdict: Live, Sees: []string{"big", "router", "small"}},
		{Kind: Alert, Key: "LlmKVCacheSaturated", Verdict: Live, Sees: []string{"big"}, Quiet: map[string][]string{"small": {"llama.cpp has not exported the use of its KV cache since b5441"}}},
		{Kind: Alert, Key: "LlmRequestsQueueing", Verdict: Live, Sees: []string{"big"}, Blind: map[string][]string{"small": {"no numbers (disabled)"}}},
		{Kind: Alert, Key: "LlmRouterErrorShare", Verdict: Live, Sees: []string{"big"}, Quiet: map[string][]string{"router": {"router_errors_total: only with a flag, a feature, or after its first use"}}},
		{Kind: Alert, Key: "LlmRouterFailoversGrowing", Verdict: Live, Sees: []string{"big"}, Quiet: map[string][]string{"router": {"router_a, router_b: only with a flag, a feature, or after its first use"}}},
		{Kind: Alert, Key: "LlmRouterReplicasMissing", Verdict: Quiet, Quiet: map[string][]string{"router": {"expect.replicas is not set in the exporter's configuration"}}},
		{Kind: Alert, Key: "LlmSeriesMissing", Verdict: Blind, Sees: []string{"big", "router", "small"}, Blind: map[string][]string{"": {"the rule is stale: loaded with another expression"}}},
		{Kind: Alert, Key: "LlmWatchdog", Verdict: Live, Sees: []string{""}},
		{Kind: Record, Key: "backend:llm_kv_cache_usage:max", Verdict: Live, Sees: []string{"big"}, Quiet: map[string][]string{"small": {"llama.cpp has not exported the use of its KV cache since b5441"}}},
		{Kind: Panel, Key: "capacity/waiting", Title: "Capacity and reuse › Requests waiting", Verdict: Live, Sees: []string{"big"}, Blind: map[string][]string{"small": {"no numbers (disabled)"}}},
		{Kind: Panel, Key: "cards/table", Title: "Cards and links › Every card", Verdict: Quiet, Quiet: map[string][]string{"": {"no card here"}}},
	}, Notes: []string{"what /api/v1/targets would show; it is not offered here"}}
	r.Alerts = []Active{{"LlmBackendDown", "firing", []string{"small"}}, {"LlmWatched", "pending", nil}}
	r.add(Cause{What: "Prometheus knows no Alertmanager: alerts are shown, and nobody is told", Do: "start one"})
	for _, it := range []*item{{kind: Alert, key: "LlmRequestsQueueing"}, {kind: Panel, key: "capacity/waiting"}} {
		r.blinded(it, "small", blindHere("no numbers (disabled)", "start llama-server with --metrics (LLAMA_ARG_ENDPOINT_METRICS=1)"))
	}
	r.blinded(&item{kind: Alert, key: "LlmSeriesMissing"}, "", blindHere("the rule is stale: loaded with another expression", loadAgain))
	return r
}

func TestThePageSaysFirstWhatToMend(t *testing.T) {
	golden.Compare(t, "testdata/page.txt", []byte(told().Page(false)))
}

func TestThePageOfAllListsEachItem(t *testing.T) {
	golden.Compare(t, "testdata/page-all.txt", []byte(told().Page(true)))
}

func TestWhatAServerSentDoesNotSteerTheTerminal(t *testing.T) {
	r := told()
	r.add(Cause{What: "its evaluation fails: \x1b[2J\x07", Do: "x"})
	for _, c := range r.Page(true) {
		if c < ' ' && c != '\n' {
			t.Fatalf("the page has the character %q", c)
		}
	}
}
