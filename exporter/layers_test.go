package exporter_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The daemon stays small and without a query engine as long as nothing below it imports the
// operator's tool or what that stands on.
func TestTheExporterImportsNothingOfTheTool(t *testing.T) {
	const module = "github.com/llmfleet/llmfleet/"
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files++
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			own, isOwn := strings.CutPrefix(name, module)
			if isOwn && !strings.HasPrefix(own, "exporter/") && own != "internal/nearest" || strings.HasPrefix(name, "github.com/prometheus/prometheus/") {
				t.Errorf("%s imports %s", path, name)
			}
		}
		return nil
	})
	if err != nil || files < 50 {
		t.Errorf("%d files, %v", files, err)
	}
}
