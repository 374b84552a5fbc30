package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/engine"
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
}

// absence says why a backend does not give a series.
func (f *fleet) absence(b *backend, s *catalog.Series) sight {
	switch {
	case b.unscraped != "":
		return sight{quiet, "not scraped on purpose: " + b.unscraped, ""}
	case s.Setting != "":
		return sight{quiet, "nothing is said under " + s.Setting + " in the exporter's configuration", ""}
	}
	isNumber := s.Origin != catalog.Observed && (slices.Contains(s.Labels, catalog.LabelEngine) || slices.Contains(s.Labels, catalog.LabelRouter))
	if isNumber {
		if out := b.never(s); out.rank != seen {
			return out
		}
	}
	if out := b.unread(); out.rank != seen {
		return out
	}
	when := s.AbsentWhen()
	switch why := b.whyNot(s); {
	case isNumber && why == engine.OnlySometimes, when == "" && isNumber && why == "" && b.missing == 0:
		return sight{quiet, engine.OnlySometimes, ""}
	case when != "":
		return sight{quiet, when, ""}
	case b.missing > 0:
		return sight{blind, fmt.Sprintf("%.0f names that its version should send are missing", b.missing),
			"read on the exporter's page which they are; look for a release of llmfleet that knows " + cmp.Or(b.version, "the version") + ", or map the new names in its configuration"}
	}
	return sight{quiet, "not now", ""}
}

// never says that a backend cannot give a number, up or down; the zero sight that it may.
func (b *backend) never(s *catalog.Series) sight {
	e := b.engine
	switch why := b.whyNot(s); {
	case slices.Contains(s.Labels, catalog.LabelRouter) && !b.router:
		return sight{notAbout, "no router here", ""}
	case slices.Contains(s.Labels, catalog.LabelEngine) && b.router && (e == nil || !e.Gives(s)):
		return sight{notAbout, "no model server here", ""}
	case e != nil && e.NoNumbers:
		return sight{quiet, e.Title + " exports no numbers", ""}
	case why != "" && why != engine.OnlySometimes && (b.version != "" || !e.Gives(s)): // what a version gives is not known without one
		return sight{quiet, why, ""}
	case b.unsupported[s.Name]:
		return sight{quiet, cmp.Or(b.program, "its program") + " does not give it", ""}
	}
	return sight{}
}

func (b *backend) whyNot(s *catalog.Series) string {
	if b.engine == nil {
		return ""
	}
	return b.engine.WhyNot(s, b.version)
}

// unread says that nothing of a backend's numbers arrives now; the zero sight that they do.
func (b *backend) unread() sight {
	switch {
	case b.reason == "":
		return sight{}
	case b.reason.Passes():
		return sight{quiet, "no numbers now: " + string(b.reason), ""}
	case b.reason == catalog.ReasonDisabled:
		return sight{blind, "no numbers (disabled)", b.engine.HowToEnable()}
	}
	return sight{blind, fmt.Sprintf("no numbers (%s)", b.reason), b.reason.Remedy()}
}

// absence says why an exporter does not give a series of its own or of its machine.
func (m *machine) absence(s *catalog.Series) sight {
	ofCard := slices.ContainsFunc([]string{catalog.LabelGPU, catalog.LabelDevice}, func(l string) bool { return slices.Contains(s.Labels, l) })
	switch {
	case s.Origin != catalog.Host:
		return sight{blind, "the exporter does not give " + s.Name, "run an exporter of the same release as this llmfleet"}
	case m.gpus < 0 && len(m.failed) == 0:
		return sight{quiet, "nothing is read of the machine", ""}
	case m.gpus == 0 && ofCard:
		return sight{notAbout, "no card here", ""}
	case m.noRights && strings.Contains(s.Help, "eeds rights"):
		return sight{blind, "the registers of its PCI devices cannot be read", catalog.HostDenied.Remedy()}
	}
	for _, source := range slices.Sorted(maps.Keys(m.failed)) {
		if reason := m.failed[source]; source != catalog.SourceAtomics && reason.Remedy() != "" {
			return sight{blind, fmt.Sprintf("%s of the machine cannot be read (%s)", source, reason), reason.Remedy()}
		}
	}
	return sight{quiet, cmp.Or(s.AbsentWhen(), "nothing of the kind in the machine"), ""}
}
