package rules

import (
	"strings"
	"testing"
)

func TestABudgetThatCannotBeJudgedIsRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		thresholds map[string]float64
		want       string
	}{
		"too large":  {map[string]float64{"latency_target": 0.9}, "thresholds.latency_target 0.9 leaves a budget of 0.1, which cannot be spent 14.4 times too fast (burn_fast), not even if every request misses; set the target above 0.9306, or burn_fast below 10"},
		"none":       {map[string]float64{"success_target": 1}, "thresholds.success_target 1 leaves no budget, so that one request that misses spends it infinitely fast; set the target below 1"},
		"below none": {map[string]float64{"latency_target": 1.5}, "thresholds.latency_target 1.5 leaves no budget"},
	} {
		t.Run(name, func(t *testing.T) {
			s := DefaultSettings()
			s.Thresholds = tt.thresholds
			if _, err := Render(Groups(), s); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want %s", err, tt.want)
			}
		})
	}
}

func TestABudgetThatCannotBeJudgedIsRefusedWhereItIsWritten(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"the target": {"thresholds:\n  burn_slow: 2\n  latency_target: 0.9\n", `s.yml:3: thresholds.latency_target "0.9" leaves a budget of 0.1, which cannot`},
		"the burn":   {"thresholds:\n  burn_fast: 60\n", `s.yml:2: thresholds.burn_fast "60" is out of reach: latency_target 0.98 leaves a budget of 0.02, which cannot be spent 60 times too fast (burn_fast), not even if every request misses; set the target above 0.9833, or burn_fast below 50`},
		"no budget":  {"thresholds:\n  success_target: 1.0\n", `s.yml:2: thresholds.success_target "1.0" is out of range; allowed is above 0 and below 1, the default is 0.99`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ParseSettings("s.yml", []byte(tt.in), Groups()); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error = %v, want %s", err, tt.want)
			}
		})
	}
}
