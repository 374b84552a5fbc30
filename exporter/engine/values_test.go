package engine

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// limited has one mapping of each shape that a limit touches.
var limited = &Engine{Name: "x", Map: []Mapping{
	{From: "x_done_total", To: catalog.RequestsFinished, Labels: []LabelFrom{{To: catalog.LabelReason, From: "why"}}},
	{From: "x_health", To: catalog.RouterTargetHealthy, Labels: []LabelFrom{{To: catalog.LabelTarget, From: "worker"}}},
	{From: "x_seconds", To: catalog.RequestDuration, Labels: []LabelFrom{{To: catalog.LabelModel, From: "model"}}},
}}

// mappedBy lists the series of an engine's mappings: what is computed of them is another
// test's business.
func mappedBy(e *Engine) (series []*catalog.Series) {
	for i := range e.Map {
		series = append(series, e.Map[i].To)
	}
	return series
}

func doneBecause(reasons ...string) string {
	var b strings.Builder
	for i, why := range reasons {
		fmt.Fprintf(&b, "x_done_total{why=%q} %d\n", why, i+1)
	}
	return b.String()
}

func TestLabelValuesBeyondTheLimitAreFolded(t *testing.T) {
	m := newMapper(Options{Backend: "a", MaxLabelValues: 2})
	r := mapRound(t, m, limited, "", doneBecause("one", "two", "three", "four"))
	same(t, []string{
		"llm_requests_finished_total{reason=one} 1", "llm_requests_finished_total{reason=other} 7", "llm_requests_finished_total{reason=two} 2",
	}, written(r.Points))
	if r.Folded != 2 {
		t.Errorf("folded %d, want 2", r.Folded)
	}
}

func TestValuesThatWereThereFirstStay(t *testing.T) {
	m := newMapper(Options{Backend: "a", MaxLabelValues: 2})
	for _, step := range []struct {
		reasons string
		want    []string
	}{
		{"one two", []string{"llm_requests_finished_total{reason=one} 1", "llm_requests_finished_total{reason=two} 2"}},
		{"new one two", []string{
			"llm_requests_finished_total{reason=one} 2", "llm_requests_finished_total{reason=other} 1", "llm_requests_finished_total{reason=two} 3",
		}},
		{"one", []string{"llm_requests_finished_total{reason=one} 1"}},
		// two has been gone for a round and makes room
		{"one new", []string{"llm_requests_finished_total{reason=new} 2", "llm_requests_finished_total{reason=one} 1"}},
	} {
		same(t, step.want, written(mapRound(t, m, limited, "", doneBecause(strings.Fields(step.reasons)...)).Points))
	}
}

func TestEndlessNewValuesDoNotGrowMemory(t *testing.T) {
	for _, limit := range []int{0, 10} {
		m := newMapper(Options{Backend: "a", MaxLabelValues: limit})
		for round := range 12 {
			var page strings.Builder
			for i := range 1000 {
				fmt.Fprintf(&page, "x_done_total{why=\"%d-%d\"} 1\nx_unknown_%d_%d 1\n", round, i, round, i)
			}
			mapRound(t, m, limited, "", page.String())
		}
		if n := len(m.table(catalog.LabelReason).values); n > tableRenewal+1001 {
			t.Errorf("limit %d: %d label values are kept", limit, n)
		}
	}
}

