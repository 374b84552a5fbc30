package engine

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/exposition"
)

// rule is a mapping, compiled.
type rule struct {
	m           *Mapping
	mapping     int   // place in Engine.Map
	alternative int32 // rules with the same one add up
	to          *catalog.Series
	scale       float64
	agg         Aggregation
	labels      []labelRule
	factors     []string // labels that are multiplied for the value
	cost        int      // series of a cell, without buckets
}

// labelRule fills one label.
type labelRule struct {
	place  int // in the series' labels
	column int // of the label's table
	from   *LabelFrom
}

func newRule(mapping *Mapping, place int, alternative int32) *rule {
	r := &rule{
		m: mapping, mapping: place, alternative: alternative, to: mapping.To,
		scale: mapping.Scale, agg: mapping.Agg, cost: 1, labels: labelRules(mapping.To, mapping.Labels),
	}
	if r.scale == 0 {
		r.scale = 1
	}
	if r.agg == ByMeaning {
		r.agg = meaning(r.to)
	}
	if r.to.Kind == catalog.Histogram {
		r.cost = 2 // sum and count
	}
	if mapping.Value != "" {
		r.factors = strings.Split(mapping.Value, "*")
	}
	return r
}

// labelRules leaves out labels that the series does not have.
func labelRules(to *catalog.Series, from []LabelFrom) []labelRule {
	var rules []labelRule
	for i := range from {
		place := slices.Index(to.Labels, from[i].To)
		if place < 0 || place >= mostLabels {
			continue
		}
		rules = append(rules, labelRule{place: place, column: columns()[from[i].To], from: &from[i]})
	}
	return rules
}

// read returns the id of the label's value for a sample, 0 if it has none.
func (l *labelRule) read(table *valueTable, labels exposition.Labels) (id uint32, folded bool) {
	if l.from.Const != "" {
		return table.constant(l.from.Const), false
	}
	value, ok := labels.Get(l.from.From)
	if !ok {
		return 0, false
	}
	if l.from.Words == nil {
		return table.id(value)
	}
	if word, ok := l.from.Words[string(value)]; ok {
		return table.idOf(word)
	}
	if word, ok := l.from.Words[""]; ok {
		return table.idOf(word)
	}
	return table.id(value)
}

// wants says whether a sample meets the mapping's conditions.
func (r *rule) wants(labels exposition.Labels) bool {
	for i := range r.m.Where {
		value, ok := labels.Get(r.m.Where[i].Label)
		if !ok || !slices.ContainsFunc(r.m.Where[i].In, func(in string) bool { return in == string(value) }) {
			return false
		}
	}
	return true
}

// value returns the number that a sample stands for, scale not applied. A label that holds
// no number (vLLM writes None) makes none.
func (r *rule) value(s *exposition.Sample) (float64, bool) {
	switch {
	case r.to.Kind == catalog.Info:
		return 1, true
	case r.factors == nil:
		return s.Value, true
	}
	product := 1.0
	for _, label := range r.factors {
		value, ok := s.Labels.Get(label)
		if !ok {
			return 0, false
		}
		if r.m.Names {
			return float64(namesIn(value)), true
		}
		f, err := strconv.ParseFloat(string(value), 64)
		if err != nil {
			return 0, false
		}
		product *= f
	}
	return product, true
}

// namesIn counts the names in a comma list.
func namesIn(list []byte) (n int) {
	for len(list) > 0 {
		name, rest, _ := bytes.Cut(list, []byte(","))
		if len(bytes.TrimSpace(name)) > 0 {
			n++
		}
		list = rest
	}
	return n
}

// boundOf reads a bucket's upper bound.
func boundOf(labels exposition.Labels) (float64, bool) {
	le, ok := labels.Get(catalog.LabelLE)
	if !ok {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(le), 64)
	return f, err == nil && f == f
}
