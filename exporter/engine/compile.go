package engine

import (
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"weak"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// tables are an engine's mappings, ready to be looked up by the names of a page. They do
// not change, and all targets of the engine share them.
type tables struct {
	byName        map[string][]use
	families      map[string][]int // by name of a family: the mappings that it feeds
	ignored       []string         // beginnings of names that are left out on purpose
	prefixes      [][]byte
	outputs       []output           // by alternative
	heard         map[string][]heard // by name of a sample: what is weighed
	heardFamilies map[string]string  // by name of a family: the sample that is weighed
	patterns      map[string]*regexp.Regexp
	json          []*jsonRule
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

	fallback bool // used only where no other alternative gives the series
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

func compile(e *Engine) *tables {
	t := &tables{byName: map[string][]use{}, families: map[string][]int{}}
	type spelled struct {
		to       *catalog.Series
		spelling int
	}
	newest := map[spelled]int32{} // alternative of the newest mapping, for Plus
	for i := range e.Map {
		mapping := &e.Map[i]
		if mapping.To == nil || mapping.From == "" {
			continue
		}
		names := spellings(mapping.From)
		for n, name := range names {
			alternative, ok := newest[spelled{mapping.To, n}]
			if !mapping.Plus || !ok {
				alternative = t.output(mapping.To)
			}
			newest[spelled{mapping.To, n}] = alternative
			r := newRule(mapping, i, alternative)
			t.outputs[alternative].agg, t.outputs[alternative].fallback = r.agg, mapping.Fallback
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
	t.hearAll(e.Weigh)
	t.patterns = map[string]*regexp.Regexp{}
	for _, ep := range e.Endpoints {
		if pattern, err := regexp.Compile(ep.Pattern); err == nil && ep.Pattern != "" {
			t.patterns[ep.Pattern] = pattern
		}
	}
	return t
}

// spellings are a name as it stands and, if it has colons, with underscores: proxies and
// scrapers that negotiate escaping rewrite it so. An engine within Ray Serve has its numbers on
// the page of Ray's agent, which puts ray_ before them and, of late, underscores into them.
func spellings(name string) []string {
	if !strings.Contains(name, ":") {
		return []string{name}
	}
	plain := strings.ReplaceAll(name, ":", "_")
	for _, within := range withinRay {
		if strings.HasPrefix(name, within) {
			return []string{name, plain, "ray_" + name, "ray_" + plain}
		}
	}
	return []string{name, plain}
}

// withinRay begin the names of engines that Ray Serve runs.
var withinRay = []string{"vllm:", "sglang:"}

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

// familySuffixes end the names of samples that are a part of a family.
var familySuffixes = []string{"_total", "_bucket", "_sum", "_count", "_info"}

// familyOf is the name of a sample's family, if that is another one: OpenMetrics declares
// x_total as x, and both formats x_sum as x.
func familyOf(name string) string {
	for _, suffix := range familySuffixes {
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
