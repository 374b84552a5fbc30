// Package nearest finds the word that somebody meant who wrote another.
package nearest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Word returns the word that was most likely meant, "" if none is near.
func Word(word string, words []string) string {
	const longest = 100 // a longer word is no slip of the finger
	if len(word) > longest {
		return ""
	}
	best, bestAt := "", max(1, len(word)/3)+1
	for _, w := range words {
		if d := distance(strings.ToLower(word), strings.ToLower(w)); d < bestAt {
			best, bestAt = w, d
		}
	}
	if best != "" {
		return best
	}
	for _, w := range words { // half a word, as in kv_cache for kv_cache_usage: of several the shortest
		half := len(word) >= 4 && (strings.Contains(w, word) || len(w) >= 4 && strings.Contains(word, w))
		if half && (best == "" || len(w) < len(best)) {
			best = w
		}
	}
	return best
}

// distance counts the letters to insert, delete, replace or swap to get from a to b.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// Hint is the end of a sentence about an unknown word: which one was meant, or which there are. Of
// many it names only those that are most like it.
func Hint(unknown string, known []string) string {
	const many = 20 // a longer list is no help
	switch near := Word(unknown, known); {
	case near != "":
		return fmt.Sprintf("; did you mean %q?", near)
	case len(known) <= many:
		return fmt.Sprintf("; known are %q", known)
	}
	return fmt.Sprintf("; %d are known, most like it are %q", len(known), likest(unknown, known)[:5])
}

// likest sorts words by what they have in common with a word: its parts between underscores,
// then its letters.
func likest(word string, words []string) []string {
	parts := strings.Split(strings.ToLower(word), "_")
	common := func(w string) (n int) {
		for _, part := range strings.Split(strings.ToLower(w), "_") {
			if slices.Contains(parts, part) {
				n++
			}
		}
		return n
	}
	return slices.SortedStableFunc(slices.Values(words), func(a, b string) int {
		return cmp.Or(common(b)-common(a), distance(word, a)-distance(word, b), strings.Compare(a, b))
	})
}
