package rules

import (
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// Does every replica behind a router carry its share? The endpoint answers 200 while one is
// out, so only the router's own view tells.
var router = Group{
	Name:  "router",
	About: "Is every worker behind a router in use?",
	Thresholds: []*Threshold{{
		Key: "router_failed_requests", Default: 10, Unit: "requests",
		About: "Requests within router_window that a router gave up after its last attempt.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(increase(llm_router_retries_exhausted_total[5m])[1h:15s])) or vector(0)`,
			Healthy:   []string{"vllm-router-0.1.17/failover", "fleet-incidents"},
			Incident:  []string{"vllm-router-0.1.17/outage"},
			Above:     true, Margin: 3,
			Source: "reference fleet: six requests with one of two replicas stopped, six answers",
		}},
	}, {
		Key: "router_window", Default: 300, Unit: DurationUnit,
		About: "Window in which errors, failed requests and retries are counted. Raise it for routers with few requests.",
		Evidence: []Evidence{{
			// Seconds that the breaker's three failures took, at the pace at which a dead worker failed.
			Statistic: `${router_failures} / max(max_over_time(rate(llm_router_target_requests_total{outcome="failure"}[5m])[1h:15s]))`,
			Healthy:   []string{"vllm-router-0.1.17/outage", "litellm-1.108.7/failover"},
			Above:     true, Margin: 1.5,
			Source: "twenty scrapes of 15 s, so that a rate bridges a lost one",
		}},
	}, {
		Key: "router_out_before", Default: 30, Unit: DurationUnit,
		About: "How long before a worker must have been out as well: a breaker that opens for a moment is no outage.",
		Evidence: []Evidence{{
			// Seconds that a dead worker was out.
			Statistic: `15 * max(max_over_time(count_over_time((llm_router_target_healthy == 0)[15m:15s])[1h:15s])) or vector(0)`,
			Incident:  []string{"fleet-incidents"},
			Above:     true, Margin: 10,
			Source: "recordings of vllm-router and smg: a breaker opens at the first failures, the health check confirms it 6 to 30 s later",
		}},
	}, {
		Key: "router_error_share", Default: 0.1, Unit: "ratio",
		About: "Share of a router's requests that may end with an error.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(router:llm_router_errors:ratio[1h])) or vector(0)`,
			Healthy:   []string{"production-stack-router-0.1.12-14-ga6c01db/failover", "litellm-1.110.2/fallback", "haproxy-2.6.12/failover"},
			Incident:  []string{"caddy-2.11.9/failover"},
			Above:     true, Margin: 1.5,
			Source: "what the death of one worker of two costs in the recordings of a router that retries: 0.03 to 0.06",
		}},
	}, {
		Key: "router_failing_share", Default: 0.2, Unit: "ratio",
		About: "Share of what a worker gets that it may fail.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(router:llm_router_target_failed:ratio[1h])) or vector(0)`,
			Healthy:   []string{"fleet-incidents", "haproxy-2.6.12/failover", "vllm-router-0.1.17/failover"},
			Incident:  []string{"vllm-router-0.1.17/outage", "litellm-1.108.7/failover"},
			Above:     true, Margin: 1.5,
		}},
	}, {
		Key: "router_failures", Default: 3, Unit: "requests",
		About: "Requests that a worker failed within router_window before their share is judged.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(increase(llm_router_target_requests_total{outcome="failure"}[5m])[1h:15s])) or vector(0)`,
			Healthy:   []string{"fleet-incidents", "vllm-router-0.1.17/failover"},
			Incident:  []string{"vllm-router-0.1.17/outage"},
			Above:     true, Margin: 1.5,
			Source: "breakers open at the third failure",
		}},
	}, {
		Key: "router_flaps", Default: 4, Unit: "count",
		About: "Changes between in and out within router_flap_window above which a worker flaps. Out and in again is two.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(changes(llm_router_target_healthy[15m])[1h:15s]))`,
			Healthy:   []string{"fleet-incidents", "smg-1.13.0/failover", "caddy-2.11.9/failover", "litellm-1.110.2/fallback"},
			Above:     true, Margin: 1.3,
			Source: "a restart is two changes, a rolling one of the router's own is two more",
		}},
	}, {
		Key: "router_flap_window", Default: 900, Unit: DurationUnit,
		About: "Window in which changes are counted.",
		Evidence: []Evidence{{
			Source: "a model takes 150 s to load on the reference fleet: a worker that dies again and again is counted three times",
		}},
	}, {
		Key: "router_failovers", Default: 10, Unit: "requests",
		About: "Requests that may go on elsewhere within router_failover_window.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(sum without (model, fallback, outcome) (increase(llm_router_failovers_total[10m]))[1h:15s])) or vector(0)`,
			Healthy:   []string{"dynamo-1.6.1/failover", "dynamo-1.6.1/kv-router-outage", "fleet-incidents"},
			Incident:  []string{"litellm-1.110.2/fallback"},
			Above:     true, Margin: 2,
			Source: "reference fleet: one failover for each request that ran on a replica when it was stopped",
		}},
	}, {
		Key: "router_failover_window", Default: 600, Unit: DurationUnit,
		About: "Window in which failovers are counted.",
		Evidence: []Evidence{{
			Source: "longer than a replica takes to come back (3.5 minutes on the reference fleet): what is still failing over then is no restart",
		}},
	}, {
		Key: "router_retry_share", Default: 0.3, Unit: "ratio",
		About: "Attempts made again, as a share of all that workers get, above which retries are a load of their own.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(router:llm_router_retries:ratio[1h])) or vector(0)`,
			Healthy:   []string{"haproxy-2.6.12/failover", "smg-1.13.0/failover", "fleet-incidents"},
			Incident:  []string{"vllm-router-0.1.17/outage"},
			Above:     true, Margin: 2,
		}},
	}, {
		Key: "router_retries", Default: 10, Unit: "count",
		About: "Attempts made again within router_window before their share is judged.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(increase(llm_router_retries_total[5m])[1h:15s])) or vector(0)`,
			Healthy:   []string{"vllm-router-0.1.17/failover", "fleet-incidents"},
			Incident:  []string{"vllm-router-0.1.17/outage"},
			Above:     true, Margin: 3,
		}},
	}, {
		Key: "router_fair_share", Default: 0.2, Unit: "ratio",
		About: "Part of an even share below which a replica is left out. Lower it for policies that keep conversations together with few clients.",
		Evidence: []Evidence{{
			Statistic: `min(min_over_time((router:llm_router_target_requests:fair_share and min_over_time(llm_router_target_healthy[15m]) == 1)[1h:15s]))`,
			Healthy:   []string{"fleet-incidents", "haproxy-2.6.12/failover", "vllm-router-0.1.17/failover"},
			Margin:    1.5,
			Source:    "with hash affinity one card of the reference fleet did all of sixteen requests: 0 of an even share",
		}},
	}, {
		Key: "router_share_requests", Default: 100, Unit: "requests",
		About: "Requests within router_share_window before their spread is judged.",
		Evidence: []Evidence{{
			// What a router at work hands out within a quarter of an hour.
			Statistic: `max(max_over_time(sum without (target, outcome) (increase(llm_router_target_requests_total[15m]))[1h:15s]))`,
			Incident:  []string{"vllm-router-0.1.17/failover", "haproxy-2.6.12/failover", "fleet-incidents"},
			Above:     true, Margin: 2,
			Source: "arithmetic: of a hundred requests spread by chance over four replicas, fewer than five for one of them are one case in a million",
		}},
	}, {
		Key: "router_share_window", Default: 900, Unit: DurationUnit,
		About: "Window of the spread, in which the replica must have been healthy all the time.",
		Evidence: []Evidence{{
			// Seconds that a router at work needs for router_share_requests.
			Statistic: `${router_share_requests} / max(max_over_time(sum without (target, outcome) (rate(llm_router_target_requests_total[5m]))[1h:15s]))`,
			Healthy:   []string{"fleet-incidents"},
			Above:     true, Margin: 4,
			Source: "long enough for some twenty turns of several agents (1 to 25 s each on the reference fleet)",
		}},
	}},
	Records: []Record{{
		Name: "target:llm_healthy:own", Unit: string(catalog.Boolean), Labels: perWorker,
		Expr: `
			llm_router_target_backend_info
			  * on (instance, worker) group_left label_replace(llm_healthy, "worker", "$1", "backend", "(.+)")`,
		About: "1 if a router's worker says of itself that it can serve, 0 if not; no sample for a worker that is no backend of the same exporter.",
	}, {
		Name: "target:llm_router_disagreement:difference", Unit: string(catalog.Count), Labels: perWorker,
		Expr: `
			llm_router_target_healthy
			  - on (instance, backend, target) group_right target:llm_healthy:own`,
		About: "1 where a router uses a worker that cannot serve, -1 where it keeps out one that can, 0 where both say the same.",
	}, {
		Name: "router:llm_router_errors:ratio", Unit: "ratio", Labels: perRouter,
		Expr: `
			sum without (reason) (rate(llm_router_errors_total{router!~"vllm_router|smg|sgl_router|dynamo"}[${router_window}]))
			  / sum without (model) (rate(llm_router_requests_total[${router_window}]))
			>= 0`,
		About: "Share of requests that ended with an error, of routers whose errors are requests.",
	}, {
		Name: "router:llm_router_target_failed:ratio", Unit: "ratio", Labels: perTarget,
		Expr: `
			sum without (outcome) (rate(llm_router_target_requests_total{outcome="failure"}[${router_window}]))
			  / sum without (outcome) (rate(llm_router_target_requests_total[${router_window}]))
			>= 0`,
		About: "Share of what a worker got that it failed.",
	}, {
		Name: "router:llm_router_retries:ratio", Unit: "ratio", Labels: perRouter,
		Expr: `
			rate(llm_router_retries_total[${router_window}])
			  / sum without (target, outcome) (rate(llm_router_target_requests_total[${router_window}]))
			>= 0`,
		About: "Attempts made again by all that workers got; infinite while they get nothing.",
	}, {
		Name: "router:llm_router_target_requests:fair_share", Unit: "ratio", Labels: perTarget,
		Expr: `
			(
			  sum without (outcome) (increase(llm_router_target_requests_total[${router_share_window}]))
			  or 0 * llm_router_target_healthy
			)
			  / on (instance, job, backend, router) group_left ()
			(
			  (sum without (target, outcome) (increase(llm_router_target_requests_total[${router_share_window}])) > ${router_share_requests})
			    / count without (target) (llm_router_target_healthy)
			)`,
		About: "What a worker got, by what it would get if all got the same.",
	}},
	Alerts: []Alert{
		routerRequestsFailing, routerErrorShare, routerTargetOut, routerDisagrees, routerReplicasMissing,
		routerTargetFailing, routerTargetFlapping, routerFailoversGrowing, routerRetriesMany, routerShareUneven,
	},
}

