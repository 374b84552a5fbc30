package config

import (
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/llmfleet/llmfleet/exporter/document"
)

// A section is a group of keys. The same table decodes the file, prints the effective
// configuration and prints docs/configuration.md, so the three cannot differ.
type section[T any] struct {
	title string // heading of the reference
	about string // what it is, for the reference
	wants string // "keys of a backend", for the mistake when something else stands there
	start func(d *decoder) T
	keys  []key[T]
	check func(d *decoder, at path, v *T)
}

// key is one key of a section.
type key[T any] struct {
	name     string
	word     string // kind of the value
	fallback string // what holds when the key is left out, as the reference prints it
	help     string
	missing  string // what to do when it is left out; "" if that is fine
	refused  bool   // never a key of ours, but often tried: the help says what to write
	late     bool   // rests on keys below it in the table
	read     func(d *decoder, n *yaml.Node, at path, v *T)
	show     func(v *T) *yaml.Node // nil: nothing to show
	below    []sectionDoc
}

// kind reads, shows and names the values of one type.
type kind[V any] struct {
	word  string
	read  func(d *decoder, n *yaml.Node, at path) (V, bool)
	show  func(v V) *yaml.Node // nil: nothing to show
	below []sectionDoc
}

// field is a key whose value is stored at a place of T.
func field[T, V any](name string, k kind[V], place func(*T) *V, help string) key[T] {
	return key[T]{
		name: name, word: k.word, help: help, below: k.below,
		read: func(d *decoder, n *yaml.Node, at path, v *T) {
			if got, ok := k.read(d, n, at); ok {
				*place(v) = got
			}
		},
		show: func(v *T) *yaml.Node {
			if reflect.ValueOf(place(v)).Elem().IsZero() {
				return nil
			}
			return k.show(*place(v))
		},
	}
}

// or says what holds when the key is left out.
func (k key[T]) or(fallback string) key[T] {
	k.fallback = fallback
	return k
}

// must says that the key may not be left out, and what to write.
func (k key[T]) must(missing string) key[T] {
	k.missing = missing
	return k
}

// after says that the key is read after all others of its section, wherever it stands.
func (k key[T]) after() key[T] {
	k.late = true
	return k
}

// always shows the value even where it is the zero value of its type.
func (k key[T]) always(show func(v *T) *yaml.Node) key[T] {
	k.show = show
	return k
}

// refuse is a key that people try and that is not taken. set tells whether a value made
// by other means than the file holds it: it prints as <secret>.
func refuse[T any](name, hint string, set func(*T) bool) key[T] {
	return key[T]{
		name: name, help: hint, refused: true,
		read: func(d *decoder, _ *yaml.Node, at path, _ *T) { d.Fail(at, "", "%s", hint) },
		show: func(v *T) *yaml.Node {
			if set == nil || !set(v) {
				return nil
			}
			return plainNode("<secret>")
		},
	}
}

// kind makes a section the kind of a value.
func (s *section[T]) kind() kind[T] {
	return kind[T]{word: "keys", read: s.read, show: s.show, below: []sectionDoc{s.doc()}}
}

func (s *section[T]) read(d *decoder, n *yaml.Node, at path) (T, bool) {
	var v T
	if s.start != nil {
		v = s.start(d)
	}
	var given []document.Entry
	if n = d.Open(n, at); n != nil {
		if given = d.Entries(n, at, s.wants); given == nil && n.Kind != yaml.MappingNode {
			return v, false
		}
	}
	s.readKeys(d, given, at, &v)
	if s.check != nil {
		s.check(d, at, &v)
	}
	return v, true
}

// readKeys goes through the table, not the file, for some keys rest on others.
func (s *section[T]) readKeys(d *decoder, given []document.Entry, at path, v *T) {
	values := make(map[string]*yaml.Node, len(given))
	for _, e := range given {
		values[e.Name] = e.Value
	}
	refused := false
	for _, late := range []bool{false, true} {
		for _, k := range s.keys {
			if n, found := values[k.name]; found && k.late == late {
				k.read(d, n, at.Key(k.name), v)
				refused = refused || k.refused
			}
		}
	}
	for _, k := range s.keys {
		if values[k.name] == nil && k.missing != "" && !refused { // a refused key says what to write instead
			d.Fail(at, "", "has no %s; %s", k.name, k.missing)
		}
	}
	names := s.names()
	for _, e := range given {
		if !s.has(e.Name) && !d.Full() {
			d.Fail(at.Key(document.Shortened(e.Name)), "", "is not a key here; %s", document.Choice(e.Name, names))
		}
	}
}

func (s *section[T]) has(name string) bool {
	return slices.ContainsFunc(s.keys, func(k key[T]) bool { return k.name == name })
}

// names lists the keys that may be written.
func (s *section[T]) names() []string {
	var names []string
	for _, k := range s.keys {
		if !k.refused {
			names = append(names, k.name)
		}
	}
	return names
}

func (s *section[T]) show(v T) *yaml.Node {
	out := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, k := range s.keys {
		if n := k.show(&v); n != nil {
			out.Content = append(out.Content, plainNode(k.name), n)
		}
	}
	if len(out.Content) == 0 {
		return nil
	}
	return out
}

// pointer is the kind of a value that may be missing.
func pointer[V any](k kind[V]) kind[*V] {
	return kind[*V]{
		word: k.word, below: k.below,
		read: func(d *decoder, n *yaml.Node, at path) (*V, bool) {
			if d.Open(n, at) == nil {
				return nil, false
			}
			v, ok := k.read(d, n, at)
			return &v, ok
		},
		show: func(v *V) *yaml.Node { return k.show(*v) },
	}
}
