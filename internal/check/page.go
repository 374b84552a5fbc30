package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/internal/terminal"
)

// mostNamed is how many rules or panels of one cause are named.
const mostNamed = 6

// Page is the report for a person: what is blind and what to do, then what is quiet and why. With
// all, every rule and panel is listed too.
func (r *Report) Page(all bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", r.head(), terminal.Wrap(r.summary(), "  "))
	if active := r.active(); active != "" {
		fmt.Fprintln(&b, terminal.Wrap(active, "  "))
	}
	b.WriteByte('\n')
	for _, c := range r.Causes {
		c.write(&b, r.titles())
	}
	r.quiet(&b, Quiet, "Quiet everywhere, for a good reason:")
	r.quiet(&b, Live, "Quiet at some backends, for a good reason (a rule that sees any backend counts as live):")
	if all {
		r.everything(&b)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "%s\n", terminal.Wrap("Not looked at: "+n, "  "))
	}
	return terminal.Printable(strings.TrimRight(b.String(), "\n") + "\n")
}

func (r *Report) head() string {
	head := r.Address
	if r.Prometheus != "" {
		head += ", Prometheus " + r.Prometheus
	}
	return fmt.Sprintf("%s: %s, %s", head, counted(r.Exporters, "exporter"), counted(r.Backends, "backend"))
}

// summary is what a person reads first.
func (r *Report) summary() string {
	mark, wrong := "●", "Nothing is blind"
	if !r.OK() {
		mark, wrong = "■", counted(len(r.Causes), "thing")+" to mend"
	}
	of := func(panels bool, what string) string {
		live, partly := r.counts(Live, panels)
		quiet, _ := r.counts(Quiet, panels)
		blind, _ := r.counts(Blind, panels)
		text := fmt.Sprintf("of %d %s %d live", live+quiet+blind, what, live)
		if partly > 0 {
			text += fmt.Sprintf(" (%d blind somewhere)", partly)
		}
		return text + fmt.Sprintf(", %d quiet for a good reason, %d blind", quiet, blind)
	}
	return fmt.Sprintf("%s %s: %s; %s.", mark, wrong, of(false, "rules"), of(true, "panels"))
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// write is a cause with what it blinds and what mends it.
func (c Cause) write(b *strings.Builder, titles map[string]string) {
	line := func(what, text string) {
		fmt.Fprintf(b, "  %-8s %s\n", what, terminal.Wrap(text, strings.Repeat(" ", 11)))
	}
	what := c.What
	if len(c.Where) > 0 {
		what = terminal.List(c.Where, mostNamed) + ": " + what
	}
	fmt.Fprintf(b, "■ %s\n", terminal.Wrap(what, "  "))
	if blinds := blinded(c.Rules, titled(c.Panels, titles)); blinds != "" {
		line("blind", blinds)
	}
	line("mend", c.Do)
	b.WriteByte('\n')
}

// titles are those of the panels, by key.
func (r *Report) titles() map[string]string {
	out := map[string]string{}
	for _, it := range r.Items {
		out[it.Key] = it.name()
	}
	return out
}

// name is what a person knows the item by.
func (it Item) name() string { return cmp.Or(it.Title, it.Key) }

func titled(keys []string, titles map[string]string) []string {
	out := make([]string, len(keys))
	for i, key := range keys {
		out[i] = cmp.Or(titles[key], key)
	}
	return out
}

// blinded names rules and panels.
func blinded(rules, panels []string) string {
	var out []string
	if len(rules) > 0 {
		out = append(out, terminal.List(rules, mostNamed))
	}
	if len(panels) > 0 {
		out = append(out, counted(len(panels), "panel")+" ("+terminal.List(panels, 3)+")")
	}
	return strings.Join(out, "; ")
}

// everything lists each item with where it sees and where not.
func (r *Report) everything(b *strings.Builder) {
	marks := map[Verdict]string{Live: "●", Quiet: "–", Blind: "■"}
	b.WriteString("Every rule and panel:\n\n")
	for _, it := range r.Items {
		parts := []string{fmt.Sprintf("%s %s %s", marks[it.Verdict], it.Kind, it.name())}
		if sees := slices.DeleteFunc(slices.Clone(it.Sees), func(s string) bool { return s == "" }); len(sees) > 0 {
			parts = append(parts, "sees "+terminal.List(sees, mostNamed))
		}
		parts = append(parts, byReason("blind", it.Blind)...)
		parts = append(parts, byReason("quiet", it.Quiet)...)
		fmt.Fprintf(b, "%s\n", terminal.Wrap(strings.Join(parts, "; "), "    "))
	}
	b.WriteByte('\n')
}

// byReason names those of a map from place to reason together that share a reason.
func byReason(verdict string, why map[string][]string) (out []string) {
	places := map[string][]string{}
	for _, place := range sortedKeys(why) {
		for _, reason := range why[place] {
			places[reason] = append(places[reason], place)
		}
	}
	for _, reason := range sortedKeys(places) {
		out = append(out, strings.TrimSpace(verdict+" "+terminal.List(places[reason], mostNamed))+": "+reason)
	}
	return out
}
