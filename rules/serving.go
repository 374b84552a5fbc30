package rules

import "time"

// Is work being done? A server may be up, answer its health check, and serve nobody.
var serving = Group{
	Name:  "serving",
	About: "Are requests taken, answered, and by something that stays?",
	Thresholds: []*Threshold{{
		Key: "admit_window", Default: 600, Unit: DurationUnit,
		About: "How long requests may wait while none is taken. Raise it where answers take that long and all slots are held by them.",
		Evidence: []Evidence{{
			// Seconds of the worst ten minutes in which requests waited and for a minute none was taken.
			Statistic: `15 * max(max_over_time(count_over_time((increase(llm_prompt_tokens_total[1m]) == 0 and min_over_time(llm_requests_waiting[1m]) > 0)[10m:15s])[1h:15s])) or vector(0)`,
			Healthy:   []string{"vllm-0.32.0/overload-long", "vllm-0.32.0/kv-full-long", "llamacpp-0.7.0-b11669/overload-long"},
			Above:     true, Margin: 2,
			Source: "reference fleet: a prompt of 50,000 tokens takes 22 s, an answer of 4,000 tokens five minutes",
		}},
	}, {
		Key: "restarts", Default: 3, Unit: "count",
		About: "How often a backend may go away and come back within an hour.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(backend:llm_restarts:count_1h[1h])) or vector(0)`,
			Healthy:   []string{"fleet-incidents", "vllm-0.32.0/restart", "llamacpp-0.7.0-b11669/restart", "vllm-router-0.1.17/failover"},
			Above:     true, Margin: 2,
			Source: "a planned restart is one, with a second try two",
		}},
	}, {
		Key: "failed_share", Default: 0.05, Unit: "ratio",
		About: "Share of requests that may fail.",
		Evidence: []Evidence{{
			Statistic: `max(max_over_time(backend:llm_requests_failed:ratio[1h]))`,
			Healthy:   []string{"fleet-incidents", "vllm-0.32.0/overload-long", "vllm-0.32.0/basic"},
			Above:     true, Margin: 3,
			Source: "reference fleet: a soak of 155 requests had no error",
		}},
	}, {
		Key: "overflow_share", Default: 0.05, Unit: "ratio",
		About: "Share of requests that may be refused for being longer than the model's context.",
		Evidence: []Evidence{{
			Source: "an agent loop that has outgrown the context fails at each turn from then on: one of twenty clients is enough",
		}},
	}},
	Records: []Record{{
		Name: "backend:llm_restarts:count_1h", Unit: "count", Labels: []string{"backend"},
		// A server that is started again within a scrape is seen by its counters, one that dies
		// before its first token by its health, and one that says it by the start of its process.
		Expr: `
			max by (instance, job, backend) (
			  floor(changes(llm_healthy[1h]) / 2)
			  or resets(llm_generation_tokens_total[1h])
			  or changes(llm_engine_start_timestamp_seconds[1h])
			)`,
		About: "How often the backend went away and came back within an hour.",
	}, {
		Name: "backend:llm_requests_failed:ratio", Unit: "ratio", Labels: perModel,
		Expr: `
			sum without (rank, reason) (increase(llm_requests_finished_total{reason="error"}[${latency_window}]))
			  / (sum without (rank, reason) (increase(llm_requests_finished_total{reason!="abort"}[${latency_window}])) > 0)`,
		About: "Share of requests that ended with an error, those whose client left not counted; no sample where the engine does not tell errors.",
	}, {
		Name: "router:llm_context_overflow:ratio", Unit: "ratio", Labels: perRouter,
		Expr: `
			(
			  sum without (reason) (increase(llm_router_errors_total{reason=~"(?i).*context.?(window|length).*"}[${latency_window}]))
			  or 0 * sum without (reason) (increase(llm_router_errors_total[${latency_window}]))
			)
			  / (sum without (model) (increase(llm_router_requests_total[${latency_window}])) > ${latency_events})`,
		About: "Share of a router's requests that were longer than the model's context, where the router tells.",
	}},
	Alerts: []Alert{queueStalled, noReplicaLeft, requestsFailing, contextOverflowing, nothingLoaded, backendRestarting},
}

