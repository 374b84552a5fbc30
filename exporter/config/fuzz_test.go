package config

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/llmfleet/llmfleet/exporter/document"
)

// What is accepted can be shown, and what is shown is accepted and means the same; what is
// refused is refused with a place and a sentence.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/mistakes/*.yml", "../../examples/*.yml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("fuzz.yml", data)
		if err != nil {
			var all document.Mistakes
			if !errors.As(err, &all) {
				t.Fatalf("%v is no list of mistakes", err)
			}
			for _, m := range all {
				if m.Line < 1 || m.Hint == "" || m.File == "" {
					t.Errorf("mistake without place or words: %+v", m)
				}
			}
			return
		}
		again, err := Parse("fuzz.yml", c.Redacted())
		if err != nil {
			t.Fatalf("the configuration in force is refused: %v\n%s", err, c)
		}
		if c.String() != again.String() {
			t.Errorf("it reads back as another:\n%s\n%s", c, again)
		}
	})
}
