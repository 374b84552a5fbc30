//go:build live

package live

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const maxBinary = 20 << 20 // bytes of the static, stripped exporter

// TestRealServerRealPrometheusRealBundle walks the path of a newcomer: a llama-server, the
// exporter beside it, a Prometheus with the bundle; work; and then the server dies.
func TestRealServerRealPrometheusRealBundle(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()

	llama := startLlama(ctx, t)
	exporter := startExporter(ctx, t, "--target="+llama.url)
	prometheus := startPrometheus(ctx, t, "prometheus", exporter.url)

	t.Run("the uniform series arrive in prometheus", func(t *testing.T) {
		generate(ctx, t, llama.url, 6)
		for _, expr := range []string{
			`llm_up == 1`,
			`llm_healthy == 1`,
			`llm_generation_tokens_total{engine="llamacpp", model="small"} > 0`,
			`llm_prompt_tokens_total > 0`,
			`llm_requests_running >= 0`,
			`llm_model_context_length_tokens > 0`,
			`llm_engine_info{version!=""}`,
			`llm_scrape_missing_series == 0`,
		} {
			prometheus.eventually(ctx, t, expr)
		}
	})
	t.Run("nobody is notified, and that is said", func(t *testing.T) {
		prometheus.alert(ctx, t, "LlmWatchdog", "firing", "")
		prometheus.alert(ctx, t, "LlmNobodyNotified", "", "")
	})
	t.Run("promtool accepts what the exporter writes", func(t *testing.T) {
		page := get(ctx, t, exporter.url+"/metrics")
		tool(ctx, t, page, "promtool", "check", "metrics")
	})
	t.Run("a killed server makes the down alert go pending", func(t *testing.T) {
		llama.kill(t)
		prometheus.eventually(ctx, t, `llm_healthy == 0`)
		prometheus.alert(ctx, t, "LlmBackendDown", "", `"backend":"`+backendName(llama.url)+`"`)
		prometheus.eventually(ctx, t, `llm_scrape_failed{reason="refused"} == 1`)
	})
	t.Run("the exporter still answers, and says why", func(t *testing.T) {
		if page := get(ctx, t, exporter.url+"/"); !strings.Contains(page, "refused") {
			t.Errorf("the landing page does not say that the connection is refused:\n%s", page)
		}
	})
}

// TestScrapingARouterLoadsNoModel compares the states of a real router's models before and after
// twenty scrapes: none may have been loaded.
func TestScrapingARouterLoadsNoModel(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	router := startLlamaRouter(ctx, t)
	states := func() string {
		return strings.Join(regexp.MustCompile(`"value":"[a-z]+"`).FindAllString(get(ctx, t, router.url+"/models"), -1), " ")
	}
	before := states()
	exporter := startExporter(ctx, t, "--target="+router.url)
	for range 20 {
		get(ctx, t, exporter.url+"/metrics")
	}
	if after := states(); before == "" || after != before || strings.Contains(after, `"value":"load`) {
		t.Errorf("models were %s before the scrapes and are %s after them; want all unloaded", before, after)
	}
	if page := get(ctx, t, exporter.url+"/metrics"); !strings.Contains(page, `state="unloaded"} 1`) {
		t.Errorf("no model is said to be unloaded:\n%s", grep(page, "llm_model_state"))
	}
}

// TestTheExporterIsSmall holds the mark for the static, stripped binary.
func TestTheExporterIsSmall(t *testing.T) {
	info, err := os.Stat(buildExporter(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("llmfleet_exporter: %.1f MiB", float64(info.Size())/(1<<20))
	if info.Size() > maxBinary {
		t.Errorf("the exporter has %d bytes, the mark is %d", info.Size(), maxBinary)
	}
}

func generate(ctx context.Context, t *testing.T, url string, requests int) {
	t.Helper()
	for i := range requests {
		body := fmt.Sprintf(`{"prompt":"the people of the long day %d","n_predict":60}`, i)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/completion", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("completion %d: %s", i, resp.Status)
		}
	}
}

// tool runs a checker, which must be content.
func tool(ctx context.Context, t *testing.T, stdin, command string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Stdin = strings.NewReader(stdin)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s %s: %v\n%s", filepath.Base(command), strings.Join(args[:min(2, len(args))], " "), err, out)
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no file matches %s (%v)", pattern, err)
	}
	return files
}

func grep(text, word string) string {
	var found []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, word) {
			found = append(found, line)
		}
	}
	return strings.Join(found, "")
}