var queueStalled = Alert{
	Name: "LlmQueueStalled", Severity: Critical, For: time.Minute, Panel: "capacity/waiting",
	// An engine that makes no step at all is LlmEngineStalled.
	Expr: `
		min_over_time(llm_requests_waiting[${admit_window}]) > 0
		and increase(llm_prompt_tokens_total[${admit_window}]) == 0
		unless increase(llm_engine_steps_total[${admit_window}]) == 0`,
	Summary: `{{ $labels.backend }} takes nobody from its queue: at least {{ $value | printf "%.0f" }} requests to {{ $labels.model }} have waited for ${admit_window}, and not one was begun.`,
	Description: `The engine works on, and no new request is begun: those that run hold all slots or all of the KV cache, or its scheduler is stuck.
		First see whether the requests that run at {{ $labels.backend }} ever end; if they do not, end them (or the server), for whoever waits will get nothing.`,
	Explains: []Explanation{{
		By: []string{"instance", "backend", "model"}, Alerts: []string{"LlmRequestsQueueing", "LlmKVCacheSaturated", "LlmSlotsBusy", "LlmQueueWaitHigh"},
		Why: "A queue from which nobody is taken is long, and what runs holds slots and cache.",
	}},
	Cases: []Case{{
		Recording: "vllm-0.32.0/overload-long", Edit: "nobody-admitted-from-600",
		Fires: []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 1170, Firing: 1230, Text: "vllm takes nobody from its queue: at least 4 requests to tiny-chat have waited for 10m, and not one was begun."}},
		Why:   "six go on for ever, four wait",
	}, {
		Recording: "vllm-0.32.0/overload-long", Edit: "counters-frozen-at-600", Quiet: true,
		Why: "an engine that makes no step has its own alert",
	}, {
		Recording: "vllm-0.32.0/kv-full-long", Quiet: true,
		Why: "a queue that moves",
	}, {
		Recording: "vllm-0.32.0/queue-limit", Quiet: true,
		Why: "nobody waits where everybody is refused",
	}, {
		Recording: "vllm-0.32.0/prefix-hot", Stretch: 15, Edit: "no-prompt-begins", Quiet: true,
		Why: "long answers go on, and nobody waits",
	}},
}

var noReplicaLeft = Alert{
	Name: "LlmNoReplicaLeft", Severity: Critical, For: time.Minute, Panel: "router/known",
	// Some routers forget the dead, so their count decides. The workers of others are models,
	// which are loaded when somebody asks.
	Expr:    `sum without (state) (llm_router_targets{state="healthy", router!~"llamacpp_router|llama_swap"}) == 0`,
	Summary: `{{ $labels.backend }} has no replica left: every one that it knows is out of order.`,
	Description: `Each request to {{ $labels.backend }} fails, whatever its own health check says.
		First see why the replicas went one after the other (LlmBackendDown names those that are watched): the last one often dies of the load of the others, so start more than one before clients come back.`,
	Valueless: "it is always 0: none is left",
	Explains: []Explanation{{
		By: []string{"instance", "backend"}, Alerts: []string{"LlmRouterTargetOut", "LlmRouterRequestsFailing", "LlmRouterErrorShare", "LlmRouterTargetFailing", "LlmRouterRetriesMany"},
		Why: "With no replica left each of them is out, and every request fails.",
	}},
	Cases: []Case{{
		Recording: "vllm-router-0.1.17/outage",
		Fires:     []Firing{{Labels: `backend="router", router="vllm_router"`, Pending: 360, Firing: 420, Text: "router has no replica left: every one that it knows is out of order."}},
		Why:       "both workers are dead; the router's health check answers 200",
	}, {
		Recording: "caddy-2.11.9/failover",
		Fires:     []Firing{{Labels: `backend="caddy", router="caddy"`, Pending: 315, Firing: 375, Resolved: 390, Text: "caddy has no replica left: every one that it knows is out of order."}},
		Why:       "one is dead, one failed exchange had put the other out too: every request was refused meanwhile",
	}, {
		Recording: "dynamo-1.6.1/kv-router-outage",
		Fires:     []Firing{{Labels: `backend="dynamo", router="dynamo"`, Pending: 345, Firing: 405, Text: "dynamo has no replica left: every one that it knows is out of order."}},
		Why:       "a front end that forgets the dead: only its count of workers is left",
	}, {
		Recording: "dynamo-1.6.1/states#kv-outage",
		Fires:     []Firing{{Labels: `backend="service", router="dynamo"`, Pending: 0, Firing: 60, Text: "service has no replica left: every one that it knows is out of order."}},
		Why:       "the same as a single answer",
	}, {
		Recording: "dynamo-1.6.1/states#no-worker",
		Fires:     []Firing{{Labels: `backend="service", router="dynamo"`, Pending: 0, Firing: 60, Text: "service has no replica left: every one that it knows is out of order."}},
		Why:       "no worker has joined yet",
	}, {
		Recording: "llamacpp-0.7.0-b11669/router#after", Edit: "all-models-unloaded", Quiet: true,
		Why: "the workers of a llama.cpp router are models, which are loaded when somebody asks",
	}, {
		Recording: "vllm-router-0.1.17/failover", Quiet: true,
		Why: "one of two is left",
	}},
}

