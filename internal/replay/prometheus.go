package replay

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/llmfleet/llmfleet/internal/promapi"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/common/model"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	promrules "github.com/prometheus/prometheus/rules"
)

// Prometheus scrapes targets and evaluates rules, one step of simulated time after another.
type Prometheus struct {
	*Storage
	loops  []*scrapeLoop
	groups []*promrules.Group // evaluated at the steps
	later  []*promrules.Group // evaluated by finish
	round  time.Duration      // the shortest interval of a group: that of the scrapes
	// paceless evaluates every group at every step, whatever its interval.
	paceless bool
	idle     idleGroups
	seen     map[string]bool // names of samples that were ever scraped, or may be recorded
	tracker  tracker
	remarks  []string                         // PromQL's warnings and infos, each once
	scraped  atomic.Pointer[[]promapi.Target] // stored by Step; who asks over HTTP loads it
}

// NewPrometheus opens a Prometheus with rule files and targets. Close frees it.
func NewPrometheus(targets []Target, files []rules.File) (*Prometheus, error) {
	st, err := newStorage()
	if err != nil {
		return nil, err
	}
	p := &Prometheus{Storage: st, seen: map[string]bool{}, tracker: tracker{active: map[string]*Span{}}}
	for _, t := range targets {
		p.loops = append(p.loops, newScrapeLoop(t, p.seen))
	}
	if err := p.load(files); err != nil {
		st.Close()
		return nil, err
	}
	return p, nil
}

// load reads the files with Prometheus' own loader, as a server would at its start.
func (p *Prometheus) load(files []rules.File) error {
	loader := memoryLoader{files: map[string][]byte{}, log: promslog.NewNopLogger()}
	var names []string
	for _, f := range files {
		loader.files[f.Name] = f.Data
		names = append(names, f.Name)
	}
	manager := promrules.NewManager(&promrules.ManagerOptions{
		NameValidationScheme: model.UTF8Validation,
		ExternalURL:          &url.URL{Scheme: "http", Host: "localhost:9090"},
		QueryFunc:            p.query,
		NotifyFunc:           func(context.Context, string, ...*promrules.Alert) {},
		AppendableV2:         p.Storage,
		Queryable:            p.Storage,
		GroupLoader:          loader,
		Parser:               lint.Parser,
		Logger:               loader.log,
	})
	groups, errs := manager.LoadGroups(15*time.Second, labels.EmptyLabels(), "http://localhost:9090", nil, false, names...)
	if len(errs) > 0 {
		return fmt.Errorf("rules: %w", errs[0])
	}
	for _, name := range names {
		for _, g := range groups {
			if g.File() == name {
				p.groups = append(p.groups, g)
			}
		}
	}
	for _, g := range p.groups {
		if p.round == 0 || g.Interval() < p.round {
			p.round = g.Interval()
		}
		for _, a := range g.AlertingRules() {
			a.SetRestored(true) // else ALERTS is not written until a restart was survived
		}
	}
	p.groups = recordersFirst(p.groups)
	p.idle = newIdleGroups(p.groups)
	return nil
}

// recordersFirst puts each group after those whose recorded names it uses. Prometheus
// promises an order within a group only; between groups a value may be one evaluation old.
func recordersFirst(groups []*promrules.Group) []*promrules.Group {
	recordedBy := map[string]*promrules.Group{}
	for _, g := range groups {
		for _, r := range g.Rules() {
			if rec, ok := r.(*promrules.RecordingRule); ok {
				recordedBy[rec.Name()] = g
			}
		}
	}
	var out []*promrules.Group
	var visit func(g *promrules.Group, depth int)
	visit = func(g *promrules.Group, depth int) {
		if slices.Contains(out, g) || depth > len(groups) { // a circle keeps the order of the files
			return
		}
		for _, r := range g.Rules() {
			for _, name := range lint.Names(r.Query()) {
				if other := recordedBy[name]; other != nil && other != g {
					visit(other, depth+1)
				}
			}
		}
		if !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	for _, g := range groups {
		visit(g, 0)
	}
	return out
}

// query is the query function of the rules; it keeps what PromQL remarks.
func (p *Prometheus) query(ctx context.Context, expr string, ts time.Time) (promql.Vector, error) {
	vec, remarks, err := p.Instant(ctx, expr, ts.Sub(Epoch))
	p.remark(expr, remarks)
	return vec, err
}

func (p *Prometheus) remark(expr string, remarks []string) {
	for _, r := range remarks {
		if r = expr + ": " + r; !slices.Contains(p.remarks, r) {
			p.remarks = append(p.remarks, r)
		}
	}
}

// pace is how often a group is evaluated in a replay: those that come with every scrape at every
// step, whatever the interval of scrapes is, others as often as they say.
func (p *Prometheus) pace(g *promrules.Group) time.Duration {
	if g.Interval() == p.round {
		return StepLength
	}
	return (g.Interval() + StepLength - 1) / StepLength * StepLength
}

// PaceOf is how often the group of a recording rule is evaluated.
func (p *Prometheus) PaceOf(record string) time.Duration {
	for g, in := range p.idle.inputs {
		if slices.Contains(in.records, record) {
			return p.pace(g)
		}
	}
	return StepLength
}

// Step scrapes every target and evaluates every group whose interval has passed at one second of
// the replay. Steps must come in order.
func (p *Prometheus) Step(ctx context.Context, at time.Duration) (Step, error) {
	step, found := Step{At: at}, []promapi.Target{}
	for _, l := range p.loops {
		problem, err := l.scrape(ctx, p.Storage, at)
		if err != nil {
			return step, err
		}
		step.Targets = append(step.Targets, TargetState{Job: l.target.Job, Instance: l.target.Instance, Up: problem == "", Problem: problem})
		found = append(found, l.note(at, problem))
	}
	p.scraped.Store(&found)
	for _, g := range p.groups {
		if !p.paceless && at%p.pace(g) != 0 || !p.wakes(g) {
			continue
		}
		g.Eval(ctx, Epoch.Add(at))
		for _, r := range g.Rules() {
			if err := r.LastError(); err != nil {
				return step, fmt.Errorf("rule %q: evaluation at %s: %w", r.Name(), at, err)
			}
		}
	}
	step.Transitions = p.tracker.step(at, p.groups)
	step.Active = p.tracker.activeSpans()
	return step, ctx.Err()
}

// Groups are the rule groups that are evaluated at the steps, in their order.
func (p *Prometheus) Groups() []*promrules.Group { return p.groups }

// Spans are all alert instances so far, in the order in which they began.
func (p *Prometheus) Spans() []*Span { return p.tracker.spans }

// Remarks are PromQL's warnings and infos of all evaluations.
func (p *Prometheus) Remarks() []string { return p.remarks }

// memoryLoader gives Prometheus' rule manager files that are on no disk.
type memoryLoader struct {
	files map[string][]byte
	log   *slog.Logger
}

// Load parses a file strictly.
func (l memoryLoader) Load(name string, ignoreUnknown bool, scheme model.ValidationScheme) (*rulefmt.RuleGroups, []error) {
	groups, errs := rulefmt.Parse(l.files[name], ignoreUnknown, scheme, lint.Parser, l.log)
	for i := range errs {
		errs[i] = fmt.Errorf("%s: %w", name, errs[i])
	}
	return groups, errs
}

// Parse parses one expression.
func (l memoryLoader) Parse(query string) (parser.Expr, error) { return lint.Parser.ParseExpr(query) }
