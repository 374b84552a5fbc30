package rules

import "slices"

// Groups lists every group in the order of the documentation: what a client feels first.
func Groups() []Group {
	return slices.Clone([]Group{
		availability, latency, capacity, reuse, specdecode, router, hardware, past, watching,
	})
}

// Labels of the recorded names, besides instance and job.
var (
	perBackend = []string{"backend"}
	perModel   = []string{"backend", "engine", "model"}
	perRouter  = []string{"backend", "router"}
	perTarget  = []string{"backend", "router", "target"}
	perWorker  = []string{"backend", "router", "target", "worker"}
	perGPU     = []string{"gpu"}
)
