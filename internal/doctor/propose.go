package doctor

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/engine"
	"github.com/llmfleet/llmfleet/exporter/exposition"
	"github.com/llmfleet/llmfleet/internal/conversation"
	"github.com/llmfleet/llmfleet/internal/terminal"
)

// proposal prints a mapping to start from, where no built-in one fits.
func (x *Examination) proposal(b *strings.Builder) {
	e := x.engine()
	page := x.page()
	switch {
	case x.isOwn():
		x.furtherLines(b, page)
		return
	case e == nil && page == nil, e != nil && !e.NoNumbers:
		return
	}
	if page != nil {
		if is := watcher(exposition.Unwrap(page.Answer.Body)); is != "" {
			b.WriteString(terminal.Wrap(is, "") + "\n")
			return
		}
	}
	if page == nil {
		b.WriteString(terminal.Wrap("Of a program that it does not know, llmfleet asks no page of numbers as long as it lists models: on some, asking does harm. "+
			"If this one has such a page and reading it is harmless, save what follows as a file, correct it, and run `llmfleet doctor --config.file=FILE`: it then shows lines for the names on that page.", "") + "\n\n")
	} else {
		b.WriteString(terminal.Wrap("What follows is a configuration to start from, made of the names on its page. Every line is a guess: compare it with what the program says of itself. "+
			"Check it with `llmfleet_exporter --config.file=FILE --config.check`, and run `llmfleet doctor --config.file=FILE` on it.", "") + "\n\n")
	}
	b.WriteString(x.Mapping())
}

// Mapping is a configuration with a mapping of the unknown program.
func (x *Examination) Mapping() string {
	d := x.draft()
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if x.file == "" {
		x.backendLines(line, d.name)
	}
	line("engines:\n  - name: %s", d.name)
	if d.router {
		line("    router: true")
	}
	if d.sign != "" {
		line("    detect:\n      - {sample: %s}", quoted(d.sign))
	}
	line("    endpoints:")
	for _, ep := range d.endpoints {
		line("      - {%s}", ep)
	}
	d.mapLines(line, "    ")
	if d.models {
		line("    json:\n      - {path: /v1/models, each: data, to: llm_model_info, labels: {model: id}, optional: true}")
	}
	if d.prefix != "" {
		line("    # What begins like this and has no mapping is counted, so that nothing gets lost unseen.\n    prefixes: [%s]", quoted(d.prefix))
	}
	return b.String()
}

// backendLines name the backend as it was named on the command line.
func (x *Examination) backendLines(line func(string, ...any), name string) {
	line("backends:\n  - name: %s\n    url: %s", quoted(x.backend.Name), quoted(x.backend.URL))
	if x.backend.MetricsURL != "" {
		line("    metrics_url: %s", quoted(x.backend.MetricsURL))
	}
	if a := x.backend.HTTP.Authorization; a != nil {
		line("    authorization: {credentials_file: %s}", quoted(a.CredentialsFile))
	}
	line("    engine: %s\n", name)
}

// draft is a mapping in the making.
type draft struct {
	name, sign, prefix string
	router, models     bool
	endpoints          []string
	guesses            []guess
	rest               []*family
}

// draft makes a mapping of what the program answered.
func (x *Examination) draft() *draft {
	d := &draft{name: "my_engine"}
	if ex := x.exchange("/v1/models"); ex != nil && good(ex) {
		d.models = true
		d.endpoints = append(d.endpoints, "path: /v1/models, format: json, optional: true")
	}
	page := x.page()
	if page == nil {
		d.endpoints = append(d.endpoints, "path: /metrics, format: exposition")
		return d
	}
	all := familiesOf(exposition.Unwrap(page.Answer.Body))
	d.router = isRouter(all)
	d.guesses, d.rest = guesses(all, d.router)
	d.prefix = beginning(all)
	d.name = x.engineName(d.prefix)
	d.sign = signOf(d.guesses, all, d.prefix)
	ep := "path: " + quoted(page.Path) + ", format: exposition"
	switch {
	case page.Port == engine.MetricsPort:
		ep += ", port: metrics"
	case !d.models && page.Path == "/metrics":
		ep += ", probe: not_for_models"
	}
	d.endpoints = append(d.endpoints, ep)
	return d
}

// page is the exposition that nobody knows, nil if none was seen.
func (x *Examination) page() *conversation.Exchange {
	for i := range x.round.Exchanges {
		ex := &x.round.Exchanges[i]
		if good(ex) && exposition.Read(exposition.Unwrap(ex.Answer.Body), func(*exposition.Sample) {}).Samples > 0 {
			return ex
		}
	}
	return nil
}

