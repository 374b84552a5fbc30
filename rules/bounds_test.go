package rules

import (
	"math"
	"testing"
)

func TestEveryThresholdMayBeItsDefault(t *testing.T) {
	for _, threshold := range AllThresholds(Groups()) {
		if b := threshold.bounds(); !b.hold(threshold.Default) {
			t.Errorf("%s: the default %s is refused; allowed is %s", threshold.Key, threshold.Text(threshold.Default), b.text(threshold))
		}
	}
}

// Only what stands at an end by default may stand there: slots_busy is all slots.
func TestARatioIsNotSetToAnEndAtWhichItsAlertIsAlwaysOnOrNever(t *testing.T) {
	for name, tt := range map[string]struct {
		usual     float64
		good, bad []float64
		text      string
	}{
		"a share":         {0.9, []float64{0.001, 0.5, 0.999}, []float64{-1, 0, 1, 90, math.Inf(1)}, "above 0 and below 1"},
		"all by default":  {1, []float64{0.001, 1}, []float64{0, 1.001}, "above 0 to 1"},
		"none by default": {0, []float64{0, 0.999}, []float64{-0.001, 1}, "from 0 and below 1"},
		"a factor":        {2, []float64{1.001, 2000}, []float64{0.5, 1, 2001}, "above 1 to 2000"},
	} {
		t.Run(name, func(t *testing.T) {
			threshold := &Threshold{Key: "share", Default: tt.usual, Unit: "ratio"}
			b := threshold.bounds()
			for _, v := range tt.good {
				if !b.hold(v) {
					t.Errorf("%v is refused", v)
				}
			}
			for _, v := range tt.bad {
				if b.hold(v) {
					t.Errorf("%v is taken", v)
				}
			}
			if got := b.text(threshold); got != tt.text {
				t.Errorf("allowed is %q, want %q", got, tt.text)
			}
		})
	}
}
