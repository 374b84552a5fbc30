package dashboards

import "github.com/llmfleet/llmfleet/exporter/catalog"

var reuseRow = Row{
	Key: "reuse", Title: "Reuse: are prompts computed twice?",
	Panels: []Panel{
		{
			Key: "reuse/hit-ratio", Title: "Prompt tokens found in the cache", Unit: catalog.Ratio, Width: 12, Of: catalog.PrefixCacheQueries,
			Threshold: "reuse_hit_ratio", Max: 1, Least: true,
			About: "Of the prompt tokens looked up within ${reuse_window}, those that were there. A low share is normal for prompts shorter than ${reuse_prompt_blocks} cache blocks: only whole blocks are reused.",
			Queries: []Query{{
				Expr: `backend:llm_prefix_cache:hit_ratio{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}`, Legend: "{{backend}} {{model}}",
			}},
			Idle: `sum without (rank) (rate(llm_prefix_cache_query_tokens_total{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}[${reuse_window}]))`,
			Cases: []Case{
				at(fleetIncidents, 1185, `{backend="medium-a", engine="vllm", model="medium"} 0.5071`, `{backend="small", engine="llamacpp", model="small"} 0.5629`).because("medium-a: (144000 - 34400) hits of (283604 - 67461) queried"),
			},
			Blank: "no requests, no engine here exports it, or the rules are not loaded",
		},
		{
			Key: "reuse/prompt-tokens", Title: "Prompt tokens, cached and computed", Unit: catalog.Tokens, PerSecond: true, Width: 12, Of: catalog.PromptCachedTokens,
			About: "The cached part costs next to nothing, the computed part is the wait before the first token.",
			Queries: []Query{
				{
					Expr:   `sum without (rank) (rate(llm_prompt_cached_tokens_total{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}[$__rate_interval]))`,
					Legend: "{{backend}} {{model}} cached",
				},
				{
					Expr:   `sum without (rank) (rate(llm_prompt_computed_tokens_total{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}[$__rate_interval]))`,
					Legend: "{{backend}} {{model}} computed",
				},
			},
			Cases: []Case{
				at(fleetIncidents, 1185, `{backend="medium-a", engine="vllm", model="medium"} 136.53`, `{backend="small", engine="llamacpp", model="small"} 257.09`).because("medium-a: (144000 - 137856) / 45; small: (131802 - 120233) / 45"),
				at(fleetIncidents, 1185, `{backend="medium-a", engine="vllm", model="medium"} 181.11`, `{backend="small", engine="llamacpp", model="small"} 207.2`).of("B").because("medium-a: local_compute (139604 - 131454) / 45; small: (103249 - 93925) / 45"),
			},
			Blank: "no engine here exports it",
		},
		{
			Key: "reuse/asked", Title: "Prompt tokens and lookups in ${reuse_window}", Unit: catalog.Tokens, Width: 24, Of: catalog.PrefixCacheQueries, Threshold: "reuse_tokens",
			About: "A cache that is switched off has no share of hits, not even 0: nothing is looked up any more. Reuse is judged above the line only.",
			Queries: []Query{
				{
					Expr:   `sum without (rank) (increase(llm_prompt_tokens_total{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}[${reuse_window}]))`,
					Legend: "{{backend}} {{model}} prompts",
				},
				{
					Expr:   `sum without (rank) (increase(llm_prefix_cache_query_tokens_total{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}[${reuse_window}]))`,
					Legend: "{{backend}} {{model}} looked up",
				},
			},
			Cases: []Case{
				at(fleetIncidents, 1185, `{backend="medium-a", engine="vllm", model="medium"} 221685`).chosen("medium-a").because("(283604 - 67461) from 600 to 1185, taken over 600 s of 585"),
				at(fleetIncidents, 1185, `{backend="medium-a", engine="vllm", model="medium"} 221685`).of("B").chosen("medium-a").because("every prompt token is looked up"),
			},
			Blank: "no engine here exports it",
		},
	},
}
