package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// sameLists takes an empty list for none, and labels and matches in any order.
var sameLists = cmp.Options{
	cmpopts.EquateEmpty(),
	cmpopts.SortSlices(func(a, b engine.Match) bool { return a.Label < b.Label }),
}

func TestAnOwnMappingIsTheSameValueAsABuiltInOne(t *testing.T) {
	c, err := Parse("a.yml", []byte(`
engines:
  - name: ours
    title: Ours
    detect:
      - {sample: "ours_*", without: theirs_x}
      - {path: /status, field: app.name, equals: "ours*", server: Ours, content_type: application/json, body: ours}
    endpoints:
      - {path: /health, format: status}
      - {path: /status, format: json, probe: always, every: 5m, fixed: model.path, optional: true}
      - path: /metrics?model={model}&autoload=false
        format: exposition
        port: metrics
        unless: [{path: /status, field: asleep, in: [true]}, {path: /status, field: version, below: "2.0"}]
        each: {path: /status, array: models, key: id, when: [{field: state, in: [up, ""]}]}
    map:
      - from: ours_tokens_total
        to: llm_generation_tokens_total
        labels: {model: name, rank: {from: gpu, words: {a: "0", "": "1"}}}
        where: {kind: [text, ""], phase: decode}
        scale: 0.5
        agg: max
        since: "1.0"
        until: "3.0"
        not_before: "0.9"
      - {from: ours_info, to: llm_kv_cache_capacity_tokens, value: blocks*size, optional: true, plus: true}
      - {from: ours_lora, to: llm_lora_adapters, value: names, names: true, labels: {state: {const: running}}}
    json:
      - path: /status
        each: models
        when: [{field: kind, in: [llm]}]
        to: llm_requests_running
        value: busy
        words: {none: 0, one: 1}
        scale: 2
        labels: {model: id}
        agg: sum
        since: "1.0"
        until: "3.0"
        optional: true
      - {path: /status, to: llm_model_state, value: state, states: {up: loaded}, labels: {model: id}}
    derive:
      - {to: llm_prefill_seconds_total, op: sum_of, from: llm_request_prefill_duration_seconds}
    prefixes: ours_
    ignore: [ours_debug]
    hints: [{series: llm_preemptions_total, text: never}, {text: start it with --metrics}]
    loading: warming up
`))
	if err != nil {
		t.Fatal(err)
	}
	want := &engine.Engine{
		Name: "ours", Title: "Ours",
		Detect: []engine.Evidence{
			{Sample: "ours_*", Without: "theirs_x"},
			{Path: "/status", Field: "app.name", Equals: "ours*", Server: "Ours", Type: "application/json", Body: "ours"},
		},
		Endpoints: []engine.Endpoint{
			{Path: "/health", Format: engine.Status, Role: engine.Health},
			{Path: "/status", Format: engine.JSON, Role: engine.Info, Probe: engine.Always, Every: 5 * time.Minute, Fixed: []string{"model.path"}, Optional: true},
			{
				Path: "/metrics?model={model}&autoload=false", Format: engine.Exposition, Role: engine.Numbers, Port: engine.MetricsPort,
				Unless: []engine.Condition{{Path: "/status", Field: "asleep", In: []string{"true"}}, {Path: "/status", Field: "version", Below: "2.0"}},
				Each:   &engine.Each{Path: "/status", Array: "models", Key: "id", When: []engine.Condition{{Field: "state", In: []string{"up", ""}}}},
			},
		},
		Map: []engine.Mapping{
			{
				From: "ours_tokens_total", To: catalog.GenerationTokens, Scale: 0.5, Agg: engine.Max, Since: "1.0", Until: "3.0", NotBefore: "0.9",
				Labels: []engine.LabelFrom{{To: "model", From: "name"}, {To: "rank", From: "gpu", Words: map[string]string{"a": "0", "": "1"}}},
				Where:  []engine.Match{{Label: "kind", In: []string{"text", ""}}, {Label: "phase", In: []string{"decode"}}},
			},
			{From: "ours_info", To: catalog.KVCacheCapacity, Value: "blocks*size", Optional: true, Plus: true},
			{From: "ours_lora", To: catalog.LoRAAdapters, Value: "names", Names: true, Labels: []engine.LabelFrom{{To: "state", Const: "running"}}},
		},
		JSON: []engine.JSONMapping{
			{
				Path: "/status", Each: "models", When: []engine.Condition{{Field: "kind", In: []string{"llm"}}}, To: catalog.RequestsRunning, Value: "busy",
				Words: map[string]float64{"none": 0, "one": 1}, Scale: 2, Labels: []engine.LabelFrom{{To: "model", From: "id"}},
				Agg: engine.Sum, Since: "1.0", Until: "3.0", Optional: true,
			},
			{Path: "/status", To: catalog.ModelStateSet, Value: "state", States: map[string]string{"up": "loaded"}, Labels: []engine.LabelFrom{{To: "model", From: "id"}}},
		},
		Derive:   []engine.Derivation{{To: catalog.PrefillSeconds, Op: engine.SumOf, From: []*catalog.Series{catalog.RequestPrefillDuration}}},
		Prefixes: []string{"ours_"}, Ignore: []string{"ours_debug"}, Loading: "warming up",
		Hints: []engine.Hint{{Series: catalog.Preemptions, Text: "never"}, {Text: "start it with --metrics"}},
	}
	if diff := cmp.Diff(want, c.Engines[0]); diff != "" {
		t.Errorf("engine (-want +got):\n%s", diff)
	}
}

