package host

import (
	"cmp"
	"slices"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// points collects what a round found.
type points struct {
	all []catalog.Point
}

// add adds a point. The labels are kept: a slice that is passed whole must not change.
func (p *points) add(s *catalog.Series, v float64, labels ...string) {
	p.all = append(p.all, catalog.Point{Series: s, Labels: labels, Value: v})
}

// flag adds a yes or no.
func (p *points) flag(s *catalog.Series, yes bool, labels ...string) {
	v := 0.0
	if yes {
		v = 1
	}
	p.add(s, v, labels...)
}

// opt adds a point that may be unknown.
func (p *points) opt(s *catalog.Series, v value, labels ...string) {
	if v.known {
		p.add(s, v.v, labels...)
	}
}

// sorted returns the points in the order of their series' names.
func (p *points) sorted() []catalog.Point {
	slices.SortStableFunc(p.all, func(a, b catalog.Point) int { return cmp.Compare(a.Series.Name, b.Series.Name) })
	return p.all
}

// value is a number that may be unknown.
type value struct {
	v     float64
	known bool
}

func known(v float64) value { return value{v, true} }

// when makes a value of a result and whether there is one.
func when(v float64, ok bool) value { return value{v, ok} }

// truth is a yes or no as a value.
func truth(yes bool) value {
	if yes {
		return known(1)
	}
	return known(0)
}

// is says that the value is known and yes.
func (v value) is() bool { return v.known && v.v == 1 }

// isNot says that the value is known and no.
func (v value) isNot() bool { return v.known && v.v == 0 }
