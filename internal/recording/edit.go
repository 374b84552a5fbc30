package recording

import (
	"bytes"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// page is a body as lines without their ends.
type page struct {
	lines []string
	open  bool // the last line has no end
}

func pageOf(body []byte) page {
	if len(body) == 0 {
		return page{}
	}
	open := body[len(body)-1] != '\n'
	if !open {
		body = body[:len(body)-1]
	}
	return page{strings.Split(string(body), "\n"), open}
}

func (p page) bytes() []byte {
	var b bytes.Buffer
	for i, l := range p.lines {
		b.WriteString(l)
		if i < len(p.lines)-1 || !p.open {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

// writePage writes the lines of a page, whole or as an edit of the page before, whichever is
// shorter. An unchanged page is "=".
func writePage(out *bytes.Buffer, before, now page, hasBefore bool) {
	if hasBefore {
		edit := appendEdit(nil, before, now)
		// The whole page takes a byte more per line at least: it is made only when it may win.
		if len(edit) < now.size() || len(edit) < len(appendWhole(nil, now)) {
			out.Write(edit)
			return
		}
	}
	out.Write(appendWhole(nil, now))
}

// size is a lower bound of the bytes that the page takes when it is written whole.
func (p page) size() (n int) {
	for _, l := range p.lines {
		n += len(l) + 2
	}
	return n
}

func appendWhole(b []byte, p page) []byte {
	for _, l := range p.lines {
		b = appendLine(b, l)
	}
	return appendOpen(b, p)
}

func appendOpen(b []byte, p page) []byte {
	if p.open {
		b = append(b, "\\ no line end\n"...)
	}
	return b
}

// appendLine writes one line of a body as it is, or quoted when an editor could spoil it.
func appendLine(b []byte, l string) []byte {
	if plain(l) {
		b = append(append(b, '|'), l...)
	} else {
		b = strconv.AppendQuote(b, l)
	}
	return append(b, '\n')
}

func plain(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return r != '\t' && !unicode.IsPrint(r) }) < 0
}

// appendEdit writes a page as ranges of the page before (from 1), a range whose last line has
// another value, and new lines.
func appendEdit(b []byte, before, now page) []byte {
	where := lineIndex{page: before}
	from, last := 0, 0 // range of before that is being copied, from 1; 0: none
	flush := func() {
		if from > 0 {
			b = append(appendRange(b, from, last), '\n')
		}
		from = 0
	}
	for _, line := range now.lines {
		n := where.find(line, last)
		if n == 0 {
			flush()
			b, last = appendLine(b, line), 0
			continue
		}
		if from == 0 || n != last+1 {
			flush()
			from = n
		}
		last = n
		if old := before.lines[n-1]; old != line {
			_, value, _ := cutValue(line)
			b = append(append(append(appendRange(b, from, n), ' '), value...), '\n')
			from = 0
		}
	}
	if from == 1 && last == len(before.lines) && before.open == now.open && len(b) == 0 {
		return []byte("=\n")
	}
	flush()
	return appendOpen(b, now)
}

func appendRange(b []byte, from, to int) []byte {
	b = strconv.AppendInt(b, int64(from), 10)
	if to > from {
		b = strconv.AppendInt(append(b, '-'), int64(to), 10)
	}
	return b
}

// lineIndex finds lines of a page, by their text and by their key. Most lines stay in place, so
// the maps are made when one does not.
type lineIndex struct {
	page  page
	exact map[string][]int
	keys  map[string][]int
}

// find returns a line of the page that is the same or has the same key, 0 when there is none;
// of several the one after last, so that ranges stay long.
func (x *lineIndex) find(line string, last int) int {
	key, value, ok := cutValue(line)
	ok = ok && plain(value)
	if last < len(x.page.lines) {
		old := x.page.lines[last]
		if oldKey, _, found := cutValue(old); old == line || ok && found && oldKey == key {
			return last + 1
		}
	}
	x.build()
	if n := nextOf(x.exact[line], last); n > 0 || !ok {
		return n
	}
	return nextOf(x.keys[key], last)
}

func (x *lineIndex) build() {
	if x.exact != nil {
		return
	}
	x.exact, x.keys = map[string][]int{}, map[string][]int{}
	for i, l := range x.page.lines {
		x.exact[l] = append(x.exact[l], i+1)
		if key, _, ok := cutValue(l); ok {
			x.keys[key] = append(x.keys[key], i+1)
		}
	}
}

func nextOf(numbers []int, last int) int {
	if len(numbers) == 0 {
		return 0
	}
	if i := sort.SearchInts(numbers, last+1); i < len(numbers) {
		return numbers[i]
	}
	return numbers[0]
}

// cutValue parts a line at its last space. A comment has no value: "# HELP" texts are copied or
// written out.
func cutValue(line string) (key, value string, ok bool) {
	i := strings.LastIndexByte(line, ' ')
	if i < 0 || i == len(line)-1 || strings.HasPrefix(line, "#") {
		return "", "", false
	}
	return line[:i], line[i+1:], true
}
