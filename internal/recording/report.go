package recording

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Report says what an import brought in, and what it left out and why.
type Report struct {
	Servers int
	Answers int
	States  int
	Left    map[string]int // by reason
	Notes   []string       // assumptions that were made

	date string
}

func newReport() *Report { return &Report{Left: map[string]int{}} }

func (r *Report) leave(why string) { r.Left[why]++ }

func (r *Report) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// load counts the requests of the load beside a series: what clients saw, not what a scrape saw.
func (r *Report) load(dir string) {
	text, err := os.ReadFile(filepath.Join(dir, "load.tsv"))
	if err != nil {
		return
	}
	if n := bytes.Count(text, []byte("\n")) - 1; n > 0 {
		r.Left["requests of the load (load.tsv)"] += n
	}
}

func (r *Report) count(rec *Recording) {
	r.Servers, r.States = len(rec.Servers), len(rec.States)
	for _, s := range rec.Servers {
		r.Answers += len(s.Answers)
	}
}

// String is the report for a person: one line per fact.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d answers of %d servers, %d states\n", r.Answers, r.Servers, r.States)
	for _, why := range slices.Sorted(maps.Keys(r.Left)) {
		fmt.Fprintf(&b, "left out: %d %s\n", r.Left[why], why)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	return b.String()
}