func TestPageWithMoreSeriesThanTheLimitAddsNothing(t *testing.T) {
	for name, page := range map[string]string{
		"series":  doneBecause("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"),
		"buckets": "x_seconds_bucket{le=\"1\"} 1\nx_seconds_bucket{le=\"2\"} 1\n" + strings.Repeat("x_seconds_bucket{le=\"3\"} 1\n", 9) + "x_seconds_sum 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			m := newMapper(Options{Backend: "a", MaxSeries: 10})
			m.begin(limited, "")
			if _, err := m.exposition([]byte("x_health{worker=\"w\"} 1\n"), ""); err != nil {
				t.Fatal(err)
			}
			_, err := m.exposition([]byte(page), "")
			if err == nil || err.Reason != catalog.ReasonTooLarge || !strings.Contains(err.Error(), "10 series") {
				t.Fatalf("exposition = %v, want too_large with the limit", err)
			}
			r := &Reading{Up: Yes}
			m.finish(r)
			same(t, []string{"llm_router_target_healthy{target=w} 1"}, written(r.Points, mappedBy(limited)...))
			if r.Up != No || r.Reason != catalog.ReasonTooLarge {
				t.Errorf("up %v, reason %q, want no, too_large", r.Up, r.Reason)
			}
		})
	}
}

func TestLabelValuesAreMadeFitToBeWritten(t *testing.T) {
	long := strings.Repeat("é", 300)
	for name, tt := range map[string]struct{ page, want string }{
		"credentials":        {`x_health{worker="http://me:secret@host:8000/v1?key=secret#x"} 1`, "llm_router_target_healthy{target=http://host:8000/v1} 1"},
		"not quite a URL":    {`x_health{worker="http://me:se cret@host:%zz"} 1`, "llm_router_target_healthy{target=host:%zz} 1"},
		"no scheme":          {`x_health{worker="me:secret@host:8000"} 1`, "llm_router_target_healthy{target=host:8000} 1"},
		"a long password":    {`x_health{worker="http://me:` + strings.Repeat("s", 5000) + `@host:8000"} 1`, "llm_router_target_healthy{target=http://host:8000} 1"},
		"a rank":             {`x_health{worker="http://host:8000@1"} 1`, "llm_router_target_healthy{target=http://host:8000@1} 1"},
		"a rank, no port":    {`x_health{worker="http://host@12"} 1`, "llm_router_target_healthy{target=http://host@12} 1"},
		"a rank, no scheme":  {`x_health{worker="host:8000@1"} 1`, "llm_router_target_healthy{target=host:8000@1} 1"},
		"rank, credentials":  {`x_health{worker="http://me:secret@host:8000@3"} 1`, "llm_router_target_healthy{target=http://host:8000@3} 1"},
		"no rank":            {`x_health{worker="http://me:secret@0"} 1`, "llm_router_target_healthy{target=http://0} 1"},
		"an id with an at":   {`x_health{worker="model@node"} 1`, "llm_router_target_healthy{target=model@node} 1"},
		"an id":              {`x_health{worker="worker-7"} 1`, "llm_router_target_healthy{target=worker-7} 1"},
		"not UTF-8":          {"x_done_total{why=\"a\xff\"} 1", "llm_requests_finished_total{reason=a\ufffd} 1"},
		"endless":            {`x_done_total{why="` + long + `"} 1`, "llm_requests_finished_total{reason=" + long[:256] + "} 1"},
		"the same after all": {"x_health{worker=\"http://a:1@h\"} 1\nx_health{worker=\"http://b:2@h\"} 0", "llm_router_target_healthy{target=http://h} 1"},
	} {
		t.Run(name, func(t *testing.T) {
			same(t, []string{tt.want}, written(mapped(t, limited, "", tt.page+"\n").Points, mappedBy(limited)...))
		})
	}
}

// A reload makes new engines of the configuration's mappings.
func TestTablesGoWithTheirEngine(t *testing.T) {
	key := func() weak.Pointer[Engine] {
		e := &Engine{Name: "x", Map: []Mapping{{From: "x", To: catalog.RequestsRunning}}}
		if first, again := tablesOf(e), tablesOf(e); first != again {
			t.Error("the same engine has two tables")
		}
		return weak.Make(e)
	}()
	for range 100 {
		runtime.GC()
		if _, kept := compiled.Load(key); !kept {
			return
		}
		time.Sleep(time.Millisecond) // cleanups run on a goroutine of the runtime
	}
	t.Error("the tables of an engine that nobody has any more are kept")
}
