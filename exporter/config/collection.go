package config

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/llmfleet/llmfleet/exporter/document"
)

// maxElements bounds every list.
const maxElements = 10_000

// list is the kind of a list. A single value stands for a list of one where the elements
// are single values.
func list[V any](k kind[V], each func(d *decoder, at path, all []V)) kind[[]V] {
	word := "list of " + k.word
	if !strings.HasSuffix(word, "s") {
		word += "s"
	}
	return kind[[]V]{
		word: word, below: k.below,
		read: func(d *decoder, n *yaml.Node, at path) ([]V, bool) {
			n = d.Open(n, at)
			if n == nil {
				return nil, false
			}
			if n.Kind != yaml.SequenceNode {
				if n.Kind == yaml.ScalarNode && k.word != "keys" {
					v, ok := k.read(d, n, at)
					return []V{v}, ok
				}
				d.Fail(at, "", "wants a list, not %s; begin each element with a dash", document.KindWord(n))
				return nil, false
			}
			if len(n.Content) > maxElements {
				d.Fail(at, "", "has more than %d elements; split the fleet over several exporters", maxElements)
				return nil, false
			}
			var out []V
			good := true
			for i, c := range n.Content {
				if d.Full() {
					return nil, false
				}
				v, ok := k.read(d, c, at.Index(i))
				good = good && ok
				out = append(out, v) // a bad element keeps its place, so that indices stay true
			}
			if each != nil {
				each(d, at, out)
			}
			return out, good
		},
		show: func(vs []V) *yaml.Node {
			out := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
			for _, v := range vs {
				n := k.show(v)
				if n == nil {
					n = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
				}
				out.Content = append(out.Content, n)
			}
			return out
		},
	}
}

// unique refuses an element that was there before.
func unique[V any](name func(V) string, key string) func(*decoder, path, []V) {
	return func(d *decoder, at path, all []V) {
		first := make(map[string]int)
		for i, v := range all {
			n := name(v)
			place := at.Index(i)
			if key != "" {
				place = place.Key(key)
			}
			if before, twice := first[n]; twice && n != "" {
				d.Fail(place, n, "is there already, in %s; give each its own %s", at.Index(before), cmp.Or(key, "value"))
				continue
			}
			first[n] = i
		}
	}
}

// mapOf is the kind of a mapping from free words to values.
func mapOf[V any](wants string, of kind[V], checkKey func(string) string) kind[map[string]V] {
	return kind[map[string]V]{
		word: wants,
		read: func(d *decoder, n *yaml.Node, at path) (map[string]V, bool) {
			n = d.Open(n, at)
			if n == nil {
				return nil, false
			}
			out, good := make(map[string]V), n.Kind == yaml.MappingNode
			for _, e := range d.Entries(n, at, wants) {
				if d.Full() {
					return nil, false
				}
				place := at.Key(document.Shortened(e.Name))
				if checkKey != nil {
					if wrong := checkKey(e.Name); wrong != "" {
						d.Fail(place, "", "%s", wrong)
						good = false
						continue
					}
				}
				v, ok := of.read(d, e.Value, place)
				out[e.Name], good = v, good && ok
			}
			return out, good
		},
		show: func(m map[string]V) *yaml.Node {
			out := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
			for _, name := range sortedKeys(m) {
				out.Content = append(out.Content, textNode(name), of.show(m[name]))
			}
			return out
		},
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
