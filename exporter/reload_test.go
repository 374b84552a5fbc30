package exporter_test

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/exporter"
	"github.com/llmfleet/llmfleet/exporter/config"
)

func TestBadReloadKeepsTheLastGoodConfiguration(t *testing.T) {
	s := serve(t, vllm(t))
	file := filepath.Join(t.TempDir(), "llmfleet.yml")
	write(t, file, backends(map[string]*server{"a": s}))
	now := time.Unix(1700000000, 0)
	e := start(t, "", exporter.Options{
		Load: func() (*config.Config, error) { return config.Load(file) },
		Now:  func() time.Time { return now },
	})
	now = now.Add(time.Hour)

	write(t, file, "backends:\n  - name: a\n    url: nowhere\n    tiemout: 5s\n")
	w := request(t, e, "POST", "/-/reload")
	if w.Code != 400 || !strings.Contains(w.Body.String(), "llmfleet.yml:3") || !strings.Contains(w.Body.String(), "tiemout") {
		t.Errorf("reload = %d %q, want 400 and all mistakes with file and line", w.Code, w.Body.String())
	}
	wantLines(t, request(t, e, "GET", "/metrics").Body.String(), `llm_up{backend="a"} 1`,
		"llmfleet_exporter_config_last_reload_successful 0",
		"llmfleet_exporter_config_last_reload_success_timestamp_seconds 1.7e+09",
		"llmfleet_exporter_targets 1")
	if page := request(t, e, "GET", "/").Body.String(); !strings.Contains(page, "tiemout") {
		t.Error("the page does not say why the reload was refused")
	}

	write(t, file, backends(map[string]*server{"a": s, "b": serve(t, llamacpp(t))}))
	if w := request(t, e, "POST", "/-/reload"); w.Code != 200 {
		t.Fatalf("reload = %d %q", w.Code, w.Body.String())
	}
	wantLines(t, request(t, e, "GET", "/metrics").Body.String(), `llm_up{backend="a"} 1`, `llm_up{backend="b"} 1`,
		"llmfleet_exporter_config_last_reload_successful 1",
		"llmfleet_exporter_config_last_reload_success_timestamp_seconds 1.7000036e+09",
		"llmfleet_exporter_targets 2")
}

func TestReloadOfFlagsSaysThatThereIsNothingToRead(t *testing.T) {
	c, err := config.FromTargets([]string{"http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	e, err := exporter.New(c, exporter.Options{NoProcessMetrics: true})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if w := request(t, e, "POST", "/-/reload"); w.Code != 400 || !strings.Contains(w.Body.String(), "no configuration file") {
		t.Errorf("reload = %d %q", w.Code, w.Body.String())
	}
	wantLines(t, request(t, e, "GET", "/metrics").Body.String(), "llmfleet_exporter_config_last_reload_successful 1")
}

func TestReloadFromAnotherSiteIsRefused(t *testing.T) {
	e := start(t, backends(map[string]*server{"a": serve(t, nil)}), exporter.Options{})
	if w := request(t, e, "POST", "/-/reload", "Sec-Fetch-Site", "cross-site"); w.Code != 403 {
		t.Errorf("status %d, want 403", w.Code)
	}
}

func TestReloadUnderScrapes(t *testing.T) {
	noLeaks(t)
	a, b := serve(t, vllm(t)), serve(t, llamacpp(t))
	file := filepath.Join(t.TempDir(), "llmfleet.yml")
	one, two := backends(map[string]*server{"a": a}), backends(map[string]*server{"a": b, "b": a})
	write(t, file, one)
	e := start(t, "", exporter.Options{Load: func() (*config.Config, error) { return config.Load(file) }})
	stop := make(chan struct{})
	var scrapers sync.WaitGroup
	for range 4 {
		scrapers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if w := request(t, e, "GET", "/metrics"); !strings.Contains(w.Body.String(), `llm_up{backend="a"} 1`) {
					t.Error("a scrape without the backend that stays")
				}
				request(t, e, "GET", "/")
				request(t, e, "GET", "/config")
			}
		})
	}
	for i := range 20 {
		write(t, file, []string{two, one}[i%2])
		if err := e.Reload(); err != nil {
			t.Error(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	close(stop)
	scrapers.Wait()
}
