package engine

import (
	"slices"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// asking is one endpoint in one round: the question it became, or why it was not asked.
type asking struct {
	endpoint *Endpoint
	question question
	model    string  // of the element, where the endpoint fans out
	skipped  failure // no reason: it was asked
}

// decides says whether llm_up stands and falls with it. A model behind a router costs only
// its own numbers.
func (a *asking) decides() bool { return a.endpoint.Role == Numbers && a.endpoint.Each == nil }

// question returns what an endpoint asks of which address; ok is false when the target has
// no such address.
func (s *Session) question(ep Endpoint) (q question, ok bool) {
	q = question{ep.Port, ep.Path}
	switch {
	case s.opts.HasMetricsPort:
		// With an address for metrics, every exposition is asked there.
		if ep.Format == Exposition && ep.Each == nil {
			q.port = MetricsPort
		}
		return q, true
	case s.metricsPort:
		q.port = Service
		return q, ep.Format == Exposition || ep.Port == MetricsPort
	}
	return q, ep.Port == Service
}

// askAll asks what the engine may be asked: first what depends on nothing, all at once, so
// that numbers that hang do not hide the health; then what depends on those answers.
func (r *round) askAll(e *Engine) {
	r.plan = r.plan[:0]
	r.stage(e, func(ep *Endpoint) bool { return ep.Each == nil && len(ep.Unless) == 0 && ep.Port == Service })
	r.noticeMetricsPort(e)
	r.stage(e, func(ep *Endpoint) bool { return ep.Each != nil || len(ep.Unless) > 0 || ep.Port != Service })
}

// stage plans the endpoints that are chosen, and asks those that are due.
func (r *round) stage(e *Engine, chosen func(*Endpoint) bool) {
	var due []question
	for i := range e.Endpoints {
		ep := &e.Endpoints[i]
		if !chosen(ep) {
			continue
		}
		for _, a := range r.expand(e, ep) {
			r.plan = append(r.plan, a)
			if a.skipped.reason == "" && r.due(a.question, r.every(e, ep)) {
				due = append(due, a.question)
				r.patience[a.question] = r.patienceFor(ep, a.question)
				r.pattern[a.question] = tablesOf(e).patterns[ep.Pattern]
			}
		}
	}
	r.ask(due...)
	for _, a := range r.plan {
		if a.endpoint.Role == Info && r.every(e, a.endpoint) > 0 {
			r.standIn(a.question)
		}
	}
}

const (
	// modelPatience is how long one model behind a router may take to answer, and settings
	// that are known from earlier. It is well below the ten seconds that Prometheus waits by
	// default, so that what hangs (llama.cpp's models do for up to ten seconds while they
	// unload) costs its own numbers and not those of the others.
	modelPatience = 4 * time.Second
	// healthPatience is how long the health may take: one that hangs is a "no" and must not
	// hide the numbers, which often tell why.
	healthPatience = 8 * time.Second
)

// patienceFor is how long an answer may keep those of other questions waiting; 0: to the end
// of the round.
func (r *round) patienceFor(ep *Endpoint, q question) time.Duration {
	switch {
	case ep.Each != nil, ep.Role == Info && r.s.kept[q] != nil:
		return modelPatience
	case ep.Role == Health && ep.Format == Status:
		return healthPatience
	}
	return 0
}

// noticeMetricsPort finds that the address given for the service is the metrics port of the
// program, which answers its exposition whatever the path.
func (r *round) noticeMetricsPort(e *Engine) {
	if r.s.opts.HasMetricsPort || r.s.metricsPort {
		return
	}
	if !slices.ContainsFunc(e.Endpoints, func(ep Endpoint) bool { return ep.Port == MetricsPort }) {
		return
	}
	for _, re := range r.all() {
		if re.ok() && slices.ContainsFunc(e.Prefixes, re.hasFamily) {
			r.s.metricsPort = true
			return
		}
	}
}

// expand makes one asking of an endpoint, or one per model where it fans out.
func (r *round) expand(e *Engine, ep *Endpoint) []asking {
	q, ok := r.s.question(*ep)
	if !ok {
		if ep.Role != Numbers || r.s.metricsPort {
			return nil
		}
		return []asking{{endpoint: ep, question: q, skipped: failure{catalog.ReasonDisabled, e.HowToEnable()}}}
	}
	skipped := r.harm(e, ep)
	if ep.Each == nil {
		return []asking{{endpoint: ep, question: q, skipped: skipped}}
	}
	var all []asking
	for _, model := range r.elements(ep.Each) {
		q.path = fill(ep.Path, model)
		all = append(all, asking{endpoint: ep, question: q, model: model, skipped: skipped})
	}
	return all
}

// mostModels bounds how many models of one router are asked in a round.
const mostModels = 64

// elements returns the keys of an array's elements that meet the conditions.
func (r *round) elements(each *Each) []string {
	list := r.get(question{Service, each.Path})
	if !list.ok() {
		return nil
	}
	array, _ := lookup(list.doc, each.Array)
	elements, _ := array.([]any)
	var keys []string
	for _, element := range elements {
		key, _ := lookup(element, each.Key)
		if name := text(key); name != "" && allHold(each.When, element) && len(keys) < mostModels {
			keys = append(keys, name)
		}
	}
	return keys
}

// harm says why an endpoint must not be asked now. What decides it must be known: when its
// answer cannot be had, the question is not asked either, unless earlier answers show that
// this program does not have the danger at all.
func (r *round) harm(e *Engine, ep *Endpoint) failure {
	if len(ep.Unless) == 0 {
		return failure{}
	}
	var unknown failure
	for i := range ep.Unless {
		c := &ep.Unless[i]
		re := r.get(question{Service, c.Path})
		switch {
		case re.ok() && re.doc != nil:
			if !c.holds(re.doc) {
				return failure{}
			}
		case re != nil && re.answer != nil && (missing(re.status()) || re.ok()):
			if !c.holds(nil) {
				return failure{}
			}
		case c.In != nil && r.s.lacked(c):
			return failure{}
		default:
			unknown, _ = r.failureOf(e, &Endpoint{Path: c.Path, Format: JSON}, re)
		}
	}
	if unknown.reason != "" {
		return unknown
	}
	return failure{catalog.ReasonAsleep, "the model sleeps, and asking this version for its numbers would wake it: it is not asked"}
}

// lacked says whether the last answer did not have the field, or its path is not there at
// all: the program never will. A refusal tells nothing.
func (s *Session) lacked(c *Condition) bool {
	kept := s.kept[question{Service, c.Path}]
	if kept == nil {
		return false
	}
	_, has := lookup(kept.doc, c.Field)
	return !has && (kept.ok() && kept.doc != nil || missing(kept.status()))
}

// every is how old an endpoint's answer may be. Settings that hold a state, like "asleep",
// are asked every time.
func (r *round) every(e *Engine, ep *Endpoint) time.Duration {
	if ep.Role == Numbers && ep.Format == Exposition {
		return r.s.opts.NumbersEvery
	}
	for i := range e.Endpoints {
		for j := range e.Endpoints[i].Unless {
			c := &e.Endpoints[i].Unless[j]
			if c.Path == ep.Path && c.In != nil && !r.s.lacked(c) {
				return 0
			}
		}
	}
	return ep.Every
}
