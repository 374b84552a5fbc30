package recording

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// fleet is the recording of a whole fleet, which most facts are checked on.
func fleet(t *testing.T) *Recording { return load(t, "fleet-incidents") }

// loaded keeps what tests have loaded: a recording does not change.
var loaded sync.Map

func load(t *testing.T, name string) *Recording {
	t.Helper()
	if r, ok := loaded.Load(name); ok {
		return r.(*Recording)
	}
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	r, err := Load(root + "/" + name)
	if err != nil {
		t.Fatal(err)
	}
	loaded.Store(name, r)
	return r
}

// get asks a player in process.
func get(t *testing.T, p *Player, url string) (int, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := p.RoundTrip(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body), nil
}

func at(seconds float64) func() time.Duration {
	return func() time.Duration { return time.Duration(seconds * float64(time.Second)) }
}

// small is a recording that has each way in which a request can end.
func everyEnding() *Recording {
	s := time.Second
	return &Recording{Name: "endings", Servers: []*Server{
		{Name: "one", Answers: []Answer{
			{At: 0, Path: "/metrics", Status: 200, ContentType: "text/plain", Body: []byte("up 1\n"), Header: map[string]string{"Server": "one/1"}},
			{At: 0, Path: "/version", Status: 200, ContentType: "application/json", Body: []byte(`{"version":"1"}`)},
			{At: 10 * s, Path: "/metrics", Failure: TimedOut, Latency: 5 * s},
			{At: 20 * s, Path: "/metrics", Failure: Reset},
			{At: 30 * s, Path: "/metrics", Failure: Refused},
			{At: 30 * s, Path: "/version", Failure: Refused},
			{At: 40 * s, Path: "/metrics", Status: 503, Body: []byte("loading")},
			{At: 50 * s, Path: "/metrics", Status: 200, ContentType: "text/plain", Body: []byte("up 2\n")},
		}},
	}}
}

func TestEveryEndingReplaysAsTheErrorThatGoGivesForIt(t *testing.T) {
	for name, tt := range map[string]struct {
		at     float64
		status int
		body   string
		err    error
	}{
		"answered":         {0, 200, "up 1\n", nil},
		"stands":           {9.9, 200, "up 1\n", nil},
		"timeout":          {12, 0, "", context.DeadlineExceeded},
		"reset":            {20, 0, "", syscall.ECONNRESET},
		"refused":          {39, 0, "", syscall.ECONNREFUSED},
		"an error status":  {40, 503, "loading", nil},
		"answers again":    {50, 200, "up 2\n", nil},
		"after the last":   {9999, 200, "up 2\n", nil},
		"fractions of one": {49.999, 503, "loading", nil},
	} {
		t.Run(name, func(t *testing.T) {
			status, body, err := get(t, NewPlayer(everyEnding(), at(tt.at)), "http://one/metrics")
			if status != tt.status || body != tt.body || !errors.Is(err, tt.err) {
				t.Errorf("at %v: %d %q %v, want %d %q %v", tt.at, status, body, err, tt.status, tt.body, tt.err)
			}
		})
	}
}

func TestSeldomAskedPathsFollowTheirPort(t *testing.T) {
	for name, tt := range map[string]struct {
		at   float64
		want string
		err  error
	}{
		"while the port answers":       {15, `{"version":"1"}`, nil},
		"while nobody listens":         {35, "", syscall.ECONNREFUSED},
		"the answer of before is used": {45, `{"version":"1"}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, body, err := get(t, NewPlayer(everyEnding(), at(tt.at)), "http://one/version")
			if body != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("at %v: %q %v, want %q %v", tt.at, body, err, tt.want, tt.err)
			}
		})
	}
}

func TestUnknownQuestionsAreNotFoundAndCounted(t *testing.T) {
	p := NewPlayer(everyEnding(), at(5))
	for _, url := range []string{"http://one/slots", "http://one/slots", "http://one/metrics"} {
		get(t, p, url)
	}
	if status, body, _ := get(t, p, "http://one/slots?b=2&a=1"); status != 404 || body != "not in the recording\n" {
		t.Errorf("an unknown path: %d %q, want 404", status, body)
	}
	if _, _, err := get(t, p, "http://two/metrics"); err == nil || !strings.Contains(err.Error(), "no such host") {
		t.Errorf("an unknown server: %v, want no such host", err)
	}
	want := map[string]int{"GET http://one/slots": 2, "GET http://one/slots?a=1&b=2": 1, "GET http://two/metrics": 1}
	for key, n := range want {
		if p.Unknown()[key] != n {
			t.Errorf("Unknown()[%q] = %d, want %d", key, p.Unknown()[key], n)
		}
	}
	if len(p.Unknown()) != len(want) {
		t.Errorf("Unknown() = %v, want %v", p.Unknown(), want)
	}
	if n := p.Asked()["GET http://one/metrics"]; n != 1 {
		t.Errorf("asked for /metrics %d times, want 1", n)
	}
}

func TestFleetReplaysItsIncidents(t *testing.T) {
	r := fleet(t)
	for name, tt := range map[string]struct {
		at     float64
		url    string
		status int
		body   string // a line of it
		err    error
	}{
		"medium-b answers until it is killed":      {479, "http://medium-b/health", 200, "", nil},
		"medium-b is killed":                       {480, "http://medium-b/metrics", 0, "", syscall.ECONNREFUSED},
		"its version cannot be had either":         {481, "http://medium-b/version", 0, "", syscall.ECONNREFUSED},
		"medium-b loads":                           {1230, "http://medium-b/health", 0, "", syscall.ECONNREFUSED},
		"medium-b is back":                         {1245, "http://medium-b/health", 200, "", nil},
		"its version is that of before":            {1245, "http://medium-b/version", 200, `{"version":"0.32.0"}`, nil},
		"the router is unhealthy from 510":         {510, "http://router/health", 503, `Unhealthy servers: ["http://127.0.0.1:19302"]`, nil},
		"the router is healthy before":             {509, "http://router/health", 200, "", nil},
		"the router is healthy again":              {1260, "http://router/health", 200, "", nil},
		"the router counts its worker as down":     {510, "http://router-metrics/metrics", 200, `vllm_router_worker_health{worker="http://127.0.0.1:19302"} 0`, nil},
		"small drafts":                             {600, "http://small/metrics", 200, "llamacpp:spec_decode_num_draft_tokens_total 115635", nil},
		"small does not draft after its restart":   {645, "http://small/metrics", 200, "llamacpp:spec_decode_num_draft_tokens_total 0", nil},
		"small generates all the same":             {1350, "http://small/metrics", 200, "llamacpp:tokens_predicted_total 146940", nil},
		"small never drafts again":                 {1350, "http://small/metrics", 200, "llamacpp:spec_decode_num_draft_tokens_total 0", nil},
		"medium-a answers while medium-b does not": {700, "http://medium-a/metrics", 200, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			status, body, err := get(t, NewPlayer(r, at(tt.at)), tt.url)
			if status != tt.status || !errors.Is(err, tt.err) {
				t.Fatalf("%s at %v: %d %v, want %d %v", tt.url, tt.at, status, err, tt.status, tt.err)
			}
			if !strings.Contains("\n"+body+"\n", "\n"+tt.body) {
				t.Errorf("%s at %v: no line %q in %.300q", tt.url, tt.at, tt.body, body)
			}
		})
	}
}
