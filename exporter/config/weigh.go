package config

import (
	"regexp"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

var weighing = &section[engine.Weighing]{
	title: "engines[].weigh",
	about: "What is so of each worker of a router, where several signs must be seen together: one that is out by any of them is 0, one that any calls healthy is 1, one of which only traces are left is 0. A value below 0 stands for a worker that was removed.",
	wants: "the keys of a weighing (to, witnesses)",
	keys: []key[engine.Weighing]{
		field("to", series, func(w *engine.Weighing) **catalog.Series { return &w.To }, "Series that is a truth value about a worker.").
			must("write to: llm_router_target_healthy"),
		field("witnesses", list(witness.kind(), nil), func(w *engine.Weighing) *[]engine.Witness { return &w.Witnesses }, "The signs.").
			must("write witnesses: and the signs that are weighed"),
		field("forget", duration(0, 24*time.Hour), func(w *engine.Weighing) *time.Duration { return &w.Forget },
			"How long a worker stands that no witness with listed names any more.").or("for as long as anything is said of it"),
	},
	check: func(d *decoder, at path, w *engine.Weighing) {
		if d.Clean(at) && (w.To.Unit != catalog.Boolean || !hasTarget(w.To)) {
			d.Fail(at.Key("to"), w.To.Name, "is no truth value about a worker; write llm_router_target_healthy")
		}
	},
}

var witness = &section[engine.Witness]{
	title: "engines[].weigh[].witnesses",
	about: "One sign of a worker's state: a sample, or a value in each element of a JSON answer.",
	wants: "the keys of a witness (sample or path, worker, says, …)",
	keys: []key[engine.Witness]{
		field("sample", anyText, func(w *engine.Witness) *string { return &w.Sample }, "Name of the sample."),
		field("with", anyText, func(w *engine.Witness) *string { return &w.With }, "Another name of the page together with which the sample must be there: if it is not, it is counted as missing."),
		field("where", matches, func(w *engine.Witness) *[]engine.Match { return &w.Where }, "Keeps samples whose label has one of these values."),
		field("path", anyText, func(w *engine.Witness) *string { return &w.Path }, "Or the endpoint whose answer is looked at."),
		field("each", jsonPath, func(w *engine.Witness) *string { return &w.Each }, "JSON path of the list of workers."),
		field("value", jsonPath, func(w *engine.Witness) *string { return &w.Value }, "JSON path, in the element, of a number or a truth value."),
		field("worker", labelSource.kind(), func(w *engine.Witness) *engine.LabelFrom { return &w.Worker }, "What names the worker.").
			must("write worker: {from: …} and the label or field that names the worker"),
		field("says", meanings, func(w *engine.Witness) *engine.Says { return &w.Says },
			"What its value means. outage: 0 all well, 1 some failures, 2 an outage; of one name the worst counts, and a name of which all is well acquits its deployment.").or("healthy_or_out"),
		field("listed", flag, func(w *engine.Witness) *bool { return &w.Listed }, "It names only workers that the router has.").or("false"),
		field("deployment", anyText, func(w *engine.Witness) *string { return &w.Deployment }, "With outage: label of what may be out by itself."),
		field("name", anyText, func(w *engine.Witness) *string { return &w.Name }, "With outage: label of the name under which it is booked."),
	},
	check: func(d *decoder, at path, w *engine.Witness) {
		w.Worker.To = catalog.LabelTarget
		if d.Clean(at) && (w.Sample == "") == (w.Path == "") {
			d.Fail(at, "", "wants sample: or path:, and only one of them")
		}
	},
}

var meanings = words(word[engine.Says]{"healthy_or_out", engine.HealthyOrOut}, word[engine.Says]{"healthy_if_above_0", engine.HealthyIfAbove},
	word[engine.Says]{"out_if_above_0", engine.OutIfAbove}, word[engine.Says]{"trace", engine.Trace}, word[engine.Says]{"outage", engine.Outage})

func hasTarget(s *catalog.Series) bool {
	for _, label := range s.Labels {
		if label == catalog.LabelTarget {
			return true
		}
	}
	return false
}

// checkPattern accepts a regular expression that names what it finds.
func checkPattern(s string) string {
	pattern, err := regexp.Compile(s)
	switch {
	case err != nil:
		return "is no regular expression: " + err.Error()
	case len(pattern.SubexpNames()) < 2:
		return "names no number; write (?P<name_of_the_sample>\\d+) where one stands"
	}
	return ""
}