// A field that is added to an engine must be writable in the file too.
func TestEveryFieldOfAnEngineHasAKey(t *testing.T) {
	for _, s := range []struct {
		of    any
		keys  []string
		short int // keys of the file alone, or fields that the form of the file holds
	}{
		{engine.Engine{}, mappings.names(), 4}, // like, rename, drop, replicas
		{engine.Evidence{}, evidence.names(), 0},
		{engine.Endpoint{}, endpoint.names(), 0},
		{engine.Each{}, each.names(), 0},
		{engine.Condition{}, condition.names(), 0},
		{engine.Mapping{}, sampleMapping.names(), 0},
		{engine.JSONMapping{}, jsonMapping.names(), 0},
		{engine.LabelFrom{}, labelSource.names(), -1}, // To is the key in front of it
		{engine.Derivation{}, derivation.names(), 0},
		{engine.Hint{}, hint.names(), 0},
		{Backend{}, slices.DeleteFunc(backend.names(), func(k string) bool { return slices.Contains(append(defaults.names(), httpKeys()...), k) }), -2}, // Limits, HTTP
		{Expect{}, expect.names(), 0},
		{Limits{}, defaults.names(), 0},
	} {
		typ := reflect.TypeOf(s.of)
		if typ.NumField()+s.short != len(s.keys) {
			t.Errorf("%s has %d fields, the file has the keys %s", typ, typ.NumField(), strings.Join(s.keys, ", "))
		}
	}
}

func httpKeys() []string {
	var names []string
	for _, k := range clientKeys() {
		names = append(names, k.name)
	}
	return names
}

