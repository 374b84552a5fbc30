package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/engine"
	"github.com/llmfleet/llmfleet/internal/conversation"
	"github.com/llmfleet/llmfleet/internal/terminal"
)

// String is the page.
func (x *Examination) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n\n", x.round.State.URL, terminal.Wrap(x.verdict(), ""))
	x.facts(&b)
	x.given(&b)
	x.lacking(&b)
	x.odd(&b)
	x.proposal(&b)
	return terminal.Printable(strings.TrimRight(b.String(), "\n") + "\n")
}

// verdict is the first sentence: what it is, and whether numbers arrive.
func (x *Examination) verdict() string {
	s, name := x.round.State, x.name()
	switch {
	case x.engine() == nil && s.Healthy == engine.No:
		return "■ Nothing usable answers: " + x.problem()
	case x.engine() == nil && s.Reason == catalog.ReasonUnrecognized:
		return "■ No program that llmfleet knows, so no numbers: " + x.problem()
	case x.engine() == nil:
		return "■ Something answers, and what it is cannot be seen: " + x.problem()
	case s.Up == engine.Unknown && s.Problem != "":
		return fmt.Sprintf("■ %s: %s", name, x.problem())
	case s.Up == engine.Unknown:
		return fmt.Sprintf("▲ %s. It is alive, and that is all that can be known: llmfleet knows no numbers of it.", name)
	case s.Up == engine.No:
		return fmt.Sprintf("■ %s, and no numbers: %s", name, x.problem())
	case !x.NumbersArrive():
		return fmt.Sprintf("■ %s. Its page was read, and no number on it has a mapping yet.", name)
	case s.Problem != "":
		return fmt.Sprintf("▲ %s. Numbers arrive, but: %s", name, x.problem())
	}
	if all, out := x.workers(); len(out) > 0 {
		return fmt.Sprintf("▲ %s. Its numbers arrive, and show that it keeps requests from %d of its %d workers.", name, len(out), all)
	}
	return fmt.Sprintf("● %s. Its numbers arrive.", name)
}

