package rules

import "slices"

// survival is mutants that survive for one reason.
type survival struct {
	reason string
	of     map[string][]string // mutants by rule
}

// survivors are the mutants of rules that nothing recorded shows, by the reason why. The proof tries them
// all the same, and says so when a new recording or case shows one.
var survivors = []survival{{
	reason: "one value of the label is asked for, so there is one series to put together",
	of: map[string][]string{
		"LlmRouterTargetFailing": {
			`aggregation sum without (outcome) (increase(llm_router_target_requests_total{outcome="failure"}[5m])) turned to max`,
		},
		"router:llm_router_target_failed:ratio": {
			`aggregation sum without (outcome) (rate(llm_router_target_requests_total{outcome="failure"}[5m])) turned to max`,
		},
	},
}, {
	reason: "only whether there was any is asked: a rate, one rank's part or the tokens that were accepted say the same, in any window that holds some",
	of: map[string][]string{
		"LlmSpeculationOff": {
			`name llm_spec_decode_accepted_tokens_total for llm_spec_decode_draft_tokens_total`,
		},
		"backend:llm_prefix_cache_query_tokens:increase": {
			`aggregation sum without (rank) (increase(llm_prefix_cache_query_tokens_total[10m])) turned to max`,
			`function increase(llm_prefix_cache_query_tokens_total[10m]) turned to rate`,
			`label rank of sum without (rank) (increase(llm_prefix_cache_query_tokens_total[10m])) dropped`,
			`name llm_prefix_cache_hit_tokens_total for llm_prefix_cache_query_tokens_total`,
			`window llm_prefix_cache_query_tokens_total[10m] ×10`,
			`window llm_prefix_cache_query_tokens_total[10m] ÷10`,
		},
		"backend:llm_spec_decode_draft_tokens:increase": {
			`aggregation sum without (rank) (increase(llm_spec_decode_draft_tokens_total[10m])) turned to max`,
			`function increase(llm_spec_decode_draft_tokens_total[10m]) turned to rate`,
			`label rank of sum without (rank) (increase(llm_spec_decode_draft_tokens_total[10m])) dropped`,
			`name llm_spec_decode_accepted_tokens_total for llm_spec_decode_draft_tokens_total`,
			`window llm_spec_decode_draft_tokens_total[10m] ×10`,
			`window llm_spec_decode_draft_tokens_total[10m] ÷10`,
		},
	},
}, {
	reason: "no recorded engine has a limit of zero or one, and no recorded drafter was never accepted",
	of: map[string][]string{
		"backend:llm_slots_busy:ratio": {
			`filter of sum without (rank) (llm_engine_max_concurrency) > 0 dropped`,
			`number 0 in sum without (rank) (llm_engine_max_concurrency) > 0 made 1`,
		},
		"backend:llm_spec_decode:acceptance_of_usual": {
			`filter of avg_over_time(backend:llm_spec_decode:acceptance_ratio[1d]) > 0 dropped`,
		},
	},
}, {
	reason: "in every recording that has it the number is above one",
	of: map[string][]string{
		"backend:llm_request_duration_seconds:p50": {
			`number 0 in histogram_quantile(0.5, sum without (rank) (rate(llm_request_duration_seconds_bucket[10m]))) >= 0 made 1`,
		},
		"backend:llm_request_duration_seconds:p95": {
			`number 0 in histogram_quantile(0.95, sum without (rank) (rate(llm_request_duration_seconds_bucket[10m]))) >= 0 made 1`,
		},
		"backend:llm_request_prompt_blocks:mean": {
			`number 0 in sum without (rank) (rate(llm_request_prompt_tokens_sum[10m])) / sum without (rank) (rate(llm_request_prompt_tokens_count[10m])) / on (instance, backend) group_left () max by (instance, backend) (last_over_time(llm_kv_cache_block_size_tokens[10m])) >= 0 made 1`,
		},
	},
}, {
	reason: "in the recordings it is steady for longer than the window, however it is taken",
	of: map[string][]string{
		"LlmGPULinkDegraded": {
			`function avg_over_time(llm_gpu_busy_ratio[10m]) turned to max_over_time`,
			`function avg_over_time(llm_gpu_busy_ratio[10m]) turned to max_over_time (place 2)`,
			`window llm_gpu_busy_ratio[10m] ÷10`,
			`window llm_gpu_busy_ratio[10m] ÷10 (place 2)`,
		},
		"LlmGPULinkUnstable": {
			`window llm_gpu_busy_ratio[10m] ×10`,
		},
		"LlmQueueStalled": {
			`function min_over_time(llm_requests_waiting[10m]) turned to max_over_time`,
			`window llm_requests_waiting[10m] ÷10`,
		},
		"LlmReplicasUneven": {
			`function max_over_time(backend:llm_requests_waiting:sum[5m]) turned to min_over_time`,
			`window backend:llm_requests_waiting:sum[5m] ×10`,
			`window backend:llm_requests_waiting:sum[5m] ÷10`,
		},
		"backend:llm_kv_cache_usage:spread": {
			`threshold ranks_window ×10`,
			`threshold ranks_window ÷10`,
			`window llm_kv_cache_usage_ratio{rank!=""}[10m] ×10`,
			`window llm_kv_cache_usage_ratio{rank!=""}[10m] ×10 (place 2)`,
		},
		"backend:llm_request_queue_duration_seconds:p50": {
			`threshold latency_window ÷10`,
		},
		"backend:llm_request_queue_duration_seconds:p95": {
			`threshold latency_window ÷10`,
		},
		"gpu:llm_gpu_link_bandwidth:carried": {
			`function avg_over_time(llm_gpu_busy_ratio[10m]) turned to max_over_time`,
			`window llm_gpu_busy_ratio[10m] ×10`,
			`window llm_gpu_busy_ratio[10m] ÷10`,
		},
	},
}, {
	reason: "the incident began with the recording or goes on to its end, so another look back sees the same",
	of: map[string][]string{
		"LlmGPULinkNarrow": {
			`window gpu:llm_gpu_link_lanes:now[10m] ×10`,
		},
		"LlmKVCacheSaturated": {
			`window llm_kv_cache_usage_ratio[5m] ×10`,
			`window llm_preemptions_total[5m] ×10`,
		},
		"LlmNotificationsFailing": {
			`window prometheus_notifications_dropped_total[10m] ×10`,
			`window prometheus_notifications_dropped_total[10m] ÷10`,
			`window prometheus_notifications_errors_total[10m] ×10`,
		},
		"LlmPrefixReuseCollapsed": {
			`window llm_prefix_cache_query_tokens_total[10m] ×10 (place 2)`,
		},
		"LlmRequestsStuck": {
			`window llm_generation_tokens_total[20m] ×10`,
			`window llm_generation_tokens_total[20m] ÷10`,
			`window llm_requests_finished_total[20m] ×10`,
			`window llm_requests_finished_total[20m] ÷10`,
		},
		"LlmScrapesMissing": {
			`window up{job="llmfleet"}[15m] ×10`,
		},
		"backend:llm_decode_drafting:tokens_per_second": {
			`threshold rate_window ×10`,
		},
		"backend:llm_decode_plain:tokens_per_second": {
			`threshold rate_window ×10`,
			`threshold rate_window ÷10`,
		},
		"backend:llm_request_prompt_blocks:mean": {
			`threshold reuse_window ×10`,
			`window llm_kv_cache_block_size_tokens[10m] ×10`,
			`window llm_kv_cache_block_size_tokens[10m] ÷10`,
		},
		"backend:llm_requests_failed:ratio": {
			`threshold latency_window ×10`,
		},
		"backend:llm_requests_rejected:increase": {
			`threshold rate_window ×10`,
		},
		"backend:llm_scrape_dropped:ratio": {
			`threshold watching_window ×10`,
			`window llm_scrape_dropped_samples_total[10m] ×10`,
			`window llm_scrape_dropped_samples_total[10m] ×10 (place 2)`,
			`window llm_scrape_samples[10m] ×10`,
		},
		"gpu:llm_gpu_link_bandwidth:max": {
			`function max_over_time(llm_gpu_link_bandwidth_bytes_per_second[10m]) turned to min_over_time`,
			`window llm_gpu_link_bandwidth_bytes_per_second[10m] ×10`,
			`window llm_gpu_link_bandwidth_bytes_per_second[10m] ÷10`,
		},
		"router:llm_context_overflow:ratio": {
			`threshold latency_window ×10`,
			`window llm_router_errors_total[10m] ×10`,
			`window llm_router_errors_total{reason=~"(?i).*context.?(window|length).*"}[10m] ×10`,
			`window llm_router_requests_total[10m] ×10`,
		},
	},
}, {
	reason: "the other name is there with this one, and moves with it, in every recorded incident",
	of: map[string][]string{
		"LlmClockSkewed": {
			`name llm_healthy for llm_up`,
		},
		"LlmDraftingSlower": {
			`function count_over_time(backend:llm_decode_drafting:tokens_per_second[1d]) turned to sum_over_time`,
			`name backend:llm_decode_plain:tokens_per_second for backend:llm_decode_drafting:tokens_per_second (place 2)`,
		},
		"LlmEngineStalled": {
			`name llm_requests_running for llm_requests_waiting`,
			`name llm_requests_waiting for llm_requests_running offset 4m`,
		},
		"LlmGPULinkDegraded": {
			`name gpu:llm_gpu_link_bandwidth:carried for gpu:llm_gpu_link_bandwidth:max`,
		},
		"LlmGPUPathsUnequal": {
			`name gpu:llm_gpu_link_bandwidth:max for gpu:llm_gpu_link_bandwidth:carried`,
		},
		"LlmGPUUnmeasured": {
			`name llm_gpu_memory_usable_size_bytes for llm_gpu_memory_usable_used_bytes`,
		},
		"LlmInterTokenLatencyHigh": {
			`name backend:llm_objective_events:increase_5m for backend:llm_objective_events:increase`,
		},
		"LlmQueueStalled": {
			`name llm_prompt_computed_tokens_total for llm_prompt_tokens_total`,
		},
		"LlmUnifiedMemoryLow": {
			`name llm_host_memory_size_bytes for llm_host_memory_free_bytes (place 2)`,
		},
		"backend:llm_decode_drafting:tokens_per_second": {
			`name backend:llm_decode_drafting:tokens_per_second for backend:llm_decode:tokens_per_second`,
		},
		"backend:llm_decode_plain:tokens_per_second": {
			`name llm_prefill_seconds_total for llm_decode_seconds_total`,
		},
		"backend:llm_request_prompt_blocks:mean": {
			`name llm_request_generation_tokens_count for llm_request_prompt_tokens_count`,
		},
		"backend:llm_restarts:count_1h": {
			`name llm_prefix_cache_query_tokens_total for llm_generation_tokens_total`,
			`name llm_up for llm_healthy`,
		},
		"target:llm_healthy:own": {
			`name llm_up for llm_healthy`,
		},
	},
}, {
	reason: "the recorded restarts show in counters or in deaths too; the time of the start is for engines that count no tokens",
	of: map[string][]string{
		"backend:llm_restarts:count_1h": {
			`branch changes(llm_engine_start_timestamp_seconds[1h]) dropped`,
			`function changes(llm_engine_start_timestamp_seconds[1h]) turned to resets`,
			`name llm_engine_start_timestamp_seconds_renamed for llm_engine_start_timestamp_seconds`,
			`window llm_engine_start_timestamp_seconds[1h] ÷10`,
		},
	},
}, {
	reason: "in every recording of a full server at least two wait",
	of: map[string][]string{
		"LlmKVCacheSaturated": {
			`number 0 in min_over_time(llm_requests_waiting[5m]) > 0 made 1`,
		},
		"LlmQueueStalled": {
			`number 0 in min_over_time(llm_requests_waiting[10m]) > 0 made 1`,
		},
	},
}, {
	reason: "no recorded engine with this number has ranks that differ in it",
	of: map[string][]string{
		"LlmPrefixReuseCollapsed": {
			`label rank of sum without (rank) (resets(llm_prefix_cache_query_tokens_total[10m])) dropped`,
		},
		"backend:llm_decode_drafting:tokens_per_second": {
			`aggregation sum without (rank) (rate(llm_decode_seconds_total[5m])) turned to max`,
		},
		"backend:llm_decode_plain:tokens_per_second": {
			`aggregation sum without (rank) (rate(llm_decode_seconds_total[5m])) turned to max`,
		},
		"backend:llm_request_duration_seconds:p95": {
			`aggregation sum without (rank) (rate(llm_request_duration_seconds_bucket[10m])) turned to max`,
		},
		"backend:llm_request_prompt_blocks:mean": {
			`aggregation max by (instance, backend) (last_over_time(llm_kv_cache_block_size_tokens[10m])) turned to min`,
			`aggregation sum without (rank) (rate(llm_request_prompt_tokens_count[10m])) turned to max`,
			`label rank of sum without (rank) (rate(llm_request_prompt_tokens_count[10m])) dropped`,
			`label rank of sum without (rank) (rate(llm_request_prompt_tokens_sum[10m])) dropped`,
		},
		"backend:llm_time_to_first_token_seconds:p50": {
			`aggregation sum without (rank) (rate(llm_time_to_first_token_seconds_bucket[10m])) turned to max`,
		},
	},
}, {
	reason: "no machine or program of the recordings has several of them that differ",
	of: map[string][]string{
		"LlmBackendReadTwice": {
			`aggregation max without (engine, version) (llm_backend_info{url!~"[a-z]+://(localhost|127[.][0-9.]+|\\[::1\\])([:/].*)?"}) turned to min`,
		},
		"LlmGPUAtomicsBlocked": {
			`aggregation min by (instance, job, gpu) (llm_gpu_atomics_to_root) turned to max`,
		},
		"LlmGPULinkUnstable": {
			`aggregation max by (instance, job, gpu, device) (llm_pci_chain_info * on (instance, device) group_left () increase(llm_pci_link_changes_total[10m])) turned to min`,
		},
		"LlmNobodyNotified": {
			`aggregation min without (alertmanager) (increase(prometheus_notifications_dropped_total[10m])) turned to max`,
			`label alertmanager of min without (alertmanager) (increase(prometheus_notifications_dropped_total[10m])) dropped`,
		},
		"LlmNotificationsFailing": {
			`aggregation min by (instance) (increase(prometheus_notifications_dropped_total[10m])) turned to max`,
		},
		"gpu:llm_gpu_link_lanes:card": {
			`aggregation max by (instance, job, gpu) (llm_pci_chain_info{place="card",role="endpoint"} * on (instance, device) group_left () llm_pci_link_max_width_lanes) turned to min`,
			`aggregation max by (instance, job, gpu) (llm_pci_chain_info{place="card",role="switch_upstream"} * on (instance, device) group_left () llm_pci_link_max_width_lanes) turned to min`,
		},
		"gpu:llm_gpu_link_lanes:now": {
			`aggregation max by (instance, job, gpu) (llm_gpu_link_limiting_hop_info * on (instance, device) group_left () llm_pci_link_current_width_lanes) turned to min`,
		},
		"gpu:llm_gpu_link_lanes:slot": {
			`aggregation max by (instance, job, gpu) (llm_gpu_link_limiting_hop_info * on (instance, device) group_left () llm_pci_link_max_width_lanes) turned to min`,
		},
		"router:llm_context_overflow:ratio": {
			`aggregation sum without (reason) (increase(llm_router_errors_total[10m])) turned to max`,
		},
	},
}, {
	reason: "nothing recorded shows two of the same name, one in the state that the rule asks for and one not",
	of: map[string][]string{
		"LlmBackendReadTwice": {
			`label job of on before count by (job, url) (llm_backend_info) > 1 dropped`,
			`label url of on before count by (job, url) (llm_backend_info) > 1 dropped`,
		},
		"LlmClockSkewed": {
			`label instance of on before llm_up == 1 dropped`,
		},
		"LlmGPULost": {
			`label instance of on before llm_gpu_up == 0 dropped`,
		},
		"LlmGPUMemoryKept": {
			`label gpu of on before llm_gpu_processes == 0 dropped`,
			`label instance of on before llm_gpu_processes == 0 dropped`,
		},
		"LlmGPUUnmeasured": {
			`label gpu of on before llm_gpu_suspended == 1 dropped`,
			`label instance of on before llm_gpu_suspended == 1 dropped`,
			`label instance of on before llm_host_source_up{source=~"amdgpu|nvidia"} == 0 dropped`,
		},
		"LlmMetricsUnavailable": {
			`label instance of on before llm_up == 0 dropped`,
		},
		"LlmNotificationsFailing": {
			`label instance of on before min by (instance) (increase(prometheus_notifications_dropped_total[10m])) > 0 dropped`,
		},
		"LlmRequestsStuck": {
			`label backend of on before (llm_generation_tokens_total or llm_requests_finished_total) dropped`,
			`label instance of on before (llm_generation_tokens_total or llm_requests_finished_total) dropped`,
		},
		"LlmSpeculationOff": {
			`label backend of on before llm_expected_speculation == 0 dropped`,
			`label instance of on before llm_expected_speculation == 0 dropped`,
		},
	},
}, {
	reason: "it is multiplied by zero: only whether there is one is asked",
	of: map[string][]string{
		"router:llm_context_overflow:ratio": {
			`function increase(llm_router_errors_total[10m]) turned to rate`,
			`window llm_router_errors_total[10m] ÷10`,
		},
	},
}, {
	reason: "no recorded router with overflows is asked so seldom",
	of: map[string][]string{
		"router:llm_context_overflow:ratio": {
			`threshold latency_events ÷10`,
		},
	},
}, {
	reason: "the exporter counts an entry only once there is one",
	of: map[string][]string{
		"LlmGPUHardwareError": {
			`filter of llm_gpu_xid_log_entries{kind="hardware"} > 0 dropped`,
		},
	},
}, {
	reason: "the size of a block never changes, and comes with every scrape",
	of: map[string][]string{
		"backend:llm_request_prompt_blocks:mean": {
			`function last_over_time(llm_kv_cache_block_size_tokens[10m]) dropped`,
		},
	},
}, {
	reason: "every recording begins with an idle server, and the guard is for gauges that are born with the first request",
	of: map[string][]string{
		"LlmRequestsStuck": {
			`guard and (sum without (rank) (llm_requests_running offset 20m)) dropped`,
			`offset llm_requests_running offset 20m ÷10`,
		},
	},
}, {
	reason: "the other side of the comparison has too few samples then, or a speed that is not slower",
	of: map[string][]string{
		"LlmDraftingSlower": {
			`guard and count_over_time(backend:llm_decode_drafting:tokens_per_second[1d]) > 10 dropped`,
			`number 10 in count_over_time(backend:llm_decode_drafting:tokens_per_second[1d]) > 10 ÷10`,
		},
		"backend:llm_decode_plain:tokens_per_second": {
			`guard and sum without (rank) (rate(llm_decode_seconds_total[5m])) < 2 dropped`,
			`threshold spec_light_load ×10`,
		},
	},
}, {
	reason: "no recording is long enough for a sample without drafts",
	of: map[string][]string{
		"LlmSpeculationOff": {
			`function max_over_time(backend:llm_spec_decode_draft_tokens:increase[1d]) turned to min_over_time`,
		},
	},
}, {
	reason: "no recording goes on after the pause in the work that it bridges",
	of: map[string][]string{
		"LlmPrefixCacheOff": {
			`keep_firing_for dropped`,
		},
		"LlmSpeculationOff": {
			`keep_firing_for dropped`,
		},
	},
}, {
	reason: "no recording goes on for so long after the last failure",
	of: map[string][]string{
		"LlmNobodyNotified": {
			`threshold watching_window ×10`,
		},
		"LlmNotificationsFailing": {
			`threshold watching_window ×10`,
		},
		"LlmRouterRequestsFailing": {
			`threshold router_window ×10`,
		},
		"LlmRouterRetriesMany": {
			`threshold router_window ×10`,
		},
		"LlmRulesFailing": {
			`threshold watching_window ×10`,
		},
		"LlmRulesSlow": {
			`threshold watching_window ×10`,
		},
		"LlmSeriesFolded": {
			`threshold watching_window ×10`,
		},
	},
}, {
	reason: "series beyond the limit are folded in every scrape",
	of: map[string][]string{
		"LlmSeriesFolded": {
			`threshold watching_window ÷10`,
		},
	},
}}

// withSurvivors gives each rule its survivors. Groups are not changed.
func withSurvivors(groups []Group) []Group {
	byRule := map[string]map[string]string{}
	for _, s := range survivors {
		for rule, mutants := range s.of {
			if byRule[rule] == nil {
				byRule[rule] = map[string]string{}
			}
			for _, m := range mutants {
				byRule[rule][m] = s.reason
			}
		}
	}
	for i := range groups {
		g := &groups[i]
		g.Records, g.Alerts = slices.Clone(g.Records), slices.Clone(g.Alerts)
		for j := range g.Records {
			g.Records[j].Survivors = byRule[g.Records[j].Name]
		}
		for j := range g.Alerts {
			g.Alerts[j].Survivors = byRule[g.Alerts[j].Name]
		}
	}
	return groups
}
