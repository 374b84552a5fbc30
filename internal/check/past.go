package check

import (
	"slices"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/internal/promapi"
)

// A query still sees for five minutes what a Prometheus stopped to scrape because its own
// configuration changed: nothing marks that as gone. Only what is scraped now is judged.

// leftBackends are backends that an exporter named in an earlier answer than its last.
const leftBackends = `max by (job, instance, backend) (timestamp(llm_backend_info))
	< on (job, instance) group_left () max by (job, instance) (timestamp(llmfleet_exporter_targets))`

// ages are how many seconds ago each exporter was last scraped.
const ages = `time() - max by (job, instance) (timestamp(llmfleet_exporter_targets))`

// longestPause is how old the series may be of an exporter that is no target here: another
// Prometheus may scrape it and hand them on.
const longestPause = 2 * time.Minute

// untilFound is how long a Prometheus may look for its targets and Alertmanagers after it has
// loaded its configuration: it takes over what it finds every 5 s.
const untilFound = 10 * time.Second

// pair is a target, by the labels that tell it from others.
type pair struct{ job, instance string }

func pairOf(s promapi.Sample) pair { return pair{s.Labels.Get("job"), s.Labels.Get("instance")} }

// backendOf is a backend of an exporter.
type backendOf struct {
	pair
	name string
}

// forgetPast takes out of the answers what is not scraped any more. job is that of the rules.
func (k *knowledge) forgetPast(job string) {
	backends := map[backendOf]bool{}
	for _, s := range k.left {
		backends[backendOf{pairOf(s), s.Labels.Get(catalog.LabelBackend)}] = true
	}
	exporters := k.pastExporters(job)
	isPast := func(s promapi.Sample) bool {
		return exporters[pairOf(s)] || backends[backendOf{pairOf(s), s.Labels.Get(catalog.LabelBackend)}]
	}
	k.present, k.told = slices.DeleteFunc(k.present, isPast), slices.DeleteFunc(k.told, isPast)
}

// pastExporters are those that are no targets now: of a job that was renamed, or not heard of for
// too long.
func (k *knowledge) pastExporters(job string) map[pair]bool {
	out := map[pair]bool{}
	if k.targets == nil {
		return out
	}
	scraped := map[pair]bool{}
	for _, t := range k.targets.Active {
		scraped[pair{t.Labels["job"], t.Labels["instance"]}] = true
	}
	current := map[string]bool{} // instances that are scraped as exporters
	for _, s := range k.ages {
		current[pairOf(s).instance] = current[pairOf(s).instance] || scraped[pairOf(s)]
	}
	for _, s := range k.ages {
		p := pairOf(s)
		renamed := current[p.instance] || scraped[pair{job, p.instance}]
		out[p] = !scraped[p] && (renamed || s.Value > longestPause.Seconds())
	}
	return out
}
