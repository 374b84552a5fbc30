package rules

import (
	"strings"
	"testing"
)

func TestATargetThatCannotBeMissedFastEnoughIsRefused(t *testing.T) {
	s := DefaultSettings()
	if _, err := Render(Groups(), s); err != nil {
		t.Fatal(err)
	}
	s.Thresholds = map[string]float64{"latency_target": 0.9}
	_, err := Render(Groups(), s)
	want := "thresholds.latency_target 0.9: a budget of 0.1 cannot be spent 14.4 times too fast (burn_fast), not even if every request misses; set the target above 0.9306"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error = %v, want %s", err, want)
	}
}
