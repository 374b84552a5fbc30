package recording

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// json takes what is private out of a JSON text and leaves every other byte as it is: a server's
// order of keys and way of writing numbers are what a recording is for. ok is false for a text
// that is no JSON, or a number alone.
func (r *remover) json(text []byte) (clean []byte, ok bool) {
	start := bytes.TrimLeft(text, " \t\r\n")
	if len(start) == 0 || strings.IndexByte(`{["`, start[0]) < 0 {
		return nil, false
	}
	plain := finite(text)
	if !json.Valid(plain) {
		return nil, false
	}
	w := jsonWalk{r: r, text: text, dec: json.NewDecoder(bytes.NewReader(plain)), line: r.line}
	w.dec.UseNumber()
	w.value("")
	w.out.Write(text[w.copied:])
	return w.out.Bytes(), true
}

// jsonWalk goes over the tokens of a JSON text.
type jsonWalk struct {
	r      *remover
	text   []byte
	dec    *json.Decoder
	out    bytes.Buffer
	copied int // how much of the text is in out, or was replaced
	line   int // of the first byte of the text
}

// next reads a token and says where it stands.
func (w *jsonWalk) next() (tok json.Token, start, end int) {
	start = int(w.dec.InputOffset())
	tok, err := w.dec.Token()
	if err != nil { // the text is known to be valid: only its end can come
		return nil, start, start
	}
	for start < len(w.text) && strings.IndexByte(" \t\r\n,:", w.text[start]) >= 0 {
		start++
	}
	w.r.line = w.line + bytes.Count(w.text[:start], []byte("\n"))
	return tok, start, int(w.dec.InputOffset())
}

// value walks over one value of a field.
func (w *jsonWalk) value(field string) {
	tok, start, end := w.next()
	switch t := tok.(type) {
	case string:
		w.replaceString(field, t, start, end)
	case json.Delim:
		if what, private := w.isPrivate(field); private {
			w.skip(what, start)
			return
		}
		w.inside(t, field)
	}
}

// isPrivate says whether a list or an object in a field is private as a whole: command lines and
// prompts are, while a key or a person is a text.
func (w *jsonWalk) isPrivate(field string) (what string, private bool) {
	what, name, private := w.r.ofField(strings.ToLower(field))
	return what, private && name == ""
}

// inside walks over the elements of a list or the members of an object.
func (w *jsonWalk) inside(open json.Delim, field string) {
	for w.dec.More() {
		if open == '{' {
			key, start, end := w.next()
			field, _ = key.(string)
			w.replaceString("", field, start, end)
		}
		w.value(field)
	}
	w.next() // the closing bracket
}

func (w *jsonWalk) replaceString(field, value string, start, end int) {
	clean := w.r.nested(field, value)
	if clean == value {
		return
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(clean) != nil {
		return // no string makes the encoder fail
	}
	w.replace(start, end, strings.TrimSuffix(b.String(), "\n"))
}

// skip leaves a list or an object empty.
func (w *jsonWalk) skip(what string, start int) {
	depth, end, empty := 1, 0, true
	for depth > 0 {
		tok, _, e := w.next()
		end = e
		switch tok {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		case nil:
			depth = 0
		}
		empty = empty && depth == 0
	}
	if empty {
		return
	}
	w.r.found(w.r.line, what, "")
	w.replace(start, end, map[byte]string{'{': "{}", '[': "[]"}[w.text[start]])
}

func (w *jsonWalk) replace(start, end int, with string) {
	w.out.Write(w.text[w.copied:start])
	w.out.WriteString(with)
	w.copied = end
}

// nested reads a string of a JSON text; one of several lines may be a whole page of numbers.
func (r *remover) nested(field, value string) string {
	if field != "" || !strings.Contains(value, "\n") {
		return r.text(field, value)
	}
	lines := strings.Split(r.apply(&privateKey, value), "\n")
	for i, l := range lines {
		lines[i] = r.textLine(l)
	}
	return strings.Join(lines, "\n")
}

// notFinite are strings, which stay as they are, and the numbers that Python writes into JSON.
var notFinite = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|NaN|Infinity`)

// finite writes a number of the same length for each that JSON does not have.
func finite(text []byte) []byte {
	if !bytes.Contains(text, []byte("NaN")) && !bytes.Contains(text, []byte("Infinity")) {
		return text
	}
	return notFinite.ReplaceAllFunc(text, func(m []byte) []byte {
		if m[0] == '"' {
			return m
		}
		return bytes.Repeat([]byte("1"), len(m))
	})
}
