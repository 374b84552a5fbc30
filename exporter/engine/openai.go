package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// openai is any program that lists models the way OpenAI does and exports no numbers that
// could be read without harm: it is alive, it has models, and that is all one can know.
var openai = register(priorityGeneric, &Engine{
	Name:      "openai",
	Title:     "OpenAI-compatible, no numbers",
	NoNumbers: true,
	Generic:   true,
	Detect: []Evidence{
		{Path: "/v1/models", Field: "data"},
	},
	Endpoints: []Endpoint{
		{Path: "/v1/models", Format: JSON, Role: Health, Probe: Always},
	},
	JSON: []JSONMapping{
		{Path: "/v1/models", Each: "data", To: catalog.ModelInfo, Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}}, Optional: true},
		{Path: "/v1/models", Each: "data", To: catalog.ModelContextLength, Value: "max_model_len", Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}}, Optional: true},
	},
})
