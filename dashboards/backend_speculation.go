package dashboards

import "github.com/llmfleet/llmfleet/exporter/catalog"

// backendSpeculation says whether the drafter is alive and worth its work.
func backendSpeculation(others pages) Row {
	drafted := others.repeat("speculation/drafted", "backend/drafted", 8)
	drafted.Title, drafted.About = "Tokens drafted and accepted per second", drafted.About+" The gap between the two lines is work for nothing."
	drafted.Queries = []Query{
		{Expr: drafted.Queries[0].Expr, Legend: "{{backend}} {{model}} drafted"},
		{
			Expr:   `sum without (rank) (rate(llm_spec_decode_accepted_tokens_total{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}[${rate_window}]))`,
			Legend: "{{backend}} {{model}} accepted",
		},
	}
	drafted.Cases = append([]Case{
		at(fleetIncidents, 600, `{backend="small", engine="llamacpp", model="small"} 48.642`).of("B").because("(23141 - 9278) / 285"),
		at(fleetIncidents, 1185, `{backend="small", engine="llamacpp", model="small"} 0`).of("B").because("nothing is drafted since 643"),
	}, drafted.Cases...)
	return Row{
		Key: "speculation", Title: "Speculation: is the drafter alive, and worth it?",
		Panels: []Panel{
			others.repeat("speculation/acceptance", "backend/acceptance", 8),
			drafted,
			backendPositions,
			others.repeat("speculation/usual", "backend/usual", 12),
			others.repeat("speculation/speed", "backend/drafting-speed", 12),
		},
	}
}

var backendPositions = Panel{
	Key: "backend/positions", Title: "Accepted by place in the draft", Unit: catalog.Tokens, PerSecond: true, Width: 8,
	Of:    catalog.SpecDecodeAcceptedTokens,
	About: "Place 0 is the first token of a draft. Places that hardly ever count are drafted for nothing: a shorter draft is as good.",
	Queries: []Query{{
		Expr:   `sum without (rank) (rate(llm_spec_decode_accepted_tokens_per_position_total{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}[$__rate_interval]))`,
		Legend: "{{backend}} {{model}} place {{position}}",
	}},
	Cases: []Case{
		at(fleetIncidents, 600, `{backend="small", engine="llamacpp", model="small", position="0"} 42.644`, `{backend="small", engine="llamacpp", model="small", position="1"} 12.156`, `{backend="small", engine="llamacpp", model="small", position="2"} 6.867`, `{backend="small", engine="llamacpp", model="small", position="3"} 4.044`).because("14594 - 12675, 4456 - 3909, 2537 - 2228, 1554 - 1372 in 45 s"),
	},
	Blank: "nothing is accepted, or no engine here says at which place",
}
