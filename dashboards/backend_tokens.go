package dashboards

import "github.com/llmfleet/llmfleet/exporter/catalog"

// backendTokens is what goes in and comes out.
func backendTokens(others pages) Row {
	return Row{
		Key: "tokens", Title: "Tokens: what goes in, what comes out?",
		Panels: []Panel{
			others.repeat("capacity/generated", "backend/generated", 8),
			others.repeat("reuse/prompt-tokens", "backend/prompt-tokens", 8),
			others.repeat("speculation/speeds", "backend/speeds", 8),
			lengths("backend/prompt-lengths", "Lengths of prompts", catalog.RequestPromptTokens,
				at(fleetIncidents, 690, cells(vllmLength, 0, 0, 0, 0, 0, 0.1111, 0.5556, 1.1333, 2)...).chosen("medium-a").because("buckets of 645 and 690, by 45 s"),
			),
			lengths("backend/answer-lengths", "Lengths of answers", catalog.RequestGenerationTokens,
				at(fleetIncidents, 690, cells(vllmLength, 0.0222, 0.0222, 0.0222, 0.0444, 0.0444, 0.1111, 0.7556, 1.8222, 2)...).chosen("medium-a").because("buckets of 645 and 690, by 45 s"),
			),
		},
	}
}

// lengths is the heatmap of how long requests are.
func lengths(key, title string, s *catalog.Series, cases ...Case) Panel {
	return heatmapOf(key, title, s, "When waits grow, look here first: longer requests are more work, and no fault of the server.",
		"no requests, or its engine has no such histogram", cases)
}

// backendCache is the memory of the model: how full, how often reused.
func backendCache(others pages) Row {
	return Row{
		Key: "cache", Title: "Cache: is it full, and is it reused?",
		Panels: []Panel{
			others.repeat("capacity/kv", "backend/kv", 8),
			others.repeat("reuse/hit-ratio", "backend/hit-ratio", 8),
			others.repeat("capacity/preemptions", "backend/preemptions", 8),
			others.repeat("capacity/fits", "backend/fits", 12),
			others.repeat("capacity/ranks", "backend/ranks", 12),
		},
	}
}
