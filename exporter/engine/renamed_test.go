package engine

import (
	"regexp"
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// used are servers after their first requests: what they should send they do send.
var used = []struct{ program, dir, state string }{
	{"SGLang", "sglang-0.5.23/default", "after"},
	{"LMDeploy", "lmdeploy-0.18.0/default", "after"},
	{"vLLM", "vllm-0.33.0/default", "after"},
	{"vLLM", "aphrodite-0.24.1/default", "after"},
	{"TensorRT-LLM", "written/tensorrt-llm-050f80d/default", "after"},
	{"TGI", "written/tgi-3.3.6", "after"},
	{"halogen", "written/halogen-0.16.2", "busy"},
	{"llama.cpp", "written/rocmfpx", "own-build"},
}

// Every name that a server should have sent and did not is missed, whichever it is: played
// with that name taken away, the page counts it, unless another name stands in for it.
func TestEveryNameThatGoesAwayIsMissed(t *testing.T) {
	for _, u := range used {
		t.Run(u.dir, func(t *testing.T) {
			f := newStateTarget(t, u.program, u.dir, u.state)
			whole := f.read()
			path := "/metrics"
			if u.program == "TensorRT-LLM" {
				path = "/prometheus/metrics"
			}
			body, tried := f.service[path].body, 0
			for i := range whole.Engine.Map {
				m := &whole.Engine.Map[i]
				if m.Optional || m.Fallback || m.Since != "" || !strings.Contains(body, m.From) || standsIn(whole.Engine, m) {
					continue
				}
				tried++
				f.service[path] = metrics(without(body, m.From))
				if r := f.read(); len(r.Missing) == 0 {
					t.Errorf("%s went away, and nothing is missed", m.From)
				}
			}
			if tried < 3 {
				t.Errorf("%d names were tried", tried)
			}
		})
	}
}

// standsIn says whether another mapping gives the same series.
func standsIn(e *Engine, m *Mapping) bool {
	for i := range e.Map {
		o := &e.Map[i]
		if o != m && o.From != m.From && o.To == m.To && o.To != catalog.RequestsFinished && !o.Plus {
			return true
		}
	}
	return false
}

// without takes a family off a page, with its TYPE and HELP.
func without(page, name string) string {
	family := regexp.QuoteMeta(familyOf(name))
	return regexp.MustCompile(`(?m)^(# (TYPE|HELP) )?`+family+`(_total|_bucket|_sum|_count)?[ {].*\n`).ReplaceAllString(page, "")
}
