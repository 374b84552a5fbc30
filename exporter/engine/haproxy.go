package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// haproxy is HAProxy with its own Prometheus exporter, on the port of its statistics.
//
// Whatever is asked on a port where it serves is passed on to a replica: nothing is. It knows
// exchanges, not models or tokens.
var _ = register(priorityRouter, &Engine{
	Name:      "haproxy",
	Title:     "HAProxy",
	Router:    true,
	Alone:     "No server is available to handle this request",
	Detect:    []Evidence{{Sample: "haproxy_*"}},
	Endpoints: []Endpoint{{Path: "/metrics", Format: Exposition, Role: Numbers, Port: MetricsPort}},
	Weigh: []Weighing{{
		To: catalog.RouterTargetHealthy,
		// One that somebody took out (MAINT, DRAIN, NOLB) is neither up nor down.
		Witnesses: []Witness{
			{Sample: "haproxy_server_status", With: "haproxy_server_current_sessions", Where: []Match{{Label: "state", In: []string{"UP"}}}, Worker: haproxyServer, Says: HealthyIfAbove},
			{Sample: "haproxy_server_status", With: "haproxy_server_current_sessions", Where: []Match{{Label: "state", In: []string{"DOWN"}}}, Worker: haproxyServer, Says: OutIfAbove},
		},
	}},
	Map: []Mapping{
		{From: "haproxy_process_build_info", To: catalog.EngineInfo, Labels: []LabelFrom{{To: catalog.LabelEngine, Const: "haproxy"}, {To: catalog.LabelVersion, From: "version"}}, Optional: true},
		{From: "haproxy_server_current_sessions", To: catalog.RouterTargetInflight, Labels: []LabelFrom{haproxyServer}},
		{From: "haproxy_backend_current_sessions", To: catalog.RouterInflight},
		{From: "haproxy_backend_current_queue", To: catalog.RouterQueued},
		{From: "haproxy_backend_http_requests_total", To: catalog.RouterRequests},
		{From: "haproxy_backend_http_responses_total", To: catalog.RouterErrors, Where: []Match{{Label: "code", In: []string{"5xx"}}}, Labels: []LabelFrom{{To: catalog.LabelReason, From: "code"}}},
		{
			From: "haproxy_server_http_responses_total", To: catalog.RouterTargetRequests, Except: []Match{{Label: "code", In: []string{"1xx"}}},
			Labels: []LabelFrom{haproxyServer, {To: catalog.LabelOutcome, From: "code", Words: map[string]string{
				"2xx": "success", "3xx": "success", "4xx": "success", "5xx": "failure", "": "unknown",
			}}},
		},
		{From: "haproxy_server_loadbalanced_total", To: catalog.RouterPolicyDecisions, Labels: []LabelFrom{haproxyServer}},
		{From: "haproxy_server_check_up_down_total", To: catalog.RouterEjections, Labels: []LabelFrom{haproxyServer}},
		// A retry asks the same server again, a redispatch another one.
		{From: "haproxy_backend_retry_warnings_total", To: catalog.RouterRetries},
		{From: "haproxy_backend_redispatch_warnings_total", To: catalog.RouterRetries, Plus: true},
	},
	Prefixes: []string{"haproxy_"},
	Ignore:   []string{"haproxy_*"}, // some 180 families of a proxy for everything
	Hints: []Hint{
		{Text: "add http-request use-service prometheus-exporter if { path /metrics } to the frontend of its statistics, and set metrics_url to that port"},
		{Series: catalog.RouterTargetHealthy, Counts: true, Text: "1 for UP, 0 for DOWN; a server in MAINT or DRAIN has none"},
		{Series: catalog.RouterRequests, Counts: true, Text: "every HTTP exchange with a replica, health checks through the proxy included"},
	},
})

// haproxyServer is a server as HAProxy itself writes it: the names of two backends may agree.
var haproxyServer = LabelFrom{To: catalog.LabelTarget, From: "proxy", And: "server"}
