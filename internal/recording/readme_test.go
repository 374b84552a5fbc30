package recording

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryProgramStandsInTheTableOfItsFolder compares testdata/recordings and testdata/written
// with the tables of their pages.
func TestEveryProgramStandsInTheTableOfItsFolder(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{root, filepath.Join(filepath.Dir(root), "written")} {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			page, err := os.ReadFile(filepath.Join(dir, "README.md"))
			if err != nil {
				t.Fatal(err)
			}
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			var folders []string
			for _, e := range entries {
				if e.IsDir() {
					folders = append(folders, e.Name())
				}
			}
			named := firstTable(string(page))
			if slices.Sort(named); !slices.Equal(named, folders) {
				t.Errorf("the table names\n%q, the folders are\n%q", named, folders)
			}
		})
	}
}

var quoted = regexp.MustCompile("`([^`]+)`")

// firstTable returns what the first column of the first table of a page names. "-b9294" after
// "llamacpp-b10434" stands for "llamacpp-b9294".
func firstTable(page string) []string {
	var names []string
	for line := range strings.Lines(page) {
		cell, isRow := strings.CutPrefix(line, "| `")
		if !isRow {
			if len(names) > 0 {
				break
			}
			continue
		}
		cell, _, _ = strings.Cut(cell, "|")
		program := ""
		for _, m := range quoted.FindAllStringSubmatch("`"+cell, -1) {
			name := m[1]
			if strings.HasPrefix(name, "-") {
				name = program + name
			} else if i := strings.LastIndex(name, "-"); i > 0 {
				program = name[:i]
			}
			names = append(names, name)
		}
	}
	return names
}
