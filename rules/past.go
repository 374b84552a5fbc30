package rules

import "time"

// A day of samples of every scrape is dear to look at in every round: an alert that compares
// with the past reads what this group keeps of it.
var past = Group{
	Name:     "past",
	About:    "What rules that compare with the past need of it, recorded seldom so that a day is cheap to look at.",
	Interval: 5 * time.Minute,
	Records: []Record{{
		Name: "gpu:llm_gpu_link_bandwidth:max", Unit: "bytes/s", Labels: perGPU,
		Expr:  `max_over_time(llm_gpu_link_bandwidth_bytes_per_second[10m])`,
		About: "Most that the card's link was trained for in the last ten minutes, so that none is missed when a round is.",
	}, {
		Name: "backend:llm_prefix_cache_query_tokens:increase", Unit: "tokens", Labels: perModel,
		Expr:  `sum without (rank) (increase(llm_prefix_cache_query_tokens_total[10m]))`,
		About: "Prompt tokens that the prefix cache was asked for in the last ten minutes.",
	}},
}
