package engine

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// mappedJSON maps one JSON answer per path, in the order of the engine's mappings.
func mappedJSON(t *testing.T, e *Engine, answers map[string]string) *Reading {
	t.Helper()
	m := newMapper(Options{Backend: "a", Model: "m"})
	m.begin(e, "")
	var done []string
	for i := range e.JSON {
		path := e.JSON[i].Path
		if answers[path] == "" {
			continue
		}
		var doc any
		if err := json.Unmarshal([]byte(answers[path]), &doc); err != nil {
			t.Fatal(err)
		}
		m.json(path, doc)
		done = append(done, path)
		delete(answers, path)
	}
	for path := range answers {
		t.Fatalf("%s is asked by no mapping, only %q", path, done)
	}
	r := &Reading{}
	m.finish(r)
	return r
}

var words = map[string]float64{"up": 1, "down": 0, "demoted": 0}

func TestReplicasOfARouterAreReadHoweverTheyAreListed(t *testing.T) {
	target := func(from string) []LabelFrom { return []LabelFrom{{To: catalog.LabelTarget, From: from}} }
	for name, tt := range map[string]struct {
		mapping JSONMapping
		doc     string
	}{
		"array of objects": {
			JSONMapping{Each: "replicas", Value: "state", Words: words, Labels: target("url")},
			`{"replicas":[{"url":"http://r1","state":"up"},{"url":"http://r2","state":"demoted"}]}`,
		},
		"object of objects": {
			JSONMapping{Each: "pool.replicas", Value: "health.state", Words: words, Labels: target("@key")},
			`{"pool":{"replicas":{"http://r2":{"health":{"state":"down"}},"http://r1":{"health":{"state":"up"}}}}}`,
		},
		"object of words": {
			JSONMapping{Each: "replicas", Value: "@value", Words: words, Labels: target("@key")},
			`{"replicas":{"http://r1":"up","http://r2":"down"}}`,
		},
		"array of arrays": {
			JSONMapping{Each: "replicas", Value: "1", Labels: target("0")},
			`{"replicas":[["http://r1",true],["http://r2",false]]}`,
		},
		"the document": {
			JSONMapping{Each: "@value", Value: "ok", Labels: target("name")},
			`[{"name":"http://r1","ok":1},{"name":"http://r2","ok":"0"}]`,
		},
		"only of one kind": {
			JSONMapping{Each: "workers", When: []Condition{{Field: "kind", In: []string{"", "decode"}}}, Value: "up", Labels: target("id")},
			`{"workers":[{"id":"http://r1","up":true},{"id":"http://r2","up":false,"kind":"decode"},{"id":"http://r3","up":true,"kind":"prefill"}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			tt.mapping.Path, tt.mapping.To = "/health", catalog.RouterTargetHealthy
			r := mappedJSON(t, &Engine{Name: "x", Router: true, JSON: []JSONMapping{tt.mapping}}, map[string]string{"/health": tt.doc})
			same(t, []string{"llm_router_target_healthy{target=http://r1} 1", "llm_router_target_healthy{target=http://r2} 0"},
				written(r.Points, catalog.RouterTargetHealthy))
			if r.Dropped != 0 {
				t.Errorf("dropped %d, want 0", r.Dropped)
			}
		})
	}
}

func TestValueThatIsNotThereIsAbsentAndOneThatMeansNothingIsCounted(t *testing.T) {
	for name, tt := range map[string]struct {
		doc     string
		want    []string
		dropped int
	}{
		"there":        {`{"slots":4}`, []string{"llm_engine_max_concurrency{model=m} 4"}, 0},
		"zero":         {`{"slots":0}`, []string{"llm_engine_max_concurrency{model=m} 0"}, 0},
		"in quotes":    {`{"slots":"4"}`, []string{"llm_engine_max_concurrency{model=m} 4"}, 0},
		"not there":    {`{"other":4}`, []string{}, 0},
		"null":         {`{"slots":null}`, []string{}, 0},
		"another kind": {`[1,2]`, []string{}, 0},
		"no data":      {`{"slots":-1}`, []string{}, 1},
		"a word":       {`{"slots":"many"}`, []string{}, 1},
		"an object":    {`{"slots":{}}`, []string{}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			e := &Engine{Name: "x", JSON: []JSONMapping{{Path: "/props", To: catalog.EngineMaxConcurrency, Value: "slots"}}}
			r := mappedJSON(t, e, map[string]string{"/props": tt.doc})
			same(t, tt.want, written(r.Points))
			if r.Dropped != tt.dropped {
				t.Errorf("dropped %d, want %d", r.Dropped, tt.dropped)
			}
		})
	}
}

func TestElementsThatNobodyTellsApartAddUp(t *testing.T) {
	e := &Engine{Name: "x", JSON: []JSONMapping{
		{Path: "/slots", Each: "@value", To: catalog.KVCacheUsed, Value: "n_prompt_tokens"},
		{Path: "/slots", Each: "@value", To: catalog.ModelContextLength, Value: "n_ctx"},
		{Path: "/slots", Each: "@value", To: catalog.RequestsRunning, Value: "is_processing"},
	}}
	r := mappedJSON(t, e, map[string]string{"/slots": `[{"n_ctx":4096,"n_prompt_tokens":10,"is_processing":true},{"n_ctx":4096,"n_prompt_tokens":20,"is_processing":true}]`})
	same(t, []string{
		"llm_kv_cache_used_tokens{model=m} 30", "llm_model_context_length_tokens{model=m} 4096", "llm_requests_running{model=m} 2",
	}, written(r.Points))
}

func TestFirstMappingWinsForEachSetOfLabels(t *testing.T) {
	e := &Engine{Name: "x", JSON: []JSONMapping{
		{Path: "/v1/models", Each: "data", To: catalog.ModelContextLength, Value: "meta.n_ctx", Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}}},
		{Path: "/props", To: catalog.ModelContextLength, Value: "n_ctx"},
	}}
	for name, tt := range map[string]struct{ models, want string }{
		"both":       {`{"data":[{"id":"m","meta":{"n_ctx":8192}}]}`, "llm_model_context_length_tokens{model=m} 8192"},
		"the second": {`{"data":[{"id":"m"}]}`, "llm_model_context_length_tokens{model=m} 2048"},
	} {
		t.Run(name, func(t *testing.T) {
			same(t, []string{tt.want}, written(mappedJSON(t, e, map[string]string{"/v1/models": tt.models, "/props": `{"n_ctx":2048}`}).Points))
		})
	}
}

func TestConditionsMayLookAtTheDocumentAndAtAnotherAnswer(t *testing.T) {
	e := &Engine{Name: "x", JSON: []JSONMapping{
		{Path: "/role", To: catalog.EngineInfo, Labels: []LabelFrom{{To: catalog.LabelVersion, From: "version"}}},
		{
			Path: "/list", Each: "data", To: catalog.ModelSize, Value: "size", Scale: 1 << 20, When: []Condition{
				{Field: "$.unit", In: []string{"MiB"}},
				{Path: "/role", Field: "version", Below: "2.0"},
			},
			Labels: []LabelFrom{{To: catalog.LabelModel, From: "$.model"}},
		},
	}}
	for name, tt := range map[string]struct {
		role, list string
		want       []string
	}{
		"both hold":       {`{"version":"1.9"}`, `{"unit":"MiB","model":"n","data":[{"size":3}]}`, []string{"llm_engine_info{version=1.9} 1", "llm_model_size_bytes{model=n} 3.145728e+06"}},
		"other document":  {`{"version":"2.1"}`, `{"unit":"MiB","model":"n","data":[{"size":3}]}`, []string{"llm_engine_info{version=2.1} 1"}},
		"own document":    {`{"version":"1.9"}`, `{"unit":"GB","model":"n","data":[{"size":3}]}`, []string{"llm_engine_info{version=1.9} 1"}},
		"nothing to read": {`{"version":"1.9"}`, `{"unit":"MiB","model":"n"}`, []string{"llm_engine_info{version=1.9} 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			same(t, tt.want, written(mappedJSON(t, e, map[string]string{"/role": tt.role, "/list": tt.list}).Points))
		})
	}
}

func TestStateOfAModelIsReadFromItsWord(t *testing.T) {
	e := &Engine{Name: "x", JSON: []JSONMapping{
		{
			Path: "/models", Each: "data", When: []Condition{{Field: "failed", In: []string{"true"}}}, To: catalog.ModelStateSet,
			Value: "failed", States: map[string]string{"true": "failed"}, Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}},
		},
		{
			Path: "/models", Each: "data", To: catalog.ModelStateSet,
			Value: "state", States: map[string]string{"ready": "loaded", "off": "unloaded"}, Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}},
		},
	}}
	r := mappedJSON(t, e, map[string]string{"/models": `{"data":[{"id":"a","state":"ready"},{"id":"b","state":"off","failed":true},{"id":"c","state":"odd"}]}`})
	holds := []string{}
	for _, p := range r.Points {
		if p.Value == 1 {
			holds = append(holds, p.Label(catalog.LabelModel)+" "+p.Label(catalog.LabelState))
		}
	}
	if diff := cmp.Diff([]string{"b failed", "a loaded"}, holds); diff != "" || len(r.Points) != 10 || r.Dropped != 1 {
		t.Errorf("%d points, %d dropped, want 10 and 1 (the word odd); states (-want +got):\n%s", len(r.Points), r.Dropped, diff)
	}
}

func TestExpositionWinsOverJSON(t *testing.T) {
	e := &Engine{
		Name: "x", Map: []Mapping{{From: "x_running", To: catalog.RequestsRunning}},
		JSON: []JSONMapping{{Path: "/health", To: catalog.RequestsRunning, Value: "busy"}},
	}
	m := newMapper(Options{Backend: "a"})
	m.begin(e, "")
	m.json("/health", map[string]any{"busy": 9.0})
	if _, err := m.exposition([]byte("x_running 2\n"), "m"); err != nil {
		t.Fatal(err)
	}
	r := &Reading{Models: []string{"m"}}
	m.finish(r)
	same(t, []string{"llm_requests_running{model=m} 2"}, written(r.Points))
}
