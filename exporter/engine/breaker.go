package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// healthAndBreaker weighs a router's health check with its circuit breaker: a worker gets
// requests only while the one calls it healthy and the other is closed. Neither is enough:
// with default settings these routers leave two dead workers "healthy" and only their
// breakers open, and a worker that fails its check has a closed breaker when nobody asks it.
//
// Half open is out: it is how an open breaker looks while it tries. A value below 0 stands for
// a worker that was removed.
func healthAndBreaker(health, breaker string, worker LabelFrom) []Weighing {
	return []Weighing{{
		To:        catalog.RouterTargetHealthy,
		Witnesses: []Witness{{Sample: health, Worker: worker}, {Sample: breaker, Worker: worker}},
		Judge: func(said []Testimony) (float64, bool) {
			value, known := 1.0, false
			for _, t := range said {
				isHealth := t.Witness == 0
				switch {
				case t.Value < 0:
					return 0, false
				case isHealth && t.Value == 0, !isHealth && t.Value > 0:
					value, known = 0, true
				case isHealth:
					known = true
				}
			}
			return value, known
		},
	}}
}
