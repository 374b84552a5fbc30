package engine

import (
	"slices"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// points is what a round gives, and the memory for it.
type points struct {
	list  []catalog.Point
	owner []pointOwner // by place in list
	index map[pointKey]int32

	labels []string // of all points, one after the other
	hists  []catalog.Buckets
}

// cellList are the cells of an alternative, linked by cell.next; -1 if there is none.
type cellList struct{ first, last int32 }

// pointKey is the identity of a point.
type pointKey struct {
	series *catalog.Series
	ids    labelIDs
}

// pointOwner is the point's labels as numbers and which alternative made it.
type pointOwner struct {
	ids         labelIDs
	alternative int32
}

// computed is the alternative of points that no mapping made.
const computed = -1

func newPoints() points { return points{index: map[pointKey]int32{}} }

func (p *points) begin() {
	p.list, p.owner, p.labels, p.hists = p.list[:0], p.owner[:0], p.labels[:0], p.hists[:0]
	clear(p.index)
}

// points makes points of the round's cells, mapping by mapping.
func (m *mapper) points() {
	m.out.begin()
	m.sortCells()
	for alternative, l := range m.lists {
		if out := &m.t.outputs[alternative]; out.fallback && m.out.gives(out.to) {
			continue
		}
		for c := l.first; c >= 0; c = m.cells[c].next {
			m.point(&m.cells[c])
		}
	}
}

// sortCells puts cells into the lists of their alternatives. Cells that have become one by
// a label that fell away or was filled in are added up.
func (m *mapper) sortCells() {
	m.lists = m.lists[:0]
	for range m.t.outputs {
		m.lists = append(m.lists, cellList{-1, -1})
	}
	clear(m.index)
	for i := range m.cells {
		c := &m.cells[i]
		out, list := &m.t.outputs[c.alternative], &m.lists[c.alternative]
		if out.places.rank >= 0 && !m.severalRanks {
			c.ids[out.places.rank] = 0
		}
		if first, ok := m.index[c.cellKey]; ok {
			m.cells[first].absorb(c, out.agg)
			continue
		}
		m.index[c.cellKey] = int32(i)
		if list.first < 0 {
			list.first = int32(i)
		} else {
			m.cells[list.last].next = int32(i)
		}
		list.last = int32(i)
	}
	clear(m.index)
}

// point makes a point of a cell, unless an earlier mapping has made it.
func (m *mapper) point(c *cell) {
	to := m.t.outputs[c.alternative].to
	switch {
	case to.Kind == catalog.StateSet:
		m.statePoint(c, to)
	case m.out.has(to, c.ids):
		m.plus(c, to)
	case to.Kind == catalog.Histogram:
		h := m.out.buckets()
		if !c.histogram(h) {
			m.dropped++
			return
		}
		m.emit(to, c.ids, c.alternative).Hist = h
	case c.any:
		m.emit(to, c.ids, c.alternative).Value = c.value
	}
}

// plus adds a cell to the point of the mapping that it completes. Of another mapping's point
// it is a second telling.
func (m *mapper) plus(c *cell, to *catalog.Series) {
	at := m.out.index[pointKey{to, c.ids}]
	if c.any && m.out.owner[at].alternative == c.alternative {
		m.out.list[at].Value += c.value
	}
}

// gives says whether there is any point of a series.
func (p *points) gives(s *catalog.Series) bool {
	return slices.ContainsFunc(p.list, func(p catalog.Point) bool { return p.Series == s })
}

func (p *points) has(s *catalog.Series, ids labelIDs) bool {
	_, ok := p.index[pointKey{s, ids}]
	return ok
}

// buckets takes a histogram into use, with the memory that it had in an earlier round.
func (p *points) buckets() *catalog.Buckets {
	if n := len(p.hists); n < cap(p.hists) {
		p.hists = p.hists[:n+1]
	} else {
		p.hists = append(p.hists, catalog.Buckets{})
	}
	return &p.hists[len(p.hists)-1]
}

// statePoint makes the points of all states when the first state that holds is seen. A
// state that does not hold says nothing: another may.
func (m *mapper) statePoint(c *cell, to *catalog.Series) {
	place := m.t.outputs[c.alternative].places.state
	if !c.any || c.value != 1 || place < 0 {
		return
	}
	held := slices.Index(m.states, c.ids[place])
	if held < 0 {
		m.dropped++
		return
	}
	family := c.ids
	family[place] = 0
	first, ok := m.out.index[pointKey{to, family}]
	if !ok {
		first = int32(len(m.out.list))
		m.out.index[pointKey{to, family}] = first
		for _, state := range m.states {
			ids := family
			ids[place] = state
			m.emit(to, ids, c.alternative).Value = 0
		}
	} else if m.out.owner[first].alternative != c.alternative {
		return
	}
	m.out.list[int(first)+held].Value = 1
}

// emit adds a point with all its labels.
func (m *mapper) emit(to *catalog.Series, ids labelIDs, alternative int32) *catalog.Point {
	p := &m.out
	p.index[pointKey{to, ids}] = int32(len(p.list))
	p.owner = append(p.owner, pointOwner{ids, alternative})
	from := len(p.labels)
	for i, label := range to.Labels {
		p.labels = append(p.labels, m.labelText(label, ids[i]))
	}
	// an older array keeps the labels of earlier points when the newer one is longer
	labels := p.labels[from:len(p.labels):len(p.labels)]
	p.list = append(p.list, catalog.Point{Series: to, Labels: labels})
	return &p.list[len(p.list)-1]
}

// labelText is a label's value as it is written; what the page does not say of itself is
// filled in.
func (m *mapper) labelText(label string, id uint32) string {
	e := m.engine
	switch {
	case id != 0:
		return m.table(label).text(id)
	case label == catalog.LabelBackend:
		return m.opts.Backend
	case label == catalog.LabelEngine && !e.Router, label == catalog.LabelRouter && e.Router:
		return e.Name
	}
	return ""
}

// configured adds what the operator said and the engine does not.
func (m *mapper) configured() {
	to := catalog.KVCacheCapacity
	if m.opts.KVCapacityTokens <= 0 || m.engine.Router {
		return
	}
	for i := range m.out.list {
		if m.out.list[i].Series == to {
			return
		}
	}
	var ids labelIDs
	if models := m.table(catalog.LabelModel).seen(); len(models) == 1 {
		ids[placesOf(to).model], _ = m.table(catalog.LabelModel).idOf(models[0])
	}
	m.emit(to, ids, computed).Value = m.opts.KVCapacityTokens
}
