package engine

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// read turns the answers of a round into points, and says what state the program is in.
func (s *Session) read(r *round, e *Engine, reading *Reading) {
	said := r.versionOf(e)
	*reading = Reading{Engine: e, Version: said, Models: r.modelsOf(e), Healthy: r.health()}
	if said == "" && e == s.found {
		reading.Version = s.version // not to be had just now
	}
	if len(reading.Models) == 0 && s.opts.Model != "" {
		reading.Models = []string{s.opts.Model}
	}
	s.mapper.begin(e, reading.Version)
	for _, a := range r.plan {
		re := r.get(a.question)
		if _, ok := r.failureOf(e, a.endpoint, re); !ok || r.mapped[a.question] {
			continue
		}
		r.mapped[a.question] = true
		s.mapAnswer(r, &a, re, reading)
	}
	clear(r.mapped)
	s.judge(r, e, reading)
	s.mapper.finish(reading)
	if said == "" {
		reading.Version = cmp.Or(versionIn(reading.Points), reading.Version)
	}
	s.version = reading.Version
	if reading.Up != Yes || len(reading.Points) == 0 {
		reading.Problem = strings.TrimSuffix(s.contradiction(r)+"; "+reading.Problem, "; ")
		reading.Problem = strings.TrimPrefix(reading.Problem, "; ")
	}
}

// mapAnswer gives one good answer to the mapper. A page that turns out to be none, or to be
// too large, is a failure like one of the request.
func (s *Session) mapAnswer(r *round, a *asking, re *reply, reading *Reading) {
	var err *FetchError
	switch a.endpoint.Format {
	case JSON:
		err = s.mapper.json(a.endpoint.Path, re.doc)
	case Exposition:
		if reading.Engine.isFresh(re) {
			return
		}
		model := a.model
		if model == "" {
			model = s.modelName(reading)
		}
		_, err = s.mapper.exposition(re.answer.Body, model)
	}
	if err != nil {
		r.broken[a.question] = failure{err.Reason, a.question.path + " " + err.Error()}
	}
}

// modelName is the model of samples that do not name one: the server's own name for it, else
// the operator's.
func (s *Session) modelName(reading *Reading) string {
	if len(reading.Models) > 0 {
		return reading.Models[0]
	}
	return s.opts.Model
}

// errors lists the failed requests of the round, whatever they cost.
func (r *round) errors(e *Engine) []FetchError {
	var failed []FetchError
	for _, re := range append(r.all(), r.failed...) {
		switch {
		case re.reused || re.ok():
		case re.err != nil:
			failed = append(failed, *re.err)
		case !r.mayLack(re):
			f := statusFailure(e, re)
			failed = append(failed, FetchError{Reason: f.reason, Err: errors.New(f.problem)})
		}
	}
	return failed
}

// mayLack says whether a path that is not there is no error: it is optional, or was asked
// only to recognise the program.
func (r *round) mayLack(re *reply) bool {
	i := slices.IndexFunc(r.plan, func(a asking) bool { return a.question == re.question })
	return missing(re.status()) && (i < 0 || r.plan[i].endpoint.Optional || r.plan[i].endpoint.Role == Health)
}

// versionOf reads the version where the engine's mappings say that it stands.
func (r *round) versionOf(e *Engine) string {
	values := r.labelOf(e, catalog.EngineInfo, catalog.LabelVersion)
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// versionIn is the version of a program that says it among its numbers alone.
func versionIn(points []catalog.Point) string {
	for i := range points {
		if p := &points[i]; p.Series == catalog.EngineInfo && p.Label(catalog.LabelVersion) != "" {
			return p.Label(catalog.LabelVersion)
		}
	}
	return ""
}

// modelsOf lists the models that the server names.
func (r *round) modelsOf(e *Engine) []string {
	return r.labelOf(e, catalog.ModelInfo, catalog.LabelModel)
}

// labelOf collects the values of a label of a JSON mapping.
func (r *round) labelOf(e *Engine, series *catalog.Series, label string) []string {
	var values []string
	for i := range e.JSON {
		m := &e.JSON[i]
		if m.To != series {
			continue
		}
		for _, l := range m.Labels {
			if l.To == label && l.From != "" {
				values = append(values, r.texts(m, l.From)...)
			}
		}
	}
	return values
}

// texts reads a field of every element that a mapping speaks of.
func (r *round) texts(m *JSONMapping, field string) []string {
	re := r.get(question{Service, m.Path})
	if !re.ok() {
		return nil
	}
	elements := []any{re.doc}
	if m.Each != "" {
		array, _ := lookup(re.doc, m.Each)
		elements, _ = array.([]any)
	}
	var found []string
	for _, element := range elements {
		value, _ := lookup(element, field)
		if t := text(value); t != "" && allHold(m.When, element) {
			found = append(found, t)
		}
	}
	return found
}
