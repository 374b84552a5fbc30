package engine

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/exposition"
)

// mapper turns the answers of one round into points of the catalog. It belongs to one
// target and reuses all that it allocates: what a round returned is valid until the next.
//
// A round is begin, then exposition and json for each answer, then finish. Samples are
// added up in cells, one for each mapping and set of labels; finish makes points of them,
// where several mappings give the same point takes the first, and computes the rest.
type mapper struct {
	opts         Options
	values       []valueTable              // by column; sticky, so that a limit keeps the same values
	states       []uint32                  // the states of a model, by number
	targetStates [len(targetStates)]uint32 // those of a worker
	names        map[string]string         // names of unmapped families, kept once
	severalRanks bool                      // sticky: the label rank is there for good

	engine       *Engine
	t            *tables
	version      version
	versionText  string
	supports     map[*catalog.Series]bool // of supportedFor, and what was seen since
	supportedFor string                   // version
	vanished     map[workerKey]time.Time  // since when a worker is known from old traces alone

	tally
	out points
}

// tally is what belongs to one round.
type tally struct {
	reader  exposition.Reader
	docs    map[string]any // answers, for conditions
	cells   []cell
	index   map[cellKey]int32 // of the page being read
	lists   []cellList        // by alternative
	budget  int               // series that may still be added
	full    *FetchError       // an answer had more, and was left out
	sampled []bool            // by mapping: its name had a sample …
	stated  []bool            // … or a TYPE line

	testimonies []testimony     // what is to be weighed
	testified   map[string]bool // by name: what is weighed had a sample or a TYPE line

	severalModels                          bool // one page named more than one
	pages, samples, bytes, dropped, folded int
	unmapped                               []string
}

// noLimit stands for a limit of 0.
const noLimit = int(^uint(0) >> 1)

// newMapper makes a mapper for one target.
func newMapper(o Options) *mapper {
	m := &mapper{opts: o, values: newTables(o.MaxLabelValues), names: map[string]string{}, out: newPoints()}
	m.docs, m.index, m.testified = map[string]any{}, map[cellKey]int32{}, map[string]bool{}
	for i, state := range targetStates {
		m.targetStates[i] = m.table(catalog.LabelState).constant(state)
	}
	for _, state := range catalog.ModelStates() {
		m.states = append(m.states, m.table(catalog.LabelState).constant(string(state)))
	}
	return m
}

// begin starts a round with an engine and its version, "" if that is not known.
func (m *mapper) begin(e *Engine, version string) {
	if m.engine != e {
		m.engine, m.t = e, tablesOf(e)
		m.severalRanks, m.supports, m.vanished = false, nil, nil
	}
	m.version, m.versionText = parseVersion(version), version
	m.tally.begin(len(e.Map), m.opts.MaxSeries)
	for i := range m.values {
		m.values[i].begin()
	}
	if len(m.names) > mostNames {
		clear(m.names)
	}
}

// begin forgets the last round and keeps its memory.
func (t *tally) begin(mappings, maxSeries int) {
	if maxSeries <= 0 {
		maxSeries = noLimit
	}
	clear(t.docs)
	clear(t.testified)
	*t = tally{
		docs: t.docs, testified: t.testified, index: t.index, cells: t.cells[:0], lists: t.lists[:0], unmapped: t.unmapped[:0],
		sampled: cleared(t.sampled, mappings), stated: cleared(t.stated, mappings), budget: maxSeries, testimonies: t.testimonies[:0],
	}
}

// mostNames bounds the names that are kept of families nobody maps.
const mostNames = 10_000

func cleared(flags []bool, n int) []bool {
	flags = slices.Grow(flags[:0], n)[:n]
	clear(flags)
	return flags
}

// exposition maps a page. model is the name for samples without a label that says it, ""
// if the page's own labels must do. A page that fails adds nothing.
func (m *mapper) exposition(page []byte, model string) (exposition.Stats, *FetchError) {
	m.pages++
	m.bytes += len(page)
	first, budget, heard := len(m.cells), m.budget, len(m.testimonies)
	m.reader.Reset(page)
	full := false
	for line := m.reader.Next(); line != exposition.End; line = m.reader.Next() {
		switch {
		case line == exposition.FamilyLine:
			m.family(m.reader.Family)
		case !full:
			full = !m.sample(&m.reader.Sample)
		}
	}
	clear(m.index)
	stats := m.reader.Stats
	m.samples += stats.Samples
	m.dropped += stats.Dropped
	switch {
	case full:
		m.cells, m.budget, m.testimonies = m.cells[:first], budget, m.testimonies[:heard]
		return stats, m.tooMany()
	case !stats.IsMetrics():
		return stats, &FetchError{catalog.ReasonNotMetrics, fmt.Errorf("answered %s, not metrics", exposition.Describe(page))}
	}
	m.nameModels(m.cells[first:], model)
	return stats, nil
}

// tooMany makes the error of an answer that is left out for its size.
func (m *mapper) tooMany() *FetchError {
	m.full = &FetchError{catalog.ReasonTooLarge, fmt.Errorf(
		"has more than the %d series that one backend may add: raise limits.series if they are real", m.opts.MaxSeries)}
	return m.full
}

