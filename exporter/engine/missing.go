package engine

import (
	"bytes"
	"maps"
	"slices"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// family notes that a page declares a family (or shows a sample without declaring it).
func (m *mapper) family(name []byte) {
	if sample, weighed := m.t.heardFamilies[string(name)]; weighed {
		m.testified[m.t.heard[sample][0].of(m.engine).Sample] = true
	}
	if mappings, known := m.t.families[string(name)]; known {
		for _, i := range mappings {
			m.stated[i] = true
		}
		return
	}
	if !m.t.own(name) || bytes.HasSuffix(name, []byte("_created")) || m.t.leftOut(name) {
		return
	}
	text, ok := m.names[string(name)]
	if !ok {
		text = string(name[:min(len(name), longestValue)])
		m.names[text] = text
	}
	m.unmapped = append(m.unmapped, text)
}

// own says whether a name has a prefix of the engine.
func (t *tables) own(name []byte) bool {
	for _, prefix := range t.prefixes {
		if bytes.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// leftOut says whether a name is ignored, or a part of a family that is known.
func (t *tables) leftOut(name []byte) bool {
	for _, beginning := range t.ignored {
		if len(name) >= len(beginning) && string(name[:len(beginning)]) == beginning { // allocates nothing
			return true
		}
	}
	for _, suffix := range familySuffixes {
		if stem, ok := bytes.CutSuffix(name, []byte(suffix)); ok {
			_, known := t.families[string(stem)]
			return known
		}
	}
	return false
}

func (m *mapper) unmappedFamilies() []string {
	slices.Sort(m.unmapped)
	m.unmapped = slices.Compact(m.unmapped)
	return m.unmapped
}

// missing lists the names that the version should have sent and did not. A name that
// another mapping of the same series stands in for is not missed; one that gives another
// part of it (a reason of its own, or what is added) stands in for nothing.
func (m *mapper) missing() (names []string) {
	if m.pages == 0 {
		return nil
	}
	there := map[gives]bool{}
	for i := range m.engine.Map {
		if mapping := &m.engine.Map[i]; m.seen(i) && !mapping.Plus {
			there[mapping.gives()] = true
		}
	}
	for i := range m.engine.Map {
		mapping := &m.engine.Map[i]
		if m.seen(i) || there[mapping.gives()] && !mapping.Plus || !m.expected(mapping) {
			continue
		}
		there[mapping.gives()] = true // one name for each series is enough to tell
		if !slices.Contains(names, mapping.From) {
			names = append(names, mapping.From)
		}
	}
	return m.missingWitnesses(names)
}

// missingWitnesses adds the names that are weighed and did not come.
func (m *mapper) missingWitnesses(names []string) []string {
	for i := range m.engine.Weigh {
		for j := range m.engine.Weigh[i].Witnesses {
			w := &m.engine.Weigh[i].Witnesses[j]
			if w.With != "" && m.shown(w.With) && !m.testified[w.Sample] && !slices.Contains(names, w.Sample) {
				names = append(names, w.Sample)
			}
		}
	}
	return names
}

// gives is what a mapping is there for: a series, or the part of it with a label of one value.
type gives struct {
	series *catalog.Series
	part   string
}

func (m *Mapping) gives() gives {
	g := gives{series: m.To}
	for i := range m.Labels {
		if l := &m.Labels[i]; l.Const != "" && l.To != catalog.LabelEngine {
			g.part += l.To + "=" + l.Const + ";"
		}
	}
	return g
}

// seen says whether a mapping's name was on a page of the round, with or without samples.
func (m *mapper) seen(mapping int) bool { return m.sampled[mapping] || m.stated[mapping] }

// shown says whether a name that is mapped or weighed was on a page of the round.
func (m *mapper) shown(name string) bool {
	if m.testified[name] {
		return true
	}
	for i := range m.engine.Map {
		if m.engine.Map[i].From == name && m.seen(i) {
			return true
		}
	}
	return false
}

func (m *mapper) expected(mapping *Mapping) bool {
	return !mapping.Optional && (mapping.With == "" || m.shown(mapping.With)) && m.within(mapping.Since, mapping.Until) && m.means(mapping)
}

// means says that the name stands for the series in this version: see Mapping.NotBefore.
func (m *mapper) means(mapping *Mapping) bool {
	return mapping.NotBefore == "" || m.reached(mapping.NotBefore)
}

// reached says that the version is known to be a given one or a newer one.
func (m *mapper) reached(version string) bool {
	return m.version.known() && !m.version.below(parseVersion(version))
}

// within says whether the version is known to be within bounds; of an unknown one only
// what has always been there and still is can be expected.
func (m *mapper) within(since, until string) bool {
	if !m.version.known() {
		return since == "" && until == ""
	}
	return (since == "" || m.reached(since)) && (until == "" || !m.reached(until))
}

// supported says of each headline series whether this engine and version can give it: by
// its mappings, or because it has given it.
func (m *mapper) supported() map[*catalog.Series]bool {
	if m.supports == nil || m.supportedFor != m.versionText {
		m.supports, m.supportedFor = m.canGive(), m.versionText
	}
	cloned := false
	for i := range m.out.list {
		s := m.out.list[i].Series
		if can, listed := m.supports[s]; listed && !can {
			if !cloned { // earlier readings keep the map that they got
				m.supports, cloned = maps.Clone(m.supports), true
			}
			m.supports[s] = true
		}
	}
	return m.supports
}

// canGive is what the engine's definition says of the version.
func (m *mapper) canGive() map[*catalog.Series]bool {
	var told []*catalog.Series
	if m.opts.KVCapacityTokens > 0 {
		told = append(told, catalog.KVCacheCapacity)
	}
	can := m.engine.giving(func(w way) bool { return w.may(m.version) }, told...)
	supported := map[*catalog.Series]bool{}
	for _, s := range catalog.All() {
		if s.Headline && (can[s] || !m.engine.Router) {
			supported[s] = can[s]
		}
	}
	return supported
}
