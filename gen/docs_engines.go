package gen

import (
	"cmp"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

func enginesPage(seen map[string][]sighting) []byte {
	// The registry is in the order of recognition; a reader looks for a name.
	engines := engine.BuiltIn()
	slices.SortStableFunc(engines, func(a, b *engine.Engine) int { return strings.Compare(a.Title, b.Title) })
	p := newPage("Engines and routers", "What each program gives, as its mapping says. A fork or an in-house program is a mapping of the same form in the\nconfiguration file: [configuration.md](configuration.md).")
	models, routers := split(engines)
	p.line("## Model servers\n")
	matrix(p, models, seen)
	p.line("## Routers\n")
	matrix(p, routers, seen)
	p.line("## Programs without numbers\n")
	matrix(p, silent(engines), seen)
	p.line("*native*: a sample of the program; *computed*: arithmetic on such; *weighed*: from all the signs that the program gives of a worker, listed below; *json*: from a JSON answer; –: the program does not say it.")
	p.line("*a halt shows in*: what tells that a server with requests stands still. Steps: LlmEngineStalled, within minutes. Tokens and ends of requests, which most of these programs count when a request ends: LlmRequestsStuck, after the longest answer. Nothing: it cannot be had from outside; ask the server for one token now and then.")
	p.line("With *since* or *until*, other versions lack it. In parentheses: only with a flag, a feature or after a first use.\n")
	for _, e := range engines {
		engineSection(p, e)
		if seen != nil && engine.Find(engine.BuiltIn(), e.Name) == e {
			seenTable(p, e, seen[e.Name])
		}
	}
	return p.bytes()
}

// silent are the programs that export no numbers.
func silent(all []*engine.Engine) (programs []*engine.Engine) {
	for _, e := range all {
		if e.NoNumbers {
			programs = append(programs, e)
		}
	}
	return programs
}

func split(all []*engine.Engine) (models, routers []*engine.Engine) {
	for _, e := range all {
		switch {
		case e.NoNumbers:
		case e.Router:
			routers = append(routers, e)
		default:
			models = append(models, e)
		}
	}
	return models, routers
}

// matrix has a row for each series that any of the engines gives.
func matrix(p *page, engines []*engine.Engine, seen map[string][]sighting) {
	heads, stands := []string{"series"}, []string{"*stands on*"}
	for _, e := range engines {
		heads = append(heads, e.Title)
		stands = append(stands, standsOn(seen[e.Name]))
	}
	p.heads(heads...)
	if seen != nil {
		p.row(stands...)
	}
	if !slices.ContainsFunc(engines, func(e *engine.Engine) bool { return e.Router }) {
		halts := []string{"*a halt shows in*"}
		for _, e := range engines {
			halts = append(halts, haltShowsIn(e))
		}
		p.row(halts...)
	}
	for _, s := range catalog.All() {
		cells, any := []string{"`" + s.Name + "`"}, false
		for _, e := range engines {
			how := source(e, s)
			any = any || how != ""
			cells = append(cells, orDash(how))
		}
		if any {
			p.row(cells...)
		}
	}
	p.line("")
}

// haltShowsIn says by which counters it is seen that an engine with requests stands still.
func haltShowsIn(e *engine.Engine) string {
	if source(e, catalog.RequestsRunning) == "" {
		return "nothing"
	}
	steps := source(e, catalog.EngineSteps)
	ends := source(e, catalog.GenerationTokens) != "" || source(e, catalog.RequestsFinished) != ""
	switch {
	case steps != "" && (!strings.HasPrefix(steps, "(") || !ends):
		return "steps"
	case steps != "":
		return "steps, else tokens and ends"
	case ends:
		return "tokens and ends"
	}
	return "nothing"
}

// source says where an engine's series comes from; empty when it has none.
func source(e *engine.Engine, s *catalog.Series) string {
	var ways []string
	add := func(way, since, until string, optional bool) {
		if since != "" {
			way += " since " + since
		}
		if until != "" {
			way += " until " + until
		}
		if optional {
			way = "(" + way + ")"
		}
		if !slices.Contains(ways, way) {
			ways = append(ways, way)
		}
	}
	for _, m := range e.Map {
		if m.To == s {
			way := catalog.Native
			if m.Scale != 0 && m.Scale != 1 || m.Value != "" || m.Plus {
				way = catalog.Computed
			}
			add(way.String(), cmp.Or(m.NotBefore, m.Since), m.Until, m.Optional || m.With != "") // it is read from NotBefore on, whatever Since says
		}
	}
	for _, m := range e.JSON {
		if m.To == s {
			add(catalog.JSON.String(), m.Since, m.Until, m.Optional)
		}
	}
	for _, w := range e.Weigh {
		if w.To == s {
			add("weighed", "", "", false)
		}
	}
	if s == catalog.RouterTargets && len(ways) == 0 && source(e, catalog.RouterTargetHealthy) != "" {
		add(catalog.Computed.String(), "", "", false) // by counting
	}
	for _, d := range e.Derive {
		if d.To == s {
			add(catalog.Computed.String(), "", "", false)
		}
	}
	return strings.Join(ways, ", ")
}

func engineSection(p *page, e *engine.Engine) {
	kind := "engine"
	if e.Router {
		kind = "router"
	}
	p.line("## %s\n\nLabel `%s=\"%s\"`.", e.Title, kind, e.Name)
	if e.NoNumbers {
		p.line("It exports no numbers: it is shown as alive, with its models, and `llm_up` is absent.")
	}
	p.line("\nAsked, and nothing else:\n")
	for _, ep := range e.Endpoints {
		p.line("- `GET %s`%s", ep.Path, conditions(ep))
	}
	p.line("")
	weighings(p, e)
	if len(e.Hints) > 0 {
		p.heads("series", "what is known")
		for _, h := range e.Hints {
			name := "all numbers"
			if h.Series != nil {
				name = "`" + h.Series.Name + "`"
			}
			p.row(name, h.Text)
		}
		p.line("")
	}
	if len(e.Ignore) > 0 {
		p.line("Left out on purpose: %s.\n", quoted(e.Ignore))
	}
}

// conditions says when a path is asked and when it is not.
func conditions(ep engine.Endpoint) string {
	var out []string
	if ep.Port == engine.MetricsPort {
		out = append(out, "on the port of the metrics")
	}
	if ep.Each != nil {
		out = append(out, "for each element of `"+ep.Each.Array+"` of `"+ep.Each.Path+"`"+all(" with ", ep.Each.When))
	}
	if ep.Every > 0 {
		out = append(out, "at most every "+strings.TrimSuffix(ep.Every.String(), "0s"))
	}
	if len(ep.Unless) > 0 {
		out = append(out, "never while "+all("", ep.Unless))
	}
	if len(out) == 0 {
		return ""
	}
	return ", " + strings.Join(out, ", ")
}

func all(before string, conditions []engine.Condition) string {
	var out []string
	for _, c := range conditions {
		text := "`" + c.Field + "`"
		if c.Path != "" {
			text += " of `" + c.Path + "`"
		}
		switch {
		case c.Below != "":
			text += " is below " + c.Below
		default:
			text += " is " + strings.Join(c.In, " or ")
		}
		out = append(out, text)
	}
	if len(out) == 0 {
		return ""
	}
	return before + strings.Join(out, " and ")
}

// weighings lists the signs on which a router's word about a worker stands.
func weighings(p *page, e *engine.Engine) {
	if len(e.Weigh) == 0 {
		return
	}
	p.heads("weighed for", "sign", "what it means")
	for _, w := range e.Weigh {
		for _, witness := range w.Witnesses {
			sign := "`" + witness.Sample + "`"
			if witness.Path != "" {
				sign = "`" + witness.Value + "` of `" + witness.Path + "`"
			}
			for _, m := range witness.Where {
				sign += " with `" + m.Label + "` " + strings.Join(m.In, " or ")
			}
			p.row("`"+w.To.Name+"`", sign, meaning(w, witness))
		}
	}
	p.line("")
}

func meaning(w engine.Weighing, witness engine.Witness) string {
	switch witness.Says {
	case engine.HealthyIfAbove:
		return "above 0: healthy"
	case engine.OutIfAbove:
		return "above 0: out"
	case engine.Trace:
		if w.Forget > 0 {
			return "there was such a worker: out, for " + strings.TrimSuffix(w.Forget.String(), "0m0s") + " at most, unless it is listed"
		}
		return "there was such a worker: out, unless it is listed"
	case engine.Outage:
		return "2: out, unless another name of the deployment says 0; 1: some failures, not out"
	}
	return "1: healthy, 0: out"
}
