package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/nearest"
)

// Choice says which words are possible and, if one is near, which was meant.
func Choice(word string, words []string) string {
	if near := nearest.Word(word, words); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return "write one of " + strings.Join(slices.Sorted(slices.Values(words)), ", ")
}
