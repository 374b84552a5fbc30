package rules

import (
	"embed"
	"strings"
	"unicode"
)

//go:embed runbooks/*.md
var runbookPages embed.FS

// RunbookFile is the name of an alert's page: LlmKVCacheSaturated has kv-cache-saturated.md.
func RunbookFile(alert string) string {
	return kebab(strings.TrimPrefix(alert, "Llm")) + ".md"
}

// Runbook returns an alert's page, its ${key} not yet replaced; ok is false when it has none.
func Runbook(alert string) (text string, ok bool) {
	data, err := runbookPages.ReadFile("runbooks/" + RunbookFile(alert))
	return string(data), err == nil
}

// kebab parts a name at its capitals; a row of capitals is one word.
func kebab(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		begins := unicode.IsUpper(r) && i > 0 &&
			(unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if begins {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
