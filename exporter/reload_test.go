package exporter_test

import (
	"bytes"
	"log/slog"
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

// TestReloadThatTakesTheWholeFleetAwayIsRefusedOrSaid: a file that is empty is one that is being
// written, or was lost; one that says that there are no backends is meant so.
func TestReloadThatTakesTheWholeFleetAwayIsRefusedOrSaid(t *testing.T) {
	s := serve(t, vllm(t))
	two := backends(map[string]*server{"a": s, "b": serve(t, llamacpp(t))})
	for name, tt := range map[string]struct {
		file   string
		status int
		answer string
		logged string
		now    string
	}{
		"an empty file":           {"", 400, "llmfleet.yml\" is empty, while backends are in force (2); write backends: [] to watch none", "level=ERROR", "2"},
		"nothing but comments":    {"# soon\n---\n", 400, "is empty, while backends are in force (2)", "level=ERROR", "2"},
		"a file without backends": {"defaults:\n  timeout: 5s\n", 200, "Backends: 2 before, 0 now.", "level=WARN", "0"},
		"no backends":             {"backends: []\n", 200, "Backends: 2 before, 0 now.", "level=WARN", "0"},
		"one backend less":        {backends(map[string]*server{"a": s}), 200, "Backends: 2 before, 1 now.", "level=INFO", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "llmfleet.yml")
			write(t, file, two)
			var log bytes.Buffer
			e := start(t, "", exporter.Options{
				Load: func() (*config.Config, error) { return config.Load(file) },
				Log:  slog.New(slog.NewTextHandler(&log, nil)),
			})
			log.Reset()
			write(t, file, tt.file)
			w := request(t, e, "POST", "/-/reload")
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.answer) {
				t.Errorf("reload = %d %q, want %d %q", w.Code, w.Body.String(), tt.status, tt.answer)
			}
			if !strings.Contains(log.String(), tt.logged) || strings.Count(log.String(), "\n") != 1 {
				t.Errorf("logged %q, want one line of %s", log.String(), tt.logged)
			}
			wantLines(t, request(t, e, "GET", "/metrics").Body.String(), "llmfleet_exporter_targets "+tt.now)
		})
	}
}

func TestEmptyFileOverNoBackendsIsAccepted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "llmfleet.yml")
	write(t, file, "")
	e := start(t, "", exporter.Options{Load: func() (*config.Config, error) { return config.Load(file) }})
	if changed, err := e.Reload(); err != nil || changed.Before != 0 || changed.Now != 0 {
		t.Errorf("reload = %v, %v", changed, err)
	}
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
		if _, err := e.Reload(); err != nil {
			t.Error(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	close(stop)
	scrapers.Wait()
}
