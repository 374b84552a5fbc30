package exposition

import "bytes"

// charClass has a bit for every role that a byte may play in a name.
var charClass = func() (class [256]uint8) {
	for c := range class {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
			class[c] = nameStart | nameRest | labelStart | labelRest
		case c >= '0' && c <= '9':
			class[c] = nameRest | labelRest
		case c == ':':
			class[c] = nameStart | nameRest
		}
	}
	return class
}()

const (
	nameStart uint8 = 1 << iota
	nameRest
	labelStart
	labelRest
)

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func skipBlanks(b []byte) []byte {
	for len(b) > 0 && isBlank(b[0]) {
		b = b[1:]
	}
	return b
}

// cutWord cuts b at the first blank.
func cutWord(b []byte) (word, rest []byte) {
	for i, c := range b {
		if isBlank(c) {
			return b[:i], b[i:]
		}
	}
	return b, nil
}

// cutName cuts a metric name, plain or quoted, off the beginning of b.
func cutName(b []byte) (name, rest []byte, ok bool) {
	b = skipBlanks(b)
	if len(b) > 0 && b[0] == '"' {
		end := quoteEnd(b)
		return b[1:max(end, 1)], b[end+1:], end > 1
	}
	return cutChars(b, nameStart, nameRest)
}

// cutChars cuts off the longest beginning made of bytes of a class.
func cutChars(b []byte, start, rest uint8) (name, tail []byte, ok bool) {
	if len(b) == 0 || charClass[b[0]]&start == 0 {
		return nil, b, false
	}
	i := 1
	for i < len(b) && charClass[b[i]]&rest != 0 {
		i++
	}
	return b[:i], b[i:], true
}

// cutQuotedName reads the form {"any name",label="value"}; b begins behind the brace, and
// what is returned as rest are the labels and what follows them.
func cutQuotedName(b []byte) (name, rest []byte, ok bool) {
	b = skipBlanks(b)
	if len(b) == 0 || b[0] != '"' {
		return nil, b, false
	}
	name, b, ok = cutName(b)
	b = skipBlanks(b)
	switch {
	case !ok || len(b) == 0:
		return nil, b, false
	case b[0] == ',':
		return name, b[1:], true
	}
	return name, b, b[0] == '}'
}

// quoteEnd finds the quote that ends the quoted text with which b begins; -1 if none does.
func quoteEnd(b []byte) int {
	for i := 1; i < len(b); {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return -1
		}
		end := i + n
		escapes := 0
		for b[end-1-escapes] == '\\' { // b[0] is a quote and ends the count
			escapes++
		}
		if escapes%2 == 0 {
			return end
		}
		i = end + 1
	}
	return -1
}
