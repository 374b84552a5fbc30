package config

import (
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/common/model"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// What one part of a mapping must be in itself. What parts must be to each other is in crossref.go.

var engineShape = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

func checkEngineName(s string) string {
	if engineShape.MatchString(s) {
		return ""
	}
	return "is not an engine's name; use lower-case letters, digits and _, a letter first, like my_engine"
}

func checkSampleName(s string) string {
	switch {
	case strings.ContainsAny(s, "{}"):
		return "has labels; write the name only, and the labels under where"
	case !model.LegacyValidation.IsValidMetricName(s):
		return "is not a sample name; use letters, digits, _ and :"
	}
	return ""
}

// jsonPath is the kind of a path into a JSON document.
var jsonPath = text("JSON path", checkJSONPath)

// checkJSONPath knows @key and @value, the name and the value of an element, and $. in front
// of a path that begins at the document.
func checkJSONPath(s string) string {
	if s == "@key" || s == "@value" {
		return ""
	}
	s = strings.TrimPrefix(s, "$.")
	switch {
	case strings.HasPrefix(s, "$"), strings.ContainsAny(s, "[]"):
		return "is not a JSON path here; join names and places by dots, like data.0.id"
	case s != strings.Trim(s, "."), strings.Contains(s, ".."):
		return "has an empty name in it; join names and places by single dots, like data.0.id"
	}
	return ""
}

func checkEvidence(d *decoder, at path, e *engine.Evidence) {
	ofAnswer := e.Field != "" || e.Body != "" || e.Server != "" || e.Type != ""
	switch {
	case !d.Clean(at):
	case *e == engine.Evidence{}:
		d.Fail(at, "", "is empty; write sample: or path: with field, body, server or content_type")
	case e.Sample == "" && e.Without != "":
		d.Fail(at.Key("without"), e.Without, "is no sign alone; write sample: and a name that is there")
	case e.Path == "" && e.Sample == "" && ofAnswer: // with sample it is the answer that has the sample
		d.Fail(at, "", "does not say which answer is meant; write path:")
	case e.Path != "" && !ofAnswer:
		d.Fail(at.Key("path"), e.Path, "is no sign alone; write field, body, server or content_type of its answer")
	case e.Equals != "" && e.Field == "":
		d.Fail(at.Key("equals"), e.Equals, "is compared with nothing; write field:")
	}
}

func checkEndpoint(d *decoder, at path, e *engine.Endpoint) {
	if !d.Said(at.Key("role")) {
		e.Role = map[engine.Format]engine.Role{engine.Status: engine.Health, engine.JSON: engine.Info, engine.Exposition: engine.Numbers}[e.Format]
	}
	if !d.Clean(at) {
		return
	}
	fans := strings.Contains(e.Path, "{model}")
	switch {
	case fans && e.Each == nil:
		d.Fail(at.Key("path"), e.Path, "has {model} and no each; write each: and the list of models")
	case !fans && e.Each != nil:
		d.Fail(at.Key("each"), "", "has nothing to fill in; write {model} into the path")
	case strings.Contains(e.Path, "model={model}") && len(e.Each.When) == 0:
		d.Fail(at.Key("each"), "", "asks models that are not loaded; write when: with the words that mean loaded")
	case strings.Contains(e.Path, "model=") && !fans:
		d.Fail(at.Key("path"), e.Path, "names one model; write model={model} and each:, so that only loaded models are asked")
	case lastPart(e.Path) == "slots" && len(e.Unless) == 0:
		d.Fail(at.Key("path"), e.Path, "wakes a sleeping llama.cpp; write unless: [{path: /props, field: is_sleeping, in: [\"true\"]}]")
	case e.Probe == engine.Always && slices.Contains(neverOfAll, "/"+lastPart(e.Path)):
		d.Fail(at.Key("probe"), "always", "would ask %s of programs on which it does harm; write not_for_models or never", e.Path)
	case e.Format != engine.JSON && len(e.Fixed) > 0:
		d.Fail(at.Key("fixed"), e.Fixed[0], "is a field of a JSON document; write format: json, or remove it")
	case e.Format == engine.Status && e.Role == engine.Numbers:
		d.Fail(at.Key("role"), "numbers", "needs an answer that is read; write format: json or exposition")
	}
}

// lastPart is the last word of a path, without its query.
func lastPart(p string) string {
	p, _, _ = strings.Cut(p, "?")
	p = strings.TrimRight(p, "/")
	return strings.ToLower(p[strings.LastIndex(p, "/")+1:])
}

func checkCondition(d *decoder, at path, c *engine.Condition) {
	if d.Clean(at) && (len(c.In) == 0) == (c.Below == "") {
		d.Fail(at, "", "compares with nothing; write in: with the words, or below: with a version, and only one of them")
	}
}

func checkSampleMapping(d *decoder, at path, m *engine.Mapping) {
	if !d.Clean(at) {
		return
	}
	checkTarget(d, at, m.To, m.Labels)
	for _, end := range []string{"_bucket", "_sum", "_count"} {
		if stem, ends := strings.CutSuffix(m.From, end); ends && m.To.Kind == catalog.Histogram {
			d.Fail(at.Key("from"), m.From, "is one part of a histogram; write %s", stem)
		}
	}
	if m.Names && m.Value == "" {
		d.Fail(at.Key("names"), "", "counts the names of nothing; write value: and the label that holds the list")
	}
	if m.To.Kind == catalog.Histogram && m.Value != "" {
		d.Fail(at.Key("value"), m.Value, "cannot be for %s, which is a histogram; remove it", m.To.Name)
	}
}

func checkJSONMapping(d *decoder, at path, m *engine.JSONMapping) {
	if !d.Clean(at) {
		return
	}
	labels := m.Labels
	if len(m.States) > 0 {
		labels = append([]engine.LabelFrom{{To: catalog.LabelState}}, labels...)
	}
	checkTarget(d, at, m.To, labels)
	switch {
	case m.To.Kind == catalog.Histogram:
		d.Fail(at.Key("to"), m.To.Name, "is a histogram, which a JSON value cannot become; choose another series")
	case len(m.States) > 0 && m.To.Kind != catalog.StateSet:
		d.Fail(at.Key("states"), "", "is for a set of states, and %s is a %s; write words: with numbers", m.To.Name, m.To.Kind)
	case len(m.States) > 0 && len(m.Words) > 0:
		d.Fail(at.Key("words"), "", "and states exclude each other; keep one")
	case (len(m.Words) > 0 || len(m.States) > 0) && m.Value == "":
		d.Fail(at, "", "has words and no value to translate; write value: and the JSON path of the word")
	}
	checkStates(d, at, m)
}

// checkStates keeps the closed set of states closed.
func checkStates(d *decoder, at path, m *engine.JSONMapping) {
	if m.To != catalog.ModelStateSet {
		return
	}
	var known []string
	for _, s := range catalog.ModelStates() {
		known = append(known, string(s))
	}
	for _, said := range sortedKeys(m.States) {
		if state := m.States[said]; !slices.Contains(known, state) {
			d.Fail(at.Key("states").Key(said), state, "is not a state of %s; write one of %s", m.To.Name, strings.Join(known, ", "))
		}
	}
}

// checkTarget checks that a mapping may write a series and fills the labels that it has.
func checkTarget(d *decoder, at path, to *catalog.Series, labels []engine.LabelFrom) {
	if !mappable(to) {
		d.Fail(at.Key("to"), to.Name, "is written by the exporter itself; choose another series of docs/series.md")
		return
	}
	given := make(map[string]bool)
	for _, l := range labels {
		given[l.To] = true
		switch place := at.Key("labels").Key(l.To); {
		case l.To == catalog.LabelBackend:
			d.Fail(place, "", "is the backend's name, which the exporter writes; remove it")
		case !slices.Contains(to.Labels, l.To):
			d.Fail(place, "", "is no label of %s; it has %s", to.Name, strings.Join(to.Labels[min(1, len(to.Labels)):], ", "))
		}
	}
	for _, l := range to.Labels {
		if !given[l] && !slices.Contains(mayBeMissing, l) {
			d.Fail(at, "", "does not say what the label %s of %s is; write labels: {%s: …}", l, to.Name, l)
		}
	}
}

// mayBeMissing are labels that the exporter fills, or leaves out where they are not known.
var mayBeMissing = []string{
	catalog.LabelBackend, catalog.LabelEngine, catalog.LabelRouter, catalog.LabelModel,
	catalog.LabelRank, catalog.LabelVersion, catalog.LabelQuantized, catalog.LabelFallback,
}

// mappable tells whether a server's numbers may become a series: not those in which the
// exporter says what it saw, or what the configuration says.
func mappable(s *catalog.Series) bool {
	return strings.HasPrefix(s.Name, "llm_") && s.Origin != catalog.Observed && s.Origin != catalog.Configured && s.Origin != catalog.Host &&
		s != catalog.ExpectedModelServed && s != catalog.ObjectiveEvents && s != catalog.ObjectiveMissed
}

func checkDerivation(d *decoder, at path, v *engine.Derivation) {
	if !d.Clean(at) {
		return
	}
	if !mappable(v.To) {
		d.Fail(at.Key("to"), v.To.Name, "is written by the exporter itself; choose another series of docs/series.md")
	}
	wantsHistogram := v.Op == engine.SumOf || v.Op == engine.CountOf
	switch {
	case wantsHistogram && (len(v.From) != 1 || v.From[0].Kind != catalog.Histogram):
		d.Fail(at.Key("from"), "", "must be one histogram for %s", ops.show(v.Op).Value)
	case !wantsHistogram && len(v.From) < 2 && len(v.Rename) == 0: // with other labels one alone makes sense
		d.Fail(at.Key("from"), "", "must be at least two series for %s", ops.show(v.Op).Value)
	case v.Op == engine.Subtract && len(v.From) != 2:
		d.Fail(at.Key("from"), "", "must be two series for subtract: the second is taken from the first")
	}
	for _, to := range sortedKeys(v.Rename) {
		from := v.Rename[to]
		switch place := at.Key("rename").Key(to); {
		case !slices.Contains(v.To.Labels, to):
			d.Fail(place, "", "is no label of %s; it has %s", v.To.Name, strings.Join(v.To.Labels, ", "))
		case len(v.From) > 0 && !slices.Contains(v.From[0].Labels, from):
			d.Fail(place, from, "is no label of %s; it has %s", v.From[0].Name, strings.Join(v.From[0].Labels, ", "))
		}
	}
	for i, s := range v.From {
		if !wantsHistogram && s.Kind == catalog.Histogram {
			d.Fail(at.Key("from").Index(i), s.Name, "is a histogram; take sum_of or count_of of it first")
		}
	}
}
