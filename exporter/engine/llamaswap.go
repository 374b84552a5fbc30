package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// llamaSwap starts and stops model servers on demand.
//
// /upstream/MODEL/… starts the model, and every such request puts off the moment when it may
// be unloaded; /unload unloads all with a GET: neither is ever asked. The models' own numbers
// are to be had at the addresses that /running names. Its /metrics has numbers of the host only,
// and the totals of its activity go down. Of /running the commands are not read: they may hold keys.
var _ = register(priorityRouter, &Engine{
	Name:   "llama_swap",
	Title:  "llama-swap",
	Router: true,
	Detect: []Evidence{
		{Path: "/v1/models", Field: "data.0.owned_by", Equals: "llama-swap"},
		{Path: "/running", Field: "running"},
		{Sample: "llamaswap_*"},
	},
	Endpoints: []Endpoint{
		{Path: "/health", Role: Health},
		{Path: "/v1/models", Format: JSON, Probe: Always, Optional: true},
		{Path: "/api/version", Format: JSON, Every: settingsAge, Optional: true},
		{Path: "/running", Format: JSON, Role: Numbers},
	},
	JSON: []JSONMapping{
		{Path: "/api/version", To: catalog.EngineInfo, Labels: []LabelFrom{{To: catalog.LabelEngine, Const: "llama_swap"}, {To: catalog.LabelVersion, From: "version"}}, Optional: true},
		{Path: "/v1/models", Each: "data", To: catalog.ModelInfo, Labels: llamaSwapModel, Optional: true},
		{
			Path: "/running", Each: "running", To: catalog.RouterTargetHealthy, When: []Condition{{Field: "state", In: []string{"ready"}}},
			Labels: []LabelFrom{{To: catalog.LabelTarget, From: "proxy", Else: "model"}}, Optional: true,
		},
		{
			Path: "/running", Each: "running", To: catalog.ModelStateSet, Value: "state", Labels: []LabelFrom{{To: catalog.LabelModel, From: "model"}}, Optional: true,
			States: map[string]string{
				"ready": string(catalog.ModelLoaded), "starting": string(catalog.ModelLoading), "stopping": string(catalog.ModelUnloaded),
				"stopped": string(catalog.ModelUnloaded), "shutdown": string(catalog.ModelUnloaded),
			},
		},
		// What is not running is unloaded. The status in this list is not read: it calls a model
		// that starts loaded.
		{
			Path: "/v1/models", Each: "data", To: catalog.ModelStateSet, Value: "owned_by", Labels: llamaSwapModel, Optional: true,
			States: map[string]string{"llama-swap": string(catalog.ModelUnloaded)},
		},
	},
	Prefixes: []string{"llamaswap_"},
	Hints: []Hint{
		{Series: catalog.RouterTargetHealthy, Text: "1 for a model that is ready, named by its address; one that starts or is not running has none"},
		{Series: catalog.RouterRequests, Text: "its totals go down when old rows are dropped: they are no counters"},
	},
})

var llamaSwapModel = []LabelFrom{{To: catalog.LabelModel, From: "id"}}
