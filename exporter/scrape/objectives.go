package scrape

import (
	"strconv"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/config"
)

// judged holds what was read against the backend's objectives.
func (p *points) judged(b config.Backend, read []catalog.Point) {
	for i, o := range catalog.Objectives() {
		if b.Objectives[i] <= 0 {
			continue
		}
		for _, of := range o.Of {
			p.inTime(o.Name, b.Objectives[i], of, read)
		}
	}
	p.answered(read)
}

// inTime counts what one histogram has within and beyond an objective, rank by rank. All ranks
// of a model have the same bounds, and their points stand side by side.
func (p *points) inTime(name string, objective time.Duration, of *catalog.Series, read []catalog.Point) {
	said := [2]string{}
	for i := range read {
		h := &read[i]
		if h.Series != of || h.Hist == nil {
			continue
		}
		bound, slow, ok := h.Hist.BoundFor(objective.Seconds())
		if !ok {
			continue
		}
		program := h.Label(catalog.LabelEngine)
		if program == "" {
			program = h.Label(catalog.LabelRouter)
		}
		whose := [2]string{program, h.Label(catalog.LabelModel)}
		if said != whose {
			p.add(catalog.ObjectiveSeconds, bound, program, whose[1], name)
			said = whose
		}
		rank := h.Label(catalog.LabelRank)
		p.add(catalog.ObjectiveEvents, float64(h.Hist.Count), program, whose[1], rank, name)
		p.add(catalog.ObjectiveMissed, float64(slow), program, whose[1], rank, name, strconv.FormatFloat(bound, 'g', -1, 64))
	}
}

// outcome is how many requests of one model and rank ended, and how many of them failed.
type outcome struct {
	all, failed float64
	tells       bool // an engine that never says that a request failed is no proof of success
}

// answered counts requests that failed or were refused. Whose client left is neither.
func (p *points) answered(read []catalog.Point) {
	var order [][3]string
	outcomes := map[[3]string]*outcome{}
	for _, r := range read {
		if r.Series != catalog.RequestsFinished && r.Series != catalog.RequestsRejected {
			continue
		}
		whose := [3]string{r.Label(catalog.LabelEngine), r.Label(catalog.LabelModel), r.Label(catalog.LabelRank)}
		if outcomes[whose] == nil {
			outcomes[whose] = &outcome{}
			order = append(order, whose)
		}
		outcomes[whose].count(r)
	}
	for _, w := range order {
		if o := outcomes[w]; o.tells {
			p.add(catalog.ObjectiveEvents, o.all, w[0], w[1], w[2], catalog.ObjectiveSuccess)
			p.add(catalog.ObjectiveMissed, o.failed, w[0], w[1], w[2], catalog.ObjectiveSuccess, "")
		}
	}
}

func (o *outcome) count(r catalog.Point) {
	refused := r.Series == catalog.RequestsRejected
	switch reason := r.Label(catalog.LabelReason); {
	case refused || reason == reasonError:
		o.all += r.Value
		o.failed += r.Value
		o.tells = true
	case reason != reasonAbort:
		o.all += r.Value
	}
}

// Reasons of llm_requests_finished_total that say more than that a request ended.
const (
	reasonError = "error"
	reasonAbort = "abort"
)
