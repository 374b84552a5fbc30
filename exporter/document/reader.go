// Package document reads a YAML file that a person writes, strictly: every key and every value is
// taken or refused, and all that is refused comes back at once, with file, line, key and what to
// write instead.
package document

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Path names a place in the file as one would say it: backends[2].url.
type Path string

// Key is the place of a key below a place.
func (p Path) Key(name string) Path {
	if p == "" {
		return Path(name)
	}
	return p + "." + Path(name)
}

// Index is the place of an element of a list.
func (p Path) Index(i int) Path { return p + Path("["+strconv.Itoa(i)+"]") }

// Parent is the place around a place; the file itself is "".
func (p Path) Parent() Path {
	for i := len(p) - 1; i > 0; i-- {
		if p[i] == '.' || p[i] == '[' {
			return p[:i]
		}
	}
	return ""
}

// MaxValues bounds the work that one file can cause: aliases make a small file large.
const MaxValues = 200_000

// Reader reads one file and collects what is wrong with it. It goes on after a mistake, so that
// the author reads all of them at once.
type Reader struct {
	File     string       // for messages
	tooLarge string       // what to do with a file that is larger than any that works
	lines    map[Path]int // where each place stands; checks name places, not nodes
	values   int          // read so far
	mistakes Mistakes
}

// NewReader makes the reader of a file. What to do with one that is too large follows the figure.
func NewReader(file, tooLarge string) *Reader {
	return &Reader{File: file, tooLarge: tooLarge, lines: map[Path]int{}}
}

// Err returns the mistakes so far in the order of their lines, nil if there are none.
func (d *Reader) Err() error { return d.mistakes.Err() }

// maxMistakes is where reading stops: such a file is none of ours.
const maxMistakes = 1000

// Full tells whether there is no sense in reading on.
func (d *Reader) Full() bool { return d.values >= MaxValues || len(d.mistakes) >= maxMistakes }

// Fail notes a mistake at a place. got is left out where it is empty.
func (d *Reader) Fail(at Path, got, format string, args ...any) {
	d.FailIn(d.line(at), at, got, format, args...)
}

// FailIn notes a mistake in a line that is not where the place first stands.
func (d *Reader) FailIn(line int, at Path, got, format string, args ...any) {
	if len(d.mistakes) < maxMistakes {
		d.mistakes = append(d.mistakes, Mistake{File: d.File, Line: line, Key: string(at), Got: got, Hint: fmt.Sprintf(format, args...)})
	}
}

// line is where a place stands, or what is around it when the place itself is missing.
func (d *Reader) line(at Path) int {
	for ; at != ""; at = at.Parent() {
		if n, ok := d.lines[at]; ok {
			return n
		}
	}
	return max(1, d.lines[""])
}

// Said tells whether the file has something at a place.
func (d *Reader) Said(at Path) bool {
	_, ok := d.lines[at]
	return ok
}

// Clean tells whether a place and all below it are without mistake so far. Checks that
// compare parts with each other ask it first: what is half read gives mistakes that help nobody.
func (d *Reader) Clean(at Path) bool {
	for _, m := range d.mistakes {
		if rest, below := strings.CutPrefix(m.Key, string(at)); below && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return false
		}
	}
	return true
}

// Open follows an alias and notes where the place stands. It returns nil for nothing
// (a key without value) and when the file has unfolded to more than anybody writes.
func (d *Reader) Open(n *yaml.Node, at Path) *yaml.Node {
	if _, ok := d.lines[at]; !ok {
		d.lines[at] = n.Line
	}
	d.values++
	if d.values == MaxValues {
		d.Fail(at, "", "is past the %d values that a file may hold; %s", MaxValues, d.tooLarge)
	}
	if d.Full() {
		return nil
	}
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if isNull(n) {
		return nil
	}
	return n
}

// Entry is one key of a mapping with its value.
type Entry struct {
	Name  string
	Value *yaml.Node
}

// Entries returns the keys of a mapping once each, in the order of the file.
func (d *Reader) Entries(n *yaml.Node, at Path, wants string) []Entry {
	if n.Kind != yaml.MappingNode {
		d.Fail(at, "", "wants %s below it, not %s", wants, KindWord(n)) // the value may be a secret: not shown
		return nil
	}
	var out []Entry
	seen := make(map[string]int)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		place := at.Key(Shortened(k.Value))
		switch first, twice := seen[k.Value]; {
		case k.Kind != yaml.ScalarNode:
			d.Fail(at, "", "has %s for a key; a key is a word", KindWord(k))
		case k.ShortTag() == "!!merge":
			d.lines[place] = k.Line
			d.Fail(place, "", "is not read; repeat the keys, or name one value with &name and use it again with *name")
		case twice:
			d.FailIn(k.Line, place, "", "stands here again, first in line %d; remove one of the two", first)
		default:
			seen[k.Value] = k.Line
			d.lines[place] = k.Line
			out = append(out, Entry{k.Value, n.Content[i+1]})
		}
	}
	return out
}

// KindWord says what a node is, without its content.
func KindWord(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys with values"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	default:
		return "a single value"
	}
}

// isNull says whether a value is left out, or written as null or ~.
func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }
