//go:build live

package live

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/internal/tinygguf"
)

// TestScrapingLetsAModelSleep starts a server that unloads its model when idle, lets it fall
// asleep under scrapes, and wants twenty more not to wake it.
func TestScrapingLetsAModelSleep(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	llama := startLlamaAt(ctx, t, freePort(t), tinygguf.Default("small"), "--sleep-idle-seconds", "2")
	asleep := func() bool { return strings.Contains(get(ctx, t, llama.url+"/props"), `"is_sleeping":true`) }
	generate(ctx, t, llama.url, 1)
	if asleep() {
		t.Fatal("the model sleeps right after a request: nothing can be seen of it falling asleep")
	}
	exporter := startExporter(ctx, t, "--target="+llama.url)
	waitFor(ctx, t, "the model to fall asleep while it is scraped", func() (string, bool) {
		return grep(get(ctx, t, exporter.url+"/metrics"), "llm_"), asleep()
	})
	for i := range 20 {
		get(ctx, t, exporter.url+"/metrics")
		if !asleep() {
			t.Fatalf("the model is awake after scrape %d", i+1)
		}
	}
	// One that meets it asleep says so, and still has its numbers.
	page := get(ctx, t, startExporter(ctx, t, "--target="+llama.url).url+"/metrics")
	for _, want := range []string{`state="sleeping"} 1`, `llm_up{backend="` + backendName(llama.url) + `"} 1`, `llm_generation_tokens_total{`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s:\n%s", want, grep(page, "llm_"))
		}
	}
	doctor, code := runTool(ctx, t, buildLlmfleet(t), "doctor", llama.url)
	t.Logf("\n%s", doctor)
	if code != 0 || !strings.Contains(doctor, `state="sleeping"`) {
		t.Errorf("doctor: exit code %d, want 0 and a model that sleeps", code)
	}
	if !asleep() {
		t.Error("the doctor woke the model")
	}
	generate(ctx, t, llama.url, 1) // asking it for text wakes it: it was no deeper sleep than that
	if asleep() {
		t.Error("the model sleeps after a request")
	}
}
