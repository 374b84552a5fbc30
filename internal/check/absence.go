package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/engine"
	"github.com/prometheus/prometheus/model/labels"
)

// rank orders what can be said of a need, from what is best for whoever waits for it.
type rank int

const (
	seen     rank = iota
	blind         // it should be there: something has to be changed
	quiet         // it is not there, and that is as it should be
	notAbout      // it is not about this backend or machine at all
)

// sight is what is said of a need at one place, and of blindness what to do.
type sight struct {
	rank    rank
	why, do string
	whole   bool // so it is for the whole fleet: no place has to be named
}

func blindHere(why, do string) sight       { return sight{rank: blind, why: why, do: do} }
func blindEverywhere(why, do string) sight { return sight{rank: blind, why: why, do: do, whole: true} }
func quietFor(why string) sight            { return sight{rank: quiet, why: why} }
func aboutNone(why string) sight           { return sight{rank: notAbout, why: why} }

// absenceOf says why a backend does not give a series, or not the part of it that is selected.
// What the exporter counts of an objective is absent because what it judges is.
func (f *fleet) absenceOf(b *backend, s *catalog.Series, matchers []*labels.Matcher) sight {
	judged := s.Judges(func(objective string) bool {
		return place{objective: objective}.matches(slices.DeleteFunc(slices.Clone(matchers), func(m *labels.Matcher) bool { return m.Name != catalog.LabelObjective }))
	})
	if len(judged) == 0 {
		return f.absence(b, s)
	}
	sights := make([]sight, len(judged))
	for i, of := range judged {
		sights[i] = f.absence(b, of)
	}
	return slices.MinFunc(sights, func(a, b sight) int { return cmp.Compare(a.rank, b.rank) })
}

// absence says why a backend does not give a series.
func (f *fleet) absence(b *backend, s *catalog.Series) sight {
	switch {
	case b.unscraped != "":
		return quietFor("not scraped on purpose: " + b.unscraped)
	case s == catalog.ExpectedReplicas && !b.router:
		return aboutNone("no router here")
	case s.Setting != "":
		return quietFor(s.Setting + " is not set in the exporter's configuration")
	}
	number := isNumber(s)
	if number {
		if out := b.never(s); out.rank != seen {
			return out
		}
	}
	if out := b.unread(); out.rank != seen {
		return out
	}
	switch {
	case number && b.missing > 0 && b.engine != nil && b.engine.Promises(s, b.version):
		return blindHere(fmt.Sprintf("%.0f names that its version should send are missing", b.missing),
			"read on the exporter's page which they are; look for a release of llmfleet that knows "+cmp.Or(b.version, "the version")+", or map the new names in its configuration")
	case number && b.whyNot(s) != "":
		return quietFor(b.sometimes(s, b.whyNot(s)))
	case s.AbsentWhen() != "":
		return quietFor(s.AbsentWhen())
	case number:
		return quietFor(b.sometimes(s, engine.OnlySometimes))
	}
	return quietFor("the exporter has no number of it now")
}

// isNumber says whether a series is one that servers send, and not what the exporter saw or was
// told.
func isNumber(s *catalog.Series) bool {
	return s.Origin != catalog.Observed && s.Origin != catalog.Configured &&
		(slices.Contains(s.Labels, catalog.LabelEngine) || slices.Contains(s.Labels, catalog.LabelRouter))
}

// never says that a backend cannot give a number, up or down; the zero sight that it may.
func (b *backend) never(s *catalog.Series) sight {
	e := b.engine
	switch {
	case slices.Contains(s.Labels, catalog.LabelRouter) && !b.router:
		return aboutNone("no router here")
	case slices.Contains(s.Labels, catalog.LabelEngine) && b.router && (e == nil || !e.Gives(s, "")):
		return aboutNone("no model server here")
	case e != nil && e.NoNumbers:
		return quietFor(e.Title + " exports no numbers")
	case b.unsupported[s.Name], e != nil && !e.Gives(s, b.version):
		return quietFor(cmp.Or(b.whyNot(s), cmp.Or(b.program, "its program")+" does not give it"))
	}
	return sight{}
}

func (b *backend) whyNot(s *catalog.Series) string {
	if b.engine == nil {
		return ""
	}
	return b.engine.WhyNot(s, b.version)
}

// sometimes says of what comes with a flag, a feature or a first use what the server has not sent.
func (b *backend) sometimes(s *catalog.Series, why string) string {
	if !strings.HasSuffix(why, engine.OnlySometimes) {
		return why
	}
	names := []string{s.Name}
	if b.engine != nil {
		if sources := b.engine.Sources(s, b.version); len(sources) > 0 {
			names = sources
		}
	}
	return strings.Join(names, ", ") + ": " + engine.OnlySometimes
}

// unread says that nothing of a backend's numbers arrives now; the zero sight that they do.
func (b *backend) unread() sight {
	switch {
	case b.reason == "":
		return sight{}
	case b.reason.Passes():
		return quietFor("no numbers now: " + string(b.reason))
	case b.reason == catalog.ReasonDisabled:
		return blindHere("no numbers (disabled)", b.engine.HowToEnable())
	}
	return blindHere(fmt.Sprintf("no numbers (%s)", b.reason), b.reason.Remedy())
}

// absence says why an exporter does not give a series of its own or of its machine.
func (m *machine) absence(s *catalog.Series) sight {
	ofCard := slices.ContainsFunc([]string{catalog.LabelGPU, catalog.LabelDevice}, func(l string) bool { return slices.Contains(s.Labels, l) })
	switch {
	case s.Origin != catalog.Host:
		return blindHere("the exporter does not give "+s.Name, "run an exporter of the same release as this llmfleet")
	case m.gpus < 0 && len(m.failed) == 0:
		return quietFor("this exporter does not read its machine")
	case m.gpus == 0 && ofCard:
		return aboutNone("no card here")
	case m.noRights && strings.Contains(s.Help, "eeds rights"):
		// An exporter without rights is how it is meant to be run.
		return quietFor("the registers of PCI devices are shown to an exporter with CAP_SYS_ADMIN only")
	}
	for _, source := range slices.Sorted(maps.Keys(m.failed)) {
		if reason := m.failed[source]; source != catalog.SourceAtomics && reason.Remedy() != "" {
			return blindHere(fmt.Sprintf("%s of the machine cannot be read (%s)", source, reason), reason.Remedy())
		}
	}
	return quietFor(cmp.Or(s.AbsentWhen(), "the machine has none"))
}