var requestsFailing = Alert{
	Name: "LlmRequestsFailing", Severity: Warning, For: 2 * time.Minute, Panel: "serving/failed",
	// Refusals at a queue limit are LlmRequestsRefused.
	Expr: `
		backend:llm_requests_failed:ratio > ${failed_share}
		and ignoring (objective) backend:llm_objective_events:increase{objective="success"} > ${latency_events}`,
	Summary: `{{ $labels.backend }} fails: {{ $value | humanizePercentage }} of the requests to {{ $labels.model }} within ${latency_window} ended with an error.`,
	Description: `The engine itself gave those requests up. Clients that left and answers that were cut at their limit are not counted.
		First read the log of {{ $labels.backend }}: one kind of request that always fails shows by its text, a card that fails by its driver's messages.`,
	Cases: []Case{{
		Recording: "vllm-0.32.0/overload-long", Edit: "a-tenth-fails",
		Fires: []Firing{{Labels: `backend="vllm", engine="vllm", model="tiny-chat"`, Pending: 270, Firing: 390, Text: "vllm fails: 8.794% of the requests to tiny-chat within 10m ended with an error."}},
		Why:   "of ten requests one ends with an error",
	}, {
		Recording: "vllm-0.32.0/overload-long", Edit: "a-fiftieth-fails", Quiet: true,
		Why: "one of fifty",
	}, {
		Recording: "vllm-0.32.0/basic", Edit: "a-tenth-fails", Stretch: 60, Quiet: true,
		Why: "the same of a trickle of requests",
	}, {
		Recording: "vllm-0.32.0/queue-limit", Quiet: true,
		Why: "refused is not failed",
	}, {
		Recording: "vllm-0.32.0/rust-frontend", Quiet: true,
		Why: "seven clients left: the front end counts them as aborted",
	}},
}

var contextOverflowing = Alert{
	Name: "LlmContextOverflowing", Severity: Warning, For: 2 * time.Minute, Panel: "serving/overflow",
	Expr:    `router:llm_context_overflow:ratio > ${overflow_share}`,
	Summary: `{{ $value | humanizePercentage }} of the requests to {{ $labels.backend }} are longer than the context of their model.`,
	Description: `Conversations have outgrown the context: each further turn of theirs fails, and sending it again does not help.
		First see what the model's context is (llm_model_context_length_tokens) and whether it was lowered of late; then let clients shorten their history, or serve the model with a longer one.`,
	Cases: []Case{{
		Recording: "litellm-1.108.7/failover", Edit: "overflows-are-many",
		Fires: []Firing{{Labels: `backend="litellm", router="litellm"`, Pending: 570, Firing: 690, Text: "16.75% of the requests to litellm are longer than the context of their model."}},
		Why:   "as LiteLLM names them",
	}, {
		Recording: "litellm-1.110.2/fallback", Edit: "errors-are-overflows", Quiet: true,
		Why: "a few of hundreds",
	}, {
		Recording: "litellm-1.108.7/failover", Quiet: true,
		Why: "errors of another kind",
	}},
}

