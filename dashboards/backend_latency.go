package dashboards

import (
	"fmt"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// besideIt is what a heatmap says when it is blank: the panel of quantiles beside it names whose
// engine lacks the histogram, and who had no requests.
const besideIt = "no requests, or no histogram: the panel beside it says which"

// backendLatency shows each duration twice: how it is spread, and its quantiles with what is
// promised.
func backendLatency(others pages) Row {
	return Row{
		Key: "latency", Title: "Latency: how long do requests wait, and how is that spread?",
		Panels: []Panel{
			spread("backend/ttft-spread", "Times to first token", catalog.TimeToFirstToken,
				at(overload, 900, cells(vllmFirst, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0222, 0.2889, 0.8, 1.0222, 1.0444)...).because("buckets of 855 and 900, by 45 s"),
				at(fleetIncidents, 690, cells(vllmFirst, 0, 0, 0, 0, 0.2889, 1.3333, 1.4667, 1.6, 2.1111)...).chosen("medium-a"),
				at(overload, 60, cells(vllmFirst, 0)...).because("idle: asked, and nothing there"),
				at(noHistogram, 900).because("llama.cpp has no histogram"),
			),
			others.repeat("latency/ttft", "backend/ttft", 12),
			spread("backend/itl-spread", "Times between two outputs", catalog.InterTokenLatency,
				at(overload, 900, cells(vllmBetween, 0, 293.18, 299.47, 300.89, 301.29, 301.98, 302.09)...).because("buckets of 855 and 900, by 45 s"),
			),
			others.repeat("latency/itl", "backend/itl", 12),
			spread("backend/request-spread", "Times of whole requests", catalog.RequestDuration,
				at(overload, 900, cells(vllmWhole, 0, 0, 0, 0, 0, 0, 0, 0.0444, 0.6222, 1, 1.0222)...).because("buckets of 855 and 900, by 45 s"),
			),
			others.repeat("latency/request", "backend/request", 12),
			spread("backend/queue-spread", "Times in the queue", catalog.RequestQueueDuration,
				at(overload, 900, cells(vllmWhole, 0, 0, 0.0222, 0.0222, 0.1111, 0.1333, 0.3111, 0.9111, 1.0222)...).because("buckets of 855 and 900, by 45 s"),
				at(fleetIncidents, 690, cells(vllmWhole, 2)...).chosen("medium-a").because("nobody waits: all in the first bucket"),
			),
			others.repeat("latency/queue", "backend/queue", 12),
			others.repeat("latency/slow", "backend/slow", 12),
			others.repeat("latency/slow-outputs", "backend/slow-outputs", 12),
		},
	}
}

// spread is the heatmap of a duration.
func spread(key, title string, s *catalog.Series, cases ...Case) Panel {
	return heatmapOf(key, title, s, "A cell is one bucket of the engine's histogram: the stronger its color, the more fell into it, per second. Two bands mean two kinds of requests, which a quantile hides.",
		besideIt, cases)
}

// The bounds of vLLM 0.32's histograms.
const (
	vllmFirst   = "0.001 0.005 0.01 0.02 0.04 0.06 0.08 0.1 0.25 0.5 0.75 1.0 2.5 5.0 7.5 10.0 20.0 40.0 80.0 160.0 640.0 2560.0 +Inf"
	vllmBetween = "0.01 0.025 0.05 0.075 0.1 0.15 0.2 0.3 0.4 0.5 0.75 1.0 2.5 5.0 7.5 10.0 20.0 40.0 80.0 +Inf"
	vllmWhole   = "0.3 0.5 0.8 1.0 1.5 2.0 2.5 5.0 10.0 15.0 20.0 30.0 40.0 50.0 60.0 120.0 240.0 480.0 960.0 1920.0 7680.0 +Inf"
	vllmLength  = "1.0 2.0 5.0 10.0 20.0 50.0 100.0 200.0 500.0 1000.0 2000.0 +Inf"
)

// cells are what a heatmap's query gives: how many per second fell below each bound. The last
// number holds for all bounds that follow.
func cells(bounds string, below ...float64) []string {
	var out []string
	for i, le := range strings.Fields(bounds) {
		out = append(out, fmt.Sprintf(`{le="%s"} %v`, le, below[min(i, len(below)-1)]))
	}
	return out
}
