package engine

import (
	"fmt"
	"regexp"
)

// longestPatterned is how much of an answer a pattern looks at: such pages have a few lines.
const longestPatterned = 64 << 10

// patterned makes an exposition of an answer in another form: each named group of the pattern
// becomes a sample. An answer that does not match stays what it is.
func patterned(pattern *regexp.Regexp, body []byte) []byte {
	found := pattern.FindSubmatch(body[:min(len(body), longestPatterned)])
	if found == nil {
		return body
	}
	var page []byte
	for i, name := range pattern.SubexpNames() {
		if name != "" {
			page = fmt.Appendf(page, "%s %s\n", name, found[i])
		}
	}
	return page
}
