//go:build live

package live

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/internal/recording"
)

// corpus is a copy of the checkout's testdata with a folder for the package whose tests read it,
// into which a recording can be dropped.
type corpus struct{ dir, tests string }

// newCorpus copies the recordings and golden pages, and compiles the tests that hold every
// recording to its page.
func newCorpus(ctx context.Context, t *testing.T) corpus {
	t.Helper()
	c := corpus{dir: t.TempDir()}
	if err := os.CopyFS(filepath.Join(c.dir, "testdata"), os.DirFS(filepath.Join(root(t), "testdata"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(c.dir, "exporter"), 0o755); err != nil {
		t.Fatal(err)
	}
	c.tests = filepath.Join(c.dir, "exporter", "exporter.test")
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-o", c.tests, "./exporter")
	cmd.Dir = root(t)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("compile the tests of the exporter: %v\n%s", err, text)
	}
	return c
}

// recordings is where a recording is dropped.
func (c corpus) recordings() string { return filepath.Join(c.dir, "testdata", "recordings") }

// golden runs the test of the golden pages.
func (c corpus) golden(ctx context.Context, args ...string) (said string, passed bool) {
	cmd := exec.CommandContext(ctx, c.tests, append([]string{"-test.run=^TestEveryRecordingGivesItsGoldenPage$"}, args...)...)
	cmd.Dir = filepath.Dir(c.tests)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

// TestALiveRecordingDroppedIntoTestdataIsATest records a server that is killed, drops the folder
// among the others, and wants the golden test to miss its page, to write it and to hold it, and
// the proof to find the alert that no case expects there.
func TestALiveRecordingDroppedIntoTestdataIsATest(t *testing.T) {
	llmfleet := buildLlmfleet(t)
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	c := newCorpus(ctx, t)
	dir := filepath.Join(c.recordings(), "llamacpp-live", "killed")
	recordKilled(ctx, t, llmfleet, dir)
	if said, code := runTool(ctx, t, llmfleet, "record", "--check", dir); code != 0 {
		t.Errorf("record --check: exit code %d\n%s", code, said)
	}

	said, passed := c.golden(ctx)
	if passed || !strings.Contains(said, "llamacpp-live/killed.txt") || !strings.Contains(said, "write it with -update") {
		t.Fatalf("the golden test does not miss the page of the new recording:\n%s", tail(said, 2000))
	}
	if said, passed = c.golden(ctx, "-update"); !passed {
		t.Fatalf("-update:\n%s", tail(said, 2000))
	}
	if said, passed = c.golden(ctx); !passed {
		t.Fatalf("the golden test with the new page:\n%s", tail(said, 2000))
	}
	page := filepath.Join(c.dir, "testdata", "golden", "llamacpp-live", "killed.txt")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", text)
	first, rest, _ := strings.Cut(string(text), "==== second 7\n")
	tokens := rawTokens(t, dir)
	for _, want := range []string{
		`llm_generation_tokens_total{backend="llamacpp",engine="llamacpp",model="small"} ` + tokens, `llm_healthy{backend="llamacpp"} 1`,
	} {
		if !strings.Contains(first, want+"\n") {
			t.Errorf("the page of the live server lacks %s", want)
		}
	}
	if !strings.Contains(rest, `llm_healthy{backend="llamacpp"} 0`+"\n") || strings.Contains(rest, "\nllm_generation_tokens_total{") {
		t.Error("the pages of the dead server do not say so")
	}
	if err := os.WriteFile(page, []byte(strings.Replace(string(text), " "+tokens+"\n", " 1"+tokens+"\n", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if said, passed = c.golden(ctx); passed || !strings.Contains(said, " 1"+tokens) {
		t.Errorf("the golden test does not see another number:\n%s", tail(said, 2000))
	}

	said, code := runTool(ctx, t, llmfleet, "prove", "--recordings="+c.recordings(), "--hosts="+filepath.Join(c.dir, "testdata", "hosts"), "--only=^LlmBackendDown$")
	t.Logf("\n%s", said)
	if code != 1 || !strings.Contains(said, "llamacpp-live/killed: second 180: LlmBackendDown: want quiet (no case names this recording)") || !strings.Contains(said, "prove: 1 failures") {
		t.Errorf("prove: exit code %d, want 1 and the alert on the new recording, and nothing else", code)
	}
}

// recordKilled records a server for 14 seconds and kills it after three. Played every 15 s, it
// is dead for two and a half minutes.
func recordKilled(ctx context.Context, t *testing.T, llmfleet, dir string) {
	t.Helper()
	llama := startLlama(ctx, t)
	generate(ctx, t, llama.url, 4)
	cmd := exec.CommandContext(ctx, llmfleet, "record", llama.url, "-o", dir, "--interval=1s", "--length=14s", "--story=Killed after three seconds.")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(3500 * time.Millisecond)
	llama.kill(t)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("record: %v\n%s", err, out.String())
	}
	t.Logf("\n%s", out.String())
}

// rawTokens is what the first recorded page says of generated tokens, read without the exporter.
func rawTokens(t *testing.T, dir string) string {
	t.Helper()
	r, err := recording.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := r.Server("service").At(0, "/metrics")
	for line := range strings.Lines(string(a.Body)) {
		if value, ok := strings.CutPrefix(line, "llamacpp:tokens_predicted_total "); ok {
			return strings.TrimSpace(value)
		}
	}
	t.Fatalf("no tokens on the first recorded page:\n%s", a.Body)
	return ""
}
