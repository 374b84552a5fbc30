//go:build live

package live

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/gen"
	"github.com/llmfleet/llmfleet/internal/tinygguf"
	"github.com/llmfleet/llmfleet/rules"
)

// The times of the bundle that the delivery waits for.
const (
	holdOfDown = 2 * time.Minute  // of LlmBackendDown
	groupWait  = 30 * time.Second // of the example's routes
	groupAgain = time.Minute      // until the example sends what changed in a group of pages
)

// TestAPageArrivesOnceAndItsEndToo walks the way to a person: a server under more load than it
// has slots for, the exporter, a Prometheus and an Alertmanager with the bundle's own files, and
// a webhook. The server is killed, and started again once everybody has been told.
//
// The settings are a user's: rules each second, and a queue that must last as long as an outage
// before it is a ticket. It comes true because of the outage alone, which explains it.
func TestAPageArrivesOnceAndItsEndToo(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	port := freePort(t)
	llama := startLlamaAt(ctx, t, port, tinygguf.Small("small"))
	work, stopWork := context.WithCancel(ctx)
	idle := overload(work, llama.url)
	t.Cleanup(func() { stopWork(); idle.Wait() })

	settings := rules.DefaultSettings()
	settings.ScrapeInterval = time.Second
	settings.Hold = map[string]time.Duration{"LlmRequestsQueueing": holdOfDown}
	bundle, err := gen.Bundle(settings)
	if err != nil {
		t.Fatal(err)
	}
	in := openInbox(t)
	manager := startAlertmanager(ctx, t, bundle, in.URL)
	untilItQueues(ctx, t, llama.url)
	exporter := startExporter(ctx, t, "--target="+llama.url)
	p := deliveringPrometheus(ctx, t, bundle, exporter, manager)
	backend := backendName(llama.url)

	p.alert(ctx, t, "LlmRequestsQueueing", "pending", backend)
	stopWork()
	llama.kill(t)
	p.alert(ctx, t, "LlmBackendDown", "pending", backend)

	waitLong(ctx, t, holdOfDown+2*groupWait, "the page", func() (string, bool) {
		return fmt.Sprintf("%+v", in.all()), len(in.about("/page", "LlmBackendDown")) > 0
	})
	page := in.about("/page", "LlmBackendDown")[0]
	isWhole(t, page, backend, exporter.url)

	waitFor(ctx, t, "LlmRequestsQueueing to be held back", func() (string, bool) {
		for _, a := range manager.alerts(ctx, t) {
			if a.Labels["alertname"] == "LlmRequestsQueueing" {
				return fmt.Sprint(a.Status), a.heldBack()
			}
		}
		return "Alertmanager has no such alert", false
	})
	// By then it would have been sent, were it not held back.
	pause(ctx, groupWait+15*time.Second)
	p.alert(ctx, t, "LlmRequestsQueueing", "firing", backend)

	startLlamaAt(ctx, t, port, tinygguf.Small("small"))
	waitLong(ctx, t, 2*groupAgain, "the end of the page", func() (string, bool) {
		got := in.about("/page", "LlmBackendDown")
		return fmt.Sprintf("%+v", got), len(got) > 0 && got[len(got)-1].Status == "resolved"
	})
	arrivedOnce(t, in)
	heartbeats(t, in)
}

