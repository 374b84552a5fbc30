// Package ruletest writes tests of the rules for promtool test rules, with which users can check the
// bundle without Go: for each alert a case with the series that its expression touches, as the exporter
// really sent them, and what Prometheus' rule manager makes of these series alone.
package ruletest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v3"
)

// Files are a file for each group, by recordings and, unless hosts is nil, machines.
func Files(ctx context.Context, groups []rules.Group, s rules.Settings, recordings, hosts fs.FS) ([]rules.File, error) {
	w, err := newWriter(groups, s, recordings, hosts)
	if err != nil {
		return nil, fmt.Errorf("promtool tests: %w", err)
	}
	var out []rules.File
	for i := range w.rendered {
		f, err := w.file(ctx, &w.rendered[i])
		if err != nil {
			return nil, fmt.Errorf("promtool tests: %w", err)
		}
		if f != nil {
			out = append(out, *f)
		}
	}
	return out, nil
}

// writer has what all files are made of.
type writer struct {
	groups     []rules.Group
	settings   rules.Settings
	rendered   []rules.RuleGroup
	files      []rules.File
	records    map[string]parser.Expr // by recorded name
	vocabulary *lint.Vocabulary
	own        *rules.OwnNumbers
	corpus     *replay.Corpus
}

func newWriter(groups []rules.Group, s rules.Settings, recordings, hosts fs.FS) (*writer, error) {
	w := &writer{groups: groups, settings: s, records: map[string]parser.Expr{}, vocabulary: rules.NewVocabulary(groups, s), own: rules.NewOwnNumbers(groups, s)}
	var err error
	if w.rendered, err = rules.Render(groups, s); err != nil {
		return nil, err
	}
	if w.files, err = rules.Files(groups, s); err != nil {
		return nil, err
	}
	for _, g := range w.rendered {
		for _, rule := range g.Rules.Rules {
			expr, err := lint.Parser.ParseExpr(rule.Expr)
			if err != nil {
				return nil, fmt.Errorf("rule %q: %w", rule.Alert+rule.Record, err) // it has one of them
			}
			if rule.Record != "" {
				w.records[rule.Record] = expr
			}
		}
	}
	w.corpus, err = replay.Load(recordings, hosts)
	return w, err
}

// play plays a replay to its end. The caller closes the Prometheus.
func (w *writer) play(ctx context.Context, rep *replay.Replay, files []rules.File, stepped map[string]bool) (*replay.Prometheus, error) {
	p, _, err := rep.Play(ctx, w.settings.Job, w.corpus.Companion(), files, stepped)
	return p, err
}

// alert is an alert as it is defined, and as it is rendered in its group.
type alert struct {
	*rules.Alert
	rule  rulefmt.Rule
	expr  parser.Expr
	group *rules.RuleGroup
}

// ruleTest is one test of promtool's format.
type ruleTest struct {
	Name     string        `yaml:"name"`
	Interval string        `yaml:"interval"`
	Input    []inputSeries `yaml:"input_series"`
	Alerts   []alertCheck  `yaml:"alert_rule_test,omitempty"`
	Firing   []queryCheck  `yaml:"promql_expr_test,omitempty"` // in the place of Alerts, without texts
}

type inputSeries struct {
	Series string `yaml:"series"`
	Values string `yaml:"values"`
}

type alertCheck struct {
	EvalTime string          `yaml:"eval_time"`
	Name     string          `yaml:"alertname"`
	Want     []expectedAlert `yaml:"exp_alerts"`
}

type expectedAlert struct {
	Labels      map[string]string `yaml:"exp_labels"`
	Annotations map[string]string `yaml:"exp_annotations"`
}

type queryCheck struct {
	Expr     string           `yaml:"expr"`
	EvalTime string           `yaml:"eval_time"`
	Want     []expectedSample `yaml:"exp_samples"`
}

type expectedSample struct {
	Labels string  `yaml:"labels"`
	Value  float64 `yaml:"value"`
}

// file is the tests of one group, nil if no alert of it fires in a case. An alert that with
// a user's numbers fires in none is named at its head.
func (w *writer) file(ctx context.Context, g *rules.RuleGroup) (*rules.File, error) {
	var tests []ruleTest
	var blind []string
	for i := range g.Source.Alerts {
		a := alert{Alert: &g.Source.Alerts[i], rule: g.AlertRule(i), group: g}
		cases := soonestFirst(a.Alert)
		if len(cases) == 0 {
			continue
		}
		var err error
		if a.expr, err = lint.Parser.ParseExpr(a.rule.Expr); err != nil {
			return nil, fmt.Errorf("alert %q: %w", a.Name, err)
		}
		t, err := w.firstTest(ctx, a, cases)
		if err != nil {
			return nil, fmt.Errorf("alert %q: %w", a.Name, err)
		}
		if t == nil {
			blind = append(blind, a.Name)
			continue
		}
		tests = append(tests, *t)
	}
	if len(tests)+len(blind) == 0 {
		return nil, nil
	}
	doc := struct {
		Files    []string   `yaml:"rule_files"`
		Interval string     `yaml:"evaluation_interval"`
		Tests    []ruleTest `yaml:"tests"`
	}{w.ruleFiles(g), promtoolStep.String(), tests}
	var b bytes.Buffer
	b.WriteString("# Code generated by llmfleet generate. DO NOT EDIT.\n# Run it with: promtool test rules llm-*.test.yml\n")
	if len(blind) > 0 {
		fmt.Fprintf(&b, "# Left out, because with the numbers of the settings they fire on no recording: %s.\n", strings.Join(blind, ", "))
	}
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(doc); err != nil {
		return nil, err
	}
	return &rules.File{Name: strings.TrimSuffix(g.FileName(), ".yml") + ".test.yml", Data: b.Bytes()}, nil
}

