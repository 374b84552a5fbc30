package proof

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/llmfleet/llmfleet/internal/recording"
	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/prometheus/promql"
	"golang.org/x/sync/errgroup"
)

// Options say what is proven, and on what.
type Options struct {
	Groups      []rules.Group
	Settings    rules.Settings
	Recordings  fs.FS                  // testdata/recordings, or a user's own in the same form
	Hosts       fs.FS                  // testdata/hosts: machines, played as recordings named hosts/…; nil: none
	Expressions []Expression           // of the dashboards
	Only        func(name string) bool // alerts and expressions to try, for a quick look; nil: all, which alone is a proof
	Parallel    int                    // replays and mutants at once; 0: one per processor
	Progress    io.Writer              // a line per phase; nil: none
}

// run is one proof.
type run struct {
	Options
	rendered    []rules.RuleGroup
	recordRules []recordRule // of all groups, in their order
	alertRules  []alertRule
	files       []rules.File
	vocabulary  *lint.Vocabulary
	own         *rules.OwnNumbers
	corpus      *replay.Corpus
	companion   *recording.Recording // a Prometheus that is well, beside every exporter

	mu        sync.Mutex         // guards played, byDefault, byCase
	played    []*played          // in the order of their names
	byDefault map[string]*played // by recording
	byCase    map[caseKey]*played
	caseKeys  map[string][]caseKey // by replay key; made with the replays

	alertViews onceMap[string, []view]      // by alert
	panelViews onceMap[string, []shownView] // by key of the expression
	usable     onceMap[viewOfRecord, bool]  // whether a record laid over itself in a view changes nothing

	report Report
}

// played is a replay with everything that came of it.
type played struct {
	replay     *replay.Replay
	prometheus *replay.Prometheus
	stepped    map[string]bool // groups that the rule manager evaluated
	byAlert    map[string][]*replay.Span

	mu       sync.Mutex               // guards matrices
	matrices map[string]promql.Matrix // of recording rules as they are, by name
}

// Bundle is what llmfleet ships, with a user's settings.
func Bundle(s rules.Settings, recordings, hosts fs.FS) (Options, error) {
	groups := rules.Groups()
	expressions, err := Dashboards(groups, s)
	if err != nil {
		return Options{}, fmt.Errorf("dashboards: %w", err)
	}
	return Options{Groups: groups, Settings: s, Recordings: recordings, Hosts: hosts, Expressions: expressions}, nil
}

// newRun prepares a proof.
func newRun(o Options) *run {
	if o.Parallel <= 0 {
		o.Parallel = runtime.GOMAXPROCS(0)
	}
	return &run{Options: o, byDefault: map[string]*played{}, byCase: map[caseKey]*played{}, caseKeys: map[string][]caseKey{}}
}

// Run proves the groups on the recordings. An error is a proof that could not be made; what a
// proof found wrong is in the report.
func Run(ctx context.Context, o Options) (*Report, error) {
	// Hundreds of short-lived storages: collecting them less often saves a tenth of the time.
	defer debug.SetGCPercent(debug.SetGCPercent(200))
	r := newRun(o)
	defer r.close()
	for _, phase := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"rules rendered", r.render},
		{"recordings loaded", r.load},
		{"recordings played", r.play},
		{"alerts compared", r.checkAlerts},
		{"expressions evaluated", r.checkExpressions},
		{"links followed", r.followLinks},
		{"mutants tried", r.tryMutants},
		{"evidence computed", r.checkAllEvidence},
	} {
		began := time.Now()
		if err := phase.do(ctx); err != nil {
			return nil, fmt.Errorf("proof: %w", err)
		}
		r.progress("%s in %s", phase.name, time.Since(began).Round(10*time.Millisecond))
	}
	return &r.report, nil
}

func (r *run) wanted(name string) bool { return r.Only == nil || r.Only(name) }

