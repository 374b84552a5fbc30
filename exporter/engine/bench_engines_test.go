package engine

import (
	"strings"
	"testing"
)

// used are servers after their first requests: what they should send they do send.
var used = []struct{ program, dir, state string }{
	{"SGLang", "sglang-0.5.23/default", "after"},
	{"LMDeploy", "lmdeploy-0.18.0/default", "after"},
	{"vLLM", "vllm-0.33.0/default", "after"},
	{"vLLM", "aphrodite-0.24.1/default", "after"},
	{"TensorRT-LLM", "written/tensorrt-llm-050f80d/default", "after"},
	{"Text Generation Inference", "written/tgi-3.3.6", "after"},
	{"halogen-flash-server", "written/halogen-0.16.2", "busy"},
	{"llama.cpp", "written/rocmfpx", "own-build"},
}

// BenchmarkEveryEngine prints, engine by engine, what a page of a used server costs, with a
// mapper that is used again as in a running exporter, and beside it the usual path.
func BenchmarkEveryEngine(b *testing.B) {
	for _, u := range used {
		page := statePage(b, u.dir, u.state)
		re := &reply{question: question{Service, "/metrics"}}
		re.take(&Answer{Status: 200, Body: page})
		e := match(BuiltIn(), []*reply{re})
		if e == nil {
			b.Fatalf("%s is not recognised by its page", u.dir)
		}
		again := newMapper(Options{Backend: "a"})
		for _, side := range []struct {
			name string
			run  func() int
		}{
			{"ours", func() int { return pageToPoints(b, again, e, "", page) }},
			{"usual", func() int { return usualPath(b, page) }},
		} {
			b.Run(e.Name+"/"+side.name, func(b *testing.B) {
				b.SetBytes(int64(len(page)))
				b.ReportAllocs()
				for b.Loop() {
					if side.run() == 0 {
						b.Fatal("no series")
					}
				}
			})
		}
	}
}

// statePage is the page of numbers of a state.
func statePage(t testing.TB, dir, state string) []byte {
	t.Helper()
	for _, a := range recordedState(t, dir, state).Answers {
		if strings.HasSuffix(a.Path, "/metrics") {
			return a.Body
		}
	}
	t.Fatalf("%s %s has no page", dir, state)
	return nil
}
