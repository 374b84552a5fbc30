package doctor

import "github.com/llmfleet/llmfleet/exporter/exposition"

// watchers are programs that watch and serve nothing, by a sample that each has: a mapping of
// their pages would be nonsense.
var watchers = map[string]string{
	"llmfleet_exporter_build_info": "This is llmfleet's own exporter. Give the address of a model server or router behind it; `llmfleet check --exporter URL` looks at an exporter.",
	"prometheus_build_info":        "This is Prometheus. Give the address of a model server or router; `llmfleet check --prometheus URL` looks at a Prometheus.",
	"alertmanager_build_info":      "This is Alertmanager. Give the address of a model server or router.",
	"grafana_build_info":           "This is Grafana. Give the address of a model server or router.",
	"node_exporter_build_info":     "This is node_exporter. Give the address of a model server or router: llmfleet_exporter reads the machine it runs on by itself.",
}

// watcher says what a page of a program that watches is, "" of any other.
func watcher(page []byte) (is string) {
	exposition.Read(page, func(s *exposition.Sample) {
		if text, ok := watchers[string(s.Name)]; ok {
			is = text
		}
	})
	return is
}