// soonestFirst are the cases in which an alert fires, that of the shortest input first.
func soonestFirst(a *rules.Alert) []rules.Case {
	out := slices.DeleteFunc(slices.Clone(a.Cases), func(c rules.Case) bool { return len(c.Fires) == 0 })
	slices.SortStableFunc(out, func(x, y rules.Case) int { return cmp.Compare(firstFiring(x), firstFiring(y)) })
	return out
}

// firstTest is a test of the first case in which the alert fires with the numbers of the settings;
// nil if it fires in none.
func (w *writer) firstTest(ctx context.Context, a alert, cases []rules.Case) (*ruleTest, error) {
	for _, c := range cases {
		fires, err := w.firesAt(ctx, a, c)
		if err != nil {
			return nil, err
		}
		if fires == replay.Never {
			continue
		}
		t, err := w.test(ctx, a, c, fires)
		return &t, err
	}
	return nil, nil
}

// firesAt is when an alert first fires in a case, never if it does not: as the case says, or, where
// a number of the user's own decides, as a replay shows.
func (w *writer) firesAt(ctx context.Context, a alert, c rules.Case) (time.Duration, error) {
	if len(w.own.Of(a.Alert)) == 0 {
		return time.Duration(firstFiring(c)) * time.Second, nil
	}
	rep, err := w.corpus.Replay(c.Recording, c.Stretch, c.Edit)
	if err != nil {
		return replay.Never, err
	}
	p, err := w.play(ctx, rep, w.files, map[string]bool{a.group.Rules.Name: true})
	if err != nil {
		return replay.Never, err
	}
	defer p.Close()
	first := replay.Never
	for _, s := range p.Spans() {
		if s.Alert == a.Name && s.Fired() && (first == replay.Never || s.Firing < first) {
			first = s.Firing
		}
	}
	return first, nil
}

func firstFiring(c rules.Case) int {
	first := c.Fires[0].Firing
	for _, f := range c.Fires {
		first = min(first, f.Firing)
	}
	return first
}

// rulesFolder is where the rules stand, seen from the folder of the tests.
const rulesFolder = "../rules/"

// ruleFiles are the group's own file and those that record what its alerts use.
func (w *writer) ruleFiles(g *rules.RuleGroup) []string {
	files := []string{rulesFolder + g.FileName()}
	for _, name := range w.namesOf(g) {
		for i := range w.rendered {
			other := &w.rendered[i]
			if file := rulesFolder + other.FileName(); records(other, name) && !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	return files
}

func records(g *rules.RuleGroup, name string) bool {
	return slices.ContainsFunc(g.Source.Records, func(rec rules.Record) bool { return rec.Name == name })
}

func (w *writer) namesOf(g *rules.RuleGroup) []string {
	var out []string
	for _, rule := range g.Rules.Rules {
		if e, err := lint.Parser.ParseExpr(rule.Expr); err == nil { // else newWriter said so
			out = append(out, lint.Names(e)...)
		}
	}
	return out
}

// test plays a case up to the second of its first firing and writes down what went in, and what
// comes out of it alone.
func (w *writer) test(ctx context.Context, a alert, c rules.Case, fires time.Duration) (ruleTest, error) {
	rep, err := w.corpus.Replay(c.Recording, c.Stretch, c.Edit)
	if err != nil {
		return ruleTest{}, err
	}
	rep.Length = fires
	p, err := w.play(ctx, rep, nil, nil)
	if err != nil {
		return ruleTest{}, err
	}
	defer p.Close()
	t := ruleTest{Name: fmt.Sprintf("%s fires on %s", a.Name, rep), Interval: "15s"}
	if t.Input, err = w.inputSeries(ctx, p, rep.Length, a); err != nil {
		return t, err
	}
	t.Alerts, err = w.expected(ctx, a, t.Input, rep.Length)
	if err == nil && w.tellsARate(a) {
		t.Alerts, t.Firing = nil, withoutTexts(t.Alerts)
	}
	return t, err
}

// inputSeries are the series that an alert selects, directly or through recorded names, and those
// that its texts look up.
func (w *writer) inputSeries(ctx context.Context, p *replay.Prometheus, length time.Duration, a alert) ([]inputSeries, error) {
	series := map[string][]float64{}
	selectors := w.selectors(a.expr, 0)
	for _, text := range a.rule.Annotations {
		for _, name := range w.vocabulary.Names() {
			if strings.Contains(text, name+"{") {
				selectors = append(selectors, []*labels.Matcher{labels.MustNewMatcher(labels.MatchEqual, model.MetricNameLabel, name)})
			}
		}
	}
	for _, matchers := range selectors {
		if err := samples(ctx, p, length, matchers, series); err != nil {
			return nil, err
		}
	}
	var out []inputSeries
	for _, s := range slices.Sorted(maps.Keys(series)) {
		out = append(out, inputSeries{s, notation(sinceStart(s, series[s]))})
	}
	return out, nil
}

func (w *writer) selectors(expr parser.Expr, depth int) [][]*labels.Matcher {
	if depth > 5 {
		return nil
	}
	var out [][]*labels.Matcher
	for _, m := range parser.ExtractSelectors(expr) {
		if record := w.records[nameOf(m)]; record != nil {
			out = append(out, w.selectors(record, depth+1)...)
			continue
		}
		out = append(out, m)
	}
	return out
}

func nameOf(matchers []*labels.Matcher) string {
	for _, m := range matchers {
		if m.Name == model.MetricNameLabel {
			return m.Value
		}
	}
	return ""
}
