package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// fastflowlm is FastFlowLM, which runs models on an NPU and exports no numbers. Its health
// path is "ok" whatever happens, and it sends its errors with the status 200: it serves when
// its list of models is one. The list names every model that it could run.
var _ = register(priorityEngine, &Engine{
	Name:      "fastflowlm",
	Title:     "FastFlowLM",
	NoNumbers: true,
	Detect: []Evidence{
		{Path: "/v1/models", Body: `owned_by":"FastFlowLM`},
		{Path: "/api/npu/status", Field: "npu_available"},
	},
	Endpoints: []Endpoint{
		{Path: "/v1/models", Format: JSON, Role: Health, Probe: Always},
		{Path: "/api/npu/status", Format: JSON, Optional: true},
		{Path: "/api/ps", Format: JSON, Optional: true},
		{Path: "/api/version", Format: JSON, Every: settingsAge, Optional: true},
	},
	JSON: []JSONMapping{
		{Path: "/api/version", To: catalog.EngineInfo, Labels: []LabelFrom{{To: catalog.LabelVersion, From: "version"}}, Optional: true},
		{Path: "/api/npu/status", To: catalog.RequestsRunning, Value: "active_requests", Optional: true}, // 0 or 1; its queue is not told
		{Path: "/v1/models", Each: "data", To: catalog.ModelInfo, Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}}, Optional: true},
		{
			Path: "/api/ps", Each: "models", To: catalog.ModelStateSet, Optional: true,
			Labels: []LabelFrom{{To: catalog.LabelModel, From: "name"}, {To: catalog.LabelState, Const: string(catalog.ModelLoaded)}},
		},
	},
})
