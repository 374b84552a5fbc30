package rules

import (
	"fmt"
	"maps"
	"slices"
)

// suggest names the known key that looks most like the unknown one, or lists them all.
func suggest[T any](unknown string, known map[string]T) string {
	best, distance := "", len(unknown)/2+1
	for _, k := range slices.Sorted(maps.Keys(known)) {
		if d := editDistance(unknown, k); d < distance {
			best, distance = k, d
		}
	}
	if best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return fmt.Sprintf("; known are %q", slices.Sorted(maps.Keys(known)))
}

// editDistance counts the letters to insert, drop or replace to get from a to b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
