package proof

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/dashboards"
	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage"
)

// Dashboards are the expressions of all dashboards: queries, variables, annotations.
func Dashboards(groups []rules.Group, s rules.Settings) ([]Expression, error) {
	all, err := dashboards.Expressions(groups, s)
	if err != nil {
		return nil, err
	}
	var out []Expression
	for _, e := range all {
		with := func(chosen map[string][]string) (string, error) { return dashboards.Substitute(e.Text, chosen, s) }
		text, err := with(nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Key, err)
		}
		x := Expression{Key: e.Key, Text: text, Keys: e.Keys, Kind: kindOf(e.Key), Explains: e.Explains}
		if x.Choices = choicesIn(e.Text); len(x.Choices) > 0 {
			x.With = with
		}
		for _, c := range e.Cases {
			x.Shows = append(x.Shows, Shown{c.Recording, c.At, c.Values, c.Want})
		}
		out = append(out, x)
	}
	return out, nil
}

// choicesIn finds the variables of a page that an expression is about.
func choicesIn(text string) map[string]string {
	out := dashboards.Choices()
	maps.DeleteFunc(out, func(name, _ string) bool {
		return !strings.Contains(text, `"$`+name+`"`) && !strings.Contains(text, `"$`+name+`|"`)
	})
	return out
}

func kindOf(key string) Kind {
	switch {
	case strings.HasPrefix(key, "variable/"):
		return Variable
	case strings.HasPrefix(key, "annotation/"):
		return Annotation
	}
	return Panel
}

// Shown is what an expression shows at one second of a recording.
type Shown struct {
	Recording string
	At        time.Duration
	Values    map[string][]string // of the variables; nil: All
	Want      []string            // `{label="value"} number`; empty: nothing
}

// checkShown compares the result at one second with what is written down.
func (r *run) checkShown(ctx context.Context, e Expression, s Shown) []string {
	p := r.byDefault[s.Recording]
	if p == nil {
		return []string{fmt.Sprintf("a case names recording %q, which does not exist", s.Recording)}
	}
	return shownIn(ctx, p.prometheus, e, s)
}

func shownIn(ctx context.Context, data storage.Queryable, e Expression, s Shown) []string {
	text := e.Text
	if len(s.Values) > 0 && e.With != nil {
		var err error
		if text, err = e.With(s.Values); err != nil {
			return []string{err.Error()}
		}
	}
	vec, _, err := replay.Instant(ctx, data, text, s.At)
	if err != nil {
		return []string{err.Error()}
	}
	bad := func(format string, args ...any) string {
		return fmt.Sprintf("%s: second %s: ", s.Recording, replay.Seconds(s.At)) + fmt.Sprintf(format, args...)
	}
	var out []string
	left := slices.Clone(vec)
	for _, line := range s.Want {
		i, err := findSample(line, left)
		switch {
		case err != nil:
			out = append(out, bad("%v", err))
		case i < 0:
			out = append(out, bad("want %s, got %s", line, vectorText(vec)))
		default:
			left = slices.Delete(left, i, i+1)
		}
	}
	if len(left) > 0 && len(out) == 0 {
		out = append(out, bad("want nothing besides, got %s", vectorText(left)))
	}
	return out
}

// tolerance is how far a number that was worked out by hand may be off: it is written with
// three or four digits.
const tolerance = 1e-3

// findSample finds a line such as {backend="a"} 60 among samples, -1 if it is not there.
func findSample(line string, vec promql.Vector) (int, error) {
	cut := strings.LastIndex(line, "}") + 1
	want, err := strconv.ParseFloat(strings.TrimSpace(line[cut:]), 64)
	if err != nil {
		return -1, fmt.Errorf("case %q: no number at its end", line)
	}
	ls, err := parseLabels(strings.Trim(line[:cut], "{} "))
	if err != nil {
		return -1, err
	}
	return slices.IndexFunc(vec, func(s promql.Sample) bool {
		b := labels.NewBuilder(s.Metric).Del(model.MetricNameLabel)
		for _, l := range []string{"instance", "job"} {
			if !ls.Has(l) {
				b.Del(l)
			}
		}
		return labels.Equal(b.Labels(), ls) && math.Abs(s.F-want) <= tolerance*math.Max(1, math.Abs(want))
	}), nil
}

func vectorText(vec promql.Vector) string {
	if len(vec) == 0 {
		return "nothing"
	}
	var out []string
	for _, s := range vec {
		out = append(out, fmt.Sprintf("{%s} %.6g", replay.LabelText(s.Metric, model.MetricNameLabel, "instance", "job"), s.F))
	}
	return strings.Join(out, ", ")
}

// checkChoices evaluates an expression at one value and at several of each of its variables,
// where All gives a result: a wrong matcher works for one of the three only.
func (r *run) checkChoices(ctx context.Context, e Expression, on []*played) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(e.Choices)) {
		if bad := r.checkChoice(ctx, e, on, name); bad != "" {
			out = append(out, bad)
		}
	}
	return out
}

// checkChoice looks for one replay on which a variable works. Series that lack its label are
// there with All only, so the first replay need not be the one.
func (r *run) checkChoice(ctx context.Context, e Expression, on []*played, name string) string {
	bad := fmt.Sprintf("$%s has no values on any recording where All gives a result", name)
	for _, p := range on {
		values := p.labelValues(ctx, e.Choices[name])
		if len(values) == 0 {
			continue
		}
		if ok, _ := r.hasResult(ctx, e, p); !ok {
			continue
		}
		if bad = r.tryChoice(ctx, e, p, name, values); bad == "" {
			return ""
		}
	}
	return bad
}

func (r *run) tryChoice(ctx context.Context, e Expression, p *played, name string, values []string) string {
	if several, err := r.choose(ctx, e, p, name, values); err != nil || !several {
		return fmt.Sprintf("on %s: All gives a result, $%s at %q does not (%v)", p.replay, name, values, err)
	}
	for _, v := range values {
		if one, err := r.choose(ctx, e, p, name, []string{v}); err == nil && one {
			return ""
		}
	}
	return fmt.Sprintf("on %s: All gives a result, $%s at any one of %q does not", p.replay, name, values)
}

func (r *run) choose(ctx context.Context, e Expression, p *played, name string, values []string) (bool, error) {
	text, err := e.With(map[string][]string{name: values})
	if err != nil {
		return false, err
	}
	m, _, err := p.prometheus.Range(ctx, text, p.replay.Length, replay.StepLength)
	return hasNumber(m), err
}

func (p *played) labelValues(ctx context.Context, label string) []string {
	q, err := p.prometheus.Querier(replay.Millis(0), replay.Millis(p.replay.Length))
	if err != nil {
		return nil
	}
	defer q.Close()
	values, _, _ := q.LabelValues(ctx, label, nil)
	slices.Sort(values)
	return values
}
