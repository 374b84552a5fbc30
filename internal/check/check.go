// Package check says of every rule and panel of the bundle whether it can see on this fleet: it
// is live, quiet for a good reason (no router here, a feature that is off), or blind, with the
// flag or setting that would give it sight.
//
// It asks a Prometheus which series there are, which rules it has loaded and whom it tells, or
// reads the page of one exporter alone. It changes nothing.
package check

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/internal/promapi"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"
)

// Options say what is checked.
type Options struct {
	Settings rules.Settings // with which the bundle was generated
	Client   *http.Client   // with the credentials of whom is asked
	Timeout  time.Duration  // of all questions together
}

// Prometheus checks a fleet by what the Prometheus at an address knows of it. An error is a check
// that could not be made.
func Prometheus(ctx context.Context, address string, o Options) (*Report, error) {
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	b, err := newBundle(o.Settings)
	if err != nil {
		return nil, err
	}
	client, err := promapi.NewClient(address, o.Client)
	if err != nil {
		return nil, err
	}
	r := &Report{Address: client.Address(), Causes: []Cause{}}
	known, err := ask(ctx, client, append(b.names(), catalog.ExporterTargets.Name), r)
	if err != nil {
		return nil, noPrometheusAt(ctx, address, o, err)
	}
	known.forgetPast(o.Settings.Job)
	f := newFleet(known.present, known.told)
	s := newScrapes(o.Settings.Job, f, known.targets)
	f.notYet = s.notYet(known.sinceLoad())
	f.job = s.jobProblem(f.notYet)
	f.rules = b.compareRules(loadedRules(known.rules), known.sinceLoad(), r)
	known.report(r)
	f.down = s.report(f.notYet, r)
	r.Alerts = activeAlerts(known.rules)
	b.judge(f, s.interval, r)
	r.Exporters, r.Questions = len(f.machines), client.Asked()
	return r, nil
}

// judge gives every item its verdict.
func (b *bundle) judge(f *fleet, interval time.Duration, r *Report) {
	r.Backends = len(f.backends)
	f.report(r)
	for _, it := range b.items {
		r.Items = append(r.Items, b.verdict(it, f, interval, r))
	}
	// What is wrong with the whole comes first, then what blinds most.
	slices.SortStableFunc(r.Causes, func(a, b Cause) int { return cmp.Compare(b.weight(), a.weight()) })
}

// verdict judges one item at every place that it is about.
func (b *bundle) verdict(it *item, f *fleet, interval time.Duration, r *Report) Item {
	j := judgement{item: it, report: r, sees: map[string]bool{}, out: Item{
		Kind: it.kind, Key: it.key, Title: it.title, Quiet: map[string][]string{}, Blind: map[string][]string{},
	}}
	for _, n := range b.needs(it) {
		subjects := f.subjects(n)
		for _, at := range subjects {
			j.note(f.name(at), f.see(n, at))
		}
		if len(subjects) == 0 {
			j.note("", f.nobody())
		}
	}
	live := len(j.sees) > 0
	for _, s := range []sight{f.rules[it.key], f.windows(it, interval), f.jobOf(it), f.beyond(it)} {
		if s.rank == seen {
			continue
		}
		live = false // it is the item itself: whatever there is, it does not see
		if s.rank == blind {
			clear(j.out.Quiet) // and nothing is a good reason for that
		}
		j.note("", s)
	}
	return j.done(live)
}

// judgement is an item's verdict in the making.
type judgement struct {
	item      *item
	report    *Report
	out       Item
	sees      map[string]bool
	elsewhere string // why it is about none
}

func (j *judgement) note(where string, s sight) {
	switch s.rank {
	case seen:
		j.sees[where] = true
	case blind:
		noteOnce(j.out.Blind, where, s.why)
		j.report.blinded(j.item, where, s)
	case quiet:
		noteOnce(j.out.Quiet, where, s.why)
	case notAbout:
		j.elsewhere = s.why
	}
}

func (j *judgement) done(live bool) Item {
	j.out.Sees = sortedKeys(j.sees)
	switch {
	case live:
		j.out.Verdict = Live
	case len(j.out.Blind) > 0:
		j.out.Verdict = Blind
	default:
		j.out.Verdict = Quiet
		if len(j.out.Quiet) == 0 {
			noteOnce(j.out.Quiet, "", j.elsewhere)
		}
	}
	return j.out
}

// noteOnce adds a reason to those of a place: the queries of a panel may have several.
func noteOnce(reasons map[string][]string, where, why string) {
	if !slices.Contains(reasons[where], why) {
		reasons[where] = append(reasons[where], why)
	}
}

// nobody is what is said where there is nothing that an item could be about.
func (f *fleet) nobody() sight {
	if f.job.rank == blind {
		return f.job
	}
	for _, s := range []sight{f.down, f.notYet, blindEverywhere("no exporter answers", "start it, and see whether Prometheus reaches it")} {
		if len(f.machines) == 0 && s.rank == blind {
			return s
		}
	}
	return quietFor("no backend in the exporter's configuration")
}

// windows finds windows that hold too few scrapes.
func (f *fleet) windows(it *item, interval time.Duration) sight {
	if short := it.shortWindow(interval); short > 0 {
		every := model.Duration(interval).String()
		return blindEverywhere("the scrape interval of "+every+" is too long for windows of "+model.Duration(short).String(),
			"scrape the exporter more often; or write scrape_interval: "+every+" and longer windows into the settings, and generate again")
	}
	return sight{}
}

// jobOf is the problem of the job where an item asks for it.
func (f *fleet) jobOf(it *item) sight {
	if it.asksForJob() {
		return f.job
	}
	return sight{}
}

// onlyPrometheus is what is said of what no exporter can know.
var onlyPrometheus = quietFor("only a Prometheus can tell")

// beyond says that a rule stands on what the one who is asked does not know. A panel may show the
// rest.
func (f *fleet) beyond(it *item) sight {
	foreign := func(vs *parser.VectorSelector) bool {
		_, recorded := f.rules[lint.Name(vs)]
		return !recorded && seriesOf(lint.Name(vs)) == nil
	}
	if f.alone && it.kind != Panel && it.selects(foreign) {
		return onlyPrometheus
	}
	return sight{}
}

// counts are how many rules (alerts and records) or panels have a verdict, and how many of them
// are blind somewhere.
func (r *Report) counts(v Verdict, panels bool) (n, partly int) {
	for _, it := range r.Items {
		if it.Verdict != v || (it.Kind == Panel) != panels {
			continue
		}
		n++
		if len(it.Blind) > 0 {
			partly++
		}
	}
	return n, partly
}