// problem is what is wrong as a sentence, in the words of the command line where that is in use.
func (x *Examination) problem() string {
	s := x.round.State.Problem
	if x.file == "" {
		s = strings.ReplaceAll(s, "(authorization.credentials_file)", "(--bearer-token-file=FILE here, authorization.credentials_file in a configuration)")
		s = strings.ReplaceAll(s, "set metrics_url to", "set metrics_url (--metrics-url=URL here) to")
	}
	if strings.HasSuffix(s, "?") || strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

// name is the program with its version.
func (x *Examination) name() string {
	s := x.round.State
	if x.engine() == nil {
		return ""
	}
	name := s.Engine
	if v := s.Version; v != "" {
		name += ", version " + v
	}
	return name
}

// facts are what a person asks first.
func (x *Examination) facts(b *strings.Builder) {
	s := x.round.State
	fact := func(what, text string) {
		if text != "" {
			fmt.Fprintf(b, "  %-14s %s\n", what, terminal.Wrap(text, strings.Repeat(" ", 17)))
		}
	}
	if e := x.engine(); e != nil {
		kind := "engine"
		if e.Router {
			kind = "router"
		}
		fact("shown as", fmt.Sprintf("%s=%q", kind, e.Name))
		fact("recognised by", x.why())
	}
	health := map[engine.Tri]string{engine.Yes: "yes", engine.No: "no", engine.Unknown: "it does not say"}[s.Healthy]
	fact("healthy", health)
	switch all, out := x.workers(); {
	case len(out) > 0:
		fact("workers", fmt.Sprintf("%d; it keeps requests from %s", all, terminal.List(out, 8)))
	case all > 0:
		fact("workers", fmt.Sprintf("%d, none kept from requests", all))
	}
	fact("models", terminal.List(s.Models, 8))
	fact("asked", x.asked())
	for _, n := range s.Notes {
		fact("note", n)
	}
	b.WriteByte('\n')
}

// workers counts those of which a router has an opinion, and lists those that get no requests.
func (x *Examination) workers() (all int, out []string) {
	for _, p := range x.points() {
		if p.Series != catalog.RouterTargetHealthy {
			continue
		}
		if all++; p.Value == 0 {
			out = append(out, p.Label(catalog.LabelTarget))
		}
	}
	return all, out
}

// why is the sign by which the program was recognised.
func (x *Examination) why() string {
	sign := ""
	if s := x.round.Reading.Sign; s != nil {
		sign = s.String()
	}
	switch {
	case x.backend.Engine == "":
		return sign
	case sign == "":
		return fmt.Sprintf("nothing: the configuration says engine: %s", x.backend.Engine)
	}
	return fmt.Sprintf("the configuration (engine: %s); and %s", x.backend.Engine, sign)
}

// asked lists every question and how it was answered.
func (x *Examination) asked() string {
	var out []string
	for _, e := range x.round.Exchanges {
		out = append(out, fmt.Sprintf("%s %s", e.Path, outcome(e)))
		if e.Port == engine.MetricsPort {
			out[len(out)-1] += " (metrics address)"
		}
	}
	if len(out) == 0 {
		return "nothing"
	}
	return "GET " + terminal.List(out, 12) + "; nothing else"
}

func outcome(e conversation.Exchange) string {
	if e.Answer == nil {
		return "no answer"
	}
	return fmt.Sprint(e.Answer.Status)
}

// given lists the series with their values.
func (x *Examination) given(b *strings.Builder) {
	points := x.points()
	if len(points) == 0 {
		return
	}
	b.WriteString("It gives these series (docs/series.md says what they mean). Now:\n\n")
	model := onlyModel(points)
	for _, s := range catalog.All() {
		of := slices.DeleteFunc(slices.Clone(points), func(p catalog.Point) bool { return p.Series != s })
		for i, line := range values(of, model) {
			name := s.Name
			if i > 0 {
				name = ""
			}
			fmt.Fprintf(b, "  %-46s %s\n", name, line)
		}
	}
	b.WriteByte('\n')
	x.counts(b)
}

// counts says of the series that are there what their names do not.
func (x *Examination) counts(b *strings.Builder) {
	before := b.Len()
	for _, s := range catalog.All() {
		text := x.engine().Counts(s)
		if text == "" || !slices.ContainsFunc(x.points(), func(p catalog.Point) bool { return p.Series == s }) {
			continue
		}
		if b.Len() == before {
			b.WriteString("What some of them count:\n\n")
		}
		fmt.Fprintf(b, "  %s\n      %s\n", s.Name, terminal.Wrap(text, "      "))
	}
	if b.Len() > before {
		b.WriteByte('\n')
	}
}

// lacking lists the series that are not there, by the reason.
func (x *Examination) lacking(b *strings.Builder) {
	e := x.engine()
	if e == nil || e.NoNumbers || x.round.State.Up != engine.Yes {
		return
	}
	var reasons []string
	of := map[string][]string{}
	for _, s := range x.absent(e) {
		why := x.whyNot(e, s)
		if of[why] == nil {
			reasons = append(reasons, why)
		}
		of[why] = append(of[why], s.Name)
	}
	if len(reasons) == 0 {
		return
	}
	b.WriteString("It does not give these:\n\n")
	for _, why := range reasons {
		fmt.Fprintf(b, "  %s\n      %s\n", terminal.Wrap(why+":", "  "), terminal.Wrap(strings.Join(of[why], ", "), "      "))
	}
	b.WriteByte('\n')
}

// whyNot is the engine's own reason, and in a router none of whose models was asked: that.
func (x *Examination) whyNot(e *engine.Engine, s *catalog.Series) string {
	why := e.WhyNot(s, x.round.State.Version)
	switch {
	case strings.HasSuffix(why, engine.OnlySometimes) && x.noModelAsked(e):
		return "only of a loaded model, and none is loaded (asking would load it)"
	case why == "":
		return "not now, and nothing is known that would turn it on"
	}
	return why
}

// noModelAsked says that the numbers are those of the models behind the program, and no model
// could be asked.
func (x *Examination) noModelAsked(e *engine.Engine) bool {
	fans := false
	for _, ep := range e.Endpoints {
		if ep.Each == nil {
			continue
		}
		fans = true
		before, _, _ := strings.Cut(ep.Path, "{model}")
		if slices.ContainsFunc(x.round.Exchanges, func(ex conversation.Exchange) bool { return strings.HasPrefix(ex.Path, before) }) {
			return false
		}
	}
	return fans
}

// absent are the series that the engine's mappings name, and those on which panels stand, that
// gave no point.
func (x *Examination) absent(e *engine.Engine) []*catalog.Series {
	there := map[*catalog.Series]bool{}
	for _, p := range x.points() {
		there[p.Series] = true
	}
	wanted := map[*catalog.Series]bool{}
	for s := range x.round.Reading.Supported {
		wanted[s] = true
	}
	for i := range e.Map {
		wanted[e.Map[i].To] = true
	}
	for i := range e.JSON {
		wanted[e.JSON[i].To] = true
	}
	return slices.DeleteFunc(catalog.All(), func(s *catalog.Series) bool { return !wanted[s] || there[s] })
}

// odd says what was seen and not used.
func (x *Examination) odd(b *strings.Builder) {
	r := x.round.Reading
	line := func(format string, args ...any) {
		fmt.Fprintf(b, "%s\n", terminal.Wrap(fmt.Sprintf(format, args...), "  "))
	}
	before := b.Len()
	if len(r.Missing) > 0 {
		line("This version should send these and did not (renamed? please report it): %s", terminal.List(r.Missing, 20))
	}
	if len(r.Unmapped) > 0 && !x.isOwn() {
		line("Seen, and without a series so far: %s", terminal.List(r.Unmapped, 20))
	}
	if r.Dropped > 0 {
		line("Left out: %d samples that are no finite numbers, or lines that cannot be read", r.Dropped)
	}
	if r.Folded > 0 {
		line("Folded into the value other: %d series beyond the limit of label values (label_value_limit)", r.Folded)
	}
	for _, e := range r.Errors {
		if x.engine() == nil && x.round.State.Healthy == engine.No {
			break // they all say what the verdict says
		}
		if text := e.Error(); !strings.Contains(x.round.State.Problem, text) {
			line("A request that failed: %s", text)
		}
	}
	if b.Len() > before {
		b.WriteByte('\n')
	}
}
