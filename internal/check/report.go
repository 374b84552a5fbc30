package check

import (
	"maps"
	"math"
	"slices"
)

// Verdict is what is said of an item.
type Verdict string

// The verdicts.
const (
	Live  Verdict = "live"  // all that it needs is there, somewhere at least
	Quiet Verdict = "quiet" // what it needs is not there, and for a good reason
	Blind Verdict = "blind" // what it needs should be there, or the item itself is not
)

// Report is what a check found. It never changes once made.
type Report struct {
	Address    string   `json:"address"`              // that was asked
	Prometheus string   `json:"prometheus,omitempty"` // its version
	Exporters  int      `json:"exporters"`
	Backends   int      `json:"backends"`
	Causes     []Cause  `json:"causes"` // of blindness, and of nobody hearing of it
	Items      []Item   `json:"items"`
	Alerts     []Active `json:"alerts,omitempty"` // what the rules have to say of the fleet now
	Notes      []string `json:"notes,omitempty"`  // what could not be looked at
	Questions  int      `json:"questions"`        // that were put to the server

	index map[[2]string]*causeIndex // of Causes, by what and do
}

// Cause is one thing that is wrong, and what mends it.
type Cause struct {
	What   string   `json:"what"`
	Do     string   `json:"do"`
	Where  []string `json:"where,omitempty"`  // backends or exporters
	Rules  []string `json:"rules,omitempty"`  // that are blind for it
	Panels []string `json:"panels,omitempty"` // keys
}

// weight orders causes.
func (c Cause) weight() int {
	if n := len(c.Rules) + len(c.Panels); n > 0 {
		return n
	}
	return math.MaxInt
}

// Item is a rule or a panel with its verdict. A live one may be blind or quiet at other places.
type Item struct {
	Kind    Kind                `json:"kind"`
	Key     string              `json:"key"`
	Title   string              `json:"title,omitempty"` // of a panel, with its page
	Verdict Verdict             `json:"verdict"`
	Sees    []string            `json:"sees,omitempty"`  // backends or exporters; "" is the fleet as a whole
	Quiet   map[string][]string `json:"quiet,omitempty"` // the good reasons, by backend or exporter
	Blind   map[string][]string `json:"blind,omitempty"` // the causes
}

// OK says that nothing is blind and that somebody is told.
func (r *Report) OK() bool { return len(r.Causes) == 0 }

// add notes a cause once; what it blinds and where is brought together.
func (r *Report) add(c Cause) {
	if r.index == nil {
		r.index = map[[2]string]*causeIndex{}
	}
	key := [2]string{c.What, c.Do}
	at := r.index[key]
	if at == nil {
		at = &causeIndex{len(r.Causes), map[string]bool{}}
		r.index[key] = at
		r.Causes = append(r.Causes, Cause{What: c.What, Do: c.Do})
	}
	have := &r.Causes[at.place]
	have.Where = at.append(have.Where, "where", c.Where)
	have.Rules = at.append(have.Rules, "rule", c.Rules)
	have.Panels = at.append(have.Panels, "panel", c.Panels)
}

// causeIndex finds a cause again, and what was noted of it: a cause may blind a hundred rules at
// a thousand backends.
type causeIndex struct {
	place int
	noted map[string]bool
}

func (i *causeIndex) append(list []string, kind string, more []string) []string {
	for _, text := range more {
		if key := kind + " " + text; !i.noted[key] {
			i.noted[key] = true
			list = append(list, text)
		}
	}
	return list
}

// blinded notes that an item is blind somewhere.
func (r *Report) blinded(it *item, where string, s sight) {
	c := Cause{What: s.why, Do: s.do}
	if where != "" && !s.whole {
		c.Where = []string{where}
	}
	if it.kind == Panel {
		c.Panels = []string{it.key}
	} else {
		c.Rules = []string{it.key}
	}
	r.add(c)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
