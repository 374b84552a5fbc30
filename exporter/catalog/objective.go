package catalog

import "slices"

// Objective is a promise about time: most requests take no longer. The exporter counts what
// was slower, because it has the buckets at hand: rules then need no bound in their text, and a
// backend can have an objective of its own without a rule of its own.
type Objective struct {
	Name    string    // value of the label objective, and key of the configuration
	Of      []*Series // histograms that are judged; a backend has one of them at most
	Seconds float64   // what holds when nothing is said
	About   string    // for the reference of the configuration
}

// Objectives lists every objective there is, in the order of the documentation.
func Objectives() []Objective { return slices.Clone(objectives) }

var objectives = []Objective{{
	Name: "time_to_first_token", Of: []*Series{TimeToFirstToken, RouterTimeToFirstToken}, Seconds: 5,
	About: "Longest time to the first token. Raise it for agents that send very long prompts.",
}, {
	Name: "inter_token_latency", Of: []*Series{InterTokenLatency}, Seconds: 0.5,
	About: "Longest time between two outputs of a request. Slower than a person reads is 0.2s.",
}, {
	Name: "request_duration", Of: []*Series{RequestDuration, RouterRequestDuration}, Seconds: 30,
	About: "Longest time of a whole request. Raise it where long answers are normal.",
}, {
	Name: "queue_duration", Of: []*Series{RequestQueueDuration}, Seconds: 5,
	About: "Longest time that a request may wait before the engine begins with it.",
}}

// ObjectiveSuccess is the objective that requests do not fail. It has no time.
const ObjectiveSuccess = "success"

// How the promises are kept.
var (
	ObjectiveSeconds = declare(Series{
		Name: "llm_objective_seconds", Kind: Gauge, Unit: Seconds, Labels: With(promised, LabelObjective), Origin: Configured,
		Help: "Longest time that a request should take, rounded up to a bound of the engine's own buckets (down, where its last one is shorter); absent as long as the engine has no such buckets.",
	})
	ObjectiveEvents = declare(Series{
		Name: "llm_objective_events_total", Kind: Counter, Unit: Count, Labels: With(Data, LabelObjective), Origin: Computed,
		Help: "What the objective judges: first tokens, pauses between outputs, requests; for success those that ended or were refused, without those whose client left. Absent where the engine does not tell failures.",
	})
	ObjectiveMissed = declare(Series{
		Name: "llm_objective_missed_events_total", Kind: Counter, Unit: Count, Labels: With(Data, LabelObjective, LabelBound), Origin: Computed,
		Help: "What took longer than llm_objective_seconds, beyond the last bucket included; for success what failed or was refused. bound is that time: another objective begins another series, so that nothing is missed afterwards.",
	})
)

// Judges lists the series that a count of objectives is made of, for the objectives that are
// asked for; nil for any other series.
func (s *Series) Judges(asked func(objective string) bool) (of []*Series) {
	if s != ObjectiveSeconds && s != ObjectiveEvents && s != ObjectiveMissed {
		return nil
	}
	for _, o := range objectives {
		if asked(o.Name) {
			of = append(of, o.Of...)
		}
	}
	if s != ObjectiveSeconds && asked(ObjectiveSuccess) {
		of = append(of, RequestsFinished)
	}
	return of
}

// promised are the labels of an objective: the ranks of an engine share it.
var promised = []string{LabelBackend, LabelEngine, LabelModel}

// BoundFor picks the bucket that decides an objective: the first bound that is not below it.
// Where the objective lies beyond all bounds it is the last one, so that what overflows the
// buckets counts as slow. Without buckets ok is false.
func (b *Buckets) BoundFor(objective float64) (bound float64, slow uint64, ok bool) {
	if len(b.Bounds) == 0 {
		return 0, 0, false
	}
	i, _ := slices.BinarySearch(b.Bounds, objective)
	i = min(i, len(b.Bounds)-1)
	return b.Bounds[i], b.Count - min(b.Count, b.Counts[i]), true
}
