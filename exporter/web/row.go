package web

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/exporter/engine"
	"github.com/llmfleet/llmfleet/exporter/scrape"
)

// Verdict is a target's state in one word, and how bad it is.
type Verdict struct {
	Word string
	Tone string // good, bad, warn, quiet: names of the page's colors
	Mark string // a shape, for those who do not see the color
}

// Judge sums a state up.
func Judge(s *scrape.State) Verdict {
	switch {
	case s.Unscraped != "":
		return Verdict{"not watched", "quiet", "–"}
	case s.At.IsZero():
		return Verdict{"not asked yet", "quiet", "…"}
	case s.Up == engine.Yes && s.Healthy == engine.No:
		return Verdict{"not serving", "warn", "▲"}
	case len(s.NotServed) > 0:
		return Verdict{"another model", "warn", "▲"}
	case s.Up == engine.Yes:
		return Verdict{"up", "good", "●"}
	case s.Up == engine.Unknown && s.Healthy == engine.Yes:
		return Verdict{"up, no numbers", "good", "●"}
	case s.Healthy == engine.Yes:
		return Verdict{"numbers missing", "warn", "▲"}
	case s.Up == engine.No && s.Healthy == engine.Unknown:
		return Verdict{"no numbers", "bad", "■"} // something answers: another program, a login page
	}
	return Verdict{"down", "bad", "■"}
}

// row is one target on the page.
type row struct {
	Verdict
	Backend, URL, Engine, Version, Models, Problem string
	Notes                                          []string
	Age                                            string
}

func rowOf(s *scrape.State, now time.Time) row {
	r := row{
		Verdict: Judge(s), Backend: s.Backend, URL: s.URL, Engine: s.Engine, Version: s.Version,
		Models: listed(s.Models), Problem: s.Problem, Notes: s.Notes, Age: age(s.At, now),
	}
	if s.Unscraped != "" {
		r.Problem = s.Unscraped
	}
	if len(s.NotServed) > 0 {
		r.Notes = append(slices.Clone(r.Notes), "expected and not in its list: "+listed(s.NotServed))
	}
	return r
}

// listed names a few models and counts the rest.
func listed(models []string) string {
	const most = 4
	if len(models) <= most {
		return strings.Join(models, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(models[:most], ", "), len(models)-most)
}

// age says how long ago something was, in the unit that a person would use.
func age(at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	switch d := now.Sub(at); {
	case d < time.Second:
		return "now"
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s ago", d/time.Second)
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	default:
		return fmt.Sprintf("%d days ago", d/(24*time.Hour))
	}
}
