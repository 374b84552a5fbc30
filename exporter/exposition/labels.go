package exposition

import "bytes"

// Labels is the text between a sample's braces; the reader has found it well-formed.
type Labels []byte

// Get returns the value of a label. Nothing is allocated unless the value has escapes.
func (l Labels) Get(name string) (value []byte, ok bool) {
	for rest := l; ; {
		var key []byte
		key, value, rest, ok = rest.cut()
		if !ok {
			return nil, false
		}
		if string(key) == name {
			return unescape(value), true
		}
	}
}

// Next cuts off the first label; ok is false when there is none left.
//
//	for name, value, rest, ok := labels.Next(); ok; name, value, rest, ok = rest.Next() {
func (l Labels) Next() (name, value []byte, rest Labels, ok bool) {
	name, value, rest, ok = l.cut()
	return name, unescape(value), rest, ok
}

// cut is Next with the value as written.
func (l Labels) cut() (name, value []byte, rest Labels, ok bool) {
	b := skipBlanks(l)
	if len(b) > 0 && b[0] == '"' {
		name, b, ok = cutName(b)
	} else {
		name, b, ok = cutChars(b, labelStart, labelRest)
	}
	b = skipBlanks(b)
	if !ok || len(b) == 0 || b[0] != '=' {
		return nil, nil, nil, false
	}
	b = skipBlanks(b[1:])
	if len(b) == 0 || b[0] != '"' {
		return nil, nil, nil, false
	}
	end := quoteEnd(b)
	if end < 0 {
		return nil, nil, nil, false
	}
	value, b = b[1:end], skipBlanks(b[end+1:])
	if len(b) > 0 && b[0] == ',' {
		return name, value, Labels(b[1:]), true
	}
	return name, value, Labels(b), true
}

// labelsEnd finds the brace that closes the labels with which b begins; -1 if they are
// malformed. Like Prometheus it does not insist on the comma between two labels.
func labelsEnd(b []byte) int {
	for rest := Labels(b); ; {
		trimmed := skipBlanks(rest)
		if len(trimmed) > 0 && trimmed[0] == '}' {
			return len(b) - len(trimmed)
		}
		var ok bool
		if _, _, rest, ok = rest.cut(); !ok {
			return -1
		}
	}
}

// unescape resolves \\, \" and \n; what else follows a backslash stays as it is.
func unescape(value []byte) []byte {
	i := bytes.IndexByte(value, '\\')
	if i < 0 {
		return value
	}
	out := append(make([]byte, 0, len(value)), value[:i]...)
	for ; i < len(value); i++ {
		c := value[i]
		if c == '\\' && i+1 < len(value) {
			switch value[i+1] {
			case '\\', '"':
				i, c = i+1, value[i+1]
			case 'n':
				i, c = i+1, '\n'
			}
		}
		out = append(out, c)
	}
	return out
}
