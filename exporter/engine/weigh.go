package engine

import (
	"math"
	"slices"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/exposition"
)

// workerKey is a worker in one weighing.
type workerKey struct {
	weighing int
	target   uint32
}

// testimony is what one witness says of one worker.
type testimony struct {
	workerKey
	witness          int
	value            float64
	deployment, name string
}

// heard is where a sample is evidence.
type heard struct{ weighing, witness int }

// of returns the witness.
func (h heard) of(e *Engine) *Witness { return &e.Weigh[h.weighing].Witnesses[h.witness] }

// hearAll makes the names of witnesses known.
func (t *tables) hearAll(weighings []Weighing) {
	t.heard, t.heardFamilies = map[string][]heard{}, map[string]string{}
	for w := range weighings {
		for i := range weighings[w].Witnesses {
			witness := &weighings[w].Witnesses[i]
			if witness.Sample == "" {
				continue
			}
			for _, name := range spellings(witness.Sample) {
				t.heard[name] = append(t.heard[name], heard{w, i})
				if family := familyOf(name); family != name {
					t.heardFamilies[family] = name
				}
				t.heardFamilies[name] = name
			}
			t.ignore([]string{witness.Sample})
		}
	}
}

// hear notes a sample that is evidence.
func (m *mapper) hear(s *exposition.Sample) {
	if len(m.t.heard) == 0 {
		return
	}
	all := m.t.heard[string(s.Name)]
	if len(all) > 0 {
		m.testified[all[0].of(m.engine).Sample] = true
	}
	for _, h := range all {
		witness := h.of(m.engine)
		if !allMatch(witness.Where, s.Labels) {
			continue
		}
		worker := labelRule{from: &witness.Worker}
		target, _ := worker.read(m.table(catalog.LabelTarget), s.Labels)
		m.testify(testimony{
			workerKey{h.weighing, target}, h.witness, s.Value, m.once(s.Labels, witness.Deployment), m.once(s.Labels, witness.Name),
		})
	}
}

// once is a label's value as a string that is made once.
func (m *mapper) once(labels exposition.Labels, label string) string {
	value, _ := labels.Get(label)
	text, ok := m.names[string(value)]
	if !ok && len(value) > 0 {
		text = string(value[:min(len(value), longestValue)])
		m.names[text] = text
	}
	return text
}

// hearJSON notes the values of an answer that are evidence.
func (m *mapper) hearJSON(path string, doc any) {
	for w := range m.engine.Weigh {
		for i := range m.engine.Weigh[w].Witnesses {
			witness := &m.engine.Weigh[w].Witnesses[i]
			if witness.Path == "" || witness.Path != path {
				continue
			}
			worker := labelRule{from: &witness.Worker}
			eachElement(doc, witness.Each, func(e *element) {
				target, _ := worker.readJSON(m.table(catalog.LabelTarget), e)
				found, _ := e.at(witness.Value)
				if v, ok := number(found, nil); ok {
					m.testify(testimony{workerKey: workerKey{w, target}, witness: i, value: v})
				}
			})
		}
	}
}

// mostTestimonies bounds what is weighed in a round.
const mostTestimonies = 100_000

// testify keeps a testimony of a worker that has a name.
func (m *mapper) testify(t testimony) {
	if t.target != 0 && !math.IsNaN(t.value) && len(m.testimonies) < mostTestimonies {
		m.testimonies = append(m.testimonies, t)
	}
}

// weigh makes a point of each worker of which something was said.
func (m *mapper) weigh() {
	if len(m.testimonies) == 0 {
		m.vanished = nil
		return
	}
	slices.SortStableFunc(m.testimonies, func(a, b testimony) int {
		if a.weighing != b.weighing {
			return a.weighing - b.weighing
		}
		return int(a.target) - int(b.target)
	})
	vanished := map[workerKey]time.Time{}
	for rest := m.testimonies; len(rest) > 0; {
		worker := rest[0].workerKey
		n := slices.IndexFunc(rest, func(t testimony) bool { return t.workerKey != worker })
		if n < 0 {
			n = len(rest)
		}
		m.weighOne(worker, rest[:n], vanished)
		rest = rest[n:]
	}
	m.vanished = vanished
}

// weighOne makes the point of one worker, unless it has vanished for too long.
func (m *mapper) weighOne(worker workerKey, said []testimony, vanished map[workerKey]time.Time) {
	w := &m.engine.Weigh[worker.weighing]
	if w.Forget > 0 && !slices.ContainsFunc(said, func(t testimony) bool { return w.Witnesses[t.witness].Listed }) {
		now := m.now()
		since, ok := m.vanished[worker]
		if !ok {
			since = now
		}
		vanished[worker] = since
		if now.Sub(since) >= w.Forget {
			return
		}
	}
	v, known := w.verdict(said)
	place := slices.Index(w.To.Labels, catalog.LabelTarget)
	if !known || place < 0 {
		return
	}
	var ids labelIDs
	if ids[place] = worker.target; !m.out.has(w.To, ids) {
		m.emit(w.To, ids, computed).Value = v
	}
}

// verdict weighs all that was said of one worker.
func (w *Weighing) verdict(said []testimony) (value float64, known bool) {
	var healthy, out, traces bool
	for _, t := range said {
		if t.value < 0 {
			return 0, false
		}
		switch w.Witnesses[t.witness].Says {
		case HealthyOrOut:
			healthy, out = healthy || t.value == 1, out || t.value == 0
		case HealthyIfAbove:
			healthy = healthy || t.value > 0
		case OutIfAbove:
			out = out || t.value > 0
		case Trace:
			traces = true
		case Outage:
			healthy = true
		}
	}
	switch {
	case out || w.outage(said):
		return 0, true
	case healthy:
		return 1, true
	}
	return 0, traces
}

// outage says whether a deployment of a worker is in an outage of which none of its names acquits it.
func (w *Weighing) outage(said []testimony) bool {
	type booking struct{ deployment, name string }
	var worst map[booking]float64
	for _, t := range said {
		if w.Witnesses[t.witness].Says != Outage {
			continue
		}
		if worst == nil {
			worst = map[booking]float64{}
		}
		b := booking{t.deployment, t.name}
		worst[b] = max(worst[b], t.value)
	}
	acquitted := map[string]bool{}
	for b, state := range worst {
		acquitted[b.deployment] = acquitted[b.deployment] || state == 0
	}
	for b, state := range worst {
		if state >= 2 && !acquitted[b.deployment] {
			return true
		}
	}
	return false
}

func (m *mapper) now() time.Time {
	if m.opts.Now == nil {
		return time.Now()
	}
	return m.opts.Now()
}
