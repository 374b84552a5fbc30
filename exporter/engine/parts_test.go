package engine

import (
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// sharded counts once per tensor-parallel rank what happened once, in parts.
var sharded = &Engine{
	Name: "sharded",
	Map: []Mapping{
		{From: "x:lookups_total", To: catalog.PrefixCacheHits, Where: []Match{{Label: "mode", In: []string{"device"}}}, Agg: Max, Labels: []LabelFrom{{To: catalog.LabelRank, From: "dp"}}},
		{From: "x:lookups_total", To: catalog.PrefixCacheHits, Where: []Match{{Label: "mode", In: []string{"host"}}}, Agg: Max, Plus: true, Labels: []LabelFrom{{To: catalog.LabelRank, From: "dp"}}},
		{From: "x:queue", To: catalog.RequestsWaiting, Where: []Match{{Label: "priority", In: []string{""}}}},
		{From: "x:acceptance", To: catalog.KVCacheMaxConcurrency, NotZero: true},
	},
	Prefixes: []string{"x:"},
}

func TestPartsAddUpAfterEachHasItsMaximum(t *testing.T) {
	page := strings.Join([]string{
		`x:lookups_total{mode="host",tp="1",dp="0"} 0`,
		`x:lookups_total{mode="device",tp="0",dp="0"} 30`,
		`x:lookups_total{mode="device",tp="1",dp="0"} 30`,
		`x:lookups_total{mode="host",tp="0",dp="0"} 4`,
		`x:lookups_total{mode="device",tp="0",dp="1"} 7`,
		"",
	}, "\n")
	for name, body := range map[string]string{"colons": page, "underscores": strings.ReplaceAll(page, "x:", "x_")} {
		t.Run(name, func(t *testing.T) {
			m := newMapper(newClock().options())
			m.begin(sharded, "")
			if _, err := m.exposition([]byte(body), "m"); err != nil {
				t.Fatal(err)
			}
			var r Reading
			m.finish(&r)
			got := map[string]float64{}
			for i := range r.Points {
				if r.Points[i].Series == catalog.PrefixCacheHits {
					got[r.Points[i].Label(catalog.LabelRank)] = r.Points[i].Value
				}
			}
			if got["0"] != 34 || got["1"] != 7 || len(got) != 2 {
				t.Errorf("hits by rank %v, want 34 and 7", got)
			}
		})
	}
}

func TestLabelThatIsNotThereIsTheEmptyText(t *testing.T) {
	for name, tt := range map[string]struct {
		page string
		want float64
	}{
		"a total among its parts": {"x:queue{priority=\"\"} 5\nx:queue{priority=\"0\"} 3\nx:queue{priority=\"1\"} 2\n", 5},
		"no such label":           {"x:queue{tp=\"0\"} 4\n", 4},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMapper(newClock().options())
			m.begin(sharded, "")
			m.exposition([]byte(tt.page), "m")
			var r Reading
			m.finish(&r)
			if len(r.Points) != 1 || r.Points[0].Value != tt.want {
				t.Errorf("points %v, want one of %g", r.Points, tt.want)
			}
		})
	}
}

func TestZeroThatMeansNoneMakesNoValue(t *testing.T) {
	m := newMapper(newClock().options())
	m.begin(sharded, "")
	m.exposition([]byte("x:acceptance 0\n"), "m")
	var r Reading
	m.finish(&r)
	if len(r.Points) != 0 || r.Dropped != 0 {
		t.Errorf("points %v, %d dropped, want neither", r.Points, r.Dropped)
	}
}

func TestNameIsMissedOnlyTogetherWithItsCompanion(t *testing.T) {
	e := &Engine{Map: []Mapping{
		{From: "x:requests_total", To: catalog.RequestsFinished, With: "x:tokens_total"},
		{From: "x:tokens_total", To: catalog.GenerationTokens, With: "x:requests_total"},
	}, Prefixes: []string{"x:"}}
	for page, want := range map[string]string{
		"x:other 1\n": "", "x:requests_total 1\n": "x:tokens_total", "x:tokens_total 1\n": "x:requests_total", "x:tokens_total 1\nx:requests_total 1\n": "",
	} {
		m := newMapper(newClock().options())
		m.begin(e, "")
		m.exposition([]byte(page), "m")
		var r Reading
		m.finish(&r)
		if got := strings.Join(r.Missing, " "); got != want {
			t.Errorf("%q misses %q, want %q", page, got, want)
		}
	}
}

func TestFallbackGivesNothingBesideOtherLabels(t *testing.T) {
	e := &Engine{Map: []Mapping{
		{From: "x:of_rank_total", To: catalog.PrefixCacheHits, Labels: []LabelFrom{{To: catalog.LabelRank, From: "dp"}}},
		{From: "x:of_all_total", To: catalog.PrefixCacheHits, Fallback: true},
	}, Prefixes: []string{"x:"}}
	for page, want := range map[string]float64{
		"x:of_all_total 9\n": 9,
		"x:of_all_total 9\nx:of_rank_total{dp=\"0\"} 4\nx:of_rank_total{dp=\"1\"} 3\n": 7,
	} {
		m := newMapper(newClock().options())
		m.begin(e, "")
		m.exposition([]byte(page), "m")
		var r Reading
		m.finish(&r)
		sum := 0.0
		for i := range r.Points {
			sum += r.Points[i].Value
		}
		if sum != want {
			t.Errorf("%q gives %g, want %g", page, sum, want)
		}
	}
}
