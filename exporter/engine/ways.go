package engine

import (
	"slices"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// way is one mapping of a series, as far as it says when it gives nothing.
type way struct {
	from         string // a sample, or the path of a JSON answer; "" of what is weighed
	to           *catalog.Series
	since, until string
	meant        bool // read only where the version is known to be since or newer: see Mapping.NotBefore
	optional     bool
}

// allWays are how the engine's answers give series, but for those that are computed.
func (e *Engine) allWays(yield func(way) bool) {
	for i := range e.Map {
		m := &e.Map[i]
		w := way{m.From, m.To, m.Since, m.Until, m.NotBefore != "", m.Optional || m.With != ""}
		if w.meant && (w.since == "" || parseVersion(w.since).below(parseVersion(m.NotBefore))) {
			w.since = m.NotBefore
		}
		if !yield(w) {
			return
		}
	}
	for i := range e.JSON {
		m := &e.JSON[i]
		if !yield(way{from: m.Path, to: m.To, since: m.Since, until: m.Until, optional: m.Optional}) {
			return
		}
	}
	for i := range e.Weigh {
		if !yield(way{to: e.Weigh[i].To, optional: true}) {
			return
		}
	}
}

// ways lists those of one series.
func (e *Engine) ways(s *catalog.Series) (ways []way) {
	for w := range e.allWays {
		if w.to == s {
			ways = append(ways, w)
		}
	}
	return ways
}

// outside says in words that a version is outside of the bounds of all ways.
func outside(ways []way, v version) string {
	for _, w := range ways {
		if w.bounds(v) == "" {
			return ""
		}
	}
	return ways[0].bounds(v)
}

// bounds says in words that a version is outside of the way's; empty if it is not.
func (w way) bounds(v version) string {
	switch {
	case w.since != "" && (!v.known() || v.below(parseVersion(w.since))):
		return "since " + w.since
	case w.until != "" && v.known() && !v.below(parseVersion(w.until)):
		return "until " + w.until
	}
	return ""
}

// has says whether a known version has the way.
func (w way) has(v version) bool { return v.known() && w.bounds(v) == "" }

// bounded says whether some versions do not have the way.
func (w way) bounded() bool { return w.since != "" || w.until != "" }

// may says whether the way can give something in a server whose version may be unknown. Such a
// server is taken for a new one, that has no name of the past; but a name that would be there
// from the start and was not seen is not there.
func (w way) may(v version) bool {
	if v.known() {
		return w.has(v)
	}
	return w.until == "" && !w.meant && (w.since == "" || w.optional)
}

// Gives says whether a version of the engine has a way to give a series; of a version that is not
// known, whether any has.
func (e *Engine) Gives(s *catalog.Series, version string) bool {
	v := parseVersion(version)
	return e.gives(s, func(w way) bool { return !v.known() || w.has(v) })
}

// Promises says whether a version of the engine gives a series always: its absence is then the
// sign of a fault.
func (e *Engine) Promises(s *catalog.Series, version string) bool {
	v := parseVersion(version)
	return e.gives(s, func(w way) bool { return !w.optional && (w.has(v) || !w.bounded()) })
}

// gives says of one series what giving says of all. Only what is computed needs all.
func (e *Engine) gives(s *catalog.Series, open func(way) bool) bool {
	return slices.ContainsFunc(e.ways(s), open) ||
		slices.ContainsFunc(e.Derive, func(d Derivation) bool { return d.To == s }) && e.giving(open)[s]
}

// giving is the set of series that come by the ways that are open, and of what is computed from
// them: in the order of the derivations, as it is done. Others are given from elsewhere.
func (e *Engine) giving(open func(way) bool, others ...*catalog.Series) map[*catalog.Series]bool {
	gives := map[*catalog.Series]bool{}
	for _, s := range others {
		gives[s] = true
	}
	for w := range e.allWays {
		if open(w) {
			gives[w.to] = true
		}
	}
	for i := range e.Derive {
		d := &e.Derive[i]
		if !slices.ContainsFunc(d.From, func(s *catalog.Series) bool { return !gives[s] }) {
			gives[d.To] = true
		}
	}
	return gives
}
