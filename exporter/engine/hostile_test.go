package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// What servers do that mean no harm, and one or two that do.

func TestServerThatWasReplacedBetweenTwoScrapesIsFoundOutAtOnce(t *testing.T) {
	vllmWithoutNumbers := with(vllm032(t), map[string]said{"/metrics": metrics(body(t, "vllm-0.32.0-nostats.metrics.txt"))})
	for name, tt := range map[string]struct {
		before, after   map[string]said
		program, nextTo string
		want            *Engine // nil: not known any more
		up              Tri
		reason          catalog.Reason
	}{
		"llama.cpp by vLLM":                 {llamacpp070(t), vllm032(t), "llama.cpp", "vLLM of late", vllm, Yes, ""},
		"vLLM by llama.cpp":                 {vllm032(t), llamacpp070(t), "vLLM", "llama.cpp", llamacpp, Yes, ""},
		"llama.cpp by vLLM without numbers": {llamacpp070(t), vllmWithoutNumbers, "llama.cpp", "vLLM of late", vllm, No, catalog.ReasonDisabled},
		"vLLM by a plain model list": {
			vllm032(t), map[string]said{"/v1/models": jsonOf(`{"data":[{"id":"m"}]}`)}, "vLLM", "vLLM", openai, Unknown, "",
		},
		"vLLM by a stranger": {
			vllm032(t), map[string]said{"/metrics": metrics("node_load1 3\n")}, "vLLM", "vLLM", vllm, No, catalog.ReasonUnrecognized,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeTarget{t: t, program: tt.program, service: tt.before}
			s := NewSession(newClock().options())
			s.Read(t.Context(), f.fetch)
			s.Read(t.Context(), f.fetch)
			f.program, f.service = tt.nextTo, tt.after
			got := s.Read(t.Context(), f.fetch)
			if got.Engine != tt.want || got.Up != tt.up || got.Reason != tt.reason {
				t.Errorf("found %s, up %v, reason %q (%s); want %s, %v, %q", got.Engine.Title, got.Up, got.Reason, got.Problem, tt.want.Title, tt.up, tt.reason)
			}
		})
	}
}

func TestServerThatLostItsNumbersIsNotAskedEverythingAtEveryScrape(t *testing.T) {
	f := &fakeTarget{t: t, program: "vLLM", service: vllm032(t)}
	s := NewSession(newClock().options())
	s.Read(t.Context(), f.fetch)
	f.service["/metrics"] = said{status: 404}
	f.paths()
	s.Read(t.Context(), f.fetch)
	if asked := f.paths(); !strings.Contains(asked, "/v1/models") {
		t.Errorf("asked %s, want the program's name again", asked)
	}
	for range 2 {
		got := s.Read(t.Context(), f.fetch)
		if asked := f.paths(); asked != "/health /metrics" || got.Engine != vllm || got.Version != "0.32.0" {
			t.Errorf("asked %s of %s %s, want only what changes", asked, got.Engine.Title, got.Version)
		}
	}
}

func TestPathThatHangsCostsOnlyItsOwnAnswer(t *testing.T) {
	for path, healthy := range map[string]Tri{"/v1/models": Yes, "/version": Yes, "/health": No} {
		t.Run(path, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fakeTarget{t: t, program: "vLLM", service: vllm032(t)}
				s := NewSession(Options{Backend: "b"})
				s.Read(t.Context(), f.fetch)
				time.Sleep(2 * settingsAge)
				f.service[path] = said{hang: true}
				// What a Prometheus with its default timeout leaves.
				ctx, cancel := context.WithTimeout(t.Context(), 9500*time.Millisecond)
				defer cancel()
				got := s.Read(ctx, f.fetch)
				if ctx.Err() != nil {
					t.Error("the round lasted until the deadline")
				}
				if got.Up != Yes || got.Healthy != healthy || len(got.Models) == 0 || got.Version != "0.32.0" || len(got.Errors) != 1 {
					t.Errorf("up %v, healthy %v, models %v, version %q, errors %v", got.Up, got.Healthy, got.Models, got.Version, got.Errors)
				}
			})
		})
	}
}

func TestDocumentOfCountlessValuesIsTooLarge(t *testing.T) {
	for name, bomb := range map[string]string{
		"empty objects": "[" + strings.Repeat("{},", 150_000) + "{}]",
		"empty lists":   `{"data":[` + strings.Repeat("[],", 150_000) + "[]]}",
		"numbers":       `{"data":[` + strings.Repeat("1,", 250_000) + "1]}",
		"keys":          `{"data":{` + strings.Repeat(`"a":1,`, 150_000) + `"a":1}}`,
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeTarget{t: t, program: "vLLM", other: jsonOf(bomb)}
			got := NewSession(newClock().options()).Read(t.Context(), f.fetch)
			if got.Up != No || got.Reason != catalog.ReasonTooLarge || !strings.Contains(got.Problem, "200000 values") {
				t.Errorf("up %v, reason %q, problem %q", got.Up, got.Reason, got.Problem)
			}
		})
	}
	long := `{"data":[{"id":"m","owned_by":"vllm","notes":"` + strings.Repeat("x", 1<<20) + `"}]}`
	f := &fakeTarget{t: t, program: "vLLM", service: with(vllm032(t), map[string]said{"/v1/models": jsonOf(long)})}
	if got := NewSession(newClock().options()).Read(t.Context(), f.fetch); got.Up != Yes || got.Models[0] != "m" {
		t.Errorf("up %v, models %v: a long text is no reason to leave a document out", got.Up, got.Models)
	}
}

