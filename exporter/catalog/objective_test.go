package catalog

import "testing"

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
