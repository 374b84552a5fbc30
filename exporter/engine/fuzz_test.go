package engine

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/internal/recording"
)

// anything is a server that answers whatever the fuzzer likes, the same to every question of a kind.
type anything struct {
	status                           int
	server, kind                     string // headers
	health, models, numbers, setting []byte

	mu           sync.Mutex // the questions of a round come side by side
	asked, bytes int
}

func (a *anything) fetch(_ context.Context, _ Port, path string) (*Answer, error) {
	body := a.body(path)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked++
	a.bytes += len(body)
	return &Answer{Status: a.status, Header: http.Header{"Server": {a.server}, "Content-Type": {a.kind}}, Body: body}, nil
}

func (a *anything) body(path string) []byte {
	switch format, known := formats[path]; {
	case path == "/v1/models":
		return a.models
	case !known || format == Exposition: // the numbers of one model have its name in the path
		return a.numbers
	case format == JSON:
		return a.setting
	}
	return a.health
}

// formats are those of all paths that any engine asks.
var formats = func() map[string]Format {
	out := map[string]Format{}
	for _, e := range BuiltIn() {
		for _, ep := range e.Endpoints {
			out[ep.Path] = ep.Format
		}
	}
	return out
}()

// FuzzRecognition lets an unknown server answer anything at all, and holds what is made of it
// to what everybody relies on.
func FuzzRecognition(f *testing.F) {
	for _, a := range recordedServers(f) {
		f.Add(uint16(200), a.server, a.kind, a.health, a.models, a.numbers, a.setting)
	}
	f.Add(uint16(503), "", "", []byte(loadingBody), []byte(loadingBody), []byte(loadingBody), []byte(loadingBody))
	f.Add(uint16(200), "llama.cpp", "text/html", []byte(""), []byte(`{"data":[{"id":"","status":{"value":"loaded"}}]}`), []byte(`"llamacpp:x 1\n"`), []byte("[]"))
	f.Add(uint16(0), "", "", []byte("null"), []byte(`{"data":{"a":1}}`), []byte(""), []byte("null"))
	f.Fuzz(func(t *testing.T, status uint16, server, kind string, health, models, numbers, setting []byte) {
		a := &anything{status: int(status), server: server, kind: kind, health: health, models: models, numbers: numbers, setting: setting}
		s := NewSession(Options{Backend: "b", MaxSeries: 500, MaxLabelValues: 20})
		first := fuzzRead(t, s, a)
		if e := first.Engine; e != nil && (first.Sign == nil || !slices.Contains(e.Detect, first.Sign.Evidence)) {
			t.Errorf("%s is recognised by %v", e.Title, first.Sign)
		}
		again := fuzzRead(t, s, a)
		if first.Engine != nil && again.Engine != first.Engine && again.Reason != catalog.ReasonUnrecognized {
			t.Errorf("the same answers are %s and then %v", first.Engine.Title, again.Engine)
		}
	})
}

// FuzzReadingOfAnyAnswers takes a server that answers anything for a program that is configured.
func FuzzReadingOfAnyAnswers(f *testing.F) {
	for i, a := range recordedServers(f) {
		f.Add(uint8(i), uint16(200), a.models, a.numbers, a.setting)
	}
	f.Fuzz(func(t *testing.T, which uint8, status uint16, models, numbers, setting []byte) {
		e := BuiltIn()[int(which)%len(BuiltIn())]
		a := &anything{status: int(status), health: setting, models: models, numbers: numbers, setting: setting}
		s := NewSession(Options{Backend: "b", Engine: e, MaxSeries: 500, MaxLabelValues: 20})
		fuzzRead(t, s, a)
		fuzzRead(t, s, a)
	})
}

// fuzzRead reads a server once and asserts what holds for every reading.
func fuzzRead(t *testing.T, s *Session, a *anything) *Reading {
	t.Helper()
	var r *Reading
	a.asked, a.bytes = 0, 0
	frugal(t, func() int { return a.bytes }, func() { r = s.Read(t.Context(), a.fetch) })
	if a.asked > 200 {
		t.Errorf("%d questions in one scrape", a.asked)
	}
	if (r.Reason != "") != (r.Up == No || r.Engine != nil && r.Engine.NoNumbers && r.Reason != "") {
		t.Errorf("up %v with reason %q", r.Up, r.Reason)
	}
	if r.Reason != "" && (r.Problem == "" || !slices.Contains(catalog.Reasons(), r.Reason)) {
		t.Errorf("reason %q with problem %q", r.Reason, r.Problem)
	}
	if len(r.Points) > 1000 {
		t.Errorf("%d points of a page that may add 500", len(r.Points))
	}
	for i := range r.Points {
		if p := &r.Points[i]; p.Label(catalog.LabelBackend) != "b" {
			t.Errorf("%s has labels %q", p.Series.Name, p.Labels)
		}
	}
	sound(t, r.Points)
	return r
}

// oddJSON has mappings of every form that a configuration may have.
var oddJSON = &Engine{Name: "odd", JSON: []JSONMapping{
	{Path: "/x", Each: "clusters.*.hosts", To: catalog.RouterTargetHealthy, Value: "state", Words: words, Labels: []LabelFrom{{To: catalog.LabelTarget, From: "host", And: "port", Joint: ":"}}},
	{Path: "/x", Each: "@value", To: catalog.RouterTargetInflight, Value: "@value", Labels: []LabelFrom{{To: catalog.LabelTarget, From: "@key", Cut: "/"}}},
	{Path: "/x", Each: "models", To: catalog.ModelStateSet, Value: "state", States: map[string]string{"up": string(catalog.ModelLoaded), "down": string(catalog.ModelFailed)}, Labels: []LabelFrom{{To: catalog.LabelModel, From: "id", Else: "$.default"}}},
	{Path: "/x", Each: "models", When: []Condition{{Field: "kind", In: []string{"", "text"}}}, To: catalog.ModelInfo, Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}, {To: catalog.LabelQuantized, From: "quant", Words: map[string]string{"q4": "Q4_0", "": "other"}}}},
	{Path: "/x", To: catalog.KVCacheUsage, Value: "kv.0.1", Scale: 0.01},
	{Path: "/x", To: catalog.GenerationTokens, Value: "$.tokens", Agg: Sum},
}}