func (x *Examination) exchange(path string) *conversation.Exchange {
	i := slices.IndexFunc(x.round.Exchanges, func(e conversation.Exchange) bool { return e.Path == path })
	if i < 0 {
		return nil
	}
	return &x.round.Exchanges[i]
}

func good(e *conversation.Exchange) bool { return e.Answer != nil && e.Answer.Status/100 == 2 }

// engineName makes a name of the beginning of the metric names, which no other engine has.
func (x *Examination) engineName(prefix string) string {
	name := strings.Trim(strings.ToLower(prefix), "_:")
	c, err := config.Parse("", fmt.Appendf(nil, "engines: [{name: %s, no_numbers: true, endpoints: [{path: /health, format: status}]}]\n", quoted(name)))
	if err != nil || len(c.Engines) != 1 || engine.Find(x.own, name) != nil {
		return "my_engine"
	}
	return name
}

// signOf is a sample by which the program can be recognised: it must be a sample's own name, so
// a histogram's is none.
func signOf(found []guess, all []*family, prefix string) string {
	for _, g := range found {
		if len(g.to.Labels) > 0 && g.to.Kind.String() != "histogram" && strings.HasPrefix(g.from.name, prefix) {
			return g.from.name
		}
	}
	if prefix != "" && len(all) > 0 {
		return prefix + "*"
	}
	return ""
}

// mostUnguessed is how many names are shown that no guess was made of.
const mostUnguessed = 40

// mapLines writes the guesses, and as comments what could not be guessed.
func (d *draft) mapLines(line func(string, ...any), indent string) {
	if len(d.guesses) > 0 {
		line("%smap:", indent)
		for _, g := range d.guesses {
			line("%s  - %s", indent, g.yaml())
		}
	}
	if len(d.rest) == 0 {
		return
	}
	line("%s  # Seen, and not guessed. docs/series.md lists what they may be; write a line for each that is one of those.", indent)
	for i, f := range d.rest {
		if i == mostUnguessed {
			line("%s  # … and %d more", indent, len(d.rest)-i)
			break
		}
		line("%s  # - {from: %s, to: llm_…}  %s", indent, quoted(f.name), f.describe())
	}
}

func (f *family) describe() string {
	kind := f.kind.String()
	if f.summary {
		kind = "summary, of which no series can be made"
	}
	if len(f.labels) == 0 {
		return kind
	}
	return kind + " by " + terminal.List(f.labels, 6)
}

func (g *guess) yaml() string {
	text := fmt.Sprintf("{from: %s, to: %s", quoted(g.from.name), g.to.Name)
	if g.scale != "" {
		text += ", scale: " + g.scale
	}
	if len(g.labels) > 0 {
		text += ", labels: {" + strings.Join(g.labels, ", ") + "}"
	}
	text += ", optional: true}"
	if g.check != "" {
		text += " # " + g.check
	}
	return text
}

// furtherLines shows what an own mapping could have besides.
func (x *Examination) furtherLines(b *strings.Builder, page *conversation.Exchange) {
	e := x.engine()
	if page == nil || e == nil {
		return
	}
	all := slices.DeleteFunc(familiesOf(exposition.Unwrap(page.Answer.Body)), func(f *family) bool { return knows(e, f.name) })
	if len(all) == 0 {
		return
	}
	d := &draft{}
	d.guesses, d.rest = guesses(all, e.Router)
	fmt.Fprintf(b, "Names on its page without a mapping. Lines to start from, for the engine %s in %s:\n\n", e.Name, cmp.Or(x.file, "the configuration"))
	d.mapLines(func(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }, "    ")
}

// knows says whether a mapping reads a name, or leaves it out on purpose.
func knows(e *engine.Engine, name string) bool {
	return slices.ContainsFunc(e.Map, func(m engine.Mapping) bool { return m.From == name }) ||
		slices.ContainsFunc(e.Ignore, func(i string) bool {
			start, open := strings.CutSuffix(i, "*")
			return i == name || open && strings.HasPrefix(name, start)
		})
}

var plainText = regexp.MustCompile(`^[A-Za-z_/][A-Za-z0-9_./-]*$`)

// quoted is a text as YAML reads it back.
func quoted(s string) string {
	if plainText.MatchString(s) && !slices.Contains([]string{"true", "false", "yes", "no", "null", "on", "off", "y", "n"}, strings.ToLower(s)) {
		return s
	}
	return fmt.Sprintf("%q", s)
}
