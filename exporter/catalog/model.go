package catalog

// ModelState is what a model is doing. The set is closed.
type ModelState string

// The states of a model.
const (
	ModelLoaded   ModelState = "loaded"
	ModelLoading  ModelState = "loading"
	ModelSleeping ModelState = "sleeping"
	ModelUnloaded ModelState = "unloaded"
	ModelFailed   ModelState = "failed"
)

// ModelStates lists the closed set in the order of the documentation.
func ModelStates() []ModelState {
	return []ModelState{ModelLoaded, ModelLoading, ModelSleeping, ModelUnloaded, ModelFailed}
}

// The engine and what it serves.
var (
	EngineInfo = declare(Series{
		Name: "llm_engine_info", Kind: Info, Labels: []string{LabelBackend, LabelEngine, LabelVersion}, Origin: JSON,
		Help: "Engine and version as the server names it; llama.cpp's build string is not always its build.",
	})
	EngineMaxConcurrency = declare(Series{
		Name: "llm_engine_max_concurrency", Kind: Gauge, Unit: Requests, Labels: Data, Origin: JSON, Headline: true,
		Help: "Requests that the engine works on at once: slots, or the limit of sequences.",
	})
	ModelInfo = declare(Series{
		Name: "llm_model_info", Kind: Info, Labels: []string{LabelBackend, LabelEngine, LabelModel, LabelQuantized}, Origin: JSON,
		Help: "A model that the backend lists.",
	})
	ModelStateSet = declare(Series{
		Name: "llm_model_state", Kind: StateSet, Unit: Boolean, Labels: []string{LabelBackend, LabelEngine, LabelModel, LabelState}, Origin: JSON,
		Help: "1 for the state that the model is in, 0 for every other: loaded, loading, sleeping, unloaded, failed; absent where the backend does not say it.",
	})
	ModelContextLength = declare(Series{
		Name: "llm_model_context_length_tokens", Kind: Gauge, Unit: Tokens, Labels: []string{LabelBackend, LabelEngine, LabelModel}, Origin: JSON, Headline: true,
		Help: "Longest prompt and answer together that one request may have.",
	})
	ModelTrainContextLength = declare(Series{
		Name: "llm_model_train_context_length_tokens", Kind: Gauge, Unit: Tokens, Labels: []string{LabelBackend, LabelEngine, LabelModel}, Origin: JSON,
		Help: "Context length that the model was trained for.",
	})
	ModelParameters = declare(Series{
		Name: "llm_model_parameters", Kind: Gauge, Unit: Count, Labels: []string{LabelBackend, LabelEngine, LabelModel}, Origin: JSON,
		Help: "Parameters of the model.",
	})
	ModelSize = declare(Series{
		Name: "llm_model_size_bytes", Kind: Gauge, Unit: Bytes, Labels: []string{LabelBackend, LabelEngine, LabelModel}, Origin: JSON,
		Help: "Size of the model's weights.",
	})
	ModelVRAM = declare(Series{
		Name: "llm_model_vram_bytes", Kind: Gauge, Unit: Bytes, Labels: []string{LabelBackend, LabelEngine, LabelModel}, Origin: JSON,
		Help: "Part of the loaded model that is in GPU memory; less than its size where layers run on the CPU.",
	})
	ModelExpiry = declare(Series{
		Name: "llm_model_expiry_timestamp_seconds", Kind: Gauge, Unit: Timestamp, Labels: []string{LabelBackend, LabelEngine, LabelModel}, Origin: JSON,
		Help: "When the loaded model will be unloaded if no request comes; absent for one that stays.",
	})
	LoRAAdapters = declare(Series{
		Name: "llm_lora_adapters", Kind: Gauge, Unit: Count, Labels: With(Data, LabelState), Origin: Computed,
		Help: "LoRA adapters with work, by state: running, waiting; loaded where the engine only says how many are in memory.",
	})
	ProcessStart = declare(Series{
		Name: "llm_engine_start_timestamp_seconds", Kind: Gauge, Unit: Timestamp, Labels: []string{LabelBackend, LabelEngine},
		Help: "When the engine's process started; absent where the engine does not say it in Unix time.",
	})
)
