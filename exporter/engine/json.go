package engine

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// jsonRule is a mapping of a JSON answer, compiled.
type jsonRule struct {
	m           *JSONMapping
	alternative int32
	scale       float64
	agg         Aggregation
	labels      []labelRule
	state       int // place of the label state, -1 if the series has none
}

func newJSONRule(mapping *JSONMapping, alternative int32) *jsonRule {
	r := &jsonRule{
		m: mapping, alternative: alternative, scale: mapping.Scale, agg: mapping.Agg,
		labels: labelRules(mapping.To, mapping.Labels), state: placesOf(mapping.To).state,
	}
	if r.scale == 0 {
		r.scale = 1
	}
	if r.agg == ByMeaning {
		r.agg = meaning(mapping.To)
	}
	return r
}

// element is one value that a mapping looks at.
type element struct {
	doc   any    // the whole answer
	key   string // its name or place among the others
	value any
}

// at follows a path of a mapping.
func (e *element) at(path string) (any, bool) {
	switch {
	case path == "@key":
		return e.key, e.key != ""
	case path == "@value":
		return e.value, true
	}
	if path, whole := strings.CutPrefix(path, "$."); whole {
		return lookup(e.doc, path)
	}
	return lookup(e.value, path)
}

// text is the value of a path as text, "" if there is none.
func (e *element) text(path string) string {
	value, _ := e.at(path)
	return text(value)
}

// json maps the JSON answer of an endpoint. Answers to which conditions look must have been
// mapped before.
func (m *mapper) json(path string, doc any) *FetchError {
	m.docs[path] = doc
	first, budget := len(m.cells), m.budget
	full := false
	for _, r := range m.t.json {
		if r.m.Path != path || full {
			continue
		}
		eachElement(doc, r.m.Each, func(e *element) {
			full = full || m.element(r, e) == errFull
		})
	}
	clear(m.index)
	if full {
		m.cells, m.budget = m.cells[:first], budget
		return m.tooMany()
	}
	m.hearJSON(path, doc)
	return nil
}

// eachElement calls fn for the elements of an array or object; without a path the document
// is the only one. Objects come in the order of their keys, so that a limit keeps the same.
// A path like "clusters.*.hosts" means the elements of all those arrays.
func eachElement(doc any, path string, fn func(*element)) {
	if path == "" {
		fn(&element{doc: doc, value: doc})
		return
	}
	if path == "@value" {
		path = ""
	}
	if outer, inner, nested := strings.Cut(path, ".*."); nested {
		eachElement(doc, outer, func(e *element) {
			eachElement(e.value, inner, func(e *element) {
				e.doc = doc
				fn(e)
			})
		})
		return
	}
	node, _ := lookup(doc, path)
	switch node := node.(type) {
	case []any:
		for i, value := range node {
			fn(&element{doc: doc, key: strconv.Itoa(i), value: value})
		}
	case map[string]any:
		keys := make([]string, 0, len(node))
		for key := range node {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			fn(&element{doc: doc, key: key, value: node[key]})
		}
	}
}

// element adds one element to its cell.
func (m *mapper) element(r *jsonRule, e *element) error {
	if !m.allHold(r.m.When, e) {
		return nil
	}
	found, there := any(nil), true
	if r.m.Value != "" {
		if found, there = e.at(r.m.Value); !there || found == nil {
			return nil
		}
		if r.m.To.Unit == catalog.Timestamp && isNever(found) {
			return nil
		}
	}
	v, state, ok := r.value(found)
	if ok {
		v, ok = plausible(r.m.To, whole, v*r.scale)
	}
	if !ok {
		m.dropped++
		return nil
	}
	key := cellKey{alternative: r.alternative}
	for i := range r.labels {
		id, folded := r.labels[i].readJSON(&m.values[r.labels[i].column], e)
		if id == 0 && r.labels[i].from.To == catalog.LabelTarget {
			return nil // of nobody
		}
		if key.ids[r.labels[i].place] = id; folded {
			m.folded++
		}
	}
	if state != "" && r.state >= 0 {
		key.ids[r.state], _ = m.table(catalog.LabelState).idOf(state)
	}
	if i, ok := m.index[key]; ok {
		m.cells[i].add(whole, r.agg, v, v)
		return nil
	}
	if m.budget--; m.budget < 0 {
		return errFull
	}
	m.index[key] = int32(len(m.cells))
	m.newCell(key).add(whole, r.agg, v, v)
	return nil
}

// allHold says whether an element meets its conditions.
func (m *mapper) allHold(conditions []Condition, e *element) bool {
	for i := range conditions {
		c := &conditions[i]
		var found string
		if c.Path != "" {
			value, _ := lookup(m.docs[c.Path], c.Field)
			found = text(value)
		} else {
			found = e.text(c.Field)
		}
		if !c.accepts(found) {
			return false
		}
	}
	return true
}

// value reads what was found as a number, or as the state that holds. Without a path to
// look at, being there is what counts.
func (r *jsonRule) value(found any) (v float64, state string, ok bool) {
	switch {
	case r.m.Value == "":
		return 1, "", true
	case r.m.States != nil:
		state, ok = r.m.States[text(found)]
		return 1, state, ok
	}
	if at, isTime := timeOf(found); isTime && r.m.To.Unit == catalog.Timestamp {
		return float64(at.UnixMilli()) / 1000, "", true
	}
	v, ok = number(found, r.m.Words)
	return v, "", ok
}

// timeOf reads a text like 2026-11-29T19:05:35.19Z.
func timeOf(value any) (time.Time, bool) {
	s, _ := value.(string)
	at, err := time.Parse(time.RFC3339, s)
	return at, err == nil
}

// isNever says whether a time stands for "not at all": Ollama writes one three hundred years
// from now for a model that stays, others the year 1.
func isNever(value any) bool {
	at, ok := timeOf(value)
	return ok && (at.Year() > 2200 || at.Year() < 1970)
}

// number reads a JSON value as a number: itself, a boolean, a word, or a number in quotes.
func number(value any, words map[string]float64) (float64, bool) {
	if words != nil {
		v, ok := words[text(value)]
		return v, ok
	}
	switch v := value.(type) {
	case float64:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case string:
		f, err := strconv.ParseFloat(v, 64)
		return f, err == nil
	}
	return 0, false
}

// readJSON returns the id of the label's value for an element, 0 if it has none.
func (l *labelRule) readJSON(table *valueTable, e *element) (id uint32, folded bool) {
	if l.from.Const != "" {
		return table.constant(l.from.Const), false
	}
	value := e.text(l.from.From)
	if value == "" && l.from.Else != "" {
		value = e.text(l.from.Else)
	}
	if l.from.Cut != "" {
		value, _, _ = strings.Cut(value, l.from.Cut)
	}
	if l.from.And != "" {
		value = l.from.join(value, e.text(l.from.And))
	}
	if l.from.Words != nil && value != "" {
		if word, ok := l.from.Words[value]; ok {
			value = word
		} else if word, ok := l.from.Words[""]; ok {
			value = word
		}
	}
	return table.idOf(value)
}
