package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// nginx is nginx with the module stub_status, which says nothing of its upstreams: a dead
// replica cannot be seen in it. Every other path is passed on to a replica, so it is never
// looked for: whoever wants it names the engine.
var _ = register(priorityRouter, &Engine{
	Name:   "nginx",
	Title:  "nginx (stub_status)",
	Router: true,
	Detect: []Evidence{{Sample: "nginx_requests_total"}},
	Endpoints: []Endpoint{{
		Path: "/stub_status", Format: Exposition, Role: Numbers,
		Pattern: `^Active connections: \d+ \s*server accepts handled requests\s+\d+ \d+ (?P<nginx_requests_total>\d+) \s*Reading: \d+ Writing: (?P<nginx_connections_writing>\d+)`,
	}},
	Map: []Mapping{
		{From: "nginx_connections_writing", To: catalog.RouterInflight},
		{From: "nginx_requests_total", To: catalog.RouterRequests},
	},
	Prefixes: []string{"nginx_"},
	Hints: []Hint{
		{Text: "add location = /stub_status { stub_status; } and name the engine: it is not looked for"},
		{Series: catalog.RouterTargetHealthy, Text: "nginx does not say which replicas it uses: scrape them directly, never through it"},
		{Series: catalog.RouterRequests, Counts: true, Text: "every HTTP request, this scrape included"},
		{Series: catalog.RouterInflight, Counts: true, Text: "connections that are being answered; this scrape is one of them"},
	},
})
