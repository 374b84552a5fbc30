package engine

import (
	"bytes"
	"slices"
	"strings"
)

// names are the sample names of a page, sorted, each once. Recognition asks for dozens of
// names in every scrape; reading the page's line starts once costs less than one search of
// the page for each.
type names [][]byte

// namesOf reads the names of a page; a line that has no value gives none.
func namesOf(page []byte) names {
	out := make(names, 0, 256)
	for line := range bytes.Lines(page) {
		line = bytes.TrimLeft(line, " \t")
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		end := bytes.IndexAny(line, "{ \t")
		if end <= 0 || len(out) > 0 && bytes.Equal(out[len(out)-1], line[:end]) {
			continue
		}
		out = append(out, line[:end])
	}
	slices.SortFunc(out, bytes.Compare)
	return slices.CompactFunc(out, bytes.Equal)
}

// has says whether a name is among them; a trailing * stands for the rest of it.
func (n names) has(name string) bool {
	beginning, anyEnd := strings.CutSuffix(name, "*")
	i, exact := slices.BinarySearchFunc(n, beginning, func(a []byte, b string) int {
		return bytes.Compare(a, []byte(b))
	})
	return exact || anyEnd && i < len(n) && strings.HasPrefix(string(n[i]), beginning)
}
