package catalog

import (
	"slices"
	"testing"
)

func TestAnObjectiveIsJudgedAtABoundOfTheBuckets(t *testing.T) {
	// 2 up to 1 s, 5 up to 5 s, 9 up to 10 s, and 1 beyond.
	h := Buckets{Bounds: []float64{1, 5, 10}, Counts: []uint64{2, 5, 9}, Count: 10}
	for name, tt := range map[string]struct {
		objective, bound float64
		slow             uint64
	}{
		"at a bound":             {5, 5, 5},
		"between two bounds":     {6, 10, 1},
		"below the first":        {0.1, 1, 8},
		"beyond the last finite": {15, 10, 1},
	} {
		bound, slow, ok := h.BoundFor(tt.objective)
		if bound != tt.bound || slow != tt.slow || !ok {
			t.Errorf("%s: BoundFor(%v) = %v, %d, %v; want %v, %d", name, tt.objective, bound, slow, ok, tt.bound, tt.slow)
		}
	}
	if _, _, ok := (&Buckets{Count: 3}).BoundFor(1); ok {
		t.Error("a histogram without buckets judges nothing")
	}
}

func TestWhatAnObjectiveIsCountedOfIsKnown(t *testing.T) {
	only := func(name string) func(string) bool { return func(objective string) bool { return objective == name } }
	for name, tt := range map[string]struct {
		series *Series
		asked  string
		want   []*Series
	}{
		"a time":                    {ObjectiveMissed, "queue_duration", []*Series{RequestQueueDuration}},
		"a router's time too":       {ObjectiveEvents, "time_to_first_token", []*Series{TimeToFirstToken, RouterTimeToFirstToken}},
		"success":                   {ObjectiveEvents, ObjectiveSuccess, []*Series{RequestsFinished}},
		"success has no time":       {ObjectiveSeconds, ObjectiveSuccess, nil},
		"any other series":          {TimeToFirstToken, "time_to_first_token", nil},
		"an objective of no series": {ObjectiveEvents, "moon", nil},
	} {
		if got := tt.series.Judges(only(tt.asked)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}
