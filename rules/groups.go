package rules

import "slices"

// Groups lists every group in the order of the documentation: what a client feels first.
func Groups() []Group { return withSurvivors(written()) }

// written are the groups as their files have them, without what survivors.go adds.
func written() []Group {
	return []Group{
		availability, serving, latency, percentiles, objectives, budgets, longBudgets, capacity, reuse, specdecode, router, hardware, past, watching,
	}
}

// Labels of the recorded names, besides instance and job.
var (
	perBackend   = []string{"backend"}
	perModel     = []string{"backend", "engine", "model"}
	perObjective = append(slices.Clone(perModel), "objective")
	perRouter    = []string{"backend", "router"}
	perTarget    = []string{"backend", "router", "target"}
	perWorker    = []string{"backend", "router", "target", "worker"}
	perGPU       = []string{"gpu"}
)