func TestReplicasAreWrittenOutAsAnyOtherMapping(t *testing.T) {
	short, err := Parse("a.yml", []byte(`
engines:
  - name: router
    replicas: {path: /health, each: data.replicas, target: url, state: state, up: [up, ok], down: [down]}
`))
	if err != nil {
		t.Fatal(err)
	}
	long, err := Parse("a.yml", []byte(`
engines:
  - name: router
    router: true
    endpoints: [{path: /health, format: json, role: numbers}]
    json:
      - {path: /health, each: data.replicas, to: llm_router_target_healthy, value: state, words: {up: 1, ok: 1, down: 0}, labels: {target: url}}
`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(long.Engines, short.Engines); diff != "" {
		t.Errorf("the short form differs from the long one (-long +short):\n%s", diff)
	}
}

// Without what is weighed nothing would be known of a forked router's workers.
func TestAForkOfARouterWeighsWhatTheRouterDoes(t *testing.T) {
	c, err := Parse("a.yml", []byte(`
engines:
  - {name: fork, like: vllm_router, rename: {"vllm_router_": "fork_"}}
  - {name: deaf, like: vllm_router, rename: {"vllm_router_": "deaf_"}, drop: [llm_router_target_healthy]}
  - {name: young, like: sglang, rename: {"sglang:": "young:"}}
`))
	if err != nil {
		t.Fatal(err)
	}
	fork, base := c.Engines[0], engine.Find(engine.BuiltIn(), "vllm_router")
	if len(fork.Weigh) != 1 || fork.Weigh[0].Witnesses[0].Sample != "fork_worker_health" || fork.Weigh[0].Witnesses[0].With != "fork_cb_state" {
		t.Errorf("the fork weighs %+v", fork.Weigh)
	}
	if base.Weigh[0].Witnesses[0].Sample != "vllm_router_worker_health" {
		t.Error("the original has changed")
	}
	if len(c.Engines[1].Weigh) > 0 {
		t.Error("what is dropped is weighed")
	}
	if !c.Engines[2].EmptyAtFirst {
		t.Error("an empty page of a fresh fork of SGLang would be a failure")
	}
}

func TestAForkTakesOverWhatItDoesNotChange(t *testing.T) {
	base := engine.Find(engine.BuiltIn(), "vllm")
	c, err := Parse("a.yml", []byte(`
engines:
  - name: fork
    like: vllm
    rename: {"vllm:": "fork:", "vllm:num_requests_": "fork:reqs_"}
    drop: [llm_preemptions_total]
    endpoints: [{path: /metrics, format: exposition, port: metrics}, {path: /version, format: json, every: 1h}]
    map: [{from: "fork:queue", to: llm_requests_waiting}]
  - {name: grandchild, like: fork, title: Grandchild}
`))
	if err != nil {
		t.Fatal(err)
	}
	fork, grandchild := c.Engines[0], c.Engines[1]
	if fork.Map[0].From != "fork:queue" {
		t.Errorf("the first mapping is of %s; the fork's own win", fork.Map[0].From)
	}
	var names []string
	for _, m := range fork.Map {
		names = append(names, m.From)
		if strings.HasPrefix(m.From, "vllm:") || m.To == catalog.Preemptions {
			t.Errorf("mapping %s to %s should be renamed or dropped", m.From, m.To.Name)
		}
	}
	if !slices.Contains(names, "fork:reqs_running") || !slices.Contains(names, "fork:generation_tokens_total") {
		t.Errorf("renamed names are missing in %v", names)
	}
	for _, s := range fork.Detect {
		if !strings.HasPrefix(s.Sample, "fork:") {
			t.Errorf("sign %+v would recognise vLLM itself", s)
		}
	}
	if len(fork.Detect) == 0 || !slices.Equal(fork.Prefixes, []string{"fork:"}) {
		t.Errorf("signs %v, prefixes %v: want renamed ones", fork.Detect, fork.Prefixes)
	}
	var paths []string
	for _, e := range fork.Endpoints {
		paths = append(paths, e.Path)
		if e.Path == "/version" && e.Every != time.Hour {
			t.Errorf("/version is asked every %v, want the fork's hour", e.Every)
		}
	}
	// /metrics of the other port is another endpoint, so vLLM's own stays.
	if want := []string{"/health", "/version", "/v1/models", "/metrics", "/metrics"}; !slices.Equal(paths, want) {
		t.Errorf("paths %v, want %v", paths, want)
	}
	if len(grandchild.Map) != len(fork.Map) || len(grandchild.Detect) != 0 || grandchild.Title != "Grandchild" {
		t.Errorf("the grandchild has %d mappings, signs %v, title %q", len(grandchild.Map), grandchild.Detect, grandchild.Title)
	}
	if again := engine.Find(engine.BuiltIn(), "vllm"); !strings.HasPrefix(again.Map[0].From, "vllm:") || len(again.Map) != len(base.Map) {
		t.Error("the original has changed")
	}
}
