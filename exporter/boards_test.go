package exporter_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/llmfleet/llmfleet/exporter"
	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/host"
	"github.com/llmfleet/llmfleet/internal/golden"
	"github.com/llmfleet/llmfleet/internal/hosttree"
)

const boards = "../testdata/hosts"

// board is a machine of testdata/hosts behind the whole exporter.
type board struct {
	t        testing.TB
	tree     *hosttree.Tree
	exporter *exporter.Exporter
	at       time.Duration
}

// unreachable is the network of a board: its backends are not there.
type unreachable struct{}

func (unreachable) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("no network")
}

// onBoard plays a machine in time that does not pass while anything runs: on a busy machine files would
// miss their deadline.
func onBoard(t *testing.T, name string, play func(*board)) {
	synctest.Test(t, func(t *testing.T) { play(openBoard(t, name)) })
}

func openBoard(t testing.TB, name string) *board {
	t.Helper()
	tree, err := hosttree.Load(filepath.Join(boards, name, "tree.txt"))
	if err != nil {
		t.Fatal(err)
	}
	b := &board{t: t, tree: tree}
	c := config.Default()
	file := filepath.Join(boards, name, "exporter.yml")
	if text, err := os.ReadFile(file); err == nil {
		if c, err = config.Parse(file, text); err != nil {
			t.Fatal(err)
		}
	}
	player := tree.Play(func() time.Duration { return b.at })
	b.exporter, err = exporter.New(c, exporter.Options{
		Now:       func() time.Time { return time.Unix(1_800_000_000, 0).Add(b.at) },
		Transport: unreachable{}, NoProcessMetrics: true,
		Host: &host.Options{FS: player, Run: player.Run, KernelLog: player.KernelLog},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.exporter.Close)
	return b
}

// scrape returns the page at a time: the series of the machine, without help.
func (b *board) scrape(at time.Duration) string {
	b.t.Helper()
	b.at = at
	w := request(b.t, b.exporter, "GET", "/metrics")
	if w.Code != http.StatusOK {
		b.t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	var lines []string
	for line := range strings.Lines(w.Body.String()) {
		for _, prefix := range []string{"llm_gpu_", "llm_pci_", "llm_host_"} {
			if strings.HasPrefix(line, prefix) {
				lines = append(lines, line)
			}
		}
	}
	return strings.Join(lines, "")
}

func boardNames(t testing.TB) []string {
	t.Helper()
	names, err := hosttree.Names(os.DirFS(boards))
	if err != nil || len(names) < 25 {
		t.Fatalf("%d boards, %v", len(names), err)
	}
	return names
}

// brief leaves out the states that do not hold.
func brief(page string) string {
	lines := slices.DeleteFunc(strings.SplitAfter(page, "\n"), func(line string) bool {
		sets := strings.HasPrefix(line, "llm_gpu_failed") || strings.HasPrefix(line, "llm_host_source_failed")
		return sets && strings.HasSuffix(line, " 0\n")
	})
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func TestEveryBoardGivesItsGoldenPage(t *testing.T) {
	files := []string{filepath.Join(boards, "README.md")}
	for _, name := range boardNames(t) {
		for _, file := range []string{"tree.txt", "metrics.prom", "exporter.yml", "recording.yml"} {
			files = append(files, filepath.Join(boards, name, file))
		}
	}
	golden.NoneLeftOver(t, boards, files)
	for _, name := range boardNames(t) {
		t.Run(name, func(t *testing.T) {
			onBoard(t, name, func(b *board) {
				var page strings.Builder
				for _, at := range b.tree.Times() {
					fmt.Fprintf(&page, "# t=%s\n%s", at, brief(b.scrape(at)))
				}
				if touched := b.tree.Violations(); len(touched) > 0 {
					t.Errorf("was read and must not be: %q", touched)
				}
				golden.Compare(t, filepath.Join(boards, name, "metrics.prom"), []byte(page.String()))
			})
		})
	}
}

func TestMachineLeavesNothingBehindWhenTheExporterEnds(t *testing.T) {
	noLeaks(t)
	e, err := exporter.New(config.Default(), exporter.Options{Host: &host.Options{Background: true, SampleEvery: 10 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if page := request(t, e, "GET", "/metrics").Body.String(); !strings.Contains(page, "\nllm_host_gpus ") {
			t.Errorf("the machine is not on the page:\n%s", page)
		}
		time.Sleep(30 * time.Millisecond)
	}
	if page := request(t, e, "GET", "/probe?target=none").Body.String(); strings.Contains(page, "llm_host_") {
		t.Error("the machine is on a target's page")
	}
	e.Close()
}
