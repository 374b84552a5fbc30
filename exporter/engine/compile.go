package engine

import (
	"bytes"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"weak"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/exposition"
)

// tables are an engine's mappings, ready to be looked up by the names of a page. They do
// not change, and all targets of the engine share them.
type tables struct {
	byName   map[string][]use
	families map[string][]int // by name of a family: the mappings that it feeds
	ignored  []string         // beginnings of names that are left out on purpose
	prefixes [][]byte
	outputs  []output // by alternative
	json     []*jsonRule
}

// compiled keeps the tables of every engine in use. Engines of a configuration come and go
// with it, so the keys do not hold them, and neither must the tables.
var compiled sync.Map // weak.Pointer[Engine] to *tables

func tablesOf(e *Engine) *tables {
	key := weak.Make(e)
	if t, ok := compiled.Load(key); ok {
		return t.(*tables)
	}
	t, loaded := compiled.LoadOrStore(key, compile(e))
	if !loaded {
		runtime.AddCleanup(e, func(key weak.Pointer[Engine]) { compiled.Delete(key) }, key)
	}
	return t.(*tables)
}

// output is where an alternative's cells go.
type output struct {
	to     *catalog.Series
	places places
	agg    Aggregation
}

// places are where labels stand among a series' labels; -1 for one that it does not have.
type places struct{ backend, engine, router, model, rank, state int }

func placesOf(s *catalog.Series) places {
	at := func(label string) int { return slices.Index(s.Labels, label) }
	return places{
		at(catalog.LabelBackend), at(catalog.LabelEngine), at(catalog.LabelRouter),
		at(catalog.LabelModel), at(catalog.LabelRank), at(catalog.LabelState),
	}
}

// use is one mapping of a sample name and which part of a histogram the name is.
type use struct {
	rule *rule
	part part
}

// part says what a sample is to its series.
type part uint8

const (
	whole part = iota
	bucket
	sum
	count
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

func compile(e *Engine) *tables {
	t := &tables{byName: map[string][]use{}, families: map[string][]int{}}
	newest := map[*catalog.Series]int32{} // alternative of the newest mapping, for Plus
	for i := range e.Map {
		mapping := &e.Map[i]
		if mapping.To == nil || mapping.From == "" {
			continue
		}
		names := spellings(mapping.From)
		for n, name := range names {
			alternative, ok := newest[mapping.To]
			if !mapping.Plus || !ok || n > 0 {
				alternative = t.output(mapping.To)
			}
			if n == 0 {
				newest[mapping.To] = alternative
			}
			r := newRule(mapping, i, alternative)
			t.outputs[alternative].agg = r.agg
			t.listen(name, r)
		}
	}
	for i := range e.JSON {
		if e.JSON[i].To != nil {
			r := newJSONRule(&e.JSON[i], t.output(e.JSON[i].To))
			t.outputs[r.alternative].agg = r.agg
			t.json = append(t.json, r)
		}
	}
	for _, prefix := range e.Prefixes {
		for _, p := range spellings(prefix) {
			t.prefixes = append(t.prefixes, []byte(p))
		}
	}
	t.ignore(e.Ignore)
	return t
}

// spellings are a name as it stands and, if it has colons, with underscores: proxies and
// scrapers that negotiate escaping rewrite it so.
func spellings(name string) []string {
	if strings.Contains(name, ":") {
		return []string{name, strings.ReplaceAll(name, ":", "_")}
	}
	return []string{name}
}

func (t *tables) output(to *catalog.Series) int32 {
	t.outputs = append(t.outputs, output{to: to, places: placesOf(to)})
	return int32(len(t.outputs) - 1)
}

// listen registers the sample names of a rule and the families that they may belong to.
func (t *tables) listen(name string, r *rule) {
	add := func(name string, part part) { t.byName[name] = append(t.byName[name], use{r, part}) }
	if r.to.Kind == catalog.Histogram {
		add(name+"_bucket", bucket)
		add(name+"_sum", sum)
		add(name+"_count", count)
	} else {
		add(name, whole)
	}
	t.families[name] = append(t.families[name], r.mapping)
	if stem := familyOf(name); stem != name {
		t.families[stem] = append(t.families[stem], r.mapping)
	}
}

// familyOf is the name of a sample's family, if that is another one: OpenMetrics declares
// x_total as x, and both formats x_sum as x.
func familyOf(name string) string {
	for _, suffix := range []string{"_total", "_bucket", "_sum", "_count", "_info"} {
		if stem, ok := strings.CutSuffix(name, suffix); ok {
			return stem
		}
	}
	return name
}

// ignore makes names known without a mapping.
func (t *tables) ignore(names []string) {
	for _, ignored := range names {
		for _, name := range spellings(ignored) {
			if beginning, any := strings.CutSuffix(name, "*"); any {
				t.ignored = append(t.ignored, beginning)
				continue
			}
			for _, known := range []string{name, familyOf(name), name + "_total"} {
				if t.families[known] == nil {
					t.families[known] = []int{}
				}
			}
		}
	}
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