var nothingLoaded = Alert{
	Name: "LlmNothingLoaded", Severity: Warning, For: 5 * time.Minute, Panel: "glance/backends",
	// Programs that load on demand are empty most of the time, so it must be expected of them.
	Expr: `
		llm_expected_loaded == 1
		and on (instance, backend) llm_model_state
		unless on (instance, backend) llm_model_state{state=~"loaded|loading"} == 1`,
	Summary: `{{ $labels.backend }} has no model in memory, though it is expected to.`,
	Description: `{{ $labels.backend }} answers, and its next request has to wait until a model is loaded, for seconds or minutes; if it cannot be loaded, it fails.
		First look at the server's log for why it was unloaded: an idle time that is too short, another model that took its place, or memory that something else holds.`,
	Valueless: onlyState,
	Cases: []Case{{
		Recording: "ollama-0.17.4/basic", Edit: "a-model-expected-in-memory", Stretch: 30, MayPend: true,
		Fires: []Firing{{Labels: `backend="ollama"`, Pending: 1050, Firing: 1350, Text: "ollama has no model in memory, though it is expected to."}},
		Why:   "it is unloaded twelve seconds after the last request",
	}, {
		Recording: "llamacpp-0.7.0-b11669/states#asleep", Edit: "a-model-expected-in-memory",
		Fires: []Firing{{Labels: `backend="service"`, Pending: 0, Firing: 300, Text: "service has no model in memory, though it is expected to."}},
		Why:   "a server that sleeps has given its memory back",
	}, {
		Recording: "llamacpp-0.7.0-b11669/basic", Edit: "a-model-expected-in-memory", Quiet: true,
		Why: "its one model is loaded",
	}, {
		Recording: "ollama-0.17.4/basic", Quiet: true,
		Why: "who loads on demand may be empty",
	}, {
		Recording: "llamacpp-0.7.0-b11669/restart", Edit: "a-model-expected-in-memory", Quiet: true,
		Why: "a server that is gone says nothing of its models: LlmBackendDown tells",
	}},
}

var backendRestarting = Alert{
	Name: "LlmBackendRestarting", Severity: Warning, For: time.Minute, Panel: "serving/restarts",
	Expr:    `backend:llm_restarts:count_1h >= ${restarts}`,
	Summary: `{{ $labels.backend }} went away and came back {{ $value | printf "%.0f" }} times within an hour.`,
	Description: `Each time its running requests and its prefix cache are lost, and between two deaths it looks well.
		First read what {{ $labels.backend }} logged last before each start (journalctl -u, podman logs): the same request, the same hour or an empty memory tells which of them it is.`,
	Cases: []Case{{
		Recording: "llamacpp-0.7.0-b11669/overload-long", Edit: "restarts-every-300",
		Fires: []Firing{{Labels: `backend="llamacpp"`, Pending: 900, Firing: 960, Text: "llamacpp went away and came back 3 times within an hour."}},
		Why:   "started again within a scrape each time: only its counters tell",
	}, {
		Recording: "vllm-0.32.0/overload-long", Edit: "dies-every-300",
		Fires: []Firing{{Labels: `backend="vllm"`, Pending: 900, Firing: 960, Text: "vllm went away and came back 3 times within an hour."}},
		Why:   "dead for a minute of every five, never long enough to be down",
	}, {
		Recording: "fleet-incidents", Quiet: true,
		Why: "two backends are started again, once each",
	}, {
		Recording: "fleet-incidents", Edit: "exporter-started-four-times", Quiet: true,
		Why: "a restart of the exporter is none of the servers",
	}, {
		Recording: "fleet-incidents", Edit: "every-seventh-scrape-lost", Quiet: true,
		Why: "a scrape that is lost is no death",
	}},
}
