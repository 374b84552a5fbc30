package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// renamed has names as an upgrade may change them.
var renamed = &Engine{
	Name: "x",
	Map: []Mapping{
		{From: "x:running", To: catalog.RequestsRunning},
		{From: "x:usage", To: catalog.KVCacheUsage, Since: "2.0"},
		{From: "x:old_usage", To: catalog.KVCacheUsage, Until: "2.0"},
		{From: "x:tokens_total", To: catalog.GenerationTokens},
		{From: "x:ttft", To: catalog.TimeToFirstToken, Since: "3.0"},
		{From: "x:done_total", To: catalog.RequestsFinished},
		{From: "x:failed_total", To: catalog.RequestsFinished, Plus: true, Labels: []LabelFrom{{To: catalog.LabelReason, Const: "error"}}},
		{From: "x:drafts_total", To: catalog.SpecDecodeDrafts, Optional: true},
	},
	Prefixes: []string{"x:"},
	Ignore:   []string{"x:left_out", "x:left_counter", "x:block_*"},
}

const wholePage = "x:running 1\nx:usage 0.5\nx:tokens_total 1\nx:ttft_bucket{le=\"1\"} 1\nx:ttft_sum 1\nx:ttft_count 1\nx:done_total 1\nx:failed_total 1\n"

func TestNamesThatTheVersionShouldHaveAreMissed(t *testing.T) {
	rest := "x:usage 0.5\nx:tokens_total 1\nx:done_total 1\nx:failed_total 1\n"
	for name, tt := range map[string]struct {
		version, page string
		want          []string
	}{
		"nothing":                {"3.1", wholePage, nil},
		"renamed":                {"3.1", rest + "x:active 1\nx:ttft_count 1\n", []string{"x:running"}},
		"declared, no sample":    {"3.1", rest + "# TYPE x:running gauge\n# TYPE x:ttft histogram\n", nil},
		"declared without total": {"3.1", "x:running 1\nx:usage 1\nx:ttft_sum 1\n# TYPE x:tokens counter\n# TYPE x:done counter\n# TYPE x:failed counter\n", nil},
		"underscores":            {"3.1", "x_running 1\nx_usage 1\nx_ttft_sum 1\nx_tokens_total 1\nx_done_total 1\nx_failed_total 1\n", nil},
		"newer than the server":  {"2.0", rest + "x:running 1\n", nil},
		"older name does":        {"2.5", "x:running 1\nx:old_usage 0.5\nx:tokens_total 1\nx:done_total 1\nx:failed_total 1\n", nil},
		"neither name":           {"2.5", "x:running 1\nx:tokens_total 1\nx:done_total 1\nx:failed_total 1\n", []string{"x:usage"}},
		"neither, old server":    {"v1.9", "x:running 1\nx:tokens_total 1\nx:done_total 1\nx:failed_total 1\n", []string{"x:old_usage"}},
		"version not known":      {"", "x:running 1\nx:usage 1\nx:done_total 1\nx:failed_total 1\n", []string{"x:tokens_total"}},
		"second part":            {"3.1", "x:running 1\nx:usage 1\nx:ttft_sum 1\nx:tokens_total 1\nx:done_total 1\n", []string{"x:failed_total"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := mapped(t, renamed, tt.version, tt.page)
			if diff := cmp.Diff(tt.want, r.Missing); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNothingIsMissedWhenNoPageCame(t *testing.T) {
	if r := mapped(t, renamed, "3.1"); len(r.Missing) > 0 {
		t.Errorf("missing %q, want none", r.Missing)
	}
}

func TestOwnFamiliesWithoutASeriesAreListed(t *testing.T) {
	r := mapped(t, renamed, "3.1", wholePage+`# TYPE x:new gauge
x:new 1
# TYPE x:new gauge
x:new{a="b"} 1
# TYPE x:left_out gauge
x:left_out 1
# TYPE x:left_counter_total counter
x:left_counter_total 1
# TYPE x:left_counter counter
x:left_counter_total 1
# TYPE x:block_size gauge
x:block_size 1
# TYPE x:tokens counter
x:tokens_total 1
# TYPE x:new_created gauge
x:new_created 1
# TYPE http_requests_total counter
http_requests_total 1
# TYPE x:empty histogram
x_underscored 1
`)
	if diff := cmp.Diff([]string{"x:empty", "x:new", "x_underscored"}, r.Unmapped); diff != "" {
		t.Errorf("unmapped (-want +got):\n%s", diff)
	}
}

func TestSupportFollowsTheVersionAndWhatWasSeen(t *testing.T) {
	some := cmpopts.IgnoreMapEntries(func(s *catalog.Series, _ bool) bool {
		return s != catalog.KVCacheUsage && s != catalog.TimeToFirstToken && s != catalog.SpecDecodeDraftTokens
	})
	want := func(usage, ttft bool) map[*catalog.Series]bool {
		return map[*catalog.Series]bool{catalog.KVCacheUsage: usage, catalog.TimeToFirstToken: ttft, catalog.SpecDecodeDraftTokens: false}
	}
	byName := cmp.Comparer(func(a, b *catalog.Series) bool { return a == b })
	m := newMapper(Options{Backend: "a"})
	for _, step := range []struct {
		name, version, page string
		want                map[*catalog.Series]bool
	}{
		{"old", "1.0", "x:running 1\n", want(true, false)},
		{"new", "3.0", "x:running 1\n", want(true, true)},
		{"back", "2.0", "x:running 1\n", want(true, false)},
		{"sent all the same", "2.0", "x:ttft_bucket{le=\"1\"} 1\nx:ttft_sum 1\nx:ttft_count 1\n", want(true, true)},
		{"and remembered", "2.0", "x:running 1\n", want(true, true)},
	} {
		r := mapRound(t, m, renamed, step.version, step.page)
		if diff := cmp.Diff(step.want, r.Supported, some, byName); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
}

func TestRouterIsNotBlamedForNumbersOfModels(t *testing.T) {
	if r := mapped(t, vllmRouter, ""); len(r.Supported) > 0 {
		t.Errorf("%d series are listed, want none: a router has no headline series", len(r.Supported))
	}
	if r := mapped(t, openai, ""); len(r.Supported) == 0 || r.Supported[catalog.RequestsRunning] {
		t.Error("a program without numbers must be said to support none of them")
	}
}
