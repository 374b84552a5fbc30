package config

import (
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"
)

// Objectives are the longest times that requests should take, in the order of
// catalog.Objectives. 0: none.
type Objectives [4]time.Duration

// defaultObjectives are those of the catalog.
func defaultObjectives() Objectives {
	var out Objectives
	for i, o := range catalog.Objectives() {
		out[i] = time.Duration(o.Seconds * float64(time.Second))
	}
	return out
}

// objectives are those of all backends; those of one are in the same form.
var objectives = objectiveSection("objectives", func(o catalog.Objective) string {
	return model.Duration(time.Duration(o.Seconds * float64(time.Second))).String()
}, func(d *decoder, _ path, o *Objectives) { d.objectives = *o })

var ownObjectives = objectiveSection("backends[].objectives", func(catalog.Objective) string { return "as in objectives" }, nil)

func objectiveSection(title string, otherwise func(catalog.Objective) string, check func(*decoder, path, *Objectives)) *section[Objectives] {
	s := &section[Objectives]{
		title: title,
		about: "How long requests should take at most. What takes longer counts as slow, and alerts judge the share of it. " +
			"Counting is exact only at a bound of the engine's own buckets, so an objective is rounded up to the next one; llm_objective_seconds shows it. 0s is no objective.",
		wants: "the keys of objectives (time_to_first_token, request_duration, …)",
		start: func(d *decoder) Objectives { return d.objectives },
		check: check,
	}
	for i, o := range catalog.Objectives() {
		place := func(v *Objectives) *time.Duration { return &v[i] }
		s.keys = append(s.keys, field(o.Name, objective, place, o.About).or(otherwise(o)).
			always(func(v *Objectives) *yaml.Node { return objective.show(v[i]) }))
	}
	return s
}

// objective is the kind of a time that requests should not exceed.
var objective = duration(0, 24*time.Hour)
