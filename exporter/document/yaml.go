package document

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Document returns the one document of the file, nil if it is empty or not YAML.
func (d *Reader) Document(data []byte) *yaml.Node {
	if len(data) > MaxBytes {
		d.Fail("", "", "has more than %d bytes; %s", MaxBytes, d.tooLarge)
		return nil
	}
	reader := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := reader.Decode(&doc); err != nil {
		if !errors.Is(err, io.EOF) { // nothing but comments
			d.notYAML(err, data)
		}
		return nil
	}
	switch err := reader.Decode(&second); {
	case err == nil:
		d.lines[""] = second.Line
		d.Fail("", "", "a second document begins here; a configuration is one document, remove the line ---")
		return nil
	case !errors.Is(err, io.EOF):
		d.notYAML(err, data)
		return nil
	}
	if len(doc.Content) != 1 || isNull(doc.Content[0]) { // a line --- alone
		return nil
	}
	return doc.Content[0]
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// notYAML turns the library's message into one with a line. Its texts quote nothing of the
// file but the name of an anchor, which may be a password that begins with a star.
func (d *Reader) notYAML(err error, data []byte) {
	text, line := err.Error(), 1
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		text = text[len(m[0]):]
		if n, err := strconv.Atoi(m[1]); err == nil {
			line = n
			if strings.HasPrefix(text, "did not find expected") {
				line++ // the library counts from 0 in these
			}
		}
	}
	switch {
	case strings.Contains(text, "anchor"):
		text = "an alias (*name) without its anchor (&name); put a text that begins with * or & in quotes"
	case strings.Contains(text, "tab") || strings.Contains(text, "cannot start any token"):
		text += "; indent with spaces, not tabs, and put special text in quotes"
		line = tabLine(data, line)
	case text == "did not find expected '-' indicator", text == "did not find expected key":
		line = firstLineWith(data, err, line)
		text += "; is it indented as what it stands beside?"
	}
	d.lines[""] = line
	d.Fail("", "", "this is not YAML: %s", text)
}

// tabLine is the first line that is indented with a tab. The library names the line in
// which the text before it begins.
func tabLine(data []byte, otherwise int) int {
	for i, line := range bytes.Split(data, []byte("\n")) {
		if indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]; bytes.ContainsRune(indent, '\t') {
			return i + 1
		}
	}
	return otherwise
}

// firstLineWith is the line that makes an error of indentation. The library names the one in which
// the list or the keys around it begin; what ends before the mistake does not have it.
func firstLineWith(data []byte, mistake error, otherwise int) int {
	lines := bytes.SplitAfter(data, []byte("\n"))
	wrong := sort.Search(len(lines), func(i int) bool {
		var n yaml.Node
		err := yaml.Unmarshal(bytes.Join(lines[:i+1], nil), &n)
		return err != nil && err.Error() == mistake.Error()
	})
	if wrong == len(lines) {
		return otherwise // in a second document
	}
	return wrong + 1
}
