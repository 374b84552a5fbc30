package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// litellm is the LiteLLM proxy.
//
// /health sends a request to every deployment, and each costs tokens: it is never asked.
// /metrics is redirected to /metrics/, which is asked at once. Keys, users, teams and addresses
// of clients are labels of nearly every series: all of them are added up.
var _ = register(priorityRouter, &Engine{
	Name:   "litellm",
	Title:  "LiteLLM",
	Router: true,
	Detect: []Evidence{
		{Sample: "litellm_*"},
		{Path: "/health/liveliness", Body: "I'm alive!"},
		{Path: "/v1/models", Field: "data.0.created", Equals: "1677610602"}, // of every model, in every version
	},
	Endpoints: []Endpoint{
		{Path: "/health/liveliness", Role: Health},
		{Path: "/health/readiness/details", Format: JSON, Every: settingsAge, Optional: true},
		{Path: "/v1/models", Format: JSON, Every: settingsAge, Probe: Always, Optional: true},
		{Path: "/metrics/", Format: Exposition, Role: Numbers},
	},
	JSON: []JSONMapping{
		{Path: "/health/readiness/details", To: catalog.EngineInfo, Optional: true, Labels: []LabelFrom{
			{To: catalog.LabelEngine, Const: "litellm"}, {To: catalog.LabelVersion, From: "litellm_version"},
		}},
		{Path: "/v1/models", Each: "data", To: catalog.ModelInfo, Labels: []LabelFrom{{To: catalog.LabelModel, From: "id"}}, Optional: true},
	},
	// A deployment has a series for each provider, and one may stay 0 through an outage: the worst
	// counts. It has one for each name under which it is booked as well: failures under that of
	// its group, successes under the model's own. Where the two differ nothing ever takes back
	// the outage under the group's name: there a 0 under the other name acquits.
	Weigh: []Weighing{{
		To: catalog.RouterTargetHealthy,
		Witnesses: []Witness{{
			Sample: "litellm_deployment_state", With: "litellm_proxy_total_requests_metric_total", Worker: litellmTarget, Says: Outage, Deployment: "model_id", Name: "litellm_model_name",
		}},
	}},
	// Every family is declared from the first page on, with or without samples.
	Map: []Mapping{
		{From: "litellm_in_flight_requests", To: catalog.RouterInflight, Optional: true},
		{From: "litellm_proxy_total_requests_metric_total", To: catalog.RouterRequests, Except: litellmOwnPages, Labels: []LabelFrom{{To: catalog.LabelModel, From: "requested_model"}}},
		{From: "litellm_proxy_failed_requests_metric_total", To: catalog.RouterErrors, Except: litellmOwnPages, Labels: []LabelFrom{{To: catalog.LabelReason, From: "exception_class"}}},
		// What fails for the client is a server's error, or a 429 of the router itself: every
		// deployment of the group is in its cooldown.
		{From: "litellm_proxy_failed_requests_metric_total", To: catalog.RouterRetriesExhausted, Where: []Match{{Label: "exception_status", In: []string{"500", "502", "503", "504"}}}, Except: litellmOwnPages},
		{From: "litellm_proxy_failed_requests_metric_total", To: catalog.RouterRetriesExhausted, Where: []Match{{Label: "exception_class", In: []string{"RouterRateLimitError"}}}, Except: litellmOwnPages, Plus: true},
		{
			From: "litellm_deployment_success_responses_total", To: catalog.RouterTargetRequests,
			Labels: []LabelFrom{{To: catalog.LabelOutcome, Const: "success"}, litellmTarget},
		},
		// The cooldown of a group is booked on the deployment that served in its place, which
		// never saw those requests.
		{
			From: "litellm_deployment_failure_responses_total", To: catalog.RouterTargetRequests,
			Except: []Match{{Label: "exception_class", In: []string{"RouterRateLimitError"}}},
			Labels: []LabelFrom{{To: catalog.LabelOutcome, Const: "failure"}, litellmTarget},
		},
		{From: "litellm_deployment_cooled_down_total", To: catalog.RouterEjections, Labels: []LabelFrom{litellmTarget}},
		{From: "litellm_deployment_successful_fallbacks_total", To: catalog.RouterFailovers, Labels: litellmFallback("success")},
		{From: "litellm_deployment_failed_fallbacks_total", To: catalog.RouterFailovers, Labels: litellmFallback("failure")},
		{From: "litellm_request_total_latency_metric", To: catalog.RouterRequestDuration},
		{From: "litellm_llm_api_time_to_first_token_metric", To: catalog.RouterTimeToFirstToken},
		{From: "litellm_input_tokens_metric_total", To: catalog.RouterPromptTokens, Labels: litellmModel},
		{From: "litellm_output_tokens_metric_total", To: catalog.RouterGenerationTokens, Labels: litellmModel},
	},
	Prefixes: []string{"litellm_"},
	Ignore: []string{
		// HELP says milliseconds; the values are seconds, and of answers that are not streamed only.
		"litellm_overhead_*",
		"litellm_deployment_total_requests_total", // the sum of success and failure
		"litellm_deployment_latency_per_output_token", "litellm_deployment_rpm_limit", "litellm_deployment_tpm_limit",
		"litellm_llm_api_*", "litellm_requests_metric*", "litellm_request_queue_time_seconds", "litellm_total_*", "litellm_spend_*",
		"litellm_remaining_*", "litellm_accounting_*", "litellm_api_key_*", "litellm_team*", "litellm_user_*", "litellm_customer_*",
		"litellm_org_*", "litellm_project_*", "litellm_provider_*", "litellm_active_users", "litellm_cache*", "litellm_callback_*",
		"litellm_check_batch_*", "litellm_guardrail_*", "litellm_images_*", "litellm_input_*", "litellm_output_*", "litellm_managed_*",
		"litellm_mcp_*", "litellm_video_*", "litellm_zero_cost_*", "litellm_self_*", "litellm_redis_*", "litellm_postgres_*",
		"litellm_pod_lock_*", "litellm_in_memory_*", "litellm_not_a_premium_user_metric*",
	},
	Hints: []Hint{
		{Text: `set callbacks: ["prometheus"] in litellm_settings; since 1.85 the page needs a key, unless require_auth_for_metrics_endpoint is false`},
		{Series: catalog.RouterTargetHealthy, Counts: true, Text: "0 while a deployment is in an outage (litellm_deployment_state 2) of which none of its names is free again; 1 is a partial outage and still gets requests; a deployment that was never asked has none"},
		{Series: catalog.RouterInflight, Counts: true, Text: "counts this scrape and every other HTTP request to the proxy as well: never 0"},
		{Series: catalog.RouterErrors, Counts: true, Text: "a total outage reaches the clients as 429 RouterRateLimitError"},
	},
})

var (
	// Several deployments may have one address. Those without one are named by their id.
	litellmTarget = LabelFrom{To: catalog.LabelTarget, From: "api_base", Else: "model_id", Cut: "/v1"}
	litellmModel  = []LabelFrom{{To: catalog.LabelModel, From: "requested_model", Else: "model"}}
	// Its own pages count as requests, those that were asked without a key as failed ones: what
	// names no model is none.
	litellmOwnPages = []Match{{Label: "requested_model", In: []string{"", "None"}}}
)

func litellmFallback(outcome string) []LabelFrom {
	return []LabelFrom{
		{To: catalog.LabelModel, From: "requested_model"}, {To: catalog.LabelFallback, From: "fallback_model"},
		{To: catalog.LabelOutcome, Const: outcome},
	}
}
