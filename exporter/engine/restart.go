package engine

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/exposition"
)

// A program that is started again between two scrapes may have another model. What was read of
// the old process must not be told of the new one, so each round looks for a sign of it in what
// it has read anyway: that costs no request.

// ProcessHeader is a header by which a page of numbers says which process wrote it. llama.cpp
// sends the time of its start there, by a clock of its own: it tells two processes apart and no
// more. It stays while a model sleeps and wakes.
const ProcessHeader = "Process-Start-Time-Unix"

// known is what the answers of a round show of the process that gave them.
type known struct {
	processes []string            // their names, the latest last
	fixed     map[question]string // values of Endpoint.Fixed
	models    []string            // that were named
	version   string              // "" if it was not said
	counted   *counts             // nil: there were no numbers
	refused   []question          // that nobody answered
}

// mostProcesses is how many processes may take turns at one address, as the workers of one
// server do, before each turn looks like a restart.
const mostProcesses = 8

// growing are the counters that tell a restart where the process has no name.
var growing = [...]*catalog.Series{
	catalog.GenerationTokens, catalog.PromptTokens, catalog.PromptComputedTokens, catalog.RouterTargetRequests,
}

// counts are the sums of the growing counters.
type counts [len(growing)]float64

// shown is what the round shows of the process.
func (r *round) shown(reading *Reading) *known {
	now := &known{version: reading.Version, models: slices.Clone(reading.Models), refused: r.refused()}
	var process strings.Builder
	for i := range r.plan {
		a := &r.plan[i]
		re := r.get(a.question)
		switch {
		case !re.ok():
		case a.decides():
			process.WriteString(re.process())
		case len(a.endpoint.Fixed) > 0 && !re.reused && re.doc != nil:
			now.fix(re, a.endpoint.Fixed)
		}
	}
	if process.Len() > 0 {
		now.processes = []string{process.String()}
	}
	if reading.Up == Yes {
		now.counted = &counts{}
	}
	now.addPoints(reading.Points)
	return now
}

// fix notes the fields of an answer that stay as long as the process runs.
func (k *known) fix(re *reply, fields []string) {
	var values []string
	for _, field := range fields {
		value, _ := lookup(re.doc, field)
		values = append(values, strconv.Quote(text(value)))
	}
	if k.fixed == nil {
		k.fixed = map[question]string{}
	}
	k.fixed[re.question] = strings.Join(values, " ")
}

// addPoints notes which models the points are of, and what they count.
func (k *known) addPoints(points []catalog.Point) {
	last := ""
	for i := range points {
		p := &points[i]
		if model := p.Label(catalog.LabelModel); model != last && model != "" {
			last = model
			if !slices.Contains(k.models, model) {
				k.models = append(k.models, model)
			}
		}
		if g := slices.Index(growing[:], p.Series); g >= 0 && k.counted != nil {
			k.counted[g] += p.Value
		}
	}
}

// process is the name of the process that wrote a page, "" if the page does not tell.
func (r *reply) process() string {
	return r.answer.Header.Get(ProcessHeader) + processStart(r.text)
}

// processStart is when the process of a page started, by the name that the client libraries of
// Prometheus give it; "" if it is not there.
func processStart(page []byte) (start string) {
	const name = "process_start_time_seconds"
	_, after, found := bytes.Cut(page, []byte("\n"+name))
	if !found {
		return ""
	}
	line, _, _ := bytes.Cut(after, []byte("\n"))
	exposition.Read(append([]byte(name), line...), func(s *exposition.Sample) {
		if string(s.Name) == name {
			start = strconv.FormatFloat(s.Value, 'g', -1, 64)
		}
	})
	return start
}

// refused are the questions of the round that nobody answered.
func (r *round) refused() (questions []question) {
	gone := func(re *reply) bool { return re != nil && re.err != nil && re.err.Reason == catalog.ReasonRefused }
	r.mu.Lock()
	defer r.mu.Unlock()
	for q, re := range r.replies {
		if gone(re) {
			questions = append(questions, q)
		}
	}
	for _, re := range r.failed {
		if gone(re) {
			questions = append(questions, re.question)
		}
	}
	return questions
}

// restarted says whether the round shows another process than the rounds before, from which it
// took answers.
func (s *Session) restarted(r *round, reading *Reading) bool {
	before, now := &s.known, r.shown(reading)
	return (before.otherThan(now) || slices.ContainsFunc(before.refused, r.answersAnew)) && r.reusedAny()
}

func (r *round) answersAnew(q question) bool {
	re := r.get(q)
	return re != nil && !re.reused && re.answer != nil
}

// otherThan says whether what is shown now cannot be of the process that was known. A process
// that is known by its name is believed, whatever its counters do: several that share an address
// each have their own.
func (k *known) otherThan(now *known) bool {
	if k.version != "" && now.version != "" && k.version != now.version {
		return true
	}
	for q, values := range now.fixed {
		if before, was := k.fixed[q]; was && before != values {
			return true
		}
	}
	unheard := func(model string) bool { return !slices.Contains(k.models, model) }
	if slices.ContainsFunc(now.models, unheard) {
		return true
	}
	if len(now.processes) > 0 && len(k.processes) > 0 {
		return !slices.Contains(k.processes, now.processes[0])
	}
	return k.counted != nil && now.counted != nil && now.counted.below(k.counted)
}

// below says whether any counter is lower than before.
func (c *counts) below(before *counts) bool {
	for i := range c {
		if c[i] < before[i] {
			return true
		}
	}
	return false
}

// learn adds what a round showed. What it did not show stays as it was.
func (k *known) learn(now *known) {
	k.refused, k.models = now.refused, now.models
	if now.version != "" {
		k.version = now.version
	}
	if now.counted != nil {
		k.counted = now.counted
	}
	for q, values := range now.fixed {
		if k.fixed == nil {
			k.fixed = map[question]string{}
		}
		k.fixed[q] = values
	}
	for _, name := range now.processes {
		k.processes = append(slices.DeleteFunc(k.processes, func(p string) bool { return p == name }), name)
		k.processes = k.processes[max(0, len(k.processes)-mostProcesses):]
	}
}
