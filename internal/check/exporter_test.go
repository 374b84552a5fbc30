package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/internal/cputime"
	"github.com/llmfleet/llmfleet/internal/promapi"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
)

func TestAnExporterAloneSaysWhatTheRulesWouldSee(t *testing.T) {
	s := healthy().and(func(s *stage) { s.second = 690 })
	r, err := Exporter(t.Context(), strings.Replace(s.exporterPage(t), "//", "//user:secret@", 1), options())
	if err != nil {
		t.Fatal(err)
	}
	if c := r.cause(t, "no numbers (refused)"); !slices.Equal(c.Where, []string{"medium-b"}) || !slices.Contains(c.Rules, "LlmTimeToFirstTokenHigh") {
		t.Errorf("cause: %+v", c)
	}
	if strings.Contains(r.Page(true), "secret") {
		t.Error("the page shows the password of the address")
	}
	if it := r.item(t, "LlmTimeToFirstTokenHigh"); it.Verdict != Live || !slices.Equal(it.Sees, []string{"medium-a"}) {
		t.Errorf("LlmTimeToFirstTokenHigh: %+v", it)
	}
	for _, key := range []string{"LlmExporterDown", "LlmNobodyNotified", "glance/told"} {
		if it := r.item(t, key); it.Verdict != Quiet || !slices.Equal(it.Quiet[""], []string{"only a Prometheus can tell"}) {
			t.Errorf("%s: %+v, want it left to a Prometheus", key, it)
		}
	}
	if len(r.Causes) != 1 {
		t.Errorf("causes: %+v, want one", r.Causes)
	}
}

// refusedConfiguration is what an exporter says after a reload of a file with a mistake.
func refusedConfiguration(page string) string {
	return strings.Replace(page, "\nllmfleet_exporter_config_last_reload_successful 1\n", "\nllmfleet_exporter_config_last_reload_successful 0\n", 1)
}

func TestAnExporterAloneSaysThatItRefusedItsConfiguration(t *testing.T) {
	s := healthy().and(func(s *stage) { s.exposes = refusedConfiguration })
	address := s.exporterPage(t)
	r, err := Exporter(t.Context(), address, options())
	if err != nil {
		t.Fatal(err)
	}
	want := "the exporter " + strings.TrimPrefix(address, "http://") + " refused its last configuration and works with the one before"
	if c := r.cause(t, want); len(r.Causes) != 1 || !strings.Contains(c.Do, "llmfleet_exporter --config.check") {
		t.Errorf("causes: %+v", r.Causes)
	}
}

// TestEveryRecordedServerIsJudgedWithoutBlindness checks exporters in front of healthy recorded
// servers of many programs: none of them lacks what it should have.
func TestEveryRecordedServerIsJudgedWithoutBlindness(t *testing.T) {
	for _, name := range []string{
		"fleet-incidents", "llamacpp-b5036/inprocess", "llamacpp-b9294/basic", "ollama-0.17.4/basic",
		"vllm-0.9.2/basic", "vllm-0.32.0/dp2", "vllm-0.32.0/rust-frontend",
		"vllm-router-0.1.17/failover", "hosts/a1", "hosts/a2", "hosts/b",
	} {
		t.Run(name, func(t *testing.T) {
			s := healthy().and(func(s *stage) { s.recordings, s.second = []string{name}, 30 })
			r, err := Exporter(t.Context(), s.exporterPage(t), options())
			if err != nil {
				t.Fatal(err)
			}
			if !r.OK() {
				t.Errorf("causes: %+v", r.Causes)
			}
		})
	}
}

func TestWhatIsNoExporterIsRefusedWithAReason(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		body   string
		want   string
	}{
		"a model server":    {200, "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running 1\n", "wants llmfleet doctor"},
		"a page for people": {200, "<!doctype html><title>x</title>", "no series of llmfleet_exporter is on the page (an HTML"},
		"nothing there":     {404, "", "answered 404 Not Found"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			}))
			defer server.Close()
			if _, err := Exporter(t.Context(), server.URL, options()); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want it to say %q", err, tt.want)
			}
		})
	}
	if _, err := Exporter(t.Context(), "host:10770", options()); err == nil || !strings.Contains(err.Error(), "write http://host:10770") {
		t.Errorf("of an address without scheme: %v", err)
	}
}

// TestAnAddressOfTheOtherKindIsRecognised passes each address as the other flag.
func TestAnAddressOfTheOtherKindIsRecognised(t *testing.T) {
	prometheus, exporter := healthy().play(t), healthy().exporterPage(t)
	_, err := Prometheus(t.Context(), exporter, options())
	if want := "no Prometheus answers at " + exporter + ": that is an llmfleet_exporter; pass it as --exporter=" + exporter; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("an exporter as a Prometheus: %v, want %s", err, want)
	}
	_, err = Exporter(t.Context(), prometheus, options())
	if want := "no exporter answers at " + prometheus + ": that is a Prometheus; pass it as --prometheus=" + prometheus; err == nil || err.Error() != want {
		t.Errorf("a Prometheus as an exporter: %v, want %s", err, want)
	}
}

