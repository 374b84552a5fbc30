package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// ollama is Ollama. It exports no numbers; which models are loaded, how large they are and
// when they go is in /api/ps, which loads none and keeps none loaded.
//
// The owner in the list of models is that of the model: "library" is Ollama's own.
var _ = register(priorityEngine, &Engine{
	Name:      "ollama",
	Title:     "Ollama",
	NoNumbers: true,
	Detect: []Evidence{
		{Path: "/v1/models", Body: `owned_by":"library`},
		{Path: "/api/version", Field: "version"},
	},
	Endpoints: []Endpoint{
		{Path: "/api/version", Format: JSON, Role: Health, Probe: ForModels},
		{Path: "/api/ps", Format: JSON},
		{Path: "/v1/models", Format: JSON, Every: settingsAge, Probe: Always, Optional: true},
	},
	JSON: []JSONMapping{
		{Path: "/api/version", To: catalog.EngineInfo, Labels: []LabelFrom{{To: catalog.LabelVersion, From: "version"}}},
		{Path: "/v1/models", Each: "data", To: catalog.ModelInfo, Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}}},
		ollamaModel(catalog.ModelContextLength, "context_length"), // since 0.10.0
		ollamaModel(catalog.ModelSize, "size"),
		ollamaModel(catalog.ModelVRAM, "size_vram"), // 0 on the CPU
		ollamaModel(catalog.ModelExpiry, "expires_at"),
		{
			Path: "/api/ps", Each: "models", To: catalog.ModelStateSet,
			Labels: []LabelFrom{{To: catalog.LabelModel, From: "name"}, {To: catalog.LabelState, Const: string(catalog.ModelLoaded)}},
		},
		// What is listed and not loaded is on the disk.
		{
			Path: "/v1/models", Each: "data", To: catalog.ModelStateSet,
			Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}, {To: catalog.LabelState, Const: string(catalog.ModelUnloaded)}},
		},
	},
})

func ollamaModel(to *catalog.Series, value string) JSONMapping {
	return JSONMapping{
		Path: "/api/ps", Each: "models", To: to, Value: value,
		Labels: []LabelFrom{{To: catalog.LabelModel, From: "name"}}, Optional: true,
	}
}
