package scrape

import (
	"slices"
	"strings"
)

// What a server can make the exporter say about it: its names and sentences stand in labels,
// on pages and in the log, and a state lives as long as its target.
const (
	longestName     = 256 // as of the labels that the session makes
	longestSentence = 1000
	mostModels      = 500
)

// bounded makes a foreign text valid and cuts it.
func bounded(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return text
}

// listed keeps the first models of a list, and of the others those that are expected: being
// far down the list is not being away.
func listed(models, expected []string) []string {
	if models == nil {
		return nil
	}
	list := make([]string, 0, min(len(models), mostModels))
	for _, m := range models {
		if len(list) < mostModels || slices.Contains(expected, m) {
			list = append(list, bounded(m, longestName))
		}
	}
	return list
}
