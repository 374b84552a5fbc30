package engine

import (
	"bytes"
	"fmt"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// nginx is nginx with the module stub_status, which says nothing of its upstreams: a dead
// replica cannot be seen in it. Every other path is passed on to a replica, so it is never
// looked for: whoever wants it names the engine.
var _ = register(priorityRouter, &Engine{
	Name:      "nginx",
	Title:     "nginx (stub_status)",
	Router:    true,
	Detect:    []Evidence{{Path: "/stub_status", Sample: "nginx_requests_total"}},
	Endpoints: []Endpoint{{Path: "/stub_status", Format: Exposition, Role: Numbers, Rewrite: stubStatus}},
	Map: []Mapping{
		{From: "nginx_requests_in_flight", To: catalog.RouterInflight},
		{From: "nginx_requests_total", To: catalog.RouterRequests},
	},
	Prefixes: []string{"nginx_"},
	Hints: []Hint{
		{Text: "add location = /stub_status { stub_status; } and name the engine: it is not looked for"},
		{Series: catalog.RouterTargetHealthy, Text: "nginx does not say which replicas it uses: scrape them directly, never through it"},
		{Series: catalog.RouterRequests, Text: "every HTTP request, this scrape included"},
	},
})

// stubStatus makes an exposition of the four lines of stub_status. Of the requests that are
// being written one is the scrape itself.
func stubStatus(body []byte) []byte {
	var active, accepted, handled, requests, reading, writing, waiting int64
	_, err := fmt.Fscanf(bytes.NewReader(body), "Active connections: %d \nserver accepts handled requests\n %d %d %d \nReading: %d Writing: %d Waiting: %d",
		&active, &accepted, &handled, &requests, &reading, &writing, &waiting)
	if err != nil {
		return body
	}
	return fmt.Appendf(nil, "nginx_requests_total %d\nnginx_requests_in_flight %d\n", requests, max(writing-1, 0))
}
