package engine

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/internal/recording"
)

// A server that is started again between two scrapes, with another model or version say.

// pages are what /metrics and /props of llama.cpp say, by what stands in them.
const (
	idlePage = "llamacpp:requests_processing 0\nllamacpp:n_decode_total 0\nllamacpp:tokens_predicted_total 0\nllamacpp:prompt_tokens_total 0\n"
	tinyList = `{"object":"list","data":[{"id":"tiny","object":"model","owned_by":"llamacpp"}]}`
	tinyVLLM = `{"object":"list","data":[{"id":"other","object":"model","owned_by":"vllm","max_model_len":512}]}`
)

// by adds the header by which a page says which process wrote it.
func by(process string, s said) said {
	s.process = process
	return s
}

// TestARestartIsSeenByAnyOneSign changes one thing that the server says anyway, beside the list
// of models, which is not due: each must make it be read in the same scrape, and only in that.
func TestARestartIsSeenByAnyOneSign(t *testing.T) {
	vllmPage := body(t, "vllm-0.32.0.metrics.txt")
	started := func(page, at string) string {
		before, after, found := strings.Cut(page, "\nprocess_start_time_seconds ")
		if !found {
			t.Fatal("the page of vLLM does not say when its process started")
		}
		_, after, _ = strings.Cut(after, "\n")
		return before + "\nprocess_start_time_seconds " + at + "\n" + after
	}
	nameless := func(page string) string {
		return strings.ReplaceAll(page, "\nprocess_start_time_seconds ", "\nnobody_maps_this ")
	}
	const counters = "vllm:generation_tokens_total{model_name=\"tiny-chat\"} %s\nvllm:prompt_tokens_total{model_name=\"tiny-chat\"} %s\n"
	counted := func(generated, prompt string) said {
		return metrics(strings.Replace(strings.Replace(counters, "%s", generated, 1), "%s", prompt, 1))
	}
	props := body(t, "llamacpp-0.7.0.props.json")
	for name, tt := range map[string]struct {
		program       string
		before, after map[string]said // beside a usual server
		want          string          // the model that must be told
	}{
		"another process by its header, with nothing counted": {
			program: "llama.cpp",
			before:  map[string]said{"/metrics": by("40289624907", metrics(idlePage))},
			after:   map[string]said{"/metrics": by("40311400551", metrics(idlePage)), "/v1/models": jsonOf(tinyList)},
			want:    "tiny",
		},
		"another model in what is asked at each scrape, without numbers": {
			program: "llama.cpp",
			before:  map[string]said{"/metrics": {status: 501, kind: "application/json", body: switchedOff}},
			after: map[string]said{
				"/metrics": {status: 501, kind: "application/json", body: switchedOff}, "/v1/models": jsonOf(tinyList),
				"/props": jsonOf(strings.Replace(props, `"model_alias":"small"`, `"model_alias":"tiny"`, 1)),
			},
			want: "tiny",
		},
		"another build": {
			program: "llama.cpp",
			after:   map[string]said{"/props": jsonOf(strings.Replace(props, "b11669-Debian", "b11700-Debian", 1)), "/v1/models": jsonOf(tinyList)},
			want:    "tiny",
		},
		"another start of the process, with the same counters": {
			program: "vLLM",
			before:  map[string]said{"/metrics": metrics(started(vllmPage, "1795980968.19"))},
			after:   map[string]said{"/metrics": metrics(started(vllmPage, "1795982035.04")), "/v1/models": jsonOf(tinyVLLM)},
			want:    "other",
		},
		"a model on the page that the list does not have": {
			program: "vLLM",
			before:  map[string]said{"/metrics": metrics(nameless(vllmPage))},
			after: map[string]said{
				"/metrics": metrics(strings.ReplaceAll(nameless(vllmPage), `"tiny-chat"`, `"other"`)), "/v1/models": jsonOf(tinyVLLM),
			},
			want: "other",
		},
		"one counter that goes back while another one grows": {
			program: "vLLM",
			before:  map[string]said{"/metrics": counted("100", "1000")},
			after:   map[string]said{"/metrics": counted("99", "5000"), "/v1/models": jsonOf(tinyVLLM)},
			want:    "other",
		},
	} {
		t.Run(name, func(t *testing.T) {
			usual := map[string]func(testing.TB) map[string]said{"llama.cpp": llamacpp070, "vLLM": vllm032}[tt.program]
			f := &fakeTarget{t: t, program: tt.program, service: with(usual(t), tt.before)}
			s := NewSession(newClock().options())
			s.Read(t.Context(), f.fetch)
			s.Read(t.Context(), f.fetch)
			f.paths()
			f.service = with(from(f.service["/health"].server, with(usual(t), tt.before)), from(f.service["/health"].server, tt.after))
			got := s.Read(t.Context(), f.fetch)
			if asked := f.paths(); !strings.Contains(asked, "/v1/models") {
				t.Errorf("asked %s, want the models too", asked)
			}
			if !slices.Equal(got.Models, []string{tt.want}) {
				t.Errorf("models %q, want %q", got.Models, tt.want)
			}
			s.Read(t.Context(), f.fetch)
			if asked := f.paths(); strings.Contains(asked, "/v1/models") {
				t.Errorf("asked %s in the scrape after it, want only what changes", asked)
			}
		})
	}
}

