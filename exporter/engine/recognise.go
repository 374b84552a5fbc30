package engine

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
)

// find recognises an unknown program. It asks only what is harmless to every program that
// might listen: first the paths that all engines vouch for, then, if the program lists no
// models, the pages of numbers that only model servers guard. A candidate is asked its own
// settings before its numbers, for they may show that it is another mode of it.
func (s *Session) find(r *round) *Engine {
	r.ask(s.probes(Always)...)
	if re := r.get(metricsPage); re != nil && re.answer != nil && missing(re.status()) {
		r.ask(s.otherMetricsPages()...)
	}
	e := match(s.opts.Engines, r.all())
	if (e == nil || e.NoNumbers) && (!r.listsModels() || s.proxyAlone(r.get(modelList))) {
		r.ask(s.probes(NotForModels)...)
		e = match(s.opts.Engines, r.all())
	}
	if e != nil && e.Generic {
		r.ask(s.probes(ForModels)...)
		e = match(s.opts.Engines, r.all())
	}
	for range mostTurns {
		if e == nil {
			break
		}
		r.ask(s.settings(e)...)
		better := match(s.opts.Engines, r.all())
		if better == nil || better == e {
			break
		}
		e = better
	}
	return e
}

// mostTurns bounds how often a session changes its mind within one round.
const mostTurns = 3

// probes returns the paths of all engines that may be asked of an unknown program. An
// address that the operator calls the metrics address may be asked for metrics.
func (s *Session) probes(when Probe) []question {
	var questions []question
	add := func(q question) {
		if !slices.Contains(questions, q) {
			questions = append(questions, q)
		}
	}
	for _, e := range s.opts.Engines {
		for _, ep := range e.Endpoints {
			if ep.Each != nil {
				continue
			}
			q, ok := s.question(ep)
			if ok && (ep.Probe == when || when == Always && q == metricsPage) {
				add(q)
			}
		}
	}
	return questions
}

// metricsPage is where the metrics of nearly every program are, if they have a port of their own.
var metricsPage = question{MetricsPort, "/metrics"}

// otherMetricsPages are the pages of programs that have them elsewhere on such a port.
func (s *Session) otherMetricsPages() []question {
	var questions []question
	for _, e := range s.opts.Engines {
		for _, ep := range e.Endpoints {
			if q, ok := s.question(ep); ok && ep.Port == MetricsPort && ep.Format == Exposition && ep.Each == nil && q != metricsPage {
				questions = append(questions, q)
			}
		}
	}
	return questions
}

// settings returns the paths of a candidate that tell what it is.
func (s *Session) settings(e *Engine) []question {
	var questions []question
	for _, ep := range e.Endpoints {
		if q, ok := s.question(ep); ok && ep.Format == JSON && ep.Each == nil && len(ep.Unless) == 0 {
			questions = append(questions, q)
		}
	}
	return questions
}

// modelList is where every model server lists its models.
var modelList = question{Service, "/v1/models"}

// listsModels says whether the program is, or may be, a model server: it answered the
// question for its models with anything but "there is no such thing", or an empty list: what
// has no model can neither load nor wake one.
func (r *round) listsModels() bool {
	re := r.get(modelList)
	switch {
	case re == nil || re.answer == nil:
		return true // not known
	case re.ok():
		list, _ := lookup(re.doc, "data")
		models, is := list.([]any)
		return re.doc != nil && !(is && len(models) == 0)
	}
	return !missing(re.status())
}

// proxyAlone says whether a proxy answered by itself. Its numbers may be asked: they may well
// be on this port, which serves nothing else then.
func (s *Session) proxyAlone(re *reply) bool {
	return re.status() == http.StatusServiceUnavailable && slices.ContainsFunc(s.opts.Engines, func(e *Engine) bool {
		return e.Alone != "" && bytes.Contains(re.answer.Body, []byte(e.Alone))
	})
}

// missing says whether a status means that the path does not exist.
func missing(status int) bool {
	switch status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented, http.StatusGone, http.StatusBadRequest:
		return true
	}
	return false
}

// match returns the first engine of which any sign is seen.
func match(engines []*Engine, replies []*reply) *Engine {
	for _, e := range engines {
		if e.seenIn(replies) {
			return e
		}
	}
	return nil
}

func (e *Engine) seenIn(replies []*reply) bool {
	return slices.ContainsFunc(e.Detect, func(ev Evidence) bool {
		return slices.ContainsFunc(replies, ev.seenIn)
	})
}

// seenIn says whether an answer shows the sign: all fields that are set must hold.
func (ev *Evidence) seenIn(re *reply) bool {
	if re.answer == nil || ev.Path != "" && ev.Path != re.path {
		return false
	}
	header := re.answer.Header
	switch {
	case ev.Server != "" && !strings.HasPrefix(header.Get("Server"), ev.Server),
		ev.Type != "" && !strings.HasPrefix(header.Get("Content-Type"), ev.Type),
		ev.Body != "" && !bytes.Contains(re.answer.Body, []byte(ev.Body)),
		ev.Field != "" && !ev.fieldIn(re.doc):
		return false
	}
	switch {
	case ev.Sample == "":
		return true
	case !re.ok():
		return false
	}
	has := func(name string) bool { return slices.ContainsFunc(spellings(name), re.sampleNames().has) }
	return has(ev.Sample) && (ev.Without == "" || !has(ev.Without))
}

func (ev *Evidence) fieldIn(doc any) bool {
	value, ok := lookup(doc, ev.Field)
	if !ok || ev.Equals == "" {
		return ok
	}
	if beginning, any := strings.CutSuffix(ev.Equals, "*"); any {
		return strings.HasPrefix(text(value), beginning)
	}
	return text(value) == ev.Equals
}

// holds says whether the condition is true of a JSON document.
func (c *Condition) holds(doc any) bool {
	value, _ := lookup(doc, c.Field)
	return c.accepts(text(value))
}

func (c *Condition) accepts(found string) bool {
	if c.Below == "" {
		return slices.Contains(c.In, found)
	}
	v := parseVersion(found)
	return !v.known() || v.below(parseVersion(c.Below))
}

func allHold(conditions []Condition, doc any) bool {
	for i := range conditions {
		if !conditions[i].holds(doc) {
			return false
		}
	}
	return true
}
