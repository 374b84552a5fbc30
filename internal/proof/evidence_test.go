package proof

import "testing"

func TestBothSidesKeepTheirDistanceFromAThreshold(t *testing.T) {
	for name, tt := range map[string]struct {
		side sideOf
		v    float64
		want bool
	}{
		"loud above, far":       {sideOf{10, 2, true, true}, 20, true},
		"loud above, near":      {sideOf{10, 2, true, true}, 19, false},
		"healthy below, far":    {sideOf{10, 2, true, false}, 5, true},
		"healthy below, near":   {sideOf{10, 2, true, false}, 6, false},
		"loud below, far":       {sideOf{0.2, 2, false, true}, 0.1, true},
		"loud below, near":      {sideOf{0.2, 2, false, true}, 0.15, false},
		"loud below, zero":      {sideOf{0.2, 2, false, true}, 0, true},
		"healthy above, far":    {sideOf{0.2, 2, false, false}, 0.5, true},
		"healthy above, near":   {sideOf{0.2, 2, false, false}, 0.3, false},
		"on the wrong side":     {sideOf{10, 2, true, true}, 1, false},
		"threshold 0, healthy":  {sideOf{0, 2, true, false}, 0, true},
		"threshold 0, exceeded": {sideOf{0, 2, true, false}, 1, false},
	} {
		if got := tt.side.holds(tt.v); got != tt.want {
			t.Errorf("%s: holds(%v) = %v, want %v", name, tt.v, got, tt.want)
		}
	}
}
