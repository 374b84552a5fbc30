// Package nearest finds the word that somebody meant who wrote another.
package nearest

import (
	"fmt"
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

// Hint is the end of a sentence about an unknown word: which one was meant, or which there are.
func Hint(unknown string, known []string) string {
	if near := Word(unknown, known); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Sprintf("; known are %q", known)
}
