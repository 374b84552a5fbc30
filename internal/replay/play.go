package replay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/llmfleet/llmfleet/internal/recording"
	"github.com/llmfleet/llmfleet/rules"
)

// Play plays a replay to its end, with rules; Prometheus' own rule manager evaluates the groups named in
// stepped at each step, all others are evaluated at the end. Targets are as in Targets. The caller closes
// the Prometheus. problems are what must not be: a target that is down though no edit took it away, a file
// that was read and must not be, PromQL's remarks.
func (r *Replay) Play(ctx context.Context, job string, companion *recording.Recording, files []rules.File, stepped map[string]bool) (p *Prometheus, problems []string, err error) {
	targets, closeTargets, err := r.Targets(job, companion)
	if err != nil {
		return nil, nil, err
	}
	defer closeTargets()
	if p, err = NewPrometheus(targets, files); err != nil {
		return nil, nil, err
	}
	p.stepOnly(stepped)
	for at := time.Duration(0); at <= r.Length; at += StepLength {
		step, err := p.Step(ctx, at)
		if err != nil {
			return nil, nil, errors.Join(err, p.Close())
		}
		problems = append(problems, r.down(step)...)
	}
	if err := p.finish(ctx, r.Length); err != nil {
		return nil, nil, errors.Join(err, p.Close())
	}
	if r.rec.Host != nil {
		for _, file := range r.rec.Host.Violations() {
			problems = append(problems, fmt.Sprintf("the exporter read %s, which must not be read", file))
		}
	}
	for _, text := range p.Remarks() {
		problems = append(problems, "PromQL remarks: "+text)
	}
	return p, problems, nil
}

// down are the exporters that should be up in a step.
func (r *Replay) down(step Step) []string {
	if r.Edit != nil && r.Edit.Scrape != nil {
		return nil
	}
	var out []string
	for _, t := range step.Targets {
		if !t.Up && t.Job != PrometheusProgram {
			out = append(out, fmt.Sprintf("second %s: the exporter's page could not be read: %s", Seconds(step.At), t.Problem))
		}
	}
	return out
}
