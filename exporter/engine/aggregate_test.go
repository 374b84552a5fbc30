package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

func TestNoSeriesHasMoreLabelsThanACellHolds(t *testing.T) {
	for _, s := range catalog.All() {
		if s.Origin != catalog.Host && len(s.Labels) > mostLabels {
			t.Errorf("%s has %d labels, a cell holds %d: raise mostLabels", s.Name, len(s.Labels), mostLabels)
		}
	}
}

func TestValuesThatCannotBeTrueAreDroppedAndCounted(t *testing.T) {
	ratio := Mapping{From: "x", To: catalog.KVCacheUsage}
	percent := Mapping{From: "x", To: catalog.KVCacheUsage, Scale: 0.01}
	for name, tt := range map[string]struct {
		mapping Mapping
		value   string
		want    string // "" if dropped
	}{
		"no data":             {Mapping{From: "x", To: catalog.RequestsRunning}, "-1", ""},
		"negative counter":    {Mapping{From: "x", To: catalog.GenerationTokens}, "-5", ""},
		"boolean":             {Mapping{From: "x", To: catalog.RouterTargetHealthy}, "1", "1"},
		"removed worker":      {Mapping{From: "x", To: catalog.RouterTargetHealthy}, "-1", ""},
		"not a boolean":       {Mapping{From: "x", To: catalog.RouterTargetHealthy}, "2", ""},
		"ratio":               {ratio, "0.31", "0.31"},
		"full":                {ratio, "1.0000000002", "1"},
		"percent for a ratio": {ratio, "31", ""},
		"percent scaled":      {percent, "31", "0.31"},
		"above 100 percent":   {percent, "4294967295", ""},
		"blank of 32 bits":    {percent, "2147483632", ""},
		"blank as a float":    {ratio, "140737488355328.0", ""},
		"blank of 64 bits":    {Mapping{From: "x", To: catalog.ModelSize}, "9223372036854775792", ""},
		"unsigned -1":         {Mapping{From: "x", To: catalog.KVCacheUsed}, "18446744073709551615", ""},
		"a large model":       {Mapping{From: "x", To: catalog.ModelSize}, "1.2e12", "1.2e+12"},
	} {
		t.Run(name, func(t *testing.T) {
			r := mapped(t, &Engine{Name: "x", Map: []Mapping{tt.mapping}}, "", "x "+tt.value+"\nx_other 69.437\n")
			got := ""
			for _, p := range r.Points {
				if p.Series == tt.mapping.To {
					got += fmt.Sprint(p.Value)
				}
			}
			wantDropped := 0
			if tt.want == "" {
				wantDropped = 1
			}
			if got != tt.want || r.Dropped != wantDropped {
				t.Errorf("x %s = %q with %d dropped, want %q with %d", tt.value, got, r.Dropped, tt.want, wantDropped)
			}
		})
	}
}

func TestBrokenHistogramIsDroppedAndCounted(t *testing.T) {
	e := &Engine{Name: "x", Map: []Mapping{{From: "h", To: catalog.TimeToFirstToken}}}
	for name, tt := range map[string]struct {
		page string
		want string // "" if dropped
	}{
		"whole":             {`h_bucket{le="1"} 1|h_bucket{le="+Inf"} 3|h_sum 9|h_count 3`, "[1] [1] sum 9 count 3"},
		"not in order":      {`h_sum 9|h_bucket{le="+Inf"} 3|h_bucket{le="2"} 2|h_bucket{le="1"} 1|h_count 3`, "[1 2] [1 2] sum 9 count 3"},
		"no +Inf":           {`h_bucket{le="1"} 1|h_sum 9|h_count 3`, "[1] [1] sum 9 count 3"},
		"no count":          {`h_bucket{le="1"} 1|h_bucket{le="+Inf"} 3|h_sum 9`, "[1] [1] sum 9 count 3"},
		"count a scrape on": {`h_bucket{le="1"} 1|h_bucket{le="+Inf"} 3|h_sum 9|h_count 4`, "[1] [1] sum 9 count 3"},
		"empty":             {`h_bucket{le="1"} 0|h_bucket{le="+Inf"} 0|h_sum 0|h_count 0`, "[1] [0] sum 0 count 0"},
		"no sum":            {`h_bucket{le="1"} 1|h_bucket{le="+Inf"} 3|h_count 3`, ""},
		"sum NaN":           {`h_bucket{le="1"} 1|h_bucket{le="+Inf"} 3|h_sum NaN|h_count 3`, ""},
		"no total":          {`h_bucket{le="1"} 1|h_sum 9`, ""},
		"no buckets":        {`h_sum 9|h_count 3`, ""},
		"only +Inf":         {`h_bucket{le="+Inf"} 3|h_sum 9|h_count 3`, ""},
		"falling":           {`h_bucket{le="1"} 2|h_bucket{le="2"} 1|h_bucket{le="+Inf"} 3|h_sum 9|h_count 3`, ""},
		"above the total":   {`h_bucket{le="1"} 5|h_bucket{le="+Inf"} 3|h_sum 9|h_count 3`, ""},
		"negative count":    {`h_bucket{le="1"} -1|h_bucket{le="+Inf"} 3|h_sum 9|h_count 3`, ""},
		"no bound":          {`h_bucket 1|h_sum 9|h_count 3`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := mapped(t, e, "", strings.ReplaceAll(tt.page, "|", "\n"))
			want := []string{}
			if tt.want != "" {
				want = []string{"llm_time_to_first_token_seconds{} " + tt.want}
			}
			same(t, want, written(r.Points))
			if (tt.want == "") != (r.Dropped > 0) {
				t.Errorf("dropped %d", r.Dropped)
			}
		})
	}
}
