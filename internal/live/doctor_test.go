//go:build live

package live

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/exporter"
	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/internal/recording"
)

// TestTheDoctorExplainsARealServer reads the page that a person would.
func TestTheDoctorExplainsARealServer(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	llmfleet := buildLlmfleet(t)
	llama := startLlama(ctx, t)
	generate(ctx, t, llama.url, 2)

	page, code := runTool(ctx, t, llmfleet, "doctor", llama.url)
	t.Logf("\n%s", page)
	for _, want := range []string{"● llama.cpp, version b", "Its numbers arrive.", `the header Server of /v1/models begins with "llama.cpp"`,
		"models         small", "llm_generation_tokens_total", "llama.cpp does not say how large its KV cache is"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if code != 0 {
		t.Errorf("exit code %d, want 0: numbers arrive", code)
	}

	llama.kill(t)
	if page, code := runTool(ctx, t, llmfleet, "doctor", llama.url); code != 1 || !strings.Contains(page, "connection refused") {
		t.Errorf("of a dead server: exit code %d, and\n%s", code, page)
	}
}

// TestTheDoctorLoadsNoModel examines a real router.
func TestTheDoctorLoadsNoModel(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	router := startLlamaRouter(ctx, t)
	page, code := runTool(ctx, t, buildLlmfleet(t), "doctor", router.url)
	t.Logf("\n%s", page)
	if code != 0 || !strings.Contains(page, "● llama.cpp router") || !strings.Contains(page, `state="unloaded"`) {
		t.Errorf("exit code %d, want 0, a router and its unloaded models", code)
	}
	if models := get(ctx, t, router.url+"/models"); strings.Contains(models, `"value":"load`) {
		t.Errorf("a model was loaded by the doctor:\n%.2000s", models)
	}
}

// TestARealServerIsRecordedAndPlaysAgain makes a recording of a router, whose list of models holds
// command lines, and scrapes it.
func TestARealServerIsRecordedAndPlaysAgain(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	llmfleet, router := buildLlmfleet(t), startLlamaRouter(ctx, t)
	dir := filepath.Join(t.TempDir(), "llamacpp_router", "idle")
	said, code := runTool(ctx, t, llmfleet, "record", router.url, "-o", dir, "--interval=1s", "--length=3s")
	t.Logf("\n%s", said)
	if code != 0 || !strings.Contains(said, "removed from /v1/models: a command line") {
		t.Fatalf("record: exit code %d", code)
	}
	if models := get(ctx, t, router.url+"/models"); strings.Contains(models, `"value":"load`) {
		t.Errorf("a model was loaded by recording:\n%.2000s", models)
	}
	if said, code := runTool(ctx, t, llmfleet, "record", "--check", dir); code != 0 {
		t.Errorf("record --check: exit code %d\n%s", code, said)
	}
	text, err := os.ReadFile(filepath.Join(dir, "service.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "--models-dir") || strings.Contains(string(text), "/models/one.gguf") {
		t.Errorf("a command line or a path is in the recording:\n%.3000s", text)
	}
	r, err := recording.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse("exporter.yml", r.Exporter)
	if err != nil {
		t.Fatal(err)
	}
	e, err := exporter.New(c, exporter.Options{Transport: recording.NewPlayer(r, func() time.Duration { return time.Second }), NoProcessMetrics: true})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, s := range e.Scrape(ctx) {
		if s.EngineName != "llamacpp_router" || len(s.Models) != 2 || s.Problem != "" {
			t.Errorf("played again it is %q with the models %q: %s", s.EngineName, s.Models, s.Problem)
		}
	}
}

// TestAnInterruptEndsARecordingCleanly sends what Ctrl-C sends.
func TestAnInterruptEndsARecordingCleanly(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	llama, dir := startLlama(ctx, t), filepath.Join(t.TempDir(), "live")
	cmd := exec.CommandContext(ctx, buildLlmfleet(t), "record", llama.url, "-o", dir, "--interval=1s", "--length=1h")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2500 * time.Millisecond)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), "ended early: interrupted") {
		t.Errorf("record ended with %v and said\n%s", err, out.String())
	}
	if _, err := recording.Load(dir); err != nil {
		t.Error(err)
	}
}

// runTool runs a command of llmfleet to its end.
func runTool(ctx context.Context, t *testing.T, program string, args ...string) (said string, code int) {
	t.Helper()
	out, err := exec.CommandContext(ctx, program, args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit != nil {
		code = exit.ExitCode()
	}
	return string(out), code
}
