//go:build live

package live

import (
	"context"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/rules"
)

// TestTheOldestPrometheusTakesTheBundle uses Debian's, the oldest that is supported.
func TestTheOldestPrometheusTakesTheBundle(t *testing.T) {
	takesTheBundle(t, "promtool", "prometheus")
}

// TestTheNewestPrometheusTakesTheBundle uses the release that tools/go.mod names.
func TestTheNewestPrometheusTakesTheBundle(t *testing.T) {
	dir := os.Getenv("LLMFLEET_PROMETHEUS")
	if dir == "" {
		t.Fatal("LLMFLEET_PROMETHEUS is not set: build the newest release with `ci/prometheus DIR` and set it to DIR")
	}
	takesTheBundle(t, filepath.Join(dir, "promtool"), filepath.Join(dir, "prometheus"))
}

// takesTheBundle makes the checks that a user would make on what he copies, and then loads it
// into a server that has an exporter to evaluate it on.
func takesTheBundle(t *testing.T, promtool, server string) {
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	t.Logf("%s", releaseOf(t, server))
	bundle := filepath.Join(root(t), "gen", "bundle", "prometheus")
	tool(ctx, t, "", promtool, append([]string{"check", "rules"}, glob(t, filepath.Join(bundle, "rules", "llm-*.yml"))...)...)
	tool(ctx, t, "", promtool, "check", "config", filepath.Join(bundle, "prometheus.yml"))
	tool(ctx, t, "", promtool, append([]string{"test", "rules"}, glob(t, filepath.Join(bundle, "tests", "*.test.yml"))...)...)

	exporter := startExporter(ctx, t, "--target="+loopback(freePort(t))) // nobody is there
	p := startPrometheus(ctx, t, server, exporter.url)
	p.evaluatesEverything(ctx, t)
	p.alert(ctx, t, "LlmBackendDown", "pending", "")
	p.alert(ctx, t, "LlmNobodyNotified", "pending", "")
}

// releaseOf says which release a program is: Debian's says it itself, a built one knows its modules.
func releaseOf(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(path)
	if err == nil && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Path + " " + info.Main.Version
	}
	if err == nil {
		for _, d := range info.Deps {
			if d.Path == "github.com/prometheus/prometheus" {
				return d.Path + " " + d.Version
			}
		}
	}
	said, err := exec.Command(path, "--version").CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	return string(said)
}

// evaluatesEverything waits until the server has every rule of the definitions and has evaluated
// those of each round without an error. Rarer ones may be due in minutes.
func (p prometheus) evaluatesEverything(ctx context.Context, t *testing.T) {
	t.Helper()
	rendered, err := rules.Render(rules.Groups(), rules.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	want, rare := 0, 0
	for _, g := range rendered {
		want += len(g.Rules.Rules)
		if g.Source.Interval > 0 {
			rare += len(g.Rules.Rules)
		}
	}
	waitFor(ctx, t, fmt.Sprintf("%d rules to be evaluated", want), func() (string, bool) {
		var body struct {
			Data struct {
				Groups []struct {
					Rules []struct{ Name, Health, LastError string }
				}
			}
		}
		if err := json.Unmarshal([]byte(get(ctx, t, p.url+"/api/v1/rules")), &body); err != nil {
			return err.Error(), false
		}
		ok, loaded := 0, 0
		for _, g := range body.Data.Groups {
			for _, r := range g.Rules {
				if r.Health == "err" {
					t.Errorf("rule %s: %s", r.Name, r.LastError)
				}
				if loaded++; r.Health == "ok" {
					ok++
				}
			}
		}
		return fmt.Sprintf("%d are loaded, %d evaluated", loaded, ok), loaded == want && ok >= want-rare
	})
}