// isWhole holds a page to what a person needs of it.
func isWhole(t *testing.T, m message, backend, exporter string) {
	t.Helper()
	if m.Status != "firing" || len(m.Alerts) != 1 {
		t.Fatalf("the page is %s and holds %d alerts, want one that fires", m.Status, len(m.Alerts))
	}
	page := m.Alerts[0]
	if page.Labels["backend"] != backend || page.Labels["severity"] != "critical" || page.Labels["instance"] != strings.TrimPrefix(exporter, "http://") {
		t.Errorf("the page has the labels %v", page.Labels)
	}
	for name, want := range map[string]string{
		"summary":       backend + " is down: it does not answer, or says that it cannot serve.",
		"runbook_url":   "https://github.com/llmfleet/llmfleet/blob/main/docs/runbooks/backend-down.md",
		"dashboard_url": "http://localhost:3000/d/llmfleet-capacity?viewPanel=7&var-instance=" + url.QueryEscape(strings.TrimPrefix(exporter, "http://")) + "&var-backend=" + url.QueryEscape(backend),
	} {
		if got := page.Annotations[name]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for _, want := range []string{"Clients of " + backend, " It is at http://127.0.0.1:", "The exporter says: refused."} {
		if got := page.Annotations["description"]; !strings.Contains(got, want) {
			t.Errorf("the description does not say %q: %q", want, got)
		}
	}
}

// arrivedOnce looks at every message of the whole test.
func arrivedOnce(t *testing.T, in *inbox) {
	t.Helper()
	var pages []string
	for _, m := range in.about("/page", "LlmBackendDown") {
		pages = append(pages, m.Status)
	}
	if got := strings.Join(pages, ", "); got != "firing, resolved" {
		t.Errorf("the page arrived %s, want firing, resolved", got)
	}
	for _, m := range in.all() {
		for _, a := range m.Alerts {
			if m.path != "/dead-man" {
				t.Logf("%s %s: %s %s: %s", m.at.Format(time.TimeOnly), m.path, a.Labels["alertname"], m.Status, a.Annotations["summary"])
			}
			if a.Labels["alertname"] == "LlmRequestsQueueing" {
				t.Errorf("%s: the queue of a dead server was told", m.path)
			}
			for name, text := range a.Annotations {
				if strings.Contains(text, "{{") || strings.Contains(text, "<no value>") || strings.Contains(text, "<error") {
					t.Errorf("%s of %s was not filled in: %q", name, a.Labels["alertname"], text)
				}
			}
		}
	}
}

// heartbeats holds the watchdog to its pace: a dead man's switch that waits for two of them
// must not call anybody.
func heartbeats(t *testing.T, in *inbox) {
	t.Helper()
	beats := in.about("/dead-man", "LlmWatchdog")
	if len(beats) < 3 {
		t.Fatalf("%d heartbeats arrived, want one a minute", len(beats))
	}
	for i := 1; i < len(beats); i++ {
		if gap := beats[i].at.Sub(beats[i-1].at); gap > 75*time.Second {
			t.Errorf("%s passed between two heartbeats, want a minute", gap.Round(time.Second))
		}
	}
	t.Logf("%d heartbeats", len(beats))
}

// deliveringPrometheus runs the bundle's own configuration, with the addresses of this test.
func deliveringPrometheus(ctx context.Context, t *testing.T, bundle map[string][]byte, exporter *program, manager alertmanager) prometheus {
	t.Helper()
	dir, port := t.TempDir(), freePort(t)
	for name, data := range bundle {
		if !strings.HasPrefix(name, "prometheus/") {
			continue
		}
		for from, to := range map[string]string{
			"localhost:10770": strings.TrimPrefix(exporter.url, "http://"),
			"localhost:9093":  strings.TrimPrefix(manager.url, "http://"),
			"localhost:9090":  "127.0.0.1:" + port,
		} {
			if name == "prometheus/prometheus.yml" {
				data = bytes.ReplaceAll(data, []byte("["+from+"]"), []byte("["+to+"]"))
			}
		}
		write(t, filepath.Join(dir, name), data)
	}
	return runPrometheus(ctx, t, "prometheus", filepath.Join(dir, "prometheus", "prometheus.yml"), port)
}

// overload keeps eight requests at a server of four slots until the context ends.
func overload(ctx context.Context, address string) *sync.WaitGroup {
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for ctx.Err() == nil {
				body := fmt.Sprintf(`{"prompt":"the people of the long day %d","n_predict":400}`, i)
				req, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/completion", strings.NewReader(body))
				if err != nil {
					return
				}
				req.Header.Set("Content-Type", "application/json")
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					pause(ctx, time.Second)
					continue
				}
				resp.Body.Close()
			}
		})
	}
	return &all
}

// untilItQueues waits until more requests wait than the alert's threshold asks for.
func untilItQueues(ctx context.Context, t *testing.T, address string) {
	t.Helper()
	waiting := regexp.MustCompile(`(?m)^llamacpp:requests_deferred [3-9]`)
	waitFor(ctx, t, "a queue", func() (string, bool) {
		page := get(ctx, t, address+"/metrics")
		return grep(page, "llamacpp:requests_"), waiting.MatchString(page)
	})
}

// pause waits, unless the context ends first.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
