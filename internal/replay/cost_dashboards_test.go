package replay

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/dashboards"
	"github.com/llmfleet/llmfleet/internal/cputime"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
)

// What all queries of a dashboard together may take on one core when it is opened on a day of the
// large fleet, and what one of them may read and return.
const (
	pageMark   = 2 * time.Second
	pageBound  = 2 * pageMark // where it must not go on any machine: others may be at work beside it
	seriesMark = 5000
)

// A day as Grafana asks for it on a screen of 1,920 pixels: a point for each pixel, rounded to a step
// of its list, which is a minute on a panel as wide as the page and two on one of half its width
// or less. Marks keep to their own step of a minute.
const (
	day      = 24 * time.Hour
	wideStep = time.Minute
	halfStep = 2 * time.Minute
	noteStep = time.Minute
)

// cycle is what is played and then repeated to fill the day, sample by sample at the pace of the
// scrapes: the incidents of the recordings, sixty times. Playing a whole day through exporters
// and rules would give the same series and as many samples, and take many times as long. Only
// series that dashboards name are kept. What is asked for one moment is asked in the midst of a
// cycle.
const (
	cycle  = 24 * time.Minute
	moment = day - 6*time.Minute
)

// BenchmarkDashboardsOfALargeFleet puts every query of every dashboard to a day of 50 backends
// and 200 cards, as a person who opens the page does. Run it a few times (-benchtime 3x): the quickest
// counts, and the first one also pays for collecting what the making of the day left.
func BenchmarkDashboardsOfALargeFleet(b *testing.B) {
	ctx := b.Context()
	pages := costedPages(b, rules.DefaultSettings())
	st := largeDay(ctx, b, pages)
	for b.Loop() {
		for _, p := range pages {
			p.open(ctx, b, st)
		}
	}
	for _, p := range pages {
		b.Logf("%s: %s", p.uid, p)
		switch {
		case p.took > pageBound:
			b.Errorf("%s: its queries take %s, which is beyond %s", p.uid, p.took, pageBound)
		case p.took > pageMark:
			b.Logf("MISSED: %s: its queries take %s, the mark is %s", p.uid, p.took, pageMark)
		}
		if p.returned > seriesMark || p.read > seriesMark {
			b.Errorf("%s: one query reads %d series (%s), one returns %d; the mark is %d", p.uid, p.read, p.readBy, p.returned, seriesMark)
		}
	}
}

// costedPage is a dashboard with what its queries cost.
type costedPage struct {
	uid     string
	queries []costedQuery
	took    time.Duration // of the quickest opening: other work on the machine makes all others longer
	each    map[string]time.Duration
	// read and returned are the most series that one query selected and gave.
	read, returned int
	readBy         string
}

type costedQuery struct {
	key, text string
	step      time.Duration // 0: one value, at the moment
}

// costedPages are the dashboards' queries with every variable as it is when the page is opened: at
// All, or at one value where the page begins with the first.
func costedPages(b *testing.B, s rules.Settings) []*costedPage {
	b.Helper()
	var out []*costedPage
	for _, d := range dashboards.All() {
		expressions, err := d.Expressions(rules.Groups(), s)
		if err != nil {
			b.Fatal(err)
		}
		p := &costedPage{uid: d.UID}
		for _, e := range expressions {
			step := stepOf(e)
			text, err := dashboards.Substitute(strings.ReplaceAll(e.Text, "$__rate_interval", rateInterval(step)), opened(d), s)
			if err != nil {
				b.Fatalf("%s: %v", e.Key, err)
			}
			p.queries = append(p.queries, costedQuery{e.Key, text, step})
		}
		out = append(out, p)
	}
	return out
}

// opened are the choices of a page that begins with the first backend. medium-a is one of the
// busiest, and five exporters of the fleet have a backend of that name.
func opened(d dashboards.Dashboard) dashboards.Values {
	out := dashboards.Values{}
	for _, v := range d.Variables {
		if v.First {
			out[v.Name] = []string{"medium-a"}
		}
	}
	return out
}

// rateInterval is what Grafana writes for $__rate_interval: a step and a scrape, or four scrapes.
func rateInterval(step time.Duration) string {
	return model.Duration(max(4*StepLength, step+StepLength)).String()
}

func stepOf(e dashboards.Expression) time.Duration {
	if !e.Range {
		return 0
	}
	if strings.HasPrefix(e.Key, "annotation/") {
		return noteStep
	}
	if _, p, _ := dashboards.PanelByKey(path.Dir(e.Key)); p.Width > 12 {
		return wideStep
	}
	return halfStep
}

// open puts all queries of a page, and keeps the cost if it is the least so far.
func (p *costedPage) open(ctx context.Context, b *testing.B, st *Storage) {
	b.Helper()
	took, each := time.Duration(0), map[string]time.Duration{}
	for _, q := range p.queries {
		before := cputime.Used()
		read, returned, err := q.put(ctx, st)
		d := cputime.Used() - before
		if err != nil {
			b.Fatalf("%s: %v", q.key, err)
		}
		took += d
		each[q.key] = d
		if read > p.read {
			p.read, p.readBy = read, q.key
		}
		p.returned = max(p.returned, returned)
	}
	if p.took == 0 || took < p.took {
		p.took, p.each = took, each
	}
}

