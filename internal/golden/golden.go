// Package golden compares what a test made with files that a person has reviewed.
//
// go test with -update rewrites the files; the difference in the checkout is then what there
// is to review.
package golden

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/llmfleet/llmfleet/internal/diff"
)

var update = flag.Bool("update", false, "rewrite the files that tests compare with")

// Update says whether files are to be rewritten.
func Update() bool { return *update }

// Compare fails a test that made something else than the file holds, or rewrites the file.
func Compare(t testing.TB, file string, got []byte) {
	t.Helper()
	if *update {
		if err := rewrite(file, got); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; write it with -update, and review it", err)
	}
	if d := diff.Unified(file, "now", want, got); d != "" {
		t.Errorf("rewrite it with -update, and review the difference:\n%s", d)
	}
}

func rewrite(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

// NoneLeftOver fails a test for each file of a folder that no test compares with.
func NoneLeftOver(t testing.TB, dir string, compared []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !slices.Contains(compared, file) {
			t.Errorf("no test compares with %s: remove it", file)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
