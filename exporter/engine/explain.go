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
	return e.whyNot(s, version, map[*catalog.Series]bool{})
}

func (e *Engine) whyNot(s *catalog.Series, version string, asked map[*catalog.Series]bool) string {
	if asked[s] {
		return ""
	}
	asked[s] = true
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
				return e.whyNotComputed(&d, version, asked)
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

// Sources lists what the server would send where WhyNot says OnlySometimes: names of samples, and
// paths of JSON answers.
func (e *Engine) Sources(s *catalog.Series, version string) (out []string) {
	v := parseVersion(version)
	for _, w := range e.ways(s) {
		if w.from != "" && w.bounds(v) == "" && !slices.Contains(out, w.from) {
			out = append(out, w.from)
		}
	}
	for _, d := range e.Derive {
		if d.To != s || len(out) > 0 {
			continue
		}
		for _, from := range d.From {
			if from != s && len(e.ways(from)) > 0 && e.WhyNot(from, version) != "" {
				return e.Sources(from, version)
			}
		}
	}
	return out
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

// whyNotComputed blames the first operand that the version does not give. asked holds the series
// that were looked at already: operands may be computed from each other.
func (e *Engine) whyNotComputed(d *Derivation, version string, asked map[*catalog.Series]bool) string {
	for _, from := range d.From {
		if why := e.whyNot(from, version, asked); why != "" {
			return fmt.Sprintf("it is computed from %s: %s", from.Name, why)
		}
	}
	return ""
}
