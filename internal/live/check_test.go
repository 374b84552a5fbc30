//go:build live

package live

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/gen"
	"github.com/llmfleet/llmfleet/internal/tinygguf"
	"github.com/llmfleet/llmfleet/rules"
)

// TestTheCheckSaysWhatIsBlindAndThenThatAllIsWell looks at the fleet of a newcomer who has
// forgotten everything: --metrics, the rules, an Alertmanager, the job's name. And then at the
// same with all of it.
func TestTheCheckSaysWhatIsBlindAndThenThatAllIsWell(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	llmfleet := buildLlmfleet(t)
	settings := rules.DefaultSettings()
	settings.ScrapeInterval = time.Second
	bundle, err := gen.Bundle(settings)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "settings.yml")
	write(t, file, []byte("scrape_interval: 1s\n"))
	check := func(args ...string) (string, int) {
		return runTool(ctx, t, llmfleet, append([]string{"check", "--settings=" + file}, args...)...)
	}
	says := func(page string, wants ...string) {
		t.Helper()
		flat := strings.Join(strings.Fields(page), " ")
		for _, want := range wants {
			if !strings.Contains(flat, want) {
				t.Errorf("the page lacks %q:\n%s", want, page)
			}
		}
	}

	llama := startLlama(ctx, t)
	whole := deliveringPrometheus(ctx, t, bundle, startExporter(ctx, t, "--target="+llama.url), startAlertmanager(ctx, t, bundle, openInbox(t).URL))

	t.Run("everything forgotten", func(t *testing.T) {
		mute := startMuteLlama(ctx, t, freePort(t), tinygguf.Small("small"))
		exporter := startExporter(ctx, t, "--target="+mute.url)
		says(page(check("--exporter="+exporter.url)), backendName(mute.url)+": no numbers (disabled)", "start llama-server with --metrics")

		port := freePort(t)
		config := filepath.Join(t.TempDir(), "prometheus.yml")
		write(t, config, []byte("global: {scrape_interval: 1s, scrape_timeout: 1s}\nscrape_configs:\n- job_name: llm\n  static_configs: [{targets: [\""+
			strings.TrimPrefix(exporter.url, "http://")+"\"]}]\n"))
		p := runPrometheus(ctx, t, "prometheus", config, port)
		p.eventually(ctx, t, `llm_scrape_failed{reason="disabled"} == 1`)
		var text string
		var code int
		waitFor(ctx, t, "the check to look for Alertmanagers", func() (string, bool) { // not in the first seconds of a configuration
			text, code = check("--prometheus=" + p.url)
			return text, strings.Contains(text, "Prometheus knows no Alertmanager")
		})
		t.Logf("exit code %d\n%s", code, text)
		if code != 1 {
			t.Errorf("exit code %d, want 1", code)
		}
		says(text, "no numbers (disabled)", "start llama-server with --metrics", "rules is loaded: rule_files matches no file of the bundle",
			`exporters are scraped as job "llm", and the rules ask for job "llmfleet"`, "no series of Prometheus about itself")
	})
	t.Run("all in place", func(t *testing.T) {
		waitFor(ctx, t, "the check to be content", func() (string, bool) {
			text, code := check("--prometheus=" + whole.url)
			if code == 0 {
				t.Logf("\n%s", text)
				says(text, "● Nothing is blind", "llama.cpp has not exported the use of its KV cache since b5441", "no router here")
			}
			return text, code == 0
		})
		text, code := runTool(ctx, t, llmfleet, "check", "--prometheus="+whole.url) // without the settings of these rules
		if code != 1 {
			t.Errorf("exit code %d, want 1", code)
		}
		says(text, "the rule is stale: loaded with another", "--settings=FILE")
	})
	t.Run("nobody there", func(t *testing.T) {
		if text, code := check("--prometheus=" + loopback(freePort(t))); code != 2 || !strings.Contains(text, "connection refused") {
			t.Errorf("exit code %d, want 2:\n%s", code, text)
		}
	})
}

// page drops the exit code.
func page(text string, _ int) string { return text }
