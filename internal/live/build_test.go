//go:build live

package live

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// binaries is where the tests find the project's own programs, each built once.
var binaries string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if binaries, err = os.MkdirTemp("", "llmfleet-live-"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(binaries)
		return m.Run()
	}())
}

var (
	// The exporter is built as it is shipped: static and stripped.
	exporterBuilt = sync.OnceValue(func() error {
		return build("llmfleet_exporter", []string{"CGO_ENABLED=0"}, "-trimpath", "-ldflags", "-s -w")
	})
	llmfleetBuilt = sync.OnceValue(func() error { return build("llmfleet", nil) })
)

func buildExporter(t *testing.T) string { return built(t, "llmfleet_exporter", exporterBuilt()) }

func buildLlmfleet(t *testing.T) string { return built(t, "llmfleet", llmfleetBuilt()) }

func built(t *testing.T, name string, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(binaries, name)
}

func build(name string, env []string, flags ...string) error {
	args := append([]string{"build", "-o", filepath.Join(binaries, name)}, flags...)
	cmd := exec.Command("go", append(args, "./cmd/"+name)...)
	cmd.Dir, cmd.Env = filepath.Join("..", ".."), append(os.Environ(), env...)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", name, err, text)
	}
	return nil
}
