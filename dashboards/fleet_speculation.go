package dashboards

import "github.com/llmfleet/llmfleet/exporter/catalog"

var speculation = Row{
	Key: "speculation", Title: "Speculation: is the drafter alive?",
	Panels: []Panel{
		{
			Key: "speculation/drafting", Title: "Is it drafting?", Unit: catalog.Boolean, Kind: Table, Width: 8,
			About: "Engines that can draft, whether they drafted within ${spec_window}, and whether they should by the configuration. An idle engine is left out: it drafts nothing and is not off.",
			Queries: []Query{
				{Expr: `max by (backend, model) (
  backend:llm_spec_decode_draft_tokens:rate{instance=~"$instance", backend=~"$backend", model=~"$model"} > bool 0
    unless
  backend:llm_generation_tokens:rate{instance=~"$instance", backend=~"$backend", model=~"$model"} == 0
)`},
				{Expr: `max by (backend) (llm_expected_speculation{instance=~"$instance", backend=~"$backend"})`},
			},
			Columns: []Column{
				{Field: catalog.LabelBackend, Title: "Backend", Width: 140},
				{Field: catalog.LabelModel, Title: "Model", Width: 120},
				{Field: "A", Title: "Drafting", Width: 85, Words: []Word{{0, "✕ off", "orange"}, {1, "✓ on", good}}},
				{Field: "B", Title: "Expected", Width: 90, Words: []Word{{0, "off", dull}, {1, "on", dull}}},
			},
			Cases: []Case{
				at(fleetIncidents, 600, `{backend="small", model="small"} 1`).because("draft tokens rose to 115635"),
				at(fleetIncidents, 1185, `{backend="small", model="small"} 0`).because("since 643 tokens are generated and no draft is counted"),
			},
			Blank: "nothing is generated, no engine here drafts, or the rules are not loaded",
		},
		{
			Key: "speculation/acceptance", Title: "Share of drafted tokens accepted", Unit: catalog.Ratio, Width: 8, Of: catalog.SpecDecodeAcceptedTokens, Max: 1, Least: true,
			About: "A proxy: a drafter that guesses fewer tokens per step can be accepted more often and still be slower. Tokens per second decide.",
			Queries: []Query{{
				Expr: `backend:llm_spec_decode:acceptance_ratio{instance=~"$instance", backend=~"$backend", model=~"$model"}`, Legend: "{{backend}} {{model}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 600, `{backend="small", engine="llamacpp", model="small"} 0.1984`).because("(23141 - 9278) accepted of (115635 - 45762) drafted from 315 to 600"),
				at(fleetIncidents, 1185).because("nothing is drafted: no share, not 0"),
			},
			Blank: "nothing is drafted, no engine here exports it, or the rules are not loaded",
		},
		{
			Key: "speculation/drafted", Title: "Tokens drafted per second", Unit: catalog.Tokens, PerSecond: true, Width: 8, Of: catalog.SpecDecodeDraftTokens,
			About: "0 while tokens are generated means that the drafter is not loaded: no client can see that, it is only slower.",
			Queries: []Query{{
				Expr: `backend:llm_spec_decode_draft_tokens:rate{instance=~"$instance", backend=~"$backend", model=~"$model"}`, Legend: "{{backend}} {{model}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 600, `{backend="small", engine="llamacpp", model="small"} 245.17`).because("(115635 - 45762) / 285"),
				at(fleetIncidents, 1185, `{backend="small", engine="llamacpp", model="small"} 0`),
			},
			Blank: notRecorded,
		},
	},
}
