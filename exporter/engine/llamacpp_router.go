package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// llamacppRouter is a llama-server without a model of its own, which loads models on demand
// and runs a child server for each.
//
// Asking a model's numbers loads the model, and may evict another for it: only loaded models
// are asked, and only with autoload=false. Of the model list nothing but names, states and
// sizes is read: its args and preset are the children's command lines.
var llamacppRouter = register(priorityVariant, &Engine{
	Name:    "llamacpp_router",
	Title:   "llama.cpp router",
	Router:  true,
	Loading: "Loading model",
	Detect: []Evidence{
		{Path: "/props", Field: "role", Equals: "router"},
		{Path: "/v1/models", Field: "data.0.status.value"},
	},
	Endpoints: []Endpoint{
		{Path: "/health", Role: Health},
		{Path: "/v1/models", Format: JSON, Role: Numbers, Probe: Always},
		{Path: "/props", Format: JSON, Every: settingsAge, Optional: true},
		llamacppChild("loaded"),
		// A sleeping child answers from a snapshot; older ones would wake up for it.
		llamacppChild("sleeping", Condition{Path: "/props", Field: "build_info", Below: snapshotBuild}),
	},
	Map:  behindRouter("llamacpp", llamacppNumbers),
	JSON: append(behindRouterJSON("llamacpp", llamacppModel("data")), llamacppRouterModels...),
	Derive: append([]Derivation{
		{
			To: catalog.RouterTargetInflight, Op: Add, From: []*catalog.Series{catalog.RequestsRunning},
			Rename: map[string]string{catalog.LabelTarget: catalog.LabelModel},
		},
	}, llamacpp.Derive...),
	Prefixes: llamacpp.Prefixes,
	Ignore:   llamacppIgnored,
	Hints:    llamacppHints,
})

// llamacppChild asks the numbers of the models in a state.
func llamacppChild(state string, unless ...Condition) Endpoint {
	return Endpoint{
		Path: "/metrics?model={model}&autoload=false", Format: Exposition, Role: Numbers, Unless: unless,
		Each: &Each{Path: "/v1/models", Array: "data", Key: "id", When: []Condition{
			{Field: "status.value", In: []string{state}},
		}},
	}
}

// A model that failed to load is "unloaded" with a mark. One that is merely not loaded is
// fine: the router has no opinion of its health.
var (
	llamacppFailed    = []Condition{{Field: "status.failed", In: []string{"true"}}}
	llamacppNotFailed = Condition{Field: "status.failed", In: []string{"", "false"}}

	llamacppRouterModels = []JSONMapping{
		{Path: "/props", To: catalog.EngineInfo, Labels: []LabelFrom{
			{To: catalog.LabelEngine, Const: "llamacpp"}, {To: catalog.LabelVersion, From: "build_info"},
		}, Optional: true},
		{
			Path: "/v1/models", Each: "data", When: llamacppFailed, To: catalog.RouterTargetHealthy, Value: "status.failed",
			Words: map[string]float64{"true": 0}, Labels: []LabelFrom{{To: catalog.LabelTarget, From: "id"}}, Optional: true,
		},
		{
			Path: "/v1/models", Each: "data", To: catalog.RouterTargetHealthy,
			When:   []Condition{llamacppNotFailed, {Field: "status.value", In: []string{"loaded", "sleeping"}}},
			Labels: []LabelFrom{{To: catalog.LabelTarget, From: "id"}}, Optional: true,
		},
		llamacppState("status.failed", llamacppFailed, map[string]string{"true": string(catalog.ModelFailed)}),
		llamacppState("status.value", []Condition{llamacppNotFailed}, map[string]string{
			"loaded": string(catalog.ModelLoaded), "sleeping": string(catalog.ModelSleeping),
			"loading": string(catalog.ModelLoading), "downloading": string(catalog.ModelLoading),
			"unloaded": string(catalog.ModelUnloaded), "downloaded": string(catalog.ModelUnloaded),
		}),
	}
)

func llamacppState(value string, when []Condition, states map[string]string) JSONMapping {
	return JSONMapping{
		Path: "/v1/models", Each: "data", When: when, To: catalog.ModelStateSet, Value: value, States: states,
		Labels: []LabelFrom{{To: catalog.LabelEngine, Const: "llamacpp"}, {To: catalog.LabelModel, From: "id"}}, Optional: true,
	}
}

// behindRouter gives the mappings of an engine to the router that shows its numbers: they
// keep the engine's name.
func behindRouter(engine string, mappings []Mapping) []Mapping {
	out := make([]Mapping, len(mappings))
	for i, m := range mappings {
		m.Labels = append([]LabelFrom{{To: catalog.LabelEngine, Const: engine}}, m.Labels...)
		m.Optional = true // there may be no loaded model
		out[i] = m
	}
	return out
}

func behindRouterJSON(engine string, mappings []JSONMapping) []JSONMapping {
	out := make([]JSONMapping, len(mappings))
	for i, m := range mappings {
		m.Labels = append([]LabelFrom{{To: catalog.LabelEngine, Const: engine}}, m.Labels...)
		out[i] = m
	}
	return out
}
