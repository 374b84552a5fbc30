package check

import (
	"maps"
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
	Notes      []string `json:"notes,omitempty"` // what could not be looked at
	Questions  int      `json:"questions"`       // that were put to the server
}

// Cause is one thing that is wrong, and what mends it.
type Cause struct {
	What   string   `json:"what"`
	Do     string   `json:"do"`
	Where  []string `json:"where,omitempty"`  // backends or exporters
	Rules  []string `json:"rules,omitempty"`  // that are blind for it
	Panels []string `json:"panels,omitempty"` // keys
}

// Item is a rule or a panel with its verdict. A live one may be blind or quiet at other places.
type Item struct {
	Kind    Kind              `json:"kind"`
	Key     string            `json:"key"`
	Verdict Verdict           `json:"verdict"`
	Sees    []string          `json:"sees,omitempty"`  // backends or exporters; none: it is about the fleet as a whole
	Quiet   map[string]string `json:"quiet,omitempty"` // the good reason, by backend or exporter
	Blind   map[string]string `json:"blind,omitempty"` // the cause
}

// OK says that nothing is blind and that somebody is told.
func (r *Report) OK() bool { return len(r.Causes) == 0 }

// add notes a cause once; what it blinds and where is brought together.
func (r *Report) add(c Cause) {
	for i := range r.Causes {
		if have := &r.Causes[i]; have.What == c.What && have.Do == c.Do {
			have.Where = union(have.Where, c.Where)
			have.Rules = union(have.Rules, c.Rules)
			have.Panels = union(have.Panels, c.Panels)
			return
		}
	}
	r.Causes = append(r.Causes, c)
}

// blinded notes that an item is blind somewhere.
func (r *Report) blinded(it *item, where string, s sight) {
	c := Cause{What: s.why, Do: s.do}
	if where != "" {
		c.Where = []string{where}
	}
	if it.kind == Panel {
		c.Panels = []string{it.key}
	} else {
		c.Rules = []string{it.key}
	}
	r.add(c)
}

// union keeps the order in which texts came.
func union(a, b []string) []string {
	for _, text := range b {
		if !slices.Contains(a, text) {
			a = append(a, text)
		}
	}
	return a
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
