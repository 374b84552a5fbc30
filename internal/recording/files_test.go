package recording

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// checkFiles compares the files of a folder with what would be written.
func checkFiles(t *testing.T, dir string, want map[string][]byte) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() == "README.md" {
			continue // a recording that is no scenario of a program tells its story itself
		}
		got, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want[e.Name()]) {
			t.Errorf("%s is not as it would be written", e.Name())
		}
		delete(want, e.Name())
	}
	for name := range want {
		t.Errorf("%s is missing", name)
	}
}
