package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// caddy is Caddy as a reverse proxy, through its admin port. That port can also change the
// configuration: only these two paths are asked, with GET.
//
// Its gauge of healthy upstreams is renewed every ten seconds and knows of active checks only.
// An upstream that failed one exchange is out for fail_duration, and then every request may be
// refused while the gauge shows all as healthy: the count of fails tells.
var _ = register(priorityRouter, &Engine{
	Name:   "caddy",
	Title:  "Caddy",
	Router: true,
	Detect: []Evidence{{Sample: "caddy_*"}},
	Endpoints: []Endpoint{
		{Path: "/reverse_proxy/upstreams", Format: JSON, Port: MetricsPort, Optional: true},
		{Path: "/metrics", Format: Exposition, Role: Numbers, Port: MetricsPort},
	},
	Weigh: []Weighing{{
		To: catalog.RouterTargetHealthy,
		Witnesses: []Witness{
			{Sample: "caddy_reverse_proxy_upstreams_healthy", With: "caddy_http_requests_in_flight", Worker: LabelFrom{To: catalog.LabelTarget, From: "upstream"}, Says: HealthyOrOut},
			{Path: "/reverse_proxy/upstreams", Each: "@value", Value: "fails", Worker: LabelFrom{To: catalog.LabelTarget, From: "address"}, Says: OutIfAbove},
		},
	}},
	JSON: []JSONMapping{
		{Path: "/reverse_proxy/upstreams", Each: "@value", To: catalog.RouterTargetInflight, Value: "num_requests", Labels: []LabelFrom{{To: catalog.LabelTarget, From: "address"}}, Optional: true},
	},
	Map: []Mapping{
		{From: "caddy_http_requests_in_flight", To: catalog.RouterInflight, With: "caddy_http_requests_total"},
		{From: "caddy_http_requests_total", To: catalog.RouterRequests, With: "caddy_http_requests_in_flight"},
		{From: "caddy_http_request_errors_total", To: catalog.RouterErrors, Labels: []LabelFrom{{To: catalog.LabelReason, Const: "http"}}, Optional: true},
		{From: "caddy_http_request_duration_seconds", To: catalog.RouterRequestDuration, With: "caddy_http_requests_total"},
	},
	Prefixes: []string{"caddy_"},
	Ignore:   []string{"caddy_admin_*", "caddy_config_*", "caddy_http_*", "caddy_reverse_proxy_*"},
	Hints: []Hint{
		{Text: "set metrics_url to its admin port (2019 by default); its HTTP numbers want the global option metrics"},
		{Series: catalog.RouterTargetHealthy, Counts: true, Text: "1 while the gauge is 1 and /reverse_proxy/upstreams counts no fails: the gauge is up to 10 s late, and knows nothing of passive checks"},
		{Series: catalog.RouterRequestDuration, Counts: true, Text: "answers that were cut off are in none of its durations"},
	},
})
