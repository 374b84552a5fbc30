package config

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/llmfleet/llmfleet/exporter/engine"
)

// path names a place in the file as one would say it: backends[2].url.
type path string

func (p path) key(name string) path {
	if p == "" {
		return path(name)
	}
	return p + "." + path(name)
}

func (p path) index(i int) path { return p + path("["+strconv.Itoa(i)+"]") }

// parent is the place around a place; the file itself is "".
func (p path) parent() path {
	for i := len(p) - 1; i > 0; i-- {
		if p[i] == '.' || p[i] == '[' {
			return p[:i]
		}
	}
	return ""
}

// maxValues bounds the work that one file can cause: aliases make a small file large.
const maxValues = 200_000

// decoder reads one file and collects what is wrong with it. It goes on after a mistake,
// so that the author reads all of them at once.
type decoder struct {
	file       string
	known      []*engine.Engine // the built-in engines
	lines      map[path]int     // where each place stands; checks name places, not nodes
	values     int              // read so far
	defaults   Limits           // of the file, for its backends
	objectives Objectives       // the same
	own        []*engine.Engine // mappings of the file
	mistakes   Mistakes
}

// maxMistakes is where reading stops: such a file is none of ours.
const maxMistakes = 1000

// full tells whether there is no sense in reading on.
func (d *decoder) full() bool { return d.values >= maxValues || len(d.mistakes) >= maxMistakes }

// fail notes a mistake at a place. got is left out where it is empty.
func (d *decoder) fail(at path, got, format string, args ...any) {
	d.failIn(d.line(at), at, got, format, args...)
}

// failIn notes a mistake in a line that is not where the place first stands.
func (d *decoder) failIn(line int, at path, got, format string, args ...any) {
	if len(d.mistakes) < maxMistakes {
		d.mistakes = append(d.mistakes, Mistake{File: d.file, Line: line, Key: string(at), Got: got, Hint: fmt.Sprintf(format, args...)})
	}
}

// line is where a place stands, or what is around it when the place itself is missing.
func (d *decoder) line(at path) int {
	for ; at != ""; at = at.parent() {
		if n, ok := d.lines[at]; ok {
			return n
		}
	}
	return max(1, d.lines[""])
}

// said tells whether the file has something at a place.
func (d *decoder) said(at path) bool {
	_, ok := d.lines[at]
	return ok
}

// clean tells whether a place and all below it are without mistake so far. Checks that
// compare parts with each other ask it first: what is half read gives mistakes that help nobody.
func (d *decoder) clean(at path) bool {
	for _, m := range d.mistakes {
		if rest, below := strings.CutPrefix(m.Key, string(at)); below && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return false
		}
	}
	return true
}

// open follows an alias and notes where the place stands. It returns nil for nothing
// (a key without value) and when the file has unfolded to more than anybody writes.
func (d *decoder) open(n *yaml.Node, at path) *yaml.Node {
	if _, ok := d.lines[at]; !ok {
		d.lines[at] = n.Line
	}
	d.values++
	if d.values == maxValues {
		d.fail(at, "", "is past the %d values that a file may hold; split the fleet over several exporters", maxValues)
	}
	if d.full() {
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

// entry is one key of a mapping with its value.
type entry struct {
	name  string
	value *yaml.Node
}

// entries returns the keys of a mapping once each, in the order of the file.
func (d *decoder) entries(n *yaml.Node, at path, wants string) []entry {
	if n.Kind != yaml.MappingNode {
		d.fail(at, "", "wants %s below it, not %s", wants, kindWord(n)) // the value may be a secret: not shown
		return nil
	}
	var out []entry
	seen := make(map[string]int)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		place := at.key(shortened(k.Value))
		switch first, twice := seen[k.Value]; {
		case k.Kind != yaml.ScalarNode:
			d.fail(at, "", "has %s for a key; a key is a word", kindWord(k))
		case k.ShortTag() == "!!merge":
			d.lines[place] = k.Line
			d.fail(place, "", "is not read; repeat the keys, or name one value with &name and use it again with *name")
		case twice:
			d.failIn(k.Line, place, "", "stands here again, first in line %d; remove one of the two", first)
		default:
			seen[k.Value] = k.Line
			d.lines[place] = k.Line
			out = append(out, entry{k.Value, n.Content[i+1]})
		}
	}
	return out
}

// kindWord says what a node is, without its content.
func kindWord(n *yaml.Node) string {
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
