package proof

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/prometheus/model/labels"
)

// mismatch is one thing that a replay shows and a definition does not, or the other way round.
type mismatch struct {
	Replay, Alert string
	Second        int
	Want, Got     string
}

// String says where to look, what was wanted and what came.
func (m mismatch) String() string {
	return fmt.Sprintf("%s: second %d: %s: want %s, got %s", m.Replay, m.Second, m.Alert, m.Want, m.Got)
}

// checkCase compares what an alert did on a replay with its case. texts says whether the
// expanded summaries are compared too.
func checkCase(c rules.Case, alert, where string, spans []*replay.Span, texts bool) []mismatch {
	k := caseCheck{alert: alert, where: where, texts: texts}
	left := slices.Clone(spans)
	for _, want := range c.Fires {
		left = k.firing(want, left)
	}
	for _, s := range left {
		switch {
		case s.Fired():
			k.add(s.Firing, "quiet", s.String())
		case !c.MayPend:
			k.add(s.Pending, "quiet, not even pending", s.String())
		}
	}
	return k.found
}

type caseCheck struct {
	alert, where string // where: the replay
	texts        bool
	found        []mismatch
}

func (k *caseCheck) add(at time.Duration, want, got string) {
	k.found = append(k.found, mismatch{k.where, k.alert, int(at.Seconds()), want, got})
}

// firing finds the span of one expected firing, compares it, and returns the other spans.
func (k *caseCheck) firing(want rules.Firing, spans []*replay.Span) []*replay.Span {
	wanted, err := parseLabels(want.Labels)
	if err != nil {
		k.add(0, "labels that can be read", err.Error())
		return spans
	}
	best := -1
	for i, s := range spans {
		if !sameLabels(wanted, s.Labels) {
			continue
		}
		if best < 0 || closer(want, s, spans[best]) {
			best = i
		}
	}
	at := time.Duration(want.Firing) * time.Second
	if best < 0 {
		k.add(at, fmt.Sprintf("{%s} pending %d firing %d", want.Labels, want.Pending, want.Firing), "nothing with these labels; "+others(spans))
		return spans
	}
	got := spans[best]
	if times := wantTimes(want); times != gotTimes(got) {
		k.add(at, fmt.Sprintf("{%s} %s", want.Labels, times), gotTimes(got))
	}
	if text := got.Annotations["summary"]; k.texts && text != want.Text {
		k.add(at, fmt.Sprintf("summary %q", want.Text), fmt.Sprintf("%q", text))
	}
	return slices.Delete(slices.Clone(spans), best, best+1)
}

func closer(want rules.Firing, a, b *replay.Span) bool {
	distance := func(s *replay.Span) time.Duration { return (s.Pending - time.Duration(want.Pending)*time.Second).Abs() }
	return distance(a) < distance(b)
}

func others(spans []*replay.Span) string {
	if len(spans) == 0 {
		return "the alert was quiet"
	}
	var out []string
	for _, s := range spans {
		out = append(out, s.String())
	}
	return strings.Join(out, "; ")
}

func wantTimes(f rules.Firing) string {
	resolved := "never"
	if f.Resolved > 0 {
		resolved = fmt.Sprint(f.Resolved)
	}
	return fmt.Sprintf("pending %d firing %d resolved %s", f.Pending, f.Firing, resolved)
}

func gotTimes(s *replay.Span) string {
	return fmt.Sprintf("pending %s firing %s resolved %s", replay.Seconds(s.Pending), replay.Seconds(s.Firing), replay.Seconds(s.Resolved))
}

func parseLabels(text string) (labels.Labels, error) {
	if strings.TrimSpace(text) == "" {
		return labels.EmptyLabels(), nil
	}
	ls, err := lint.Parser.ParseMetric("{" + text + "}")
	if err != nil {
		return ls, fmt.Errorf("labels %q: %w", text, err)
	}
	return ls, nil
}

// sameLabels compares an instance's labels with a case's. alertname and severity are the
// definition's. Labels without instance and job mean those of the exporter; no labels mean none.
func sameLabels(want, got labels.Labels) bool {
	b := labels.NewBuilder(want)
	if !want.IsEmpty() && !want.Has("job") {
		b.Set("instance", cmp.Or(want.Get("instance"), replay.Instance)).Set("job", rules.DefaultSettings().Job)
	}
	return labels.Equal(b.Labels(), labels.NewBuilder(got).Del(labels.AlertName, "severity").Labels())
}

// asWritten gives spans the labels that cases are written with: those of the default settings.
func (r *run) asWritten(spans []*replay.Span) []*replay.Span {
	job := rules.DefaultSettings().Job
	if len(r.Settings.ExtraLabels) == 0 && r.Settings.Job == job {
		return spans
	}
	out := make([]*replay.Span, len(spans))
	for i, s := range spans {
		b := labels.NewBuilder(s.Labels).Del(slices.Collect(maps.Keys(r.Settings.ExtraLabels))...)
		if s.Labels.Get("job") == r.Settings.Job {
			b.Set("job", job)
		}
		copied := *s
		copied.Labels = b.Labels()
		out[i] = &copied
	}
	return out
}

// checkQuiet compares what an alert did on a replay that no case names: it must not fire.
// Going pending for a moment is what its hold time is for.
func checkQuiet(alert, where string, spans []*replay.Span) []mismatch {
	k := caseCheck{alert: alert, where: where}
	for _, s := range spans {
		if s.Fired() {
			k.add(s.Firing, "quiet (no case names this recording)", s.String())
		}
	}
	return k.found
}

// checkAlways compares what the watchdog did: it fires from the first evaluation to the end.
func checkAlways(alert, where string, spans []*replay.Span) []mismatch {
	if len(spans) == 1 && spans[0].Firing == 0 && spans[0].Active() {
		return nil
	}
	k := caseCheck{alert: alert, where: where}
	k.add(0, "firing from second 0 to the end", others(spans))
	return k.found
}
