package proof

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/rules"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	promrules "github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/storage"
)

// promtoolStep is how often a written test evaluates the rules: three times for each sample.
// A window of Prometheus 2 holds one sample more than one of Prometheus 3 when it begins
// exactly at a sample, so what is compared lies between samples, where both see the same.
const promtoolStep = 5 * time.Second

// expected are the alerts of a test just before and just after the first firing, evaluated on
// the test's input alone: promtool has nothing else.
func (r *run) expected(ctx context.Context, g *rules.RuleGroup, alert string, input []promtoolInput, fires time.Duration) ([]promtoolAlert, error) {
	p, err := NewPrometheus(nil, r.filesOf(g))
	if err != nil {
		return nil, err
	}
	defer p.Close()
	if err := p.loadInput(ctx, input); err != nil {
		return nil, err
	}
	before, after := fires-promtoolStep, fires+2*promtoolStep
	var out []promtoolAlert
	for at := time.Duration(0); at <= after; at += promtoolStep {
		if _, err := p.Step(ctx, at); err != nil {
			return nil, err
		}
		if at == before || at == after {
			out = append(out, promtoolAlert{EvalTime: seconds(at) + "s", Name: alert, Want: p.firing(alert)})
		}
	}
	return out, nil
}

// filesOf are the files that the tests of a group load.
func (r *run) filesOf(g *rules.RuleGroup) []rules.File {
	var out []rules.File
	for _, name := range r.ruleFiles(g) {
		for _, f := range r.files {
			if rulesFolder+f.Name == name {
				out = append(out, f)
			}
		}
	}
	return out
}

// loadInput stores the series of a test as promtool does.
func (p *Prometheus) loadInput(ctx context.Context, input []promtoolInput) error {
	app := p.AppenderV2(ctx)
	for _, in := range input {
		ls, values, err := lint.Parser.ParseSeriesDesc(in.Series + " " + in.Values)
		if err != nil {
			return fmt.Errorf("series %s: %w", in.Series, err)
		}
		p.seen[ls.Get(model.MetricNameLabel)] = true
		for i, v := range values {
			if v.Omitted {
				continue
			}
			at := millis(time.Duration(i) * StepLength)
			if _, err := app.Append(0, ls, 0, at, v.Value, nil, nil, storage.AppendV2Options{}); err != nil {
				return fmt.Errorf("series %s: %w", in.Series, err)
			}
		}
	}
	return app.Commit()
}

// firing are the instances of an alert that fire now. promtool does not look at pending ones.
func (p *Prometheus) firing(alert string) []promtoolFiring {
	out := []promtoolFiring{}
	for _, g := range p.groups {
		for _, rule := range g.AlertingRules() {
			for _, a := range rule.ActiveAlerts() {
				if rule.Name() == alert && a.State == promrules.StateFiring {
					out = append(out, promtoolFiring{a.Labels.DropReserved(func(name string) bool { return name == labels.AlertName }).Map(), a.Annotations.Map()})
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b promtoolFiring) int {
		return strings.Compare(labels.FromMap(a.Labels).String(), labels.FromMap(b.Labels).String())
	})
	return out
}
