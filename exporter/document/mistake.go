package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Mistake is one thing that is wrong in a file, in the words that its author reads.
type Mistake struct {
	File string // "" for a flag
	Line int    // 0 for a flag
	Key  string // as one would say it: backends[2].url
	Got  string // what stands there; "" where it says nothing or may be a secret
	Hint string // what is wrong with it and what to write
}

// Error returns one line: file:line: key "got" hint.
func (m Mistake) Error() string {
	var b strings.Builder
	if m.File != "" {
		fmt.Fprintf(&b, "%s:%d: ", m.File, m.Line)
	}
	if m.Key != "" {
		b.WriteString(m.Key + " ")
	}
	if m.Got != "" {
		fmt.Fprintf(&b, "%q ", Shortened(m.Got))
	}
	b.WriteString(m.Hint)
	return b.String()
}

// Mistakes are all that is wrong in one file, in the order of its lines.
type Mistakes []Mistake

// maxShown keeps the error of a file that is no configuration at all readable.
const maxShown = 50

// Error returns one line for each mistake.
func (ms Mistakes) Error() string {
	lines := make([]string, 0, len(ms))
	for i, m := range ms {
		if i == maxShown {
			lines = append(lines, fmt.Sprintf("and %d more", len(ms)-maxShown))
			break
		}
		lines = append(lines, m.Error())
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the mistakes one by one.
func (ms Mistakes) Unwrap() []error {
	errs := make([]error, len(ms))
	for i, m := range ms {
		errs[i] = m
	}
	return errs
}

// Err returns the mistakes in the order of their lines, nil if there are none.
func (ms Mistakes) Err() error {
	if len(ms) == 0 {
		return nil
	}
	slices.SortStableFunc(ms, func(a, b Mistake) int { return cmp.Compare(a.Line, b.Line) })
	return ms
}

// Shortened cuts a value to what fits in a sentence.
func Shortened(s string) string {
	const limit = 100
	if len(s) <= limit {
		return s
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