// String is the line of the report.
func (p *costedPage) String() string {
	keys := slices.SortedFunc(maps.Keys(p.each), func(a, b string) int { return cmp.Compare(p.each[b], p.each[a]) })
	var dearest []string
	for _, k := range keys[:min(5, len(keys))] {
		dearest = append(dearest, fmt.Sprintf("%s %s", k, p.each[k].Round(time.Millisecond)))
	}
	return fmt.Sprintf("%d queries, %.0f ms of processor time, the dearest %s; at most %d series read by one (%s), %d returned",
		len(p.queries), float64(p.took.Microseconds())/1000, strings.Join(dearest, ", "), p.read, p.readBy, p.returned)
}

// put evaluates a query at the moment, or over the whole day.
func (q costedQuery) put(ctx context.Context, st *Storage) (read, returned int, err error) {
	counted := &countingQueryable{Queryable: st}
	var query promql.Query
	if q.step == 0 {
		query, err = engine.NewInstantQuery(ctx, counted, nil, q.text, Epoch.Add(moment))
	} else {
		query, err = engine.NewRangeQuery(ctx, counted, nil, q.text, Epoch, Epoch.Add(day), q.step)
	}
	if err != nil {
		return 0, 0, err
	}
	defer query.Close()
	res := query.Exec(ctx)
	switch v := res.Value.(type) {
	case promql.Matrix:
		returned = len(v)
	case promql.Vector:
		returned = len(v)
	}
	return counted.series, returned, res.Err
}

// countingQueryable counts the series that a query selects.
type countingQueryable struct {
	storage.Queryable
	series int
}

func (c *countingQueryable) Querier(mint, maxt int64) (storage.Querier, error) {
	q, err := c.Queryable.Querier(mint, maxt)
	return countingQuerier{q, c}, err
}

type countingQuerier struct {
	storage.Querier
	counts *countingQueryable
}

func (c countingQuerier) Select(ctx context.Context, sorted bool, hints *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	return countingSet{c.Querier.Select(ctx, sorted, hints, matchers...), c.counts}
}

type countingSet struct {
	storage.SeriesSet
	counts *countingQueryable
}

func (c countingSet) Next() bool {
	ok := c.SeriesSet.Next()
	if ok {
		c.counts.series++
	}
	return ok
}

// largeDay is a day of all series that the pages ask for: the cycle is played through the exporters
// and the rules, and then repeated. Counters go on from where the last cycle left them.
func largeDay(ctx context.Context, b *testing.B, pages []*costedPage) *Storage {
	b.Helper()
	files, err := rules.Files(rules.Groups(), rules.DefaultSettings())
	if err != nil {
		b.Fatal(err)
	}
	p := openPrometheus(b, files)
	for at := time.Duration(0); at < cycle; at += StepLength {
		step(ctx, b, p, at)
	}
	p.isLarge(ctx, b, cycle-StepLength)
	all := p.repeatable(ctx, b, pages)
	st, err := newStorage()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { st.Close() })
	samples := 0
	for at := time.Duration(0); at <= day; at += StepLength {
		app := st.AppenderV2(ctx)
		for _, s := range all {
			v, ok := s.at(at)
			if !ok {
				continue
			}
			if s.ref, err = app.Append(s.ref, s.labels, 0, Millis(at), v, nil, nil, storage.AppendV2Options{}); err != nil {
				b.Fatal(err)
			}
			samples++
		}
		if err := app.Commit(); err != nil {
			b.Fatal(err)
		}
	}
	b.Logf("%d series with %d samples in %s", len(all), samples, day)
	return st
}

// repeated is a series whose cycle fills the day.
type repeated struct {
	labels labels.Labels
	values []float64 // one for each step of the cycle, NaN where there is none
	growth float64   // of a counter in each cycle
	ref    storage.SeriesRef
}

// at is the value at a moment of the day.
func (r *repeated) at(t time.Duration) (float64, bool) {
	v := r.values[t%cycle/StepLength]
	if math.IsNaN(v) {
		return v, value.IsStaleNaN(v)
	}
	return v + r.growth*float64(t/cycle), true
}

var counterName = regexp.MustCompile(`_(total|sum|count|bucket)$`)

// repeatable reads the series of the cycle that the pages ask for.
func (p *Prometheus) repeatable(ctx context.Context, b *testing.B, pages []*costedPage) []*repeated {
	b.Helper()
	q, err := p.Querier(Millis(0), Millis(cycle))
	if err != nil {
		b.Fatal(err)
	}
	defer q.Close()
	set := q.Select(ctx, true, nil, labels.MustNewMatcher(labels.MatchRegexp, model.MetricNameLabel, namesAsked(b, pages)))
	var out []*repeated
	for set.Next() {
		r := &repeated{labels: set.At().Labels(), values: slices.Repeat([]float64{math.NaN()}, int(cycle/StepLength))}
		it := set.At().Iterator(nil)
		last := 0.0
		for it.Next() != chunkenc.ValNone {
			t, v := it.At()
			r.values[TimeOf(t)/StepLength] = v
			if !math.IsNaN(v) {
				last = v
			}
		}
		if counterName.MatchString(r.labels.Get(model.MetricNameLabel)) {
			r.growth = last
		}
		out = append(out, r)
	}
	if err := set.Err(); err != nil {
		b.Fatal(err)
	}
	return out
}

// namesAsked matches the names of all series that the pages' queries select.
func namesAsked(b *testing.B, pages []*costedPage) string {
	b.Helper()
	var names []string
	for _, p := range pages {
		for _, q := range p.queries {
			expr, err := lint.Parser.ParseExpr(q.text)
			if err != nil {
				b.Fatalf("%s: %v", q.key, err)
			}
			for _, n := range lint.Names(expr) {
				names = append(names, regexp.QuoteMeta(n))
			}
		}
	}
	slices.SortFunc(names, cmp.Compare[string])
	return strings.Join(slices.Compact(names), "|")
}
