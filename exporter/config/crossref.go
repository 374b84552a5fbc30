package config

import (
	"cmp"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/engine"
	"github.com/llmfleet/llmfleet/exporter/nearest"
)

// finishMapping writes out the short forms of a mapping, extends what it is like, checks
// its parts against each other and adds it to the engines of the file.
func finishMapping(d *decoder, at path, m *mapping) {
	if m.Name == "" {
		return
	}
	switch {
	case engine.Find(d.known, m.Name) != nil:
		d.Fail(at.Key("name"), m.Name, "is a built-in engine; give yours another name, and write like: %s to extend it", m.Name)
	case engine.Find(d.own, m.Name) != nil:
		d.Fail(at.Key("name"), m.Name, "is the name of another engine of this file; give each its own")
	}
	if m.Title == "" {
		m.Title = m.Name
	}
	e := m.Engine
	if m.like != "" && m.base(d) == nil && d.Clean(at.Key("like")) {
		d.Fail(at.Key("like"), m.like, "is not a known engine%s", known(m.like, d.engineNames()))
	}
	if d.Clean(at) {
		if m.replicas != nil {
			m.replicas.writeOut(&m.Engine)
		}
		checkHarmOf(d, at, m)
		extend(d, at, m)
		checkReferences(d, at, m)
		e = m.Engine
	}
	d.own = append(d.own, &e) // also when it is wrong: backends that name it are right
}

// checkReferences checks that what is read is asked, and what is asked is read.
func checkReferences(d *decoder, at path, m *mapping) {
	if len(m.Endpoints) == 0 {
		d.Fail(at, "", "has no endpoints; write endpoints: with the paths that are asked, or replicas:")
		return
	}
	checkTwice(d, at, m.Endpoints)
	numbers := slices.ContainsFunc(m.Endpoints, func(e engine.Endpoint) bool { return e.Role == engine.Numbers })
	page := slices.ContainsFunc(m.Endpoints, func(e engine.Endpoint) bool { return e.Format == engine.Exposition })
	switch {
	case !numbers && !m.NoNumbers:
		d.Fail(at, "", "has no endpoint with role numbers; write role: numbers to the one that has them, or no_numbers: true")
	case numbers && m.NoNumbers:
		d.Fail(at.Key("no_numbers"), "", "and an endpoint with role numbers exclude each other; keep one")
	case len(m.Map) > 0 && !page:
		d.Fail(at.Key("map"), "", "has nothing to read; write an endpoint with format: exposition")
	}
	asked := func(p string) bool {
		return slices.ContainsFunc(m.Endpoints, func(e engine.Endpoint) bool { return e.Path == p && e.Format == engine.JSON })
	}
	wants := func(place path, p string) {
		if p != "" && d.Said(place) && !asked(p) {
			d.Fail(place, p, "is not asked as JSON; write an endpoint with this path and format: json")
		}
	}
	for i, j := range m.JSON {
		wants(at.Key("json").Index(i).Key("path"), j.Path)
	}
	for i, e := range m.Endpoints {
		place := at.Key("endpoints").Index(i)
		for k, c := range e.Unless {
			wants(place.Key("unless").Index(k).Key("path"), c.Path)
		}
		if e.Each != nil {
			wants(place.Key("each").Key("path"), e.Each.Path)
		}
	}
	for i, s := range m.Detect {
		d.checkEvidencePath(at.Key("detect").Index(i).Key("path"), s.Path, m)
	}
}

// checkEvidencePath refuses a sign that can never be seen because nobody asks its path.
func (d *decoder) checkEvidencePath(place path, p string, m *mapping) {
	if p == "" || !d.Said(place) {
		return
	}
	for _, e := range slices.Concat([]*engine.Engine{&m.Engine}, d.own, d.known) {
		if slices.ContainsFunc(e.Endpoints, func(ep engine.Endpoint) bool { return ep.Path == p }) {
			return
		}
	}
	d.Fail(place, p, "is not asked; write an endpoint with this path")
}

// checkTwice refuses a path that would be asked twice in one scrape.
func checkTwice(d *decoder, at path, all []engine.Endpoint) {
	for i, e := range all {
		place := at.Key("endpoints").Index(i).Key("path")
		twice := slices.ContainsFunc(all[:i], func(o engine.Endpoint) bool {
			return o.Path == e.Path && o.Port == e.Port && o.Each == nil && e.Each == nil
		})
		if twice && d.Said(place) {
			d.Fail(place, e.Path, "is asked already; each path stands once for each port")
		}
	}
}

