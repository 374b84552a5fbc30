package exposition

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Unwrap returns the exposition within a body: llama.cpp b7090 to b7192 sends the page as
// one JSON string, and some proxies put a byte order mark before it. Any other body is
// returned as it is.
func Unwrap(body []byte) []byte {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if len(body) == 0 || body[0] != '"' {
		return body
	}
	var page string
	if json.Unmarshal(body, &page) != nil {
		return body
	}
	return []byte(page)
}

// Describe says in a few words what a body is that holds no metrics, for the sentence that
// tells a person so.
func Describe(body []byte) string {
	text := bytes.TrimSpace(body)
	switch {
	case len(body) == 0:
		return "an empty body"
	case len(text) == 0:
		return "a blank body"
	case isMarkup(text):
		return "an HTML or XML page"
	case json.Valid(text):
		return "a JSON document"
	case !utf8.Valid(text):
		return "binary data"
	}
	return "text that is not metrics"
}

func isMarkup(body []byte) bool {
	text := bytes.TrimSpace(body)
	return len(text) > 0 && text[0] == '<'
}
