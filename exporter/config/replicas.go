package config

import (
	"slices"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// replicas is the short form of a router that names the state of its replicas in a JSON
// answer. It is written out into the same parts that everybody else writes.
type replicas struct {
	path, each, target, state string
	up, down                  []string
}

var replicaList = &section[replicas]{
	title: "engines[].replicas",
	about: "A router that tells the state of its replicas as JSON: each becomes a llm_router_target_healthy.",
	wants: "the keys of replicas (path, each, target, state, up, down)",
	keys: []key[replicas]{
		field("path", text("path", checkEndpointPath), func(r *replicas) *string { return &r.path }, "The path that is asked.").
			must("write path: and the path, like path: /health"),
		field("each", jsonPath, func(r *replicas) *string { return &r.each }, "JSON path of the list (or object) of replicas.").
			must("write each: and the JSON path of the list"),
		field("target", text("JSON path", checkSource), func(r *replicas) *string { return &r.target }, "JSON path, in a replica, of its URL or id: the label target.").
			must("write target: and the field that names the replica"),
		field("state", jsonPath, func(r *replicas) *string { return &r.state }, "JSON path, in a replica, of its state.").
			must("write state: and the field that holds the state"),
		field("up", list(anyText, nil), func(r *replicas) *[]string { return &r.up }, "Words that mean that it gets requests.").
			must("write up: and the words that mean that the replica gets requests"),
		field("down", list(anyText, nil), func(r *replicas) *[]string { return &r.down }, "Words that mean that it does not. A word that is in neither list is dropped and counted: no guess is made.").
			must("write down: and the words that mean that it gets none"),
	},
	check: func(d *decoder, at path, r *replicas) {
		for i, w := range r.down {
			if slices.Contains(r.up, w) {
				d.Fail(at.Key("down").Index(i), w, "is under up as well; a word means one of the two")
			}
		}
	},
}

func (r *replicas) writeOut(e *engine.Engine) {
	e.Router = true
	e.Endpoints = append(e.Endpoints, engine.Endpoint{Path: r.path, Format: engine.JSON, Role: engine.Numbers})
	words := make(map[string]float64)
	for _, w := range r.up {
		words[w] = 1
	}
	for _, w := range r.down {
		words[w] = 0
	}
	e.JSON = append(e.JSON, engine.JSONMapping{
		Path: r.path, Each: r.each, To: catalog.RouterTargetHealthy, Value: r.state, Words: words,
		Labels: []engine.LabelFrom{{To: catalog.LabelTarget, From: r.target}},
	})
}
