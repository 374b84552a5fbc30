package recording

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A few bytes of edits can copy a page many times: these bound what a body may become.
const (
	maxBody  = 8 << 20
	maxLines = 1 << 18
)

var errTooLarge = fmt.Errorf("the body grows over %d bytes or %d lines", maxBody, maxLines)

// builder makes a page from the lines of an entry.
type builder struct {
	before    page
	hasBefore bool
	page      page
	size      int
	same      bool
}

func (b *builder) add(line string) error {
	if b.same || b.page.open {
		return errors.New("a line after the end of the body")
	}
	switch line[0] {
	case '|':
		return b.append(line[1:])
	case '"':
		l, err := strconv.Unquote(line)
		if err != nil || strings.Contains(l, "\n") {
			return fmt.Errorf("%.40q is not a quoted line", line)
		}
		return b.append(l)
	case '\\':
		if len(b.page.lines) == 0 {
			return errors.New("no line whose end could be missing")
		}
		b.page.open = true
		return nil
	case '=':
		return b.copyAll(line)
	}
	return b.copyRange(line)
}

func (b *builder) append(l string) error {
	if b.size += len(l) + 1; b.size > maxBody || len(b.page.lines) == maxLines {
		return errTooLarge
	}
	b.page.lines = append(b.page.lines, l)
	return nil
}

func (b *builder) copyAll(line string) error {
	if line != "=" || !b.hasBefore || len(b.page.lines) > 0 {
		return fmt.Errorf("%.40q: no body before it to repeat", line)
	}
	b.page, b.same = b.before, true
	return nil
}

func (b *builder) copyRange(line string) error {
	lines, value, replaced := strings.Cut(line, " ")
	first, second, ranged := strings.Cut(lines, "-")
	from, err1 := strconv.Atoi(first)
	to, err2 := from, error(nil)
	if ranged {
		to, err2 = strconv.Atoi(second)
	}
	if err1 != nil || err2 != nil || from < 1 || to < from || to > len(b.before.lines) {
		return fmt.Errorf("%.40q: not a range of the %d lines of the body before", line, len(b.before.lines))
	}
	for n := from; n <= to; n++ {
		l := b.before.lines[n-1]
		if replaced && n == to {
			key, _, ok := cutValue(l)
			if !ok {
				return fmt.Errorf("%.40q: line %d of the body before has no value", line, n)
			}
			l = key + " " + value
		}
		if err := b.append(l); err != nil {
			return err
		}
	}
	return nil
}