var routerRequestsFailing = Alert{
	Name: "LlmRouterRequestsFailing", Severity: Critical, For: 2 * time.Minute, Panel: "router/given-up",
	// Errors would not do: routers count attempts there, hundreds for a few dozen requests.
	// The counter is born with the first failure, which increase does not see; what it makes
	// of a newborn one differs between releases of Prometheus, so the text names the limit.
	Expr:    `increase(llm_router_retries_exhausted_total[${router_window}]) > ${router_failed_requests}`,
	Summary: `{{ $labels.backend }} fails its clients: more than ${router_failed_requests} requests within ${router_window} found no worker that could answer.`,
	Description: `Clients of {{ $labels.backend }} get errors after every attempt: no worker is left that the router would use.
		First see which workers are out (LlmRouterTargetOut names them) and start one; a worker that is back is used again only when its circuit breaker closes.`,
	Valueless: "what increase makes of a newborn counter differs between releases of Prometheus; the text names the limit",
	Explains:  []Explanation{{By: []string{"instance", "backend"}, Alerts: []string{"LlmRouterErrorShare", "LlmRouterTargetOut", "LlmRouterTargetFailing", "LlmRouterFailoversGrowing", "LlmRouterRetriesMany"}, Why: "Clients that get errors come before the workers that are out."}},
	Cases: []Case{{
		Recording: "vllm-router-0.1.17/outage",
		Fires:     []Firing{{Labels: `backend="router", router="vllm_router"`, Pending: 405, Firing: 525, Text: "router fails its clients: more than 10 requests within 5m found no worker that could answer."}},
		Why:       "both workers are dead, and the router calls itself healthy; its counters are born with the failures, at 4 and at 3",
	}, {
		Recording: "dynamo-1.6.1/kv-router-outage",
		Fires:     []Firing{{Labels: `backend="dynamo", router="dynamo"`, Pending: 300, Firing: 420, Text: "dynamo fails its clients: more than 10 requests within 5m found no worker that could answer."}},
		Why:       "one worker after the other is killed; its count of errors shows a tenth of it",
	}, {
		Recording: "vllm-router-0.1.17/outage", Edit: "router-failures-rare", Quiet: true,
		Why: "a few broken requests are what the death of a worker costs",
	}, {
		Recording: "vllm-router-0.1.17/failover", Quiet: true,
		Why: "what fails on one worker succeeds on the other",
	}},
}