func TestAPathThatAnswersAgainMakesSettingsBeReadAgain(t *testing.T) {
	f := &fakeTarget{t: t, program: "vLLM", service: vllm032(t)}
	s := NewSession(newClock().options())
	s.Read(t.Context(), f.fetch)
	page := f.service["/metrics"]
	f.service["/metrics"] = said{fail: catalog.ReasonRefused} // it stopped in the middle of the round
	f.paths()
	for range 3 { // one that stays so is no sign
		s.Read(t.Context(), f.fetch)
		if asked := f.paths(); asked != "/health /metrics" {
			t.Errorf("asked %s while nobody answers, want only what changes", asked)
		}
	}
	f.service["/metrics"], f.service["/v1/models"] = page, jsonOf(tinyVLLM)
	if got := s.Read(t.Context(), f.fetch); !slices.Contains(got.Models, "other") {
		t.Errorf("models %q, want those of the server that came back", got.Models)
	}
}

// What was recorded of a llama.cpp that had answered nothing yet when it was started again.
func TestNumbersAreNeverToldOfTheModelBefore(t *testing.T) {
	rec, err := recording.Load("../../testdata/recordings/llamacpp-0.7.0-b11669/another-model")
	if err != nil {
		t.Fatal(err)
	}
	f := &fakeTarget{t: t, program: "llama.cpp"}
	s := NewSession(newClock().options())
	for at := time.Duration(0); at <= rec.Meta.Length; at += rec.Meta.Interval {
		f.service = recordedAt(rec, at)
		got := s.Read(t.Context(), f.fetch)
		want := "small"
		if at >= 25*time.Second {
			want = "tiny"
		}
		for i := range got.Points {
			if model := got.Points[i].Label(catalog.LabelModel); model != "" && model != want {
				t.Errorf("%s of model %q at %v, want %q", got.Points[i].Series.Name, model, at, want)
			}
		}
		steady := "/health /metrics /props"
		if asked := f.paths(); at != 0 && at != 25*time.Second && asked != steady {
			t.Errorf("asked %s at %v, want %s", asked, at, steady)
		}
	}
}

// recordedAt is what the recorded server says at a time, by path.
func recordedAt(rec *recording.Recording, at time.Duration) map[string]said {
	service := map[string]said{}
	for _, path := range []string{"/health", "/metrics", "/props", "/v1/models"} {
		if a, ok := rec.Server("service").At(at, path); ok {
			service[path] = said{status: a.Status, kind: a.ContentType, server: "llama.cpp", body: string(a.Body), process: a.Header[ProcessHeader]}
		}
	}
	return service
}