// FuzzJSONMapping gives any two documents, one after the other, to the JSON mappings of a program.
func FuzzJSONMapping(f *testing.F) {
	engines := []*Engine{oddJSON}
	for _, e := range BuiltIn() {
		if len(e.JSON) > 0 {
			engines = append(engines, e)
		}
	}
	for i, a := range recordedServers(f) {
		f.Add(uint8(i), a.models, a.setting)
	}
	f.Add(uint8(0), []byte(`{"clusters":[{"hosts":[{"host":"a","port":1,"state":"up"}]}],"models":[{"id":"m","state":"down","quant":"q4"}],"kv":[[1,50]],"tokens":"12"}`), []byte(`{"a/b":1,"c":true}`))
	f.Add(uint8(0), []byte(`{"clusters":{"x":{"hosts":{"y":{"host":"\ufffd","state":"up"}}}},"models":{"m":{"state":"up"}},"default":"d"}`), []byte(`[[1e999],[],{"":{"":null}}]`))
	f.Fuzz(func(t *testing.T, which uint8, first, second []byte) {
		e := engines[int(which)%len(engines)]
		m := newMapper(Options{Backend: "b", MaxSeries: 500, MaxLabelValues: 20})
		for _, body := range [][]byte{first, second, first} {
			var r Reading
			frugal(t, func() int { return len(body) * len(e.JSON) }, func() {
				m.begin(e, "")
				for _, mapping := range e.JSON {
					if doc := document(body); doc != nil && m.docs[mapping.Path] == nil {
						m.json(mapping.Path, doc)
					}
				}
				m.finish(&r)
			})
			sound(t, r.Points)
		}
	})
}

// FuzzMapper gives any page to the mappings of the program that has most of them.
func FuzzMapper(f *testing.F) {
	for _, seed := range []string{
		"vllm:num_requests_running{engine=\"0\",model_name=\"m\"} 1\nvllm:num_requests_running{engine=\"1\",model_name=\"\xff\"} 2\n",
		"# TYPE vllm:time_to_first_token_seconds histogram\nvllm:time_to_first_token_seconds_bucket{le=\"1\"} 1\nvllm:time_to_first_token_seconds_bucket{le=\"NaN\"} 1\nvllm:time_to_first_token_seconds_sum 1\nvllm:time_to_first_token_seconds_count 1\n",
		"vllm:cache_config_info{num_gpu_blocks=\"1e999\",block_size=\"-1\",kv_cache_size_tokens=\"NaN\"} 1\n",
		"vllm:lora_requests_info{running_lora_adapters=\",,a\"} 1\nvllm:engine_sleep_state{sleep_state=\"awake\"} 1\n",
		"vllm_kv_cache_usage_perc 0.5\nvllm:gpu_cache_usage_perc 1e300\nprocess_start_time_seconds 1.7e9\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		m := newMapper(Options{Backend: "a", MaxSeries: 500, MaxLabelValues: 3})
		var pages [2]string
		for i := range pages {
			var r Reading
			frugal(t, func() int { return len(page) }, func() {
				m.begin(vllm, "0.10.0")
				m.exposition(page, "m")
				m.finish(&r)
			})
			sound(t, r.Points)
			pages[i] = strings.Join(written(r.Points), "\n")
		}
		if pages[0] != pages[1] {
			t.Errorf("the same page gave\n%s\nthen\n%s", pages[0], pages[1])
		}
	})
}

// recordedServers are what real servers answered at first, each program once, and little of
// their numbers: the fuzzer is to change more than digits.
func recordedServers(t testing.TB) []*anything {
	t.Helper()
	out, err := loadServers()
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 10 {
		t.Fatalf("only %d programs have recorded answers", len(out))
	}
	return out
}

var loadServers = sync.OnceValues(func() (out []*anything, err error) {
	root, err := recording.Root()
	if err != nil {
		return nil, err
	}
	names, err := recording.List(os.DirFS(root))
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, name := range names {
		program, _, _ := strings.Cut(name, "/")
		if seen[program] {
			continue
		}
		r, err := recording.Load(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		if a := recordedServer(r); a != nil {
			seen[program] = true
			out = append(out, a)
		}
	}
	return out, nil
})

// recordedServer is nil for a recording in which nothing was answered.
func recordedServer(r *recording.Recording) *anything {
	a := &anything{}
	for _, s := range r.Servers {
		for _, answer := range s.Answers {
			part := map[Format]*[]byte{Exposition: &a.numbers, JSON: &a.setting, Status: &a.health}[formats[answer.Path]]
			if answer.Path == "/v1/models" {
				part = &a.models
			}
			if *part == nil && len(answer.Body) > 0 {
				*part = answer.Body[:min(len(answer.Body), 3000)]
				a.kind = answer.ContentType
			}
		}
	}
	a.server = r.Meta.Headers["service"]["Server"]
	if a.numbers == nil && a.models == nil && a.setting == nil {
		return nil
	}
	return a
}