var routerTargetOut = Alert{
	Name: "LlmRouterTargetOut", Severity: Warning, For: 2 * time.Minute, Panel: "router/targets",
	// The series weighs all that the router says of a worker (docs/engines.md): with default
	// settings vllm-router calls dead workers healthy, and only their breakers are open. One that
	// opens for seconds is its daily work: a worker is out when it was so a moment before as well.
	Expr: `llm_router_target_healthy == 0
		and llm_router_target_healthy offset ${router_out_before} == 0`,
	Summary: `{{ $labels.backend }} sends nothing to {{ $labels.target }}: the router holds it to be out of order.`,
	Description: `The other workers of {{ $labels.backend }} carry the whole load; when none is left, clients get 503.
		First see whether {{ $labels.target }} answers at all: if not, start it; if it does, look at what the router's health check asks and at its circuit breaker.`,
	Valueless: onlyState,
	Cases: []Case{{
		Recording: "fleet-incidents",
		Fires:     []Firing{{Labels: `backend="router", router="vllm_router", target="http://127.0.0.1:19302"`, Pending: 510, Firing: 630, Resolved: 1260, Text: "router sends nothing to http://127.0.0.1:19302: the router holds it to be out of order."}},
		Why:       "a replica is out from 480 on: its circuit opens at once, and its health check confirms it at 510",
	}, {
		Recording: "fleet-incidents", Edit: "ten-hosts",
		Fires: onTenHosts(Firing{Labels: `backend="router", router="vllm_router", target="http://127.0.0.1:19302"`, Pending: 510, Firing: 630, Resolved: 1260, Text: "router sends nothing to http://127.0.0.1:19302: the router holds it to be out of order."}),
		Why:   "ten routers of the same name before workers of the same address",
	}, {
		Recording: "fleet-incidents", Edit: "one-scrape-lost", MayPend: true,
		Fires: []Firing{{Labels: `backend="router", router="vllm_router", target="http://127.0.0.1:19302"`, Pending: 585, Firing: 705, Resolved: 1260, Text: "router sends nothing to http://127.0.0.1:19302: the router holds it to be out of order."}},
		Why:   "a gap at 540 ends what is pending: it is told five scrapes later (LlmScrapesMissing says so)",
	}, {
		Recording: "vllm-router-0.1.17/failover",
		Fires:     []Firing{{Labels: `backend="router", router="vllm_router", target="http://127.0.0.1:18182"`, Pending: 495, Firing: 615, Resolved: 840, Text: "router sends nothing to http://127.0.0.1:18182: the router holds it to be out of order."}},
		Why:       "the same, shorter",
	}, {
		Recording: "vllm-router-0.1.17/outage",
		Fires:     []Firing{{Labels: `backend="router", router="vllm_router", target="http://127.0.0.1:18181"`, Pending: 390, Firing: 510, Resolved: 0, Text: "router sends nothing to http://127.0.0.1:18181: the router holds it to be out of order."}, {Labels: `backend="router", router="vllm_router", target="http://127.0.0.1:18182"`, Pending: 390, Firing: 510, Resolved: 0, Text: "router sends nothing to http://127.0.0.1:18182: the router holds it to be out of order."}},
		Why:       "with default settings both dead workers stay healthy; only the circuit breakers tell",
	}, {
		Recording: "llamacpp-0.7.0-b11669/router#after",
		Fires:     []Firing{{Labels: `backend="llamacpp", router="llamacpp_router", target="broken-model"`, Pending: 30, Firing: 150, Resolved: 0, Text: "llamacpp sends nothing to broken-model: the router holds it to be out of order."}},
		Why:       "a model that failed to load is a worker that is out; models that are merely not loaded are not",
	}, {
		Recording: "smg-1.13.0/failover", MayPend: true,
		Fires: []Firing{{Labels: `backend="smg", router="smg", target="http://127.0.0.1:18182"`, Pending: 420, Firing: 540, Resolved: 780, Text: "smg sends nothing to http://127.0.0.1:18182: the router holds it to be out of order."}},
		Why:   "killed, started again, and taken out by hand at the end, which is too short to tell",
	}, {
		Recording: "litellm-1.110.2/failover",
		Fires:     []Firing{{Labels: `backend="litellm", router="litellm", target="http://127.0.0.1:18182"`, Pending: 570, Firing: 690, Resolved: 1020, Text: "litellm sends nothing to http://127.0.0.1:18182: the router holds it to be out of order."}},
		Why:       "in an outage until the first success after its cooldown",
	}, {
		Recording: "litellm-1.110.2/fallback",
		Fires:     []Firing{{Labels: `backend="litellm", router="litellm", target="http://127.0.0.1:18182"`, Pending: 420, Firing: 540, Resolved: 750, Text: "litellm sends nothing to http://127.0.0.1:18182: the router holds it to be out of order."}, {Labels: `backend="litellm", router="litellm", target="http://127.0.0.1:18189"`, Pending: 810, Firing: 930, Resolved: 0, Text: "litellm sends nothing to http://127.0.0.1:18189: the router holds it to be out of order."}},
		Why:       "the outage is over, although it stays booked under the group's name; the healthy fallback never is out; the third was never there",
	}, {
		Recording: "litellm-1.108.7/failover",
		Fires:     []Firing{{Labels: `backend="litellm", router="litellm", target="http://127.0.0.1:18182"`, Pending: 390, Firing: 510, Resolved: 705, Text: "litellm sends nothing to http://127.0.0.1:18182: the router holds it to be out of order."}},
		Why:       "the same in an older release",
	}, {
		Recording: "production-stack-router-0.1.12-14-ga6c01db/failover",
		Fires:     []Firing{{Labels: `backend="router", router="production_stack", target="http://127.0.0.1:18182"`, Pending: 525, Firing: 645, Resolved: 915, Text: "router sends nothing to http://127.0.0.1:18182: the router holds it to be out of order."}},
		Why:       "a backend that is given up disappears, and only its statistics stay",
	}, {
		Recording: "haproxy-2.6.12/failover",
		Fires:     []Firing{{Labels: `backend="haproxy", router="haproxy", target="replicas/replica-d"`, Pending: 375, Firing: 495, Resolved: 585, Text: "haproxy sends nothing to replicas/replica-d: the router holds it to be out of order."}},
		Why:       "a server is DOWN; no client notices",
	}, {
		Recording: "caddy-2.11.9/failover", MayPend: true,
		Fires: []Firing{{Labels: `backend="caddy", router="caddy", target="127.0.0.1:18184"`, Pending: 270, Firing: 390, Resolved: 615, Text: "caddy sends nothing to 127.0.0.1:18184: the router holds it to be out of order."}},
		Why:   "the other one is out for seconds as well, which ends before the hold time",
	}},
}

