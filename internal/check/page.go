package check

import (
	"cmp"
	"fmt"
	"maps"
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
	fmt.Fprintf(&b, "%s\n%s\n\n", r.head(), terminal.Wrap(r.summary(), ""))
	for _, c := range r.Causes {
		c.write(&b)
	}
	r.quiet(&b)
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
	mark, wrong := "●", "Nothing is wrong"
	if !r.OK() {
		mark, wrong = "■", counted(len(r.Causes), "thing")+" to mend"
	}
	of := func(panels bool, what string) string {
		live, partly := r.counts(Live, panels)
		quiet, _ := r.counts(Quiet, panels)
		blind, _ := r.counts(Blind, panels)
		text := fmt.Sprintf("of %d %s %d live", live+quiet+blind, what, live)
		if partly > 0 {
			text += fmt.Sprintf(" (%d not everywhere)", partly)
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
func (c Cause) write(b *strings.Builder) {
	line := func(what, text string) {
		fmt.Fprintf(b, "  %-8s %s\n", what, terminal.Wrap(text, strings.Repeat(" ", 11)))
	}
	what := c.What
	if len(c.Where) > 0 {
		what = terminal.List(c.Where, mostNamed) + ": " + what
	}
	fmt.Fprintf(b, "■ %s\n", terminal.Wrap(what, "  "))
	if blinds := blinded(c.Rules, c.Panels); blinds != "" {
		line("blind", blinds)
	}
	line("mend", c.Do)
	b.WriteByte('\n')
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

// quiet lists the good reasons, with who is quiet for each.
func (r *Report) quiet(b *strings.Builder) {
	type group struct{ rules, panels, where []string }
	groups := map[string]*group{}
	for _, it := range r.Items {
		for where, why := range it.Quiet {
			g := groups[why]
			if g == nil {
				g = &group{}
				groups[why] = g
			}
			if where != "" {
				g.where = union(g.where, []string{where})
			}
			if it.Kind == Panel {
				g.panels = union(g.panels, []string{it.Key})
			} else {
				g.rules = union(g.rules, []string{it.Key})
			}
		}
	}
	if len(groups) == 0 {
		return
	}
	b.WriteString("Quiet for a good reason:\n\n")
	reasons := slices.Collect(maps.Keys(groups))
	slices.SortFunc(reasons, func(x, y string) int {
		return cmp.Or(len(groups[y].rules)+len(groups[y].panels)-len(groups[x].rules)-len(groups[x].panels), cmp.Compare(x, y))
	})
	for _, why := range reasons {
		g := groups[why]
		slices.Sort(g.where)
		if len(g.where) > 0 {
			why += " (" + terminal.List(g.where, mostNamed) + ")"
		}
		fmt.Fprintf(b, "– %s\n    %s\n", terminal.Wrap(why, "  "), terminal.Wrap(blinded(g.rules, g.panels), "    "))
	}
	b.WriteByte('\n')
}

// everything lists each item with where it sees and where not.
func (r *Report) everything(b *strings.Builder) {
	marks := map[Verdict]string{Live: "●", Quiet: "–", Blind: "■"}
	b.WriteString("Every rule and panel:\n\n")
	for _, it := range r.Items {
		var parts []string
		if sees := slices.DeleteFunc(slices.Clone(it.Sees), func(s string) bool { return s == "" }); len(sees) > 0 {
			parts = append(parts, "sees "+terminal.List(sees, mostNamed))
		}
		for _, what := range []struct {
			verdict string
			where   map[string]string
		}{{"blind", it.Blind}, {"quiet", it.Quiet}} {
			for _, where := range sortedKeys(what.where) {
				parts = append(parts, strings.TrimSpace(what.verdict+" "+where)+": "+what.where[where])
			}
		}
		text := fmt.Sprintf("%s %s %s", marks[it.Verdict], it.Kind, it.Key)
		if len(parts) > 0 {
			text += "; " + strings.Join(parts, "; ")
		}
		fmt.Fprintf(b, "%s\n", terminal.Wrap(text, "    "))
	}
	b.WriteByte('\n')
}
