package check

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/internal/promapi"
	"github.com/llmfleet/llmfleet/internal/terminal"
	"github.com/prometheus/common/model"
)

// scrapes is how a Prometheus scrapes the exporters.
type scrapes struct {
	job      string                     // that the rules ask for
	jobs     map[string][]string        // instances that give the exporter's own series, by job
	targets  map[string]*promapi.Target // of the job, by instance; nil: cannot be asked
	interval time.Duration              // the longest of an exporter; 0: not known
	all      []promapi.Target           // nil: cannot be asked
}

// newScrapes finds the exporters among the targets: by the job, and by the series that only an
// exporter has, whatever its job is called.
func newScrapes(job string, f *fleet, targets *promapi.Targets) *scrapes {
	s := &scrapes{job: job, jobs: map[string][]string{}}
	for _, m := range f.machines {
		for _, p := range f.places[catalog.ExporterTargets.Name][owner{instance: m.instance}] {
			s.jobs[p.job] = append(s.jobs[p.job], p.instance)
		}
	}
	if targets == nil {
		return s
	}
	s.targets, s.all = map[string]*promapi.Target{}, targets.Active
	for i := range targets.Active {
		t := &targets.Active[i]
		found := slices.Contains(s.jobs[t.Labels["job"]], t.Labels["instance"])
		if t.Labels["job"] == job {
			s.targets[t.Labels["instance"]] = t
		}
		if d, err := model.ParseDuration(t.ScrapeInterval); err == nil && (found || t.Labels["job"] == job) {
			s.interval = max(s.interval, time.Duration(d))
		}
	}
	return s
}

// notYet says which targets have not been scraped yet, or not even been found, so long ago was the
// configuration loaded; the zero sight if there is none.
func (s *scrapes) notYet(loaded time.Duration) sight {
	var waiting []string
	longest := time.Duration(0)
	for _, t := range s.all {
		if t.Health == promapi.TargetUnknown {
			waiting = append(waiting, fmt.Sprintf("%s (job %s)", t.Labels["instance"], t.Labels["job"]))
			d, _ := model.ParseDuration(t.ScrapeInterval) // of others than Prometheus perhaps none
			longest = max(longest, time.Duration(d))
		}
	}
	switch {
	case len(waiting) > 0:
		return blindEverywhere("not scraped yet: "+terminal.List(waiting, mostNamed), "check again in "+model.Duration(cmp.Or(longest, time.Minute)).String())
	case s.all != nil && len(s.all) == 0 && loaded < untilFound:
		return blindEverywhere("Prometheus has not looked for its targets yet: it loaded its configuration a moment ago", "check again in "+model.Duration(untilFound).String())
	}
	return sight{}
}

// jobProblem says that the rules ask for a job that no exporter has; notYet, where it is too early to
// say that.
func (s *scrapes) jobProblem(notYet sight) sight {
	var others []string
	for job := range s.jobs {
		if job != s.job {
			others = append(others, job)
		}
	}
	slices.Sort(others)
	switch {
	case len(s.jobs[s.job]) > 0 && len(others) == 0:
		return sight{}
	case len(others) > 0:
		return blindEverywhere(fmt.Sprintf("exporters are scraped as job %q, and the rules ask for job %q", strings.Join(others, `", "`), s.job),
			fmt.Sprintf("write job: %s into the settings file, generate again and load that; or call the job of Prometheus %s", others[0], s.job))
	case len(s.targets) > 0:
		return sight{} // they are down, which is said of each
	case notYet.rank == blind:
		return notYet // an exporter may be among them
	}
	return blindEverywhere(fmt.Sprintf("no exporter is scraped: no target has job %q, and there is none of its series", s.job),
		"take the job over from the bundle's prometheus.yml, with the address of the exporter, and reload Prometheus")
}

// report adds what is wrong with the targets themselves. It returns the first that is down; the zero
// sight if none is.
func (s *scrapes) report(notYet sight, r *Report) (down sight) {
	for _, instance := range sortedKeys(s.targets) {
		t := s.targets[instance]
		switch t.Health {
		case promapi.TargetDown:
			is := blindEverywhere(fmt.Sprintf("the exporter %s is down: %s", instance, t.LastError),
				fmt.Sprintf("start it, or correct the target of the job %s: Prometheus asks %s", s.job, t.ScrapeURL))
			r.add(Cause{What: is.why, Do: is.do})
			if down.rank == seen {
				down = is
			}
		case promapi.TargetUnknown:
			r.add(Cause{What: notYet.why, Do: notYet.do})
		}
	}
	s.scrapedTwice(r)
	return down
}

// scrapedTwice finds one exporter under two jobs.
func (s *scrapes) scrapedTwice(r *Report) {
	under := map[string][]string{}
	for _, job := range sortedKeys(s.jobs) {
		for _, instance := range s.jobs[job] {
			under[instance] = append(under[instance], job)
		}
	}
	for _, instance := range sortedKeys(under) {
		if jobs := under[instance]; len(jobs) > 1 {
			r.add(Cause{What: fmt.Sprintf("the exporter %s is scraped by the jobs %s: everything counts twice", instance, strings.Join(jobs, " and ")),
				Do: "take all but one of them out of Prometheus' configuration"})
		}
	}
}

// readTwice finds backends that two exporters read: sums over the fleet count them twice, and
// each alert comes twice.
func (f *fleet) readTwice(r *Report) {
	readers := map[string][]*backend{}
	for _, b := range f.backends {
		if key := b.whereabouts(); key != "" {
			readers[key] = append(readers[key], b)
		}
	}
	for _, key := range sortedKeys(readers) {
		all := readers[key]
		if !slices.ContainsFunc(all, func(b *backend) bool { return b.instance != all[0].instance }) {
			continue
		}
		var by []string
		for _, b := range all {
			by = append(by, fmt.Sprintf("%s (as %s)", b.instance, b.name))
		}
		r.add(Cause{What: fmt.Sprintf("%s is read by several exporters, %s: it counts twice, and so do its alerts", all[0].url, strings.Join(by, " and ")),
			Do: "take it out of the configuration of all but one"})
	}
}

// whereabouts tells one server from another by its address. An address on loopback is one on the
// exporter's own machine.
func (b *backend) whereabouts() string {
	u, err := url.Parse(b.url)
	if err != nil || b.url == "" {
		return ""
	}
	host := u.Hostname()
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return u.Host + u.Path
	}
	machine, _, err := net.SplitHostPort(b.instance)
	if err != nil {
		machine = b.instance // a name that relabelling gave it
	}
	return "of " + machine + ":" + u.Port() + u.Path
}