func TestWorkersThatTakeTurnsAreNotTakenForRestarts(t *testing.T) {
	f := &fakeTarget{t: t, program: "vLLM", service: vllm032(t)}
	s := NewSession(newClock().options())
	turns := []string{
		"process_start_time_seconds 1795980968.19\nvllm:generation_tokens_total{model_name=\"tiny-chat\"} 900\n",
		"process_start_time_seconds 1795980968.93\nvllm:generation_tokens_total{model_name=\"tiny-chat\"} 17\n",
	}
	asked := 0
	for i := range 20 {
		f.service["/metrics"] = metrics("# TYPE process_start_time_seconds gauge\n" + turns[i%2])
		s.Read(t.Context(), f.fetch)
		asked += strings.Count(f.paths(), "/v1/models")
	}
	if asked != 2 {
		t.Errorf("the models were asked %d times, want once for each worker", asked)
	}
}

func TestAModelThatSleepsAndWakesIsNoRestart(t *testing.T) {
	awake, asleep := body(t, "llamacpp-0.7.0.props.json"), body(t, "llamacpp-0.7.0-asleep.props.json")
	f := &fakeTarget{t: t, program: "llama.cpp", service: llamacpp070(t)}
	s := NewSession(newClock().options())
	s.Read(t.Context(), f.fetch)
	f.paths()
	for _, props := range []string{asleep, awake, asleep} {
		f.service["/props"] = from("llama.cpp", map[string]said{"": jsonOf(props)})[""]
		s.Read(t.Context(), f.fetch)
		if asked := f.paths(); asked != "/health /metrics /props" {
			t.Errorf("asked %s, want only what changes", asked)
		}
	}
}

func TestSettingsThatHangAfterARestartAreAskedOnce(t *testing.T) {
	clock := newClock()
	f := &fakeTarget{t: t, program: "llama.cpp", service: with(llamacpp070(t), map[string]said{"/metrics": by("1", metrics(idlePage))})}
	s := NewSession(clock.options())
	s.Read(t.Context(), f.fetch)
	f.paths()
	clock.now = clock.now.Add(settingsAge)
	f.service["/metrics"], f.service["/v1/models"] = by("2", metrics(idlePage)), said{fail: catalog.ReasonTimeout}
	got := s.Read(t.Context(), f.fetch)
	if asked := f.paths(); strings.Count(asked, "/v1/models") != 1 {
		t.Errorf("asked %s, want the models once", asked)
	}
	if len(got.Models) != 0 || len(got.Errors) != 1 {
		t.Errorf("models %q, errors %v, want no name of the process before, and one error", got.Models, got.Errors)
	}
}

func TestTheStartOfAProcessIsReadFromAnyPage(t *testing.T) {
	for name, tt := range map[string]struct{ page, header, want string }{
		"a client library":  {page: "# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds 1.79598096819e+09\nup 1\n", want: "1.79598096819e+09"},
		"labels and a time": {page: "up 1\nprocess_start_time_seconds{pid=\"7\"} 1795980968 1796014045123\n", want: "1.795980968e+09"},
		"nothing":           {page: "up 1\n"},
		"only its help":     {page: "up 1\n# HELP process_start_time_seconds Start.\n"},
		"a longer name":     {page: "up 1\nprocess_start_time_seconds_total 3\n"},
		"no number":         {page: "up 1\nprocess_start_time_seconds soon\n"},
		"a header":          {page: "up 1\n", header: "40289624907", want: "40289624907"},
	} {
		t.Run(name, func(t *testing.T) {
			re := &reply{answer: &Answer{Status: 200, Header: http.Header{ProcessHeader: {tt.header}}}, text: []byte(tt.page)}
			if got := re.process(); got != tt.want {
				t.Errorf("process %q, want %q", got, tt.want)
			}
		})
	}
}