func TestProgramIsRecognisedByWhateverTheReaderReads(t *testing.T) {
	for name, page := range map[string]string{
		"blank":                "vllm:num_requests_running 3\n",
		"tab":                  "vllm:num_requests_running\t3\n",
		"blanks before":        "a_b 1\n \t vllm:num_requests_running 3\n",
		"carriage return":      "a_b 1\r\nvllm:num_requests_running 3\r\n",
		"underscores":          "vllm_num_requests_running{model_name=\"m\"} 3\n",
		"name in a help first": "# HELP vllm:num_requests_running of vllm:num_requests_running 1\nvllm:num_requests_running 3\n",
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeTarget{t: t, program: "vLLM", service: map[string]said{"/metrics": metrics(page)}}
			if got := NewSession(newClock().options()).Read(t.Context(), f.fetch); got.Engine != vllm || got.Up != Yes {
				t.Errorf("up %v (%s), want vLLM", got.Up, got.Problem)
			}
		})
	}
	f := &fakeTarget{t: t, program: "vLLM", service: map[string]said{"/metrics": metrics("# HELP x like vllm:num_requests_running 3\nx 1\n")}}
	if got := NewSession(newClock().options()).Read(t.Context(), f.fetch); got.Engine != nil {
		t.Errorf("%s was recognised by a sentence about it", got.Engine.Title)
	}
}

func TestPagesOfSeveralServersInOneAreToldApart(t *testing.T) {
	page := ""
	for _, sample := range []string{`requests_processing{model="model-a"} 1`, `requests_processing{model="model-b"} 3`} {
		page += "# HELP llamacpp:requests_processing Number of requests processing.\n# TYPE llamacpp:requests_processing gauge\nllamacpp:" + sample + "\n"
	}
	f := &fakeTarget{t: t, program: "llama.cpp", service: with(llamacpp070(t), map[string]said{"/metrics": metrics(page)})}
	got := map[string]float64{}
	for _, p := range NewSession(newClock().options()).Read(t.Context(), f.fetch).Points {
		if p.Series == catalog.RequestsRunning {
			got[p.Label(catalog.LabelModel)] = p.Value
		}
	}
	if len(got) != 2 || got["model-a"] != 1 || got["model-b"] != 3 {
		t.Errorf("requests running = %v, want those of each model", got)
	}
}

func TestClockThatWasSetBackDoesNotFreezeTheSettings(t *testing.T) {
	clock := newClock()
	f := &fakeTarget{t: t, program: "vLLM", service: vllm032(t)}
	s := NewSession(clock.options())
	s.Read(t.Context(), f.fetch)
	clock.now = clock.now.Add(-24 * time.Hour)
	f.service["/version"] = jsonOf(`{"version":"0.33.0"}`)
	if got := s.Read(t.Context(), f.fetch); got.Version != "0.33.0" {
		t.Errorf("version %q, want the new one", got.Version)
	}
}

// The session's caller recovers from a panic; one in a goroutine of its own would end the process.
func TestPanicWhileAskingReachesTheCaller(t *testing.T) {
	s := NewSession(newClock().options())
	defer func() {
		if p := recover(); p == nil || !strings.Contains(fmt.Sprint(p), "/v1/models: broken") {
			t.Errorf("recovered %v, want the path and the cause", p)
		}
	}()
	s.Read(t.Context(), func(_ context.Context, _ Port, path string) (*Answer, error) {
		if path == "/v1/models" {
			panic("broken")
		}
		return &Answer{Status: 404}, nil
	})
	t.Error("nothing reached the caller")
}

// A list of models that is too large to be read is an answer: the server lives.
func TestAnswerThatIsTooLargeIsNoDeadServer(t *testing.T) {
	for _, e := range []*Engine{nil, Find(BuiltIn(), "ik_llamacpp"), Find(BuiltIn(), "freetoken"), Find(BuiltIn(), "openai")} {
		o := newClock().options()
		o.Engine = e
		r := NewSession(o).Read(t.Context(), func(context.Context, Port, string) (*Answer, error) {
			return nil, &FetchError{Reason: catalog.ReasonTooLarge, Err: errors.New("too large")}
		})
		if r.Up == Yes || r.Reason != catalog.ReasonTooLarge || r.Healthy == No {
			t.Errorf("%v: up %v, reason %q, healthy %v, want not yes, too_large, not no", e, r.Up, r.Reason, r.Healthy)
		}
	}
}

func TestStatusIsSaidInWordsThatFit(t *testing.T) {
	for status, want := range map[int]string{
		304: "/metrics answered 304 (not modified), which is neither numbers nor an address to find them at",
		503: "/metrics answered 503 (service unavailable)",
		599: "/metrics answered 599",
	} {
		f := statusFailure(&Engine{}, &reply{question: question{Service, "/metrics"}, answer: &Answer{Status: status}})
		if f.problem != want || f.reason != catalog.ReasonHTTP {
			t.Errorf("%s %q, want http %q", f.reason, f.problem, want)
		}
	}
}
