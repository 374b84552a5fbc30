package engine

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// The cases of the field that concern routers, by their number.

// swap is a llama-swap whose model is unloaded 30 seconds after it was used last. Whatever
// reaches the model is use of it.
type swap struct {
	mu    sync.Mutex // the questions of a round come side by side
	clock *testClock
	used  time.Time
	fake  *fakeTarget
}

func (s *swap) fetch(ctx context.Context, port Port, path string) (*Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.HasPrefix(path, "/upstream/") {
		s.used = s.clock.now
	}
	running := `{"running":[]}`
	if s.clock.now.Sub(s.used) < 30*time.Second {
		running = `{"running":[{"model":"model-a","state":"ready","cmd":"…","proxy":"http://127.0.0.1:9001","ttl":30}]}`
	}
	s.fake.service["/running"] = jsonOf(running)
	return s.fake.fetch(ctx, port, path)
}

func TestLlamaSwapUnloadsAsIfNobodyWatched(t *testing.T) {
	clock := newClock()
	s := &swap{clock: clock, used: clock.now, fake: &fakeTarget{t: t, program: "llama-swap", service: map[string]said{
		"/v1/models": jsonOf(`{"data":[{"id":"model-a","owned_by":"llama-swap"}]}`), "/health": ok("text/plain", "OK"),
	}}}
	session := NewSession(clock.options())
	for second := 0; second <= 60; second += 5 {
		r := session.Read(t.Context(), s.fetch)
		want := "model-a loaded"
		if second >= 30 {
			want = "model-a unloaded"
		}
		if wrong := stateOfModel(r, want); wrong != "" || r.Up != Yes {
			t.Errorf("second %d: up %v, %s", second, r.Up, wrong)
		}
		clock.now = clock.now.Add(5 * time.Second)
	}
}

func TestMetricsAreAskedWhereTheyAre(t *testing.T) {
	f := &fakeTarget{t: t, program: "LiteLLM", service: map[string]said{
		"/v1/models": jsonOf(`{"data":[{"id":"m","created":1677610602,"owned_by":"openai"}]}`), "/metrics": {status: 307},
		"/metrics/": metrics(`litellm_proxy_total_requests_metric_total{requested_model="m",status_code="200"} 41` + "\n"),
	}}
	r := f.read()
	wantEngine(t, r, "LiteLLM")
	wantAmounts(t, r, wanted{catalog.RouterRequests, "model=m", 41})
	if asked := f.paths(); strings.Contains(asked+" ", "/metrics ") {
		t.Errorf("asked %s: the redirect is in the log of the proxy at each scrape", asked)
	}
}

func TestKeyThatIsWantedIsNotADeadServer(t *testing.T) {
	f := &fakeTarget{t: t, program: "LiteLLM", service: map[string]said{
		"/health/liveliness": jsonOf(`"I'm alive!"`),
		"/metrics/":          {status: 401, kind: "application/json", body: `"Malformed API Key passed in. Ensure Key has 'Bearer ' prefix."`},
	}, other: said{status: 401}}
	o := newClock().options()
	o.Engine = Find(BuiltIn(), "litellm")
	r := NewSession(o).Read(t.Context(), f.fetch)
	if r.Healthy != Yes || r.Up != No || r.Reason != catalog.ReasonAuth || len(r.Points) > 0 {
		t.Errorf("healthy %v, up %v, reason %q with %d points, want yes, no, auth, none", r.Healthy, r.Up, r.Reason, len(r.Points))
	}
	if !strings.Contains(r.Problem, "credentials") {
		t.Errorf("problem %q does not name the setting", r.Problem)
	}
}

func TestMonitorThatIsOffHidesNoModel(t *testing.T) {
	r := stateOf(t, "llama-swap", "written/llama-swap-250", "monitor-off")
	if wrong := stateOfModel(r, "model-a loaded"); wrong != "" || r.Healthy != Yes || r.Up != Yes || len(r.Errors) > 0 {
		t.Errorf("healthy %v, up %v, errors %v, %s", r.Healthy, r.Up, r.Errors, wrong)
	}
}

func TestNobodyLeftDoesNotLookIdle(t *testing.T) {
	r := stateOf(t, "llm-d endpoint picker", "written/llm-d-router-0.10.0", "nobody")
	wantAmounts(t, r, wanted{catalog.RouterTargets, "state=healthy", 0})
	for i := range r.Points {
		if name := r.Points[i].Series.Name; strings.Contains(name, "kv_cache") || strings.Contains(name, "waiting") {
			t.Errorf("%s of a pool without anybody", name)
		}
	}
}

func TestOneScrapeShowsEveryModelOfARouter(t *testing.T) {
	server := realServers["llamacpp-router"]
	r := (&fakeTarget{t: t, program: server.program, service: saidBy(t, server.service)}).read()
	wantEngine(t, r, "llama.cpp router")
	wantAmounts(t, r, wanted{catalog.RequestsRunning, "model=small-random-llama", 0})
	for _, want := range []string{"small-random-llama loaded", "tiny-random-llama unloaded"} {
		if wrong := stateOfModel(r, want); wrong != "" {
			t.Error(wrong)
		}
	}
}

func TestNobodysNameLeavesLiteLLM(t *testing.T) {
	person := `api_key_alias="alias-7",client_ip="10.1.2.3",end_user="end-7",hashed_api_key="hash-7",team="team-7",user="user-7",user_agent="agent-7",user_email="a@b.example"`
	r := page(t, "LiteLLM", "").litellm(
		`litellm_proxy_total_requests_metric_total{`+person+`,requested_model="m",route="/v1/chat/completions",status_code="200"} 41`,
		`litellm_input_tokens_metric_total{`+person+`,model="m",requested_model="m"} 7`,
		`litellm_deployment_success_responses_total{`+person+`,api_base="http://k:secret@w.example/v1",model_id="d"} 3`,
		`litellm_deployment_successful_fallbacks_total{`+person+`,requested_model="m",fallback_model="n"} 2`)
	wantAmounts(t, r, wanted{catalog.RouterRequests, "model=m", 41}, wanted{catalog.RouterTargetRequests, "target=http://w.example", 3}, wanted{catalog.RouterFailovers, "fallback=n", 2})
	for i := range r.Points {
		text := printedPoint(&r.Points[i])
		for _, private := range []string{"-7", "10.1.2.3", "a@b.example", "secret"} {
			if strings.Contains(text, private) {
				t.Errorf("%s holds %q", text, private)
			}
		}
	}
}
