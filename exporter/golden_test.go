package exporter_test

import (
	"bytes"
	"fmt"
	"io"
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
	"github.com/llmfleet/llmfleet/internal/golden"
	"github.com/llmfleet/llmfleet/internal/recording"
)

// goldenDir holds, for each recording, what the exporter makes of it at its begin, in its midst
// and at its end, and of each of its states. A recording without a page fails, and so does a
// page without a recording: a new recording is a new test.
const goldenDir = "../testdata/golden"

func TestEveryRecordingGivesItsGoldenPage(t *testing.T) {
	root, err := recording.Root()
	if err != nil {
		t.Fatal(err)
	}
	var wanted []string
	// Pages that were written by hand have golden pages of their own, in a folder of that name.
	for prefix, dir := range map[string]string{"": root, "written": filepath.Join(filepath.Dir(root), "written")} {
		names, err := recording.List(os.DirFS(dir))
		if err != nil || len(names) == 0 {
			t.Fatal(dir, err)
		}
		for _, name := range names {
			file := filepath.Join(goldenDir, prefix, filepath.FromSlash(name)+".txt")
			wanted = append(wanted, file)
			t.Run(prefix+" "+name, func(t *testing.T) {
				r, err := recording.Load(filepath.Join(dir, filepath.FromSlash(name)))
				if err != nil {
					t.Fatal(err)
				}
				golden.Compare(t, file, pages(t, r))
			})
		}
	}
	golden.NoneLeftOver(t, goldenDir, wanted)
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
			moment := fmt.Sprintf("second %.0f", at.Seconds())
			fmt.Fprintf(&out, "==== %s\n%s", moment, mapped(t, moment, scrapeOnce(t, e)))
		}
	}
	for _, s := range r.States {
		e := played(t, r, s.Player(), func() time.Time { return epoch })
		moment := "state " + s.Name
		fmt.Fprintf(&out, "==== %s\n%s", moment, mapped(t, moment, scrapeOnce(t, e)))
	}
	return out.Bytes()
}

// notMapped finds the counts of names that nobody maps, and of mapped names that did not come.
var notMapped = regexp.MustCompile(`(?m)^llm_scrape_(unmapped|missing)_series\{backend="(.*)"\} ([1-9].*)$`)

// mapped fails where a page says that a recording holds more, or less, than its engine maps, and
// returns the page. A golden page alone would keep such a count as if it were right.
func mapped(t *testing.T, moment, page string) string {
	t.Helper()
	for _, found := range notMapped.FindAllStringSubmatch(page, -1) {
		backend, count := found[2], found[3]
		if found[1] == "unmapped" {
			t.Errorf("%s: %s: names without a mapping: %s; map each or put it in the engine's Ignore (llmfleet doctor lists them)", moment, backend, count)
		} else {
			t.Errorf("%s: %s: names that this version should send and did not: %s; give their mappings Since, Until, With or Optional", moment, backend, count)
		}
	}
	return page
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
