package engine

import (
	"slices"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// derive computes the engine's derivations, in order, where their target is not there.
func (m *mapper) derive() {
	for i := range m.engine.Derive {
		d := &m.engine.Derive[i]
		if len(d.From) == 0 || len(d.To.Labels) > mostLabels {
			continue
		}
		for n := range len(m.out.list) { // what this derivation adds is no operand of it
			if m.out.list[n].Series == d.From[0] {
				m.deriveOne(d, n)
			}
		}
	}
}

// deriveOne computes the derivation for one point of its first operand.
func (m *mapper) deriveOne(d *Derivation, first int) {
	to := relabel(d.To, d.From[0], m.out.owner[first].ids)
	m.rename(d, m.out.owner[first].ids, &to)
	if m.out.has(d.To, to) {
		return
	}
	v, ok := m.operand(d.Op, &m.out.list[first])
	for _, from := range d.From[1:] {
		next, found := m.find(from, d.From[0], m.out.owner[first].ids)
		if !ok || !found {
			return
		}
		v = d.Op.apply(v, m.out.list[next].Value)
	}
	if !ok {
		return
	}
	if v, ok = plausible(d.To, whole, v); !ok {
		m.dropped++
		return
	}
	m.emit(d.To, to, computed).Value = v
}

// operand is the value of the first operand.
func (m *mapper) operand(op Op, p *catalog.Point) (float64, bool) {
	switch {
	case op != SumOf && op != CountOf:
		return p.Value, p.Hist == nil
	case p.Hist == nil:
		return 0, false
	case op == SumOf:
		return p.Hist.Sum, true
	}
	return float64(p.Hist.Count), true
}

func (op Op) apply(a, b float64) float64 {
	switch op {
	case Add:
		return a + b
	case Subtract:
		return a - b
	case Multiply:
		return a * b
	}
	return a
}

// find looks up the point of a series that has the labels of another one's point. A series
// without ranks is one for all of them.
func (m *mapper) find(s, other *catalog.Series, ids labelIDs) (place int, ok bool) {
	i, ok := m.out.index[pointKey{s, relabel(s, other, ids)}]
	return int(i), ok && m.out.list[i].Hist == nil
}

// relabel carries labels over to another series by their names.
func relabel(to, from *catalog.Series, ids labelIDs) (out labelIDs) {
	for i, label := range to.Labels {
		if at := slices.Index(from.Labels, label); at >= 0 {
			out[i] = ids[at]
		}
	}
	return out
}

// rename carries labels over that have another name in the derivation's target.
func (m *mapper) rename(d *Derivation, ids labelIDs, to *labelIDs) {
	for i, label := range d.To.Labels {
		at := slices.Index(d.From[0].Labels, d.Rename[label])
		if at < 0 || ids[at] == 0 {
			continue
		}
		to[i], _ = m.table(label).idOf(m.table(d.Rename[label]).text(ids[at]))
	}
}
