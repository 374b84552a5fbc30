// Package promapi speaks Prometheus' HTTP API, version 1, from both ends: Handler answers it
// over a storage and rules that live in this process, so that Grafana and others can read a
// Prometheus that is none; Client asks a real one, within bounds. Both use the same forms.
//
// Prometheus' own handler brings hundreds of packages with it (remote write, OpenTelemetry,
// service discovery); what is answered here is what dashboards and llmfleet check ask.
package promapi
