package dashboards

import (
	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/rules"
)

// speculation is the page about drafters: clients cannot see that one is dead, their answers are only slower.
var speculation = Dashboard{
	UID:       rules.SpeculationDashboardUID,
	Title:     fleetTitle + "speculative decoding",
	About:     "Is the drafter alive, are its guesses taken, and does it make answers faster? Engines that cannot draft have no lines here; dashed lines are where an alert decides.",
	Variables: aboutModels,
	Notes:     notes,
	Rows:      []Row{draftingRow, gainRow},
}

var draftingRow = Row{
	Key: "speculation", Title: "Is the drafter alive?",
	Panels: []Panel{
		{
			Key: "speculation/drafting", Title: "Is it drafting?", Unit: catalog.Boolean, Kind: Table, Width: 12,
			About: "Engines that can draft, whether they drafted within ${spec_window}, and whether they should by the configuration. An idle engine is left out: it drafts nothing and is not off. One that drafted within ${spec_memory} and counts no drafts any more is off.",
			Queries: []Query{
				{Expr: `max by (instance, backend, model) (
  backend:llm_spec_decode_draft_tokens:rate{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"} > bool 0
    unless
  backend:llm_generation_tokens:rate{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"} == 0
    or
  (backend:llm_generation_tokens:rate{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"} > 0) == bool 0
    and on (instance, backend)
  max_over_time(backend:llm_spec_decode_draft_tokens:increase{instance=~"$instance", backend=~"$backend"}[${spec_memory}]) > 0
)`},
				{Expr: `max by (instance, backend) (llm_expected_speculation{instance=~"$instance", backend=~"$backend"}` + ofEngine + `)`},
			},
			Columns: []Column{
				{Field: "instance", Title: "Exporter"},
				{Field: catalog.LabelBackend, Title: "Backend"},
				{Field: catalog.LabelModel, Title: "Model"},
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
			Key: "speculation/drafted", Title: "Tokens drafted per second", Unit: catalog.Tokens, PerSecond: true, Width: 12, Of: catalog.SpecDecodeDraftTokens,
			About: "0 while tokens are generated means that the drafter is not loaded: no client can see that, it is only slower.",
			Queries: []Query{{
				Expr: `backend:llm_spec_decode_draft_tokens:rate{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}`, Legend: "{{backend}} {{model}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 600, `{backend="small", engine="llamacpp", model="small"} 245.17`).because("(115635 - 45762) / 285"),
				at(fleetIncidents, 1185, `{backend="small", engine="llamacpp", model="small"} 0`),
			},
			Blank: notRecorded,
		},
		{
			Key: "speculation/acceptance", Title: "Share of drafted tokens accepted", Unit: catalog.Ratio, Width: 12, Of: catalog.SpecDecodeAcceptedTokens, Max: 1, Least: true,
			About: "A proxy: a drafter that guesses fewer tokens per step can be accepted more often and still be slower. Tokens per second decide.",
			Queries: []Query{{
				Expr: `backend:llm_spec_decode:acceptance_ratio{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}`, Legend: "{{backend}} {{model}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 600, `{backend="small", engine="llamacpp", model="small"} 0.1984`).because("(23141 - 9278) accepted of (115635 - 45762) drafted from 315 to 600"),
				at(fleetIncidents, 1185).because("nothing is drafted: no share, not 0"),
			},
			Blank: "nothing is drafted, no engine here exports it, or the rules are not loaded",
		},
		{
			Key: "speculation/usual", Title: "Acceptance beside what is usual", Unit: catalog.Ratio, Width: 12, Of: catalog.SpecDecodeAcceptedTokens, Threshold: "spec_acceptance_share", Least: true,
			About: "The share of drafted tokens that is accepted, as a share of its own average within ${spec_memory}. Every drafter has its own; one that falls to half of it fits its model or its work no longer.",
			Queries: []Query{{
				Expr: `backend:llm_spec_decode:acceptance_of_usual{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}`, Legend: "{{backend}} {{model}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 600, `{backend="small", engine="llamacpp", model="small"} 0.9893`).because("0.19840 accepted, and 0.20054 on average of the 34 windows before"),
			},
			Blank: "nothing is drafted, no engine here exports it, or the rules are not loaded",
		},
	},
}

var gainRow = Row{
	Key: "speculation-gain", Title: "Does it make answers faster?",
	Panels: []Panel{
		{
			Key: "speculation/speed", Title: "Speed with and without drafts", Unit: catalog.Ratio, Width: 12, Of: catalog.SpecDecodeDraftTokens, Threshold: "spec_speed_share", Least: true,
			About: "What one request gets with drafts, as a share of what it gets without, on average within ${spec_memory} and while fewer than ${spec_light_load} generate at once. Below 1 the drafter costs more than it gives.",
			Queries: []Query{{
				Expr: `avg_over_time(backend:llm_decode_drafting:tokens_per_second{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}[${spec_memory}])
  /
avg_over_time(backend:llm_decode_plain:tokens_per_second{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}[${spec_memory}])`, Legend: "{{backend}} {{model}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 1185, `{backend="small", engine="llamacpp", model="small"} 0.5373`).because("61.770 on average of the 38 windows with drafts, 114.958 of the 19 without any"),
			},
			Blank: "no engine here has worked both with drafts and without, or the rules are not loaded",
		},
		{
			Key: "speculation/speeds", Title: "Tokens per second that one request gets", Unit: catalog.Tokens, PerSecond: true, Width: 12,
			About: "By the engine's own count of tokens and seconds, whether it drafts or not. It falls with every further request that runs beside it.",
			Queries: []Query{{
				Expr: `backend:llm_decode:tokens_per_second{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}`, Legend: "{{backend}} {{model}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 600, `{backend="small", engine="llamacpp", model="small"} 63.272`).chosen("small").because("tokens_predicted_total by tokens_predicted_seconds_total from 315 to 600"),
			},
			Blank: "no requests, no engine here exports it, or the rules are not loaded",
		},
	},
}