// extend adds what the engine has that a mapping is like. What the mapping says comes
// first, so that it wins.
func extend(d *decoder, at path, m *mapping) {
	if m.like == "" {
		for key, said := range map[string]bool{"rename": len(m.rename) > 0, "drop": len(m.drop) > 0} {
			if said {
				d.Fail(at.Key(key), "", "is for a fork; write like: and the engine that this one was forked from")
			}
		}
		return
	}
	base, e := m.base(d), &m.Engine
	e.Router = e.Router || base.Router
	e.NoNumbers = e.NoNumbers || base.NoNumbers
	if e.Loading == "" {
		e.Loading = base.Loading
	}
	if e.Alone == "" {
		e.Alone = base.Alone
	}
	if len(e.Detect) == 0 && len(m.rename) > 0 {
		e.Detect = m.renamedEvidence(base.Detect)
	}
	e.Endpoints = mergedEndpoints(base.Endpoints, e.Endpoints)
	e.Map = append(e.Map, m.renamedMap(base.Map)...)
	for _, j := range base.JSON {
		if !slices.Contains(m.drop, j.To) {
			e.JSON = append(e.JSON, j)
		}
	}
	for _, v := range base.Derive {
		if !slices.Contains(m.drop, v.To) {
			e.Derive = append(e.Derive, v)
		}
	}
	e.Prefixes = append(e.Prefixes, m.renamedAll(base.Prefixes)...)
	e.Ignore = append(e.Ignore, m.renamedAll(base.Ignore)...)
	e.Hints = append(e.Hints, base.Hints...)
	e.Weigh = append(e.Weigh, m.renamedWeighings(base.Weigh)...)
	e.Workers = cmp.Or(e.Workers, base.Workers)
	e.EmptyAtFirst = e.EmptyAtFirst || base.EmptyAtFirst
}

// base is the engine that a mapping is like, nil if there is none of that name.
func (m *mapping) base(d *decoder) *engine.Engine {
	return engine.Find(slices.Concat(d.own, d.known), m.like)
}

// known lists what a word may be, the nearest first.
func known(word string, words []string) string {
	if near := nearest.Word(word, words); near != "" {
		return ": did you mean " + near + "? Known are " + strings.Join(words, ", ")
	}
	return "; known are " + strings.Join(words, ", ")
}

// mergedEndpoints keeps the order of the base, so that health stays before numbers.
func mergedEndpoints(base, own []engine.Endpoint) []engine.Endpoint {
	same := func(a, b engine.Endpoint) bool { return a.Path == b.Path && a.Port == b.Port }
	var out []engine.Endpoint
	placed := make([]bool, len(own))
	for _, b := range base {
		i := slices.IndexFunc(own, func(o engine.Endpoint) bool { return same(o, b) })
		switch {
		case i < 0:
			out = append(out, b)
		case !placed[i]:
			out, placed[i] = append(out, own[i]), true
		}
	}
	for i, o := range own {
		if !placed[i] {
			out = append(out, o)
		}
	}
	return out
}

// renamed is a metric name as the fork writes it: the longest beginning counts.
func (m *mapping) renamed(name string) string {
	best := ""
	for old := range m.rename {
		if len(old) > len(best) && strings.HasPrefix(name, old) {
			best = old
		}
	}
	if best == "" {
		return name
	}
	return m.rename[best] + name[len(best):]
}

func (m *mapping) renamedAll(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = m.renamed(n)
	}
	return out
}

// renamedEvidence keeps the signs that the new names change; the others would recognise
// the original program as its fork.
func (m *mapping) renamedEvidence(signs []engine.Evidence) []engine.Evidence {
	var out []engine.Evidence
	for _, s := range signs {
		name := m.renamed(s.Sample)
		if name == s.Sample {
			continue
		}
		s.Sample, s.Without = name, m.renamed(s.Without)
		out = append(out, s)
	}
	return out
}

func (m *mapping) renamedWeighings(base []engine.Weighing) []engine.Weighing {
	var out []engine.Weighing
	for _, w := range base {
		if slices.Contains(m.drop, w.To) {
			continue
		}
		w.Witnesses = slices.Clone(w.Witnesses)
		for i := range w.Witnesses {
			witness := &w.Witnesses[i]
			witness.Sample, witness.With = m.renamed(witness.Sample), m.renamed(witness.With)
		}
		out = append(out, w)
	}
	return out
}

func (m *mapping) renamedMap(base []engine.Mapping) []engine.Mapping {
	var out []engine.Mapping
	for _, b := range base {
		if !slices.Contains(m.drop, b.To) {
			b.From, b.With = m.renamed(b.From), m.renamed(b.With)
			out = append(out, b)
		}
	}
	return out
}
