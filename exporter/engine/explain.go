package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// Sign is what a program was recognised by: a piece of evidence, and the answer that showed it.
type Sign struct {
	Evidence Evidence
	Port     Port
	Path     string
}

// String is the sign as a person would say it.
func (s Sign) String() string {
	ev, at := &s.Evidence, s.Path
	if s.Port == MetricsPort {
		at += " of the metrics address"
	}
	switch {
	case ev.Server != "":
		return fmt.Sprintf("the header Server of %s begins with %q", at, ev.Server)
	case ev.Sample != "" && ev.Without != "":
		return fmt.Sprintf("%s has %s, and no %s", at, ev.Sample, ev.Without)
	case ev.Sample != "":
		return fmt.Sprintf("%s has %s", at, ev.Sample)
	case ev.Body != "":
		return fmt.Sprintf("%s answers with the text %q", at, ev.Body)
	case ev.Equals != "":
		return fmt.Sprintf("%s has the JSON field %s with the value %s", at, ev.Field, ev.Equals)
	case ev.Field != "":
		return fmt.Sprintf("%s has the JSON field %s", at, ev.Field)
	}
	return fmt.Sprintf("%s has the content type %s", at, ev.Type)
}

// sign returns the first sign of the engine that answers show, nil if none does.
func (e *Engine) sign(replies []*reply) *Sign {
	for i := range e.Detect {
		for _, re := range replies {
			if e.Detect[i].seenIn(re) {
				return &Sign{e.Detect[i], re.port, re.path}
			}
		}
	}
	return nil
}

// OnlySometimes is why a series is not there whose absence is no sign of anything.
const OnlySometimes = "only with a flag, a feature, or after its first use"

// WhyNot says why a version of the engine does not give a series, and how to get it: by the
// engine's hints, or else by what its mappings say. It is empty where nothing is known.
func (e *Engine) WhyNot(s *catalog.Series, version string) string {
	v := parseVersion(version)
	for _, h := range e.Hints {
		if h.Series == s && !h.Counts && !e.isMet(h.Text, s, v) {
			return h.Text
		}
	}
	ways := e.ways(s)
	if len(ways) == 0 {
		for _, d := range e.Derive {
			if d.To == s {
				return e.whyNotComputed(&d, version)
			}
		}
		return e.Title + " does not export it"
	}
	if text := outside(ways, v); text != "" {
		return "exported " + text + ", and this is " + cmp.Or(version, "an unknown version")
	}
	if slices.ContainsFunc(ways, func(w way) bool { return w.optional }) {
		return OnlySometimes
	}
	return ""
}

// Counts says what a series of the engine counts, where that is not what its name lets one
// expect; "" if there is nothing to say.
func (e *Engine) Counts(s *catalog.Series) string {
	for _, h := range e.Hints {
		if h.Series == s && h.Counts {
			return h.Text
		}
	}
	return ""
}

// HowToEnable is the hint that belongs to no single series: how the program is made to give
// numbers at all. e may be nil.
func (e *Engine) HowToEnable() string {
	if e != nil {
		for _, h := range e.Hints {
			if h.Series == nil {
				return h.Text
			}
		}
	}
	return "there are no numbers at this address"
}

// isMet says whether a hint speaks of a version that is reached: then it explains nothing.
func (e *Engine) isMet(hint string, s *catalog.Series, v version) bool {
	ways := e.ways(s)
	for _, d := range e.Derive {
		if d.To == s {
			for _, from := range d.From {
				ways = append(ways, e.ways(from)...)
			}
		}
	}
	return slices.ContainsFunc(ways, func(w way) bool {
		return w.since != "" && w.bounds(v) == "" && strings.Contains(hint, "since "+w.since)
	})
}

// whyNotComputed blames the first operand that the version does not give.
func (e *Engine) whyNotComputed(d *Derivation, version string) string {
	for _, from := range d.From {
		if why := e.WhyNot(from, version); why != "" && from != d.To {
			return fmt.Sprintf("it is computed from %s: %s", from.Name, why)
		}
	}
	return ""
}

// way is one mapping of a series, as far as it says when it gives nothing.
type way struct {
	since, until string
	optional     bool
}

func (e *Engine) ways(s *catalog.Series) (ways []way) {
	for i := range e.Map {
		if m := &e.Map[i]; m.To == s {
			ways = append(ways, way{cmp.Or(m.NotBefore, m.Since), m.Until, m.Optional || m.With != ""})
		}
	}
	for i := range e.JSON {
		if m := &e.JSON[i]; m.To == s {
			ways = append(ways, way{m.Since, m.Until, m.Optional})
		}
	}
	for i := range e.Weigh {
		if e.Weigh[i].To == s {
			ways = append(ways, way{optional: true})
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

// Gives says whether a version of the engine has a way to give a series; of a version that is not
// known, whether any has.
func (e *Engine) Gives(s *catalog.Series, version string) bool {
	v := parseVersion(version)
	return slices.ContainsFunc(e.ways(s), func(w way) bool { return !v.known() || w.bounds(v) == "" }) ||
		e.computes(s, func(from *catalog.Series) bool { return e.Gives(from, version) })
}

// Promises says whether a version of the engine gives a series always: its absence is then the
// sign of a fault.
func (e *Engine) Promises(s *catalog.Series, version string) bool {
	v := parseVersion(version)
	always := func(w way) bool { return v.known() && w.bounds(v) == "" || w.since == "" && w.until == "" }
	return slices.ContainsFunc(e.ways(s), func(w way) bool { return !w.optional && always(w) }) ||
		e.computes(s, func(from *catalog.Series) bool { return e.Promises(from, version) })
}

// computes says whether a series is computed from series that are all so.
func (e *Engine) computes(s *catalog.Series, are func(*catalog.Series) bool) bool {
	return slices.ContainsFunc(e.Derive, func(d Derivation) bool {
		return d.To == s && !slices.ContainsFunc(d.From, func(from *catalog.Series) bool { return from == s || !are(from) })
	})
}