func (r *run) progress(format string, args ...any) {
	if r.Progress != nil {
		fmt.Fprintf(r.Progress, format+"\n", args...)
	}
}

func (r *run) close() {
	for _, p := range r.played {
		p.prometheus.Close()
	}
}

func (r *run) load(context.Context) (err error) {
	r.corpus, err = replay.Load(r.Recordings, r.Hosts)
	if err != nil {
		return err
	}
	r.companion = r.corpus.Companion() // a user's own recordings may lack it
	return nil
}

// play plays every recording at its default pace, and every replay that a case asks for.
func (r *run) play(ctx context.Context) error {
	replays, stepped, err := r.replays()
	if err != nil {
		return err
	}
	// The longest first, so that none is left over at the end for one processor alone.
	slices.SortStableFunc(replays, func(a, b *replay.Replay) int {
		return cmp.Compare(b.Length*time.Duration(1+len(stepped[b.String()])), a.Length*time.Duration(1+len(stepped[a.String()])))
	})
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(r.Parallel)
	for _, rep := range replays {
		g.Go(func() error { return r.playOne(ctx, rep, stepped[rep.String()]) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	slices.SortFunc(r.played, func(a, b *played) int { return cmp.Compare(a.replay.String(), b.replay.String()) })
	r.vocabulary.LastBucket = lastBuckets(ctx, r.played)
	return nil
}

// replays are the default ones and those of the cases, each once. stepped are, by replay, the
// groups of which an alert is expected to fire there: those the rule manager evaluates.
func (r *run) replays() (out []*replay.Replay, stepped map[string]map[string]bool, err error) {
	stepped = map[string]map[string]bool{}
	add := func(name string, stretch float64, edit string) (string, error) {
		rep, err := r.corpus.Replay(name, stretch, edit)
		if err != nil {
			return "", err
		}
		key := rep.String()
		if stepped[key] == nil {
			stepped[key] = map[string]bool{}
			out = append(out, rep)
		}
		return key, nil
	}
	for _, name := range r.corpus.Names() {
		if _, err := add(name, 0, ""); err != nil {
			return nil, nil, err
		}
	}
	for _, a := range r.alertRules {
		if !r.wanted(a.Name) && !r.readsWanted(a.Name) {
			continue
		}
		for _, c := range a.Cases {
			key, err := add(c.Recording, c.Stretch, c.Edit)
			if err != nil {
				r.report.fail("%s: case: %v", a.Name, err)
				continue
			}
			r.caseKeys[key] = append(r.caseKeys[key], keyOf(c))
			if len(c.Fires) > 0 {
				stepped[key][a.group.Rules.Name] = true
			}
		}
	}
	return out, stepped, nil
}

func (r *run) playOne(ctx context.Context, rep *replay.Replay, stepped map[string]bool) error {
	p, steps, err := r.replayed(ctx, rep, r.files, stepped)
	if err != nil {
		return fmt.Errorf("%s: %w", rep, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.played = append(r.played, p)
	for _, key := range r.caseKeys[rep.String()] {
		r.byCase[key] = p
	}
	if rep.IsDefault() {
		r.byDefault[rep.Recording] = p
	}
	for _, s := range steps {
		r.report.fail("%s: %s", rep, s)
	}
	return nil
}

// replayed plays one replay to its end, with rules; the rule manager evaluates the groups that are named.
// problems are what must not be, whatever the rules are.
func (r *run) replayed(ctx context.Context, rep *replay.Replay, files []rules.File, stepped map[string]bool) (out *played, problems []string, err error) {
	p, problems, err := rep.Play(ctx, r.Settings.Job, r.companion, files, stepped)
	if err != nil {
		return nil, nil, err
	}
	out = &played{replay: rep, prometheus: p, stepped: stepped, byAlert: map[string][]*replay.Span{}}
	for _, s := range p.Spans() {
		out.byAlert[s.Alert] = append(out.byAlert[s.Alert], s)
	}
	return out, problems, nil
}
