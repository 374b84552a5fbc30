package rules

import "math"

// bounds are the numbers that a threshold may be. Outside of them the alert would be always on or
// never, which a user who mistypes a unit (percent for ratio, milliseconds for seconds) would not
// notice.
type bounds struct {
	low, high         float64
	lowOpen, highOpen bool // the low and the high end themselves are not allowed
}

func (t *Threshold) bounds() bounds {
	switch {
	case t.Unit == "ratio" && t.Default > 1: // a factor between two that should be equal
		return bounds{low: 1, high: 1000 * t.Default, lowOpen: true}
	case t.Unit == "ratio": // nothing is below none or above all
		return bounds{high: 1, lowOpen: t.Default != 0, highOpen: t.Default != 1}
	case t.Unit == DurationUnit:
		return bounds{low: min(60, t.Default), high: 30 * 24 * 3600}
	case t.Default == 0:
		return bounds{high: math.MaxInt32}
	}
	return bounds{low: t.Default / 1000, high: t.Default * 1000}
}

func (b bounds) hold(v float64) bool {
	isLow, isHigh := v < b.low || v == b.low && b.lowOpen, v > b.high || v == b.high && b.highOpen
	return !isLow && !isHigh
}

// text is what is allowed, as a sentence has it.
func (b bounds) text(t *Threshold) string {
	from, to := "from ", " to "
	if b.lowOpen {
		from = "above "
	}
	if b.highOpen {
		to = " and below "
	}
	return from + t.Text(b.low) + to + t.Text(b.high)
}
