// Package proof evaluates every expression of the bundle on what real servers really sent.
//
// Package replay plays the recordings through the real exporter into an in-memory Prometheus, whose
// own rule manager evaluates the rendered rules. What comes out is compared with what the definitions
// promise: which alerts fire when, that all others stay quiet, that every mutation of a rule is noticed
// or listed with the reason why nothing recorded can show it, that every threshold keeps its distance
// from both sides, that no expression is blank everywhere.
package proof
