package exporter_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/exporter"
	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/internal/recording"
)

var update = flag.Bool("update", false, "rewrite the golden pages")

// goldenDir holds, for each recording, what the exporter makes of it at its begin, in its midst
// and at its end, and of each of its states. A recording without a page fails, and so does a
// page without a recording: a new recording is a new test.
const goldenDir = "../testdata/golden"

func TestEveryRecordingGivesItsGoldenPage(t *testing.T) {
	root, err := recording.Root()
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string]bool{}
	// Pages that were written by hand have golden pages of their own, in a folder of that name.
	for prefix, dir := range map[string]string{"": root, "written": filepath.Join(filepath.Dir(root), "written")} {
		names, err := recording.List(dir)
		if err != nil || len(names) == 0 {
			t.Fatal(dir, err)
		}
		for _, name := range names {
			file := filepath.Join(goldenDir, prefix, filepath.FromSlash(name)+".txt")
			wanted[file] = true
			t.Run(prefix+" "+name, func(t *testing.T) {
				r, err := recording.Load(filepath.Join(dir, filepath.FromSlash(name)))
				if err != nil {
					t.Fatal(err)
				}
				compareGolden(t, file, pages(t, r))
			})
		}
	}
	noneLeftOver(t, wanted)
}

// pages plays a recording to its begin, midst and end, and then its states.
func pages(t *testing.T, r *recording.Recording) []byte {
	t.Helper()
	var out bytes.Buffer
	if len(r.Servers) > 0 && r.Meta.Program != "prometheus" {
		var at time.Duration
		player := recording.NewPlayer(r, func() time.Duration { return at })
		e := played(t, r, player, func() time.Time { return epoch.Add(at) })
		for _, part := range []time.Duration{0, 1, 2} {
			at = r.Meta.Length * part / 2
			fmt.Fprintf(&out, "==== second %.0f\n%s", at.Seconds(), scrapeOnce(t, e))
		}
	}
	for _, s := range r.States {
		e := played(t, r, s.Player(), func() time.Time { return epoch })
		fmt.Fprintf(&out, "==== state %s\n%s", s.Name, scrapeOnce(t, e))
	}
	return out.Bytes()
}

// epoch is second 0 of every replay.
var epoch = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)

// oneService is the configuration of a written program without one of its own.
const oneService = "backends:\n  - name: service\n    url: http://service\n"

func played(t *testing.T, r *recording.Recording, transport http.RoundTripper, now func() time.Time) *exporter.Exporter {
	t.Helper()
	if r.Exporter == nil {
		r.Exporter = []byte(oneService)
	}
	c, err := config.Parse(r.Name+"/exporter.yml", r.Exporter)
	if err != nil {
		t.Fatal(err)
	}
	e, err := exporter.New(c, exporter.Options{Now: now, Transport: transport, NoProcessMetrics: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

func scrapeOnce(t *testing.T, e *exporter.Exporter) string {
	t.Helper()
	answer := httptest.NewRecorder()
	e.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	page, err := io.ReadAll(answer.Body)
	if err != nil || answer.Code != http.StatusOK {
		t.Fatalf("scrape: status %d, %v", answer.Code, err)
	}
	return reviewable(string(page))
}

// The page without help texts, which docs/series.md has, without what depends on the build,
// without single buckets, which the engine's own golden readings have, and without zeros of state
// sets: a person must be able to read the difference.
var (
	volatile = regexp.MustCompile(`^(# |llmfleet_exporter_|llm_scrape_duration_seconds|go_|process_|\w+_bucket\{)`)
	zeroes   = regexp.MustCompile(`^llm_(scrape_failed|scrape_errors_total|model_state)\{.* 0$`)
)

func reviewable(page string) string {
	var out strings.Builder
	for line := range strings.Lines(page) {
		if text := strings.TrimSuffix(line, "\n"); !volatile.MatchString(text) && !zeroes.MatchString(text) {
			out.WriteString(line)
		}
	}
	return out.String()
}

func compareGolden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; write it with go test ./exporter -run Golden -update, and read it", err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s: the page differs; first lines that do:\n%s\nrewrite it with -update and review the difference", file, firstDifference(string(want), string(got)))
	}
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return fmt.Sprintf("line %d\n-%s\n+%s", i+1, w[i], g[i])
		}
	}
	return fmt.Sprintf("%d lines wanted, %d got", len(w), len(g))
}

func noneLeftOver(t *testing.T, wanted map[string]bool) {
	t.Helper()
	err := filepath.WalkDir(goldenDir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !wanted[path] {
			t.Errorf("%s belongs to no recording: remove it", path)
		}
		return err
	})
	if err != nil && !*update {
		t.Error(err)
	}
}
