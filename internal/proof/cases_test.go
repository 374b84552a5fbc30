package proof

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/prometheus/prometheus/model/labels"
)

// span makes an instance of LlmX on backend a; times are seconds, -1 is never.
func span(pending, firing, resolved int) *replay.Span {
	at := func(s int) time.Duration {
		if s < 0 {
			return replay.Never
		}
		return time.Duration(s) * time.Second
	}
	return &replay.Span{
		Alert: "LlmX", Pending: at(pending), Firing: at(firing), Resolved: at(resolved),
		Labels:      labels.FromStrings("alertname", "LlmX", "severity", "warning", "backend", "a", "instance", "llmfleet", "job", "llmfleet"),
		Annotations: map[string]string{"summary": "a is bad"},
	}
}

func TestCasesAreComparedToTheSecond(t *testing.T) {
	firing := rules.Firing{Labels: `backend="a"`, Pending: 60, Firing: 120, Resolved: 300, Text: "a is bad"}
	with := func(change func(*rules.Firing)) rules.Case {
		f := firing
		change(&f)
		return rules.Case{Fires: []rules.Firing{f}}
	}
	same := func(*rules.Firing) {}
	for name, tt := range map[string]struct {
		c     rules.Case
		spans []*replay.Span
		want  string // "": no mismatch
	}{
		"as written":           {with(same), []*replay.Span{span(60, 120, 300)}, ""},
		"with scrape labels":   {with(func(f *rules.Firing) { f.Labels = `backend="a", instance="llmfleet", job="llmfleet"` }), []*replay.Span{span(60, 120, 300)}, ""},
		"wrong instance":       {with(func(f *rules.Firing) { f.Labels = `backend="a", instance="other"` }), []*replay.Span{span(60, 120, 300)}, "nothing with these labels"},
		"late":                 {with(same), []*replay.Span{span(75, 135, 300)}, "got pending 75 firing 135 resolved 300"},
		"never resolves":       {with(same), []*replay.Span{span(60, 120, -1)}, "resolved never"},
		"should not resolve":   {with(func(f *rules.Firing) { f.Resolved = 0 }), []*replay.Span{span(60, 120, 300)}, "want {backend=\"a\"} pending 60 firing 120 resolved never"},
		"quiet":                {with(same), nil, "the alert was quiet"},
		"fires again":          {with(same), []*replay.Span{span(60, 120, 300), span(400, 460, -1)}, "want quiet, got LlmX"},
		"other text":           {with(func(f *rules.Firing) { f.Text = "b is bad" }), []*replay.Span{span(60, 120, 300)}, `want summary "b is bad", got "a is bad"`},
		"pends besides":        {with(same), []*replay.Span{span(0, -1, 15), span(60, 120, 300)}, "quiet, not even pending"},
		"may pend besides":     {rules.Case{Fires: []rules.Firing{firing}, MayPend: true}, []*replay.Span{span(0, -1, 15), span(60, 120, 300)}, ""},
		"quiet and pends":      {rules.Case{Quiet: true}, []*replay.Span{span(0, -1, 15)}, "quiet, not even pending"},
		"quiet and may pend":   {rules.Case{Quiet: true, MayPend: true}, []*replay.Span{span(0, -1, 15)}, ""},
		"quiet, pends, fires":  {rules.Case{Quiet: true, MayPend: true}, []*replay.Span{span(0, 60, -1)}, "want quiet, got LlmX"},
		"labels not readable":  {with(func(f *rules.Firing) { f.Labels = "backend=a" }), []*replay.Span{span(60, 120, 300)}, "labels that can be read"},
		"quiet and stays that": {rules.Case{Quiet: true}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := checkCase(tt.c, "LlmX", "some/recording", tt.spans, true)
			switch {
			case tt.want == "" && len(got) > 0:
				t.Errorf("mismatches = %v, want none", got)
			case tt.want != "" && !slices.ContainsFunc(got, func(m mismatch) bool { return strings.Contains(m.String(), tt.want) }):
				t.Errorf("mismatches = %v, want %q", got, tt.want)
			}
		})
	}
}

func TestAMismatchSaysWhereToLook(t *testing.T) {
	got := checkQuiet("LlmX", "vllm/basic", []*replay.Span{span(60, 120, -1), span(200, -1, 215)})
	want := `vllm/basic: second 120: LlmX: want quiet (no case names this recording), got LlmX{backend="a"} pending 60 firing 120 resolved never`
	if len(got) != 1 || got[0].String() != want {
		t.Errorf("mismatches = %v, want %s", got, want)
	}
}

func TestAWatchdogThatPausesIsAMismatch(t *testing.T) {
	if got := checkAlways("LlmX", "r", []*replay.Span{span(0, 0, -1)}); len(got) > 0 {
		t.Errorf("mismatches = %v, want none", got)
	}
	for _, spans := range [][]*replay.Span{nil, {span(0, 15, -1)}, {span(0, 0, 300)}, {span(0, 0, 15), span(30, 30, -1)}} {
		if len(checkAlways("LlmX", "r", spans)) == 0 {
			t.Errorf("spans %v count as always firing", spans)
		}
	}
}

func TestCasesHoldWithAUsersJobAndLabels(t *testing.T) {
	settings := rules.DefaultSettings()
	settings.Job, settings.ExtraLabels = "models", map[string]string{"team": "ai"}
	r := &run{Options: Options{Settings: settings}}
	span := &replay.Span{Labels: labels.FromStrings("alertname", "LlmExporterDown", "severity", "critical", "job", "models", "team", "ai")}
	got := r.asWritten([]*replay.Span{span})
	if want := labels.FromStrings("job", "llmfleet"); !sameLabels(want, got[0].Labels) {
		t.Errorf("labels %s, want those of the default settings", got[0].Labels)
	}
	if span.Labels.Get("team") != "ai" {
		t.Error("the span itself was changed")
	}
}
