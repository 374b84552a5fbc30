// Package replay plays recordings through the real exporter into an in-memory Prometheus, in
// simulated time.
//
// A Corpus holds the recordings; a Replay is one way to play one of them: as it was recorded, slower, or
// changed by a named Edit. A Prometheus scrapes targets and evaluates rules step by step, in Prometheus'
// own storage and rule manager. What its alerts did are Spans.
package replay
