package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// log keeps what a test under test would say. Fatalf panics: it must end the test.
type log struct {
	testing.TB
	said []string
}

func (l *log) Helper()                        {}
func (l *log) Errorf(format string, a ...any) { l.said = append(l.said, format) }
func (l *log) Error(...any)                   { l.said = append(l.said, "error") }
func (l *log) Fatalf(format string, a ...any) { panic(format) }

func TestOnlyTheSameBytesPass(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.txt")
	if err := os.WriteFile(file, []byte("a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for got, want := range map[string]int{"a\n": 0, "a": 1, "b\n": 1, "": 1, "a\na\n": 1} {
		l := &log{TB: t}
		Compare(l, file, []byte(got))
		if len(l.said) != want {
			t.Errorf("%q: said %q", got, l.said)
		}
	}
}

func TestAMissingFileEndsTheTest(t *testing.T) {
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, "-update") {
			t.Errorf("said %q", said)
		}
	}()
	Compare(&log{TB: t}, filepath.Join(t.TempDir(), "x.txt"), nil)
}

func TestUpdateWritesTheFileAndItsFolder(t *testing.T) {
	*update = true
	defer func() { *update = false }()
	file := filepath.Join(t.TempDir(), "new", "x.txt")
	Compare(t, file, []byte("a\n"))
	if data, err := os.ReadFile(file); err != nil || string(data) != "a\n" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestLeftOverFilesAreNamed(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.txt", "b.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l := &log{TB: t}
	NoneLeftOver(l, dir, []string{filepath.Join(dir, "a.txt")})
	NoneLeftOver(l, filepath.Join(dir, "none"), nil)
	if len(l.said) != 2 {
		t.Errorf("said %q, want b.txt and the missing folder", l.said)
	}
}
