package scrape

import (
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/config"
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

// secrets are the texts by which a backend is asked, from their files as they are now.
func secrets(b config.Backend) (found []string) {
	var files []string
	if a := b.HTTP.Authorization; a != nil {
		files = append(files, a.CredentialsFile)
	}
	if a := b.HTTP.BasicAuth; a != nil {
		files = append(files, a.PasswordFile)
	}
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil {
			found = append(found, strings.TrimSpace(string(data)))
		}
	}
	return found
}

// shortestSecret is the least of a secret that is looked for: a shorter one is a part of words.
const shortestSecret = 6

// told is what a target says to a person: bounded, and without the backend's own secrets, which
// a server may have sent back in any form.
func (t *Target) told(text string) string {
	if text == "" {
		return ""
	}
	for _, secret := range secrets(t.backend) {
		if len(secret) >= shortestSecret {
			text = strings.ReplaceAll(text, secret, "<secret>")
		}
	}
	return bounded(text, longestSentence)
}

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
