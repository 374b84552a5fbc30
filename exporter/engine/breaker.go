package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// healthAndBreaker weighs a router's health check with its circuit breaker: a worker gets
// requests only while the one calls it healthy and the other is closed. Neither is enough:
// with default settings these routers leave two dead workers "healthy" and only their
// breakers open, and a worker that fails its check has a closed breaker when nobody asks it.
// Half open (2) is out as well: it is how an open breaker looks while it tries.
func healthAndBreaker(health, breaker string, worker LabelFrom) []Weighing {
	return []Weighing{{
		To: catalog.RouterTargetHealthy,
		Witnesses: []Witness{
			{Sample: health, Worker: worker, Says: HealthyOrOut, With: breaker},
			{Sample: breaker, Worker: worker, Says: OutIfAbove},
		},
	}}
}
