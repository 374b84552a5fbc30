package document

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Scalar reads a single value as the text that stands in the file: a label value 0.10 stays 0.10.
func (d *Reader) Scalar(n *yaml.Node, at Path) (string, bool) {
	n = d.Open(n, at)
	switch {
	case n == nil:
		d.Fail(at, "", "is empty; give it a value or remove the key")
	case n.Kind != yaml.ScalarNode:
		d.Fail(at, "", "wants a single value, not %s", KindWord(n))
	case !strings.HasPrefix(n.ShortTag(), "!!") || n.ShortTag() == "!!binary":
		d.Fail(at, "", "has a YAML tag (!…), which is not read; write the plain value, in quotes if it begins with an exclamation mark")
	case !utf8.ValidString(n.Value):
		d.Fail(at, "", "is not UTF-8 text; save the file as UTF-8")
	default:
		return n.Value, true
	}
	return "", false
}

// MostText is the longest text that a key may hold, in bytes: everything here is a name or a sentence.
const MostText = 1000

// CheckText says what is wrong with a text that names something, "" if all is well.
func CheckText(s string) string {
	switch {
	case s == "":
		return "is empty; give it a value or remove the key"
	case len(s) > MostText:
		return "is longer than " + strconv.Itoa(MostText) + " bytes; shorten it"
	case strings.ContainsFunc(s, unicode.IsControl):
		return "has a line break or another control character; write it in one line"
	}
	return ""
}
