package engine

import (
	"math"
	"slices"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/exposition"
)

// Weighing says what is so of each worker of a router where no sign alone does: a router may
// call a dead worker healthy while its circuit breaker is open, or cease to mention it.
type Weighing struct {
	To        *catalog.Series // with the label target
	Witnesses []Witness
	// Judge hears all that was said of one worker in one scrape. Without known there is no value.
	Judge func(said []Testimony) (value float64, known bool)
	// Forget is how long a worker stands that no witness with Listed names any more. Then it
	// counts as removed. 0: for as long as anything is said of it.
	Forget time.Duration
}

// Witness is a sign of a worker's state: a sample, or a value in the elements of a JSON answer.
type Witness struct {
	Sample            string // name of the sample
	Path, Each, Value string // or of the answer: its path, the array of workers, the value in each
	Worker            LabelFrom
	Keep              [2]string // labels that Judge sees, besides the value
	Listed            bool      // only workers that the router has are named by it
}

// Testimony is one sign of one worker.
type Testimony struct {
	Witness int // place in Witnesses
	Value   float64
	Kept    [2]string
}

// workerKey is a worker in one weighing.
type workerKey struct {
	weighing int
	target   uint32
}

// spoken is a testimony on its way to the judge.
type spoken struct {
	workerKey
	Testimony
}

// heard is where a sample is evidence.
type heard struct{ weighing, witness int }

// hearAll makes the names of witnesses known.
func (t *tables) hearAll(weighings []Weighing) {
	t.heard = map[string][]heard{}
	for w := range weighings {
		for i := range weighings[w].Witnesses {
			witness := &weighings[w].Witnesses[i]
			if witness.Sample == "" {
				continue
			}
			for _, name := range spellings(witness.Sample) {
				t.heard[name] = append(t.heard[name], heard{w, i})
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
	for _, h := range m.t.heard[string(s.Name)] {
		witness := &m.engine.Weigh[h.weighing].Witnesses[h.witness]
		worker := labelRule{from: &witness.Worker}
		target, _ := worker.read(m.table(catalog.LabelTarget), s.Labels)
		t := Testimony{Witness: h.witness, Value: s.Value}
		for i, label := range witness.Keep {
			if value, ok := s.Labels.Get(label); ok {
				t.Kept[i] = m.once(value)
			}
		}
		m.testify(h.weighing, target, t)
	}
}

// once is a label's value as a string that is made once.
func (m *mapper) once(value []byte) string {
	text, ok := m.names[string(value)]
	if !ok {
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
					m.testify(w, target, Testimony{Witness: i, Value: v})
				}
			})
		}
	}
}

// mostSaid bounds what is weighed in a round.
const mostSaid = 100_000

// testify keeps a testimony of a worker that has a name.
func (m *mapper) testify(weighing int, target uint32, t Testimony) {
	if target != 0 && !math.IsNaN(t.Value) && len(m.said) < mostSaid {
		m.said = append(m.said, spoken{workerKey{weighing, target}, t})
	}
}

// weigh makes a point of each worker of which something was said.
func (m *mapper) weigh() {
	if len(m.said) == 0 {
		m.vanished = nil
		return
	}
	slices.SortStableFunc(m.said, func(a, b spoken) int {
		if a.weighing != b.weighing {
			return a.weighing - b.weighing
		}
		return int(a.target) - int(b.target)
	})
	vanished := map[workerKey]time.Time{}
	var testimonies []Testimony
	for rest := m.said; len(rest) > 0; {
		worker := rest[0].workerKey
		testimonies = testimonies[:0]
		for len(rest) > 0 && rest[0].workerKey == worker {
			testimonies, rest = append(testimonies, rest[0].Testimony), rest[1:]
		}
		m.weighOne(worker, testimonies, vanished)
	}
	m.vanished = vanished
}

// weighOne makes the point of one worker, unless it has vanished for too long.
func (m *mapper) weighOne(worker workerKey, testimonies []Testimony, vanished map[workerKey]time.Time) {
	w := &m.engine.Weigh[worker.weighing]
	if w.Forget > 0 && !slices.ContainsFunc(testimonies, func(t Testimony) bool { return w.Witnesses[t.Witness].Listed }) {
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
	v, known := w.Judge(testimonies)
	if !known {
		return
	}
	var ids labelIDs
	ids[slices.Index(w.To.Labels, catalog.LabelTarget)] = worker.target
	if v, ok := plausible(w.To, whole, v); ok && !m.out.has(w.To, ids) {
		m.emit(w.To, ids, computed).Value = v
	}
}

func (m *mapper) now() time.Time {
	if m.opts.Now == nil {
		return time.Now()
	}
	return m.opts.Now()
}
