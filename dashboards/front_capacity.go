package dashboards

import "github.com/llmfleet/llmfleet/exporter/catalog"

// notRecorded is what a panel on a recorded name says when it is blank.
const notRecorded = "no engine here exports it, or the rules are not loaded"

var capacityRow = Row{
	Key: "capacity", Title: "Capacity: is it full?",
	Panels: []Panel{
		{
			Key: "capacity/running", Title: "Requests running", Unit: catalog.Requests, Width: 8, Height: 9, Of: catalog.RequestsRunning, Everyone: true,
			About: "Requests that the engine works on.",
			Queries: []Query{{
				Expr: `backend:llm_requests_running:sum{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}`, Legend: "{{backend}} {{model}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 690, `{backend="medium-a", engine="vllm", model="medium"} 5`, `{backend="small", engine="llamacpp", model="small"} 2`).because("num_requests_running 5, requests_processing 2; medium-b is dead"),
				at(fleetIncidents, 690, `{backend="medium-b", reason="refused"} 0`).of("F"),
			},
			Blank: notRecorded,
		},
		{
			Key: "capacity/waiting", Title: "Requests waiting", Unit: catalog.Requests, Width: 8, Height: 9, Of: catalog.RequestsWaiting, Threshold: "queue_waiting",
			About: "Requests that the engine has accepted and not begun. A queue that empties now and then is a burst: what counts is how short it was at its shortest within ${queue_window}.",
			Queries: []Query{
				{
					Expr: `min_over_time(llm_requests_waiting{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}[${queue_window}])`, Legend: "{{backend}} {{model}} at the shortest",
				},
				{
					Expr: `backend:llm_requests_waiting:sum{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}`, Legend: "{{backend}} {{model}}",
				},
			},
			Cases: []Case{
				at("vllm-0.32.0/overload-long", 900, `{backend="vllm", engine="vllm", model="tiny-chat"} 4`).because("num_requests_waiting is never below 4 from 615 to 900"),
				at("vllm-0.32.0/kv-full-long", 900, `{backend="vllm", engine="vllm", model="tiny-chat"} 8`).of("B").because("num_requests_waiting 8"),
			},
			Blank: notRecorded,
		},
		{
			Key: "capacity/kv", Title: "KV cache in use", Unit: catalog.Ratio, Width: 8, Height: 9, Of: catalog.KVCacheUsage, Threshold: "kv_usage", Max: 1,
			About: "Share of the KV cache in use, of several ranks the fullest. It dips when a request is thrown out, so the fullest within ${kv_window} decides, together with preemptions or a queue.",
			Queries: []Query{
				{
					Expr: `max_over_time(llm_kv_cache_usage_ratio{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}[${kv_window}])`, Legend: "{{backend}} {{model}} at the fullest",
				},
				{
					Expr: `backend:llm_kv_cache_usage:max{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}`, Legend: "{{backend}} {{model}}",
				},
			},
			Cases: []Case{
				at("vllm-0.32.0/kv-full-long", 900, `{backend="vllm", engine="vllm", model="tiny-chat"} 1`).because("kv_cache_usage_perc reaches 1 between 615 and 900"),
				at("vllm-0.32.0/kv-full-long", 900, `{backend="vllm", engine="vllm", model="tiny-chat"} 0.3404`).of("B").because("and is 0.340426 at 900, after a preemption"),
				at(fleetIncidents, 690, `{count="1", engine="llamacpp"} 0`).of("U").because("llama.cpp b11669 does not export it: said, not 0"),
			},
			Blank: notRecorded,
		},
		{
			Key: "capacity/preemptions", Title: "Preemptions per second", Unit: catalog.Requests, PerSecond: true, Width: 8, Height: 9, Of: catalog.Preemptions,
			About: "Running requests that lost their place for want of room and are computed again. Any steady rate means that the cache is too small for the load.",
			Queries: []Query{{
				Expr:   `sum without (rank) (rate(llm_preemptions_total{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}[$__rate_interval]))`,
				Legend: "{{backend}} {{model}}",
			}},
			Cases: []Case{
				at("vllm-0.32.0/kv-full-long", 900, `{backend="vllm", engine="vllm", model="tiny-chat"} 1.0667`).because("num_preemptions_total 703 at 855, 751 at 900: 48 in 45 s"),
			},
			Blank: "no engine here exports it",
		},
		{
			Key: "capacity/refused", Title: "Requests refused within ${rate_window}", Unit: catalog.Requests, Width: 8, Height: 9, Of: catalog.RequestsRejected, Threshold: "refused_requests",
			About: "Requests that the engine did not accept because its queue was full. They never wait, so the queue looks short.",
			Queries: []Query{{
				Expr: `backend:llm_requests_rejected:increase{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}`, Legend: "{{backend}} {{model}}",
			}},
			Cases: []Case{
				at("vllm-0.32.0/overload-long", 900, `{backend="vllm", engine="vllm", model="tiny-chat"} 0`).because("all wait, none is refused"),
			},
			Blank: notRecorded,
		},
		{
			Key: "capacity/generated", Title: "Tokens generated per second", Unit: catalog.Tokens, PerSecond: true, Width: 8, Height: 9, Of: catalog.GenerationTokens, Everyone: true,
			About: "What the fleet delivers, as a mean over ${rate_window}: llama.cpp counts tokens when a request ends, so a shorter window steps.",
			Queries: []Query{{
				Expr: `backend:llm_generation_tokens:rate{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}`, Legend: "{{backend}} {{model}}",
			}},
			Cases: []Case{
				at(fleetIncidents, 690, `{backend="medium-a", engine="vllm", model="medium"} 215.85`, `{backend="medium-b", engine="vllm", model="medium"} 25.923`, `{backend="small", engine="llamacpp", model="small"} 143.85`).because("medium-a: (72192 - 10676) / 285; medium-b: 18175 at 405, 23831 at its last scrape, 465: 5656 in 60 s, taken over 82.5 s of 300 by its gaps; small: restarted at 643, 11571 + what came before"),
			},
			Blank: notRecorded,
		},
		{
			Key: "capacity/preempted", Title: "Preemptions per request", Unit: catalog.Count, Width: 12, Of: catalog.Preemptions, Threshold: "preempted",
			About: "At 1 every request is begun twice on average: the engine spends half of its work on what it had already computed.",
			Queries: []Query{{
				Expr: `backend:llm_preemptions:per_request{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}`, Legend: "{{backend}} {{model}}",
			}},
			Cases: []Case{
				at("vllm-0.32.0/kv-full-long", 900, `{backend="vllm", engine="vllm", model="tiny-chat"} 1.3472`).because("(751 - 460) preemptions for (76 + 487) - (49 + 298) requests that ended from 615 to 900"),
			},
			Blank: "no requests, no engine here exports it, or the rules are not loaded",
		},
		{
			Key: "capacity/slots", Title: "Slots taken, at the least", Unit: catalog.Ratio, Width: 12, Of: catalog.EngineMaxConcurrency, Threshold: "slots_busy", Max: 1,
			About: "The smallest share within ${slots_window}: at 1 there was no moment with a free slot.",
			Queries: []Query{{
				Expr: `min_over_time(backend:llm_slots_busy:ratio{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}[${slots_window}])`, Legend: "{{backend}} {{model}}",
			}},
			Cases: []Case{
				at("llamacpp-0.7.0-b11669/overload-long", 900, `{backend="llamacpp", engine="llamacpp", model="small"} 1`).because("requests_processing 4 of 4 slots from 180 to 1140"),
				at("llamacpp-0.7.0-b11669/overload-long", 600, `{backend="llamacpp", engine="llamacpp", model="small"} 0`).because("nothing ran at 15 to 165"),
			},
			Blank: notRecorded,
		},
	},
}

// capacityDepthRow is what changes with the configuration more than with the load.
var capacityDepthRow = Row{
	Key: "capacity-depth", Title: "Capacity in depth: is more promised than there is?", Folded: true,
	Panels: []Panel{
		{
			Key: "capacity/fits", Title: "Full-length requests that fit", Unit: catalog.Count, Width: 12, Of: catalog.KVCacheCapacity, Threshold: "full_requests", Least: true,
			About: "What the cache holds, in requests as long as the server allows. Below 1 it has promised more than it has; near 1 two long requests already wait for each other.",
			Queries: []Query{{
				Expr: `backend:llm_kv_cache:full_requests{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}`, Legend: "{{backend}} {{model}}",
			}},
			Cases: []Case{
				at("vllm-0.32.0/kv-full-long", 900, `{backend="vllm", engine="vllm", model="tiny-chat"} 1.5`).because("kv_cache_size_tokens 1536, context 1024"),
				at("vllm-0.16.0/basic", 60, `{backend="vllm", engine="vllm", model="tiny-chat"} 14.1875`).because("227 blocks of 128 tokens, 2,048 tokens of context"),
			},
			Blank: notRecorded,
		},
		{
			Key: "capacity/ranks", Title: "KV cache gap between ranks", Unit: catalog.Ratio, Width: 12, Of: catalog.KVCacheUsage, Threshold: "ranks_spread", Max: 1,
			About: "Of engines with several data-parallel ranks: the KV cache of the fullest less that of the emptiest, on average within ${ranks_window}. Sums and means hide it.",
			Queries: []Query{{
				Expr: `backend:llm_kv_cache_usage:spread{instance=~"$instance", backend=~"$backend", engine=~"$engine", model=~"$model"}`, Legend: "{{backend}} {{model}}",
			}},
			Cases: []Case{
				at("vllm-0.32.0/dp2", 225, `{backend="vllm", engine="vllm", model="tiny-chat"} 0.00338`).because("kv_cache_usage_perc on average of 14 scrapes 0.031275 and 0.027896"),
			},
			Blank: "no engine here has several ranks, or the rules are not loaded",
		},
	},
}