var routerDisagrees = Alert{
	Name: "LlmRouterDisagrees", Severity: Warning, For: 5 * time.Minute, Panel: "router/targets",
	// Neither side alone tells. The hold time outlasts what a router needs to notice: its checks
	// are up to a minute apart, and three decide.
	Expr:    `target:llm_router_disagreement:difference != 0`,
	Summary: `{{ $labels.backend }} is wrong about {{ $labels.worker }}: it {{ if gt $value 0.0 }}sends it requests though it cannot serve{{ else }}sends it nothing though it can serve{{ end }}.`,
	Description: `The router {{ $labels.backend }} knows {{ $labels.worker }} as {{ $labels.target }}. A router that uses a dead worker fails a share of the requests, or tries each of them twice; one that keeps out a good one wastes it.
		First ask the worker yourself, from the router's host: what holds there is right. Then look at what the router's health check asks and how often, and at its list of workers, which may be that of yesterday.`,
	Valueless: "its sign alone counts, and the text says it in words",
	Cases: []Case{{
		Recording: "fleet-incidents", Edit: "router-frozen-at-470",
		Fires: []Firing{{Labels: `backend="router", router="vllm_router", target="http://127.0.0.1:19302", worker="medium-b"`, Pending: 480, Firing: 780, Resolved: 1245, Text: "router is wrong about medium-b: it sends it requests though it cannot serve."}},
		Why:   "the router's health checks have stopped: a dead worker, and then one that loads, stays healthy in its list",
	}, {
		Recording: "vllm-router-0.1.17/failover", Edit: "router-frozen-at-40",
		Fires: []Firing{{Labels: `backend="router", router="vllm_router", target="http://127.0.0.1:18182", worker="replica-b"`, Pending: 765, Firing: 1065, Resolved: 0, Text: "router is wrong about replica-b: it sends it nothing though it can serve."}},
		Why:   "the worker is back, and the router never takes it in again",
	}, {
		Recording: "fleet-incidents", Quiet: true, MayPend: true,
		Why: "the router notices both the death and the return of a worker within 30 s",
	}, {
		Recording: "vllm-router-0.1.17/failover", Quiet: true, MayPend: true,
		Why: "another pace of checks",
	}, {
		Recording: "smg-1.13.0/failover", Quiet: true, MayPend: true,
		Why: "another router, which takes out a worker only after a minute",
	}, {
		Recording: "litellm-1.110.2/failover", Quiet: true, MayPend: true,
		Why: "a router that knows no checks: requests tell it, in both directions",
	}, {
		Recording: "production-stack-router-0.1.12-14-ga6c01db/failover", Quiet: true, MayPend: true,
		Why: "a router that forgets a worker that is out",
	}},
}

var routerReplicasMissing = Alert{
	Name: "LlmRouterReplicasMissing", Severity: Warning, For: 5 * time.Minute, Panel: "router/known",
	// All that it knows are counted: one that it holds to be out is LlmRouterTargetOut's.
	Expr: `
		sum without (state) (llm_router_targets)
		  < on (instance, backend) group_left llm_expected_replicas`,
	Summary: `{{ $labels.backend }} knows {{ $value | printf "%.0f" }} replicas, fewer than are expected of it.`,
	Description: `A replica is not in the list of {{ $labels.backend }} at all, so it gets no requests and no other alert names it.
		First compare the router's command line, or what its discovery finds, with the replicas that run; if fewer are right, correct expect.replicas in the exporter's configuration.`,
	Cases: []Case{{
		Recording: "vllm-router-0.1.17/failover", Edit: "three-replicas-expected",
		Fires: []Firing{{Labels: `backend="router", router="vllm_router"`, Pending: 0, Firing: 300, Text: "router knows 2 replicas, fewer than are expected of it."}},
		Why:   "the router was started with two of three",
	}, {
		Recording: "vllm-router-0.1.17/failover", Edit: "two-replicas-expected", Quiet: true,
		Why: "one of the two is out for a while, and known",
	}},
}