// sample gives a sample to every mapping of its name. It returns false when the round has
// no room for another series.
func (m *mapper) sample(s *exposition.Sample) bool {
	m.hear(s)
	uses := m.t.byName[string(s.Name)]
	if uses == nil {
		if s.Family == nil {
			m.family(s.Name)
		}
		return true
	}
	for _, u := range uses {
		m.sampled[u.rule.mapping] = true
		if err := m.use(u, s); err == errFull {
			return false
		} else if err != nil {
			m.dropped++
		}
	}
	return true
}

var (
	errFull     = errors.New("no room for another series")
	errUnusable = errors.New("value that cannot be true")
)

// use adds a sample to its cell.
func (m *mapper) use(u use, s *exposition.Sample) error {
	r := u.rule
	if !r.wants(s.Labels) || !m.means(r.m) {
		return nil
	}
	v, ok := r.value(s)
	if !ok {
		return nil
	}
	if u.part == bucket {
		return m.useBucket(r, s)
	}
	if r.m.NotZero && v == 0 || r.m.NotNegative && v < 0 {
		return nil
	}
	if u.part != count {
		v *= r.scale
	}
	if v, ok = plausible(r.to, u.part, v); !ok {
		return errUnusable
	}
	c, err := m.cell(r, s)
	if c == nil {
		return err
	}
	c.add(u.part, r.agg, v, s.Value)
	return nil
}

// useBucket adds a bucket to its cell; whether the buckets fit together is seen when all
// are there.
func (m *mapper) useBucket(r *rule, s *exposition.Sample) error {
	le, ok := boundOf(s.Labels)
	if !ok {
		return errUnusable
	}
	c, err := m.cell(r, s)
	if c == nil {
		return err
	}
	if m.budget--; m.budget < 0 {
		return errFull
	}
	c.buckets = append(c.buckets, bound{le * r.scale, s.Value})
	return nil
}

// cell finds the sample's cell or makes it. A sample about a worker that it does not name has none.
func (m *mapper) cell(r *rule, s *exposition.Sample) (*cell, error) {
	key := cellKey{alternative: r.alternative, addend: r.addend}
	for i := range r.labels {
		l := &r.labels[i]
		id, folded := l.read(&m.values[l.column], s.Labels)
		if key.ids[l.place] = id; folded {
			m.folded++
		}
		if id == 0 && l.from.To == catalog.LabelTarget {
			return nil, nil
		}
	}
	if i, ok := m.index[key]; ok {
		return &m.cells[i], nil
	}
	if m.budget -= r.cost; m.budget < 0 {
		return nil, errFull
	}
	m.index[key] = int32(len(m.cells))
	return m.newCell(key), nil
}

// nameModels gives the cells of a page that say no model the only one that the others name,
// else model. Of a page that names several such a cell is of none.
func (m *mapper) nameModels(cells []cell, model string) {
	only := uint32(0)
	for i := range cells {
		id := m.model(&cells[i])
		if id == nil || *id == 0 {
			continue
		}
		if only != 0 && *id != only {
			m.severalModels = true
			return
		}
		only = *id
	}
	if only == 0 {
		only, _ = m.table(catalog.LabelModel).idOf(model)
	}
	m.setModel(cells, only)
}

func (m *mapper) setModel(cells []cell, model uint32) {
	for i := range cells {
		if id := m.model(&cells[i]); id != nil && *id == 0 {
			*id = model
		}
	}
}

// model is where a cell keeps its model, nil if its series has no such label.
func (m *mapper) model(c *cell) *uint32 {
	if place := m.t.outputs[c.alternative].places.model; place >= 0 {
		return &c.ids[place]
	}
	return nil
}

// finish completes a reading with all that the round gave.
func (m *mapper) finish(r *Reading) {
	if !m.severalModels {
		model, _ := m.table(catalog.LabelModel).idOf(m.defaultModel(r))
		m.setModel(m.cells, model)
	}
	if len(r.Models) == 0 {
		r.Models = m.table(catalog.LabelModel).seen()
	}
	m.severalRanks = m.severalRanks || m.table(catalog.LabelRank).several()
	m.points()
	m.configured()
	m.weigh()
	m.derive()
	m.countTargets()
	r.Points = m.out.list
	r.Samples, r.BodyBytes, r.Dropped, r.Folded = m.samples, m.bytes, m.dropped, m.folded
	r.Missing, r.Unmapped = m.missing(), m.unmappedFamilies()
	r.Supported = m.supported()
	if m.full != nil && r.Up != No {
		r.Up, r.Reason, r.Problem = No, m.full.Reason, m.full.Error()
	}
}

// defaultModel is the model that numbers without a model's name are of: of several names
// in a server's list the first is its own, the others are adapters or aliases.
func (m *mapper) defaultModel(r *Reading) string {
	switch {
	case m.engine.Router:
		return ""
	case m.opts.Model != "":
		return m.opts.Model
	case len(r.Models) > 0:
		return r.Models[0]
	}
	if named := m.table(catalog.LabelModel).seen(); len(named) == 1 {
		return named[0] // the page of numbers names it
	}
	return ""
}
