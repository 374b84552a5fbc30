package ruletest

import (
	"math"
	"testing"

	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/prometheus/model/value"
)

func TestSamplesAreWrittenAsPromtoolReadsThem(t *testing.T) {
	stale := math.Float64frombits(value.StaleNaN)
	for name, tt := range map[string]struct {
		in   []float64
		want string
	}{
		"one":          {[]float64{3}, "3"},
		"the same":     {[]float64{1, 1, 1, 1}, "1x3"},
		"rising":       {[]float64{0, 10, 20, 30}, "0+10x3"},
		"falling":      {[]float64{3, 2, 1}, "3-1x2"},
		"two are none": {[]float64{1, 5}, "1 5"},
		"late":         {[]float64{absent, absent, 1}, "_x2 1"},
		"gone":         {[]float64{1, 1, stale, absent}, "1x1 stale _x1"},
		"large":        {[]float64{1.5e9}, "1500000000"},
		"not a number": {[]float64{math.NaN()}, "NaN"},
		"mixed":        {[]float64{1, 1, 2, 3, 4, 0}, "1x1 2+1x2 0"},
	} {
		t.Run(name, func(t *testing.T) {
			got := notation(tt.in)
			if got != tt.want {
				t.Errorf("notation = %q, want %q", got, tt.want)
			}
			checkReadBack(t, got, tt.in)
		})
	}
}

// checkReadBack reads the text with PromQL's own reader and compares the samples.
func checkReadBack(t *testing.T, text string, want []float64) {
	t.Helper()
	_, got, err := lint.Parser.ParseSeriesDesc("x " + text)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%q reads as %d samples, want %d", text, len(got), len(want))
	}
	for i, g := range got {
		if missing := math.Float64bits(want[i]) == math.Float64bits(absent); missing != g.Omitted {
			t.Errorf("sample %d: omitted = %v, want %v", i, g.Omitted, missing)
		} else if !missing && g.Value != want[i] && !math.IsNaN(want[i]) {
			t.Errorf("sample %d = %v, want %v", i, g.Value, want[i])
		}
	}
}

func FuzzNotationReadsBack(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4})
	f.Add([]byte{0, 0, 0, 7, 255, 254})
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) == 0 || len(in) > 200 {
			return
		}
		values := make([]float64, len(in))
		for i, b := range in {
			values[i] = float64(b) / 10
			if b == 255 {
				values[i] = absent
			}
		}
		checkReadBack(t, notation(values), values)
	})
}
