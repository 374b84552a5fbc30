package ruletest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/common/model"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	promrules "github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/storage"
	"go.yaml.in/yaml/v3"
)

// promtoolStep is how often a written test evaluates the rules: three times for each sample.
// A window of Prometheus 2 holds one sample more than one of Prometheus 3 when it begins
// exactly at a sample, so what is compared lies between samples, where both see the same.
const promtoolStep = 5 * time.Second

// expected are the alerts of a test just before and some steps after the first firing, evaluated
// on the test's input alone and with every group at every step: promtool has nothing else.
func (w *writer) expected(ctx context.Context, a alert, input []inputSeries, fires time.Duration) ([]alertCheck, error) {
	files, err := w.filesFor(a)
	if err != nil {
		return nil, err
	}
	p, err := replay.NewPrometheus(nil, files)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	if err := loadInput(ctx, p, input); err != nil {
		return nil, err
	}
	p.EvaluateEveryStep()
	// A recorded name has a sample at each step, where Prometheus 2 sees one more, and promtool
	// may evaluate it after its alert: both make an alert some steps later.
	const later = 5
	asked := func(at time.Duration, want []expectedAlert) alertCheck {
		return alertCheck{EvalTime: replay.Seconds(at) + "s", Name: a.Name, Want: want}
	}
	var out []alertCheck
	for at, end := time.Duration(0), fires+later*promtoolStep; at <= end; at += promtoolStep {
		if _, err := p.Step(ctx, at); err != nil {
			return nil, err
		}
		firing := firing(p, a.Name)
		if len(out) == 0 && len(firing) > 0 {
			out = append(out, asked(beside(at-promtoolStep, -promtoolStep), []expectedAlert{}))
			end = beside(min(end, at+later*promtoolStep), promtoolStep)
		}
		if len(out) > 0 && at == end {
			return append(out, asked(at, firing)), nil
		}
	}
	return nil, fmt.Errorf("does not fire on its test's own input until second %s", replay.Seconds(fires+later*promtoolStep))
}

// beside is a time that is not that of a sample, a step further on where need be.
func beside(at, step time.Duration) time.Duration {
	if at%replay.StepLength == 0 {
		return at + step
	}
	return at
}

// filesFor are the files that the tests of a group load, with nothing left in them but an alert
// and the recording rules that it stands on.
func (w *writer) filesFor(a alert) ([]rules.File, error) {
	needed := map[string]bool{}
	for _, rec := range rules.RecordsRead(w.groups, a.rule.Expr) {
		needed[rec.Name] = true
	}
	var out []rules.File
	for _, name := range w.ruleFiles(a.group) {
		for _, f := range w.files {
			if rulesFolder+f.Name != name {
				continue
			}
			f, err := only(f, func(rule rulefmt.Rule) bool { return rule.Alert == a.Name || needed[rule.Record] })
			if err != nil {
				return nil, err
			}
			out = append(out, f)
		}
	}
	return out, nil
}

// only leaves the rules in a file for which a function says yes.
func only(f rules.File, keep func(rulefmt.Rule) bool) (rules.File, error) {
	groups, errs := rulefmt.Parse(f.Data, false, model.UTF8Validation, lint.Parser, promslog.NewNopLogger())
	if len(errs) > 0 {
		return f, fmt.Errorf("%s: %w", f.Name, errs[0])
	}
	for i := range groups.Groups {
		g := &groups.Groups[i]
		g.Rules = slices.DeleteFunc(g.Rules, func(rule rulefmt.Rule) bool { return !keep(rule) })
	}
	data, err := yaml.Marshal(groups)
	return rules.File{Name: f.Name, Data: data}, err
}

// tellsARate says whether the text of an alert has a value that comes of a rate, recorded names
// included. Near the birth of a series releases of Prometheus differ in what they make of it, so
// it cannot be compared.
func (w *writer) tellsARate(a alert) bool {
	tells := false
	for _, text := range a.rule.Annotations {
		tells = tells || strings.Contains(text, "$value")
	}
	if !tells || callsRate(a.expr) {
		return tells
	}
	return slices.ContainsFunc(rules.RecordsRead(w.groups, a.rule.Expr), func(rec rules.Record) bool { return callsRate(w.records[rec.Name]) })
}

func callsRate(e parser.Expr) bool {
	found := false
	parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
		if call, ok := n.(*parser.Call); ok {
			found = found || slices.Contains([]string{"rate", "increase", "delta"}, call.Func.Name)
		}
		return nil
	})
	return found
}

// withoutTexts asks for what fires by its labels alone.
func withoutTexts(alerts []alertCheck) []queryCheck {
	var out []queryCheck
	for _, a := range alerts {
		q := queryCheck{Expr: fmt.Sprintf(`ALERTS{alertname=%q, alertstate="firing"}`, a.Name), EvalTime: a.EvalTime, Want: []expectedSample{}}
		for _, f := range a.Want {
			ls := labels.NewBuilder(labels.FromMap(f.Labels)).Set("alertname", a.Name).Set("alertstate", "firing").Labels()
			q.Want = append(q.Want, expectedSample{fmt.Sprintf("ALERTS{%s}", replay.LabelText(ls)), 1})
		}
		out = append(out, q)
	}
	return out
}

// loadInput stores the series of a test as promtool does.
func loadInput(ctx context.Context, p *replay.Prometheus, input []inputSeries) error {
	app := p.AppenderV2(ctx)
	for _, in := range input {
		ls, values, err := lint.Parser.ParseSeriesDesc(in.Series + " " + in.Values)
		if err != nil {
			return fmt.Errorf("series %s: %w", in.Series, err)
		}
		since := 0.0
		if isTimestamp(ls.Get(model.MetricNameLabel)) {
			since = float64(replay.Epoch.Unix())
		}
		for i, v := range values {
			if v.Omitted {
				continue
			}
			at := replay.Millis(time.Duration(i) * replay.StepLength)
			if _, err := app.Append(0, ls, 0, at, since+v.Value, nil, nil, storage.AppendV2Options{}); err != nil {
				return fmt.Errorf("series %s: %w", in.Series, err)
			}
		}
	}
	return app.Commit()
}

// firing are the instances of an alert that fire now. promtool does not look at pending ones.
func firing(p *replay.Prometheus, alert string) []expectedAlert {
	out := []expectedAlert{}
	for _, g := range p.Groups() {
		for _, rule := range g.AlertingRules() {
			for _, a := range rule.ActiveAlerts() {
				if rule.Name() == alert && a.State == promrules.StateFiring {
					out = append(out, expectedAlert{a.Labels.DropReserved(func(name string) bool { return name == labels.AlertName }).Map(), a.Annotations.Map()})
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b expectedAlert) int {
		return strings.Compare(labels.FromMap(a.Labels).String(), labels.FromMap(b.Labels).String())
	})
	return out
}
