package scrape

import (
	"regexp"
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

// sentBack is what a server that mirrors its request shows of the header Authorization.
var sentBack = regexp.MustCompile(`(?i)(bearer|basic)[ =:]*[\w+/=.~-]{6,}`)

// bounded makes a foreign text valid, takes credentials out that a server sent back, and
// cuts it.
func bounded(text string, most int) string {
	text = strings.ToValidUTF8(text[:min(len(text), 16*most)], "\uFFFD")
	text = sentBack.ReplaceAllString(text, "$1 <secret>")
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