// TestAModelServerIsSentToTheDoctor asks one that has no page of metrics, as llama-server without
// --metrics.
func TestAModelServerIsSentToTheDoctor(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" {
			http.Error(w, "no", http.StatusNotImplemented)
			return
		}
		io.WriteString(w, `{"object":"list","data":[{"id":"m"}]}`)
	}))
	defer server.Close()
	for name, look := range map[string]func(context.Context, string, Options) (*Report, error){"exporter": Exporter, "Prometheus": Prometheus} {
		_, err := look(t.Context(), server.URL, options())
		if want := "no " + name + " answers at " + server.URL + ": that is a model server; ask it with llmfleet doctor " + server.URL; err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestAnAddressAloneIsAskedWhatItIs(t *testing.T) {
	prometheus, exporter := healthy().play(t), healthy().exporterPage(t)
	if r, err := Any(t.Context(), prometheus, options()); err != nil || r.Prometheus == "" {
		t.Errorf("of a Prometheus: %v", err)
	}
	if r, err := Any(t.Context(), exporter, options()); err != nil || r.Prometheus != "" || r.Exporters != 1 {
		t.Errorf("of an exporter: %v", err)
	}
	if _, err := Any(t.Context(), "user:secret@host", options()); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("of no address: %v", err)
	}
}

// TestAWrongAddressIsSaidInWords asks what is no Prometheus, and nobody: not one of the questions is
// shown, for none of them is wrong.
func TestAWrongAddressIsSaidInWords(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<!doctype html><title>x</title>") }))
	defer other.Close()
	locked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusUnauthorized) }))
	defer locked.Close()
	for name, tt := range map[string]struct{ address, want, also string }{
		"nobody there":   {closed.URL, "no Prometheus answers at " + closed.URL + "; ", "connection refused"},
		"a page":         {other.URL, "no Prometheus answers at " + other.URL + "; ", "the answer is not that of Prometheus' API"},
		"another path":   {healthy().play(t) + "/prometheus", "no Prometheus answers at ", "with their path if they have one"},
		"no credentials": {locked.URL, locked.URL, "pass --http.config.file=FILE"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Prometheus(t.Context(), tt.address, options())
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.also) || strings.Contains(err.Error(), "vector(") {
				t.Errorf("error %v, want %s … %s", err, tt.want, tt.also)
			}
		})
	}
}

func TestAServerThatDoesNotAnswerIsNotChecked(t *testing.T) {
	hung := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer hung.Close()
	o := options()
	o.Timeout = 50 * time.Millisecond
	if _, err := Prometheus(t.Context(), hung.URL, o); err == nil || !strings.Contains(err.Error(), "within 50ms") || !strings.Contains(err.Error(), "raise --timeout") {
		t.Errorf("Prometheus: %v", err)
	}
	if _, err := Exporter(t.Context(), hung.URL, o); err == nil || !strings.Contains(err.Error(), "deadline exceeded") {
		t.Errorf("exporter: %v", err)
	}
}

// TestPathsThatOthersDoNotOfferAreNoted asks what has queries and rules only, as Mimir does.
func TestPathsThatOthersDoNotOfferAreNoted(t *testing.T) {
	source := healthy().play(t)
	few := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/prometheus/api/v1/query" && r.URL.Path != "/prometheus/api/v1/rules" {
			http.NotFound(w, r)
			return
		}
		r.URL.Path = strings.TrimPrefix(r.URL.Path, "/prometheus")
		req, err := http.NewRequestWithContext(r.Context(), r.Method, source+r.URL.Path, r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		req.Header = r.Header
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Error(err)
			return
		}
		defer resp.Body.Close()
		io.Copy(w, resp.Body)
	}))
	defer few.Close()
	r, err := Prometheus(t.Context(), few.URL+"/prometheus", options())
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK() || len(r.Notes) != 4 || !strings.Contains(r.Page(false), "Not looked at: what /api/v1/targets would show") {
		t.Errorf("causes %+v, notes %q", r.Causes, r.Notes)
	}
	if _, err := Prometheus(t.Context(), few.URL, options()); err == nil {
		t.Error("without its path it was checked all the same")
	} else if refusal, ok := errors.AsType[*promapi.Refusal](err); !ok || refusal.Status != http.StatusNotFound {
		t.Errorf("without its path: %v", err)
	}
}

// TestThousandsOfBackendsAreJudgedInTime would take minutes if each looked at all the others. It compares
// processor time of two fleets, since other work makes the clock of a machine say anything.
func TestThousandsOfBackendsAreJudgedInTime(t *testing.T) {
	b, err := newBundle(options().Settings)
	if err != nil {
		t.Fatal(err)
	}
	const few, many = 500, 4000
	judgeBackends(t, b, few) // the first one pays for what is made once
	one, all := judgeBackends(t, b, few), judgeBackends(t, b, many)
	t.Logf("%d backends take %s of the processor, %d take %s", few, one, many, all)
	if most := 3 * many / few * one; all > most {
		t.Errorf("%d backends take %s of the processor, %d take %s: want %s at most", few, one, many, all, most)
	}
}

// judgeBackends judges so many backends, of which each refuses, and measures the processor time.
func judgeBackends(t *testing.T, b *bundle, backends int) time.Duration {
	t.Helper()
	var present, told []promapi.Sample
	names := b.names()
	for i := range backends {
		at := []string{"job", "llmfleet", "instance", fmt.Sprintf("host%d:10770", i/10), "backend", fmt.Sprintf("b%d", i)}
		for _, name := range names {
			present = append(present, promapi.Sample{Labels: labels.FromStrings(append(at, model.MetricNameLabel, name)...)})
		}
		told = append(told,
			promapi.Sample{Labels: labels.FromStrings(append(at, model.MetricNameLabel, catalog.BackendInfo.Name, "engine", "vllm")...), Value: 1},
			promapi.Sample{Labels: labels.FromStrings(append(at, model.MetricNameLabel, catalog.ScrapeFailed.Name, "reason", "refused")...), Value: 1})
	}
	r, began := &Report{}, cputime.Used()
	b.judge(newFleet(present, told), 15*time.Second, r)
	took := cputime.Used() - began
	if r.Backends != backends || len(r.Page(true)) > 200_000 {
		t.Errorf("%d backends, a page of %d bytes", r.Backends, len(r.Page(true)))
	}
	return took
}
