package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// envoy is Envoy in front of replicas, through its admin port, which can also stop it: only
// these two paths are asked, with GET.
//
// The numbers know clusters, not hosts; which host is out, and why, is in /clusters.
var _ = register(priorityRouter, &Engine{
	Name:   "envoy",
	Title:  "Envoy",
	Router: true,
	Detect: []Evidence{{Sample: "envoy_cluster_*"}, {Sample: "envoy_server_*"}},
	Endpoints: []Endpoint{
		{Path: "/clusters?format=json", Format: JSON, Port: MetricsPort, Optional: true},
		{Path: "/stats/prometheus", Format: Exposition, Role: Numbers, Port: MetricsPort},
	},
	JSON: []JSONMapping{
		// Out is a host that fails its active check, that was ejected for what it answered, or
		// that the discovery calls unhealthy. The first two marks are there only while they hold.
		envoyHost("failed_active_health_check", map[string]float64{"true": 0}, []Condition{{Field: "health_status.failed_active_health_check", In: []string{"true"}}}),
		envoyHost("failed_outlier_check", map[string]float64{"true": 0}, []Condition{{Field: "health_status.failed_outlier_check", In: []string{"true"}}}),
		envoyHost("eds_health_status", map[string]float64{"HEALTHY": 1, "DEGRADED": 1, "UNKNOWN": 1, "UNHEALTHY": 0, "TIMEOUT": 0, "DRAINING": 0}, nil),
	},
	Map: []Mapping{
		{From: "envoy_cluster_upstream_rq_active", To: catalog.RouterInflight, Optional: true},
		{From: "envoy_cluster_upstream_rq_pending_active", To: catalog.RouterQueued, Optional: true},
		{From: "envoy_cluster_upstream_rq_total", To: catalog.RouterRequests, Optional: true},
		{From: "envoy_cluster_upstream_rq_xx", To: catalog.RouterErrors, Where: []Match{{Label: "envoy_response_code_class", In: []string{"5"}}}, Labels: []LabelFrom{{To: catalog.LabelReason, Const: "5xx"}}, Optional: true},
		{From: "envoy_cluster_upstream_cx_none_healthy", To: catalog.RouterErrors, Labels: []LabelFrom{{To: catalog.LabelReason, Const: "none_healthy"}}, Optional: true},
		{From: "envoy_cluster_upstream_rq_retry", To: catalog.RouterRetries, Optional: true},
		{From: "envoy_cluster_upstream_rq_retry_limit_exceeded", To: catalog.RouterRetriesExhausted, Optional: true},
		{From: "envoy_cluster_upstream_rq_time", To: catalog.RouterRequestDuration, Scale: 0.001, Optional: true}, // milliseconds
	},
	Prefixes: []string{"envoy_"},
	Ignore:   []string{"envoy_*"}, // hundreds of families of a proxy for everything
	Hints: []Hint{
		{Text: "set metrics_url to its admin port"},
		{Series: catalog.RouterTargetHealthy, Counts: true, Text: "of /clusters: 0 for a host that fails its active check, that is ejected as an outlier, or that its discovery calls unhealthy"},
	},
})

func envoyHost(field string, words map[string]float64, when []Condition) JSONMapping {
	return JSONMapping{
		Path: "/clusters?format=json", Each: "cluster_statuses.*.host_statuses", When: when, To: catalog.RouterTargetHealthy,
		Value: "health_status." + field, Words: words, Optional: true,
		Labels: []LabelFrom{{To: catalog.LabelTarget, From: "address.socket_address.address", And: "address.socket_address.port_value", Joint: ":"}},
	}
}
