package dashboards

import (
	"fmt"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/rules"
)

// latency is the page about time: what clients wait for, beside what they were promised.
var latency = Dashboard{
	UID:       rules.LatencyDashboardUID,
	Title:     fleetTitle + "latency and objectives",
	About:     "Is it slow, slower than promised, and for how long already? Quantiles are of the requests of the last minutes; objectives are the backends' own, and dashed lines are where an alert decides.",
	Variables: aboutModels,
	Notes:     notes,
	Rows:      []Row{missedRow, latencyRow, objectivesRow},
}

var latencyRow = Row{
	Key: "latency", Title: "Is it slow?",
	Panels: []Panel{
		{
			Key: "latency/ttft", Title: "Time to first token", Unit: catalog.Seconds, Width: 12, Of: catalog.TimeToFirstToken,
			About:   "What a client waits before anything comes, over ${latency_window}. Half of the requests were faster than p50, nineteen of twenty faster than p95.",
			Queries: []Query{recorded(catalog.TimeToFirstToken, 95), recorded(catalog.TimeToFirstToken, 50), promised("time_to_first_token")},
			Idle:    observed(catalog.TimeToFirstToken),
			Cases: []Case{
				at(fleetIncidents, 1200, `{backend="medium-a", engine="vllm", model="medium"} 0.2307`).because("buckets of 615 to 1200: linear within the one that holds the rank; it is recorded once a minute"),
				at(fleetIncidents, 1200, `{backend="medium-a", engine="vllm", model="medium"} 0.05523`).of("B"),
				at(fleetIncidents, 690, `{count="1", engine="llamacpp"} 0`).of("U"),
			},
			Blank: "no requests, no engine here exports it, or the rules are not loaded",
		},
		{
			Key: "latency/itl", Title: "Time between two outputs", Unit: catalog.Seconds, Width: 12, Of: catalog.InterTokenLatency,
			About:   "The pace at which an answer is read, over ${latency_window}. With speculation one output may be several tokens.",
			Queries: []Query{recorded(catalog.InterTokenLatency, 95), recorded(catalog.InterTokenLatency, 50), promised("inter_token_latency")},
			Idle:    observed(catalog.InterTokenLatency),
			Cases: []Case{
				at(fleetIncidents, 1200, `{backend="medium-a", engine="vllm", model="medium"} 0.04182`),
				at(fleetIncidents, 1200, `{backend="medium-a", engine="vllm", model="medium"} 0.01844`).of("B"),
			},
			Blank: "no requests, no engine here exports it, or the rules are not loaded",
		},
		{
			Key: "latency/request", Title: "Time of a whole request", Unit: catalog.Seconds, Width: 12, Of: catalog.RequestDuration,
			About:   "From arrival to the last token, over ${latency_window}. It grows with the length of the answers; the time to first token does not.",
			Queries: []Query{recorded(catalog.RequestDuration, 95), recorded(catalog.RequestDuration, 50), promised("request_duration")},
			Idle:    observed(catalog.RequestDuration),
			Cases: []Case{
				at(fleetIncidents, 1200, `{backend="medium-a", engine="vllm", model="medium"} 4.9907`),
				at(fleetIncidents, 1200, `{backend="medium-a", engine="vllm", model="medium"} 2.7258`).of("B"),
			},
			Blank: "no requests, no engine here exports it, or the rules are not loaded",
		},
		{
			Key: "latency/queue", Title: "Time in the queue", Unit: catalog.Seconds, Width: 12, Of: catalog.RequestQueueDuration,
			About:   "How long finished requests had waited before the engine began with them, over ${latency_window}.",
			Queries: []Query{recorded(catalog.RequestQueueDuration, 95), recorded(catalog.RequestQueueDuration, 50), promised("queue_duration")},
			Idle:    observed(catalog.RequestQueueDuration),
			Cases: []Case{
				at(fleetIncidents, 1200, `{backend="medium-a", engine="vllm", model="medium"} 0.285`).because("no request waited longer than the first bound, 0.3: 0.95 of it"),
				at(fleetIncidents, 1200, `{backend="medium-a", engine="vllm", model="medium"} 0.15`).of("B"),
			},
			Blank: "no requests, no engine here exports it, or the rules are not loaded",
		},
	},
}

// missing is the share of what missed an objective, which the alerts judge.
func missing(objective, legend string) Query {
	return Query{
		Expr:   fmt.Sprintf(`backend:llm_objective_missed:ratio{objective="%s", instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}`, objective),
		Legend: "{{backend}} {{model}}: " + legend,
	}
}

// promised is the backend's objective, as a line of its own.
func promised(objective string) Query {
	return Query{
		Expr:   fmt.Sprintf(`llm_objective_seconds{objective="%s", instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}`, objective),
		Legend: "{{backend}} {{model}} objective", Limit: true,
	}
}

// recorded is a percentile that the rules record, in hundredths.
func recorded(s *catalog.Series, percentile int) Query {
	return Query{
		Expr:   fmt.Sprintf(`backend:%s:p%d{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}`, s.Name, percentile),
		Legend: fmt.Sprintf("{{backend}} {{model}} p%d", percentile),
	}
}

// observed is the rate of observations of a histogram: 0 when no request ended.
func observed(s *catalog.Series) string {
	return fmt.Sprintf(`sum without (rank) (rate(%s_count{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}[${latency_window}]))`, s.Name)
}
