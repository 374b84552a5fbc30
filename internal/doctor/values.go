package doctor

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// mostLines is how many points of one series are written out.
const mostLines = 4

// values says what the points of one series are: a line each, or one line for many.
func values(points []catalog.Point, model string) []string {
	points = slices.DeleteFunc(points, func(p catalog.Point) bool { return p.Series.Kind == catalog.StateSet && p.Value == 0 })
	if len(points) > mostLines {
		return []string{many(points)}
	}
	var out []string
	for i := range points {
		out = append(out, strings.TrimSpace(value(&points[i])+" "+labels(&points[i], model)))
	}
	return out
}

// many sums up points that are too many to be written out.
func many(points []catalog.Point) string {
	s := points[0].Series
	if s.Kind == catalog.Histogram || s.Kind == catalog.Info || s.Kind == catalog.StateSet {
		return fmt.Sprintf("%d series", len(points))
	}
	low, high := points[0].Value, points[0].Value
	for _, p := range points {
		low, high = min(low, p.Value), max(high, p.Value)
	}
	return fmt.Sprintf("%d series, from %s to %s", len(points), quantity(low, s.Unit), quantity(high, s.Unit))
}

func value(p *catalog.Point) string {
	switch p.Series.Kind {
	case catalog.Info, catalog.StateSet:
		return ""
	case catalog.Histogram:
		if p.Hist.Count == 0 {
			return "no observations yet"
		}
		return fmt.Sprintf("%d observations, %s on average", p.Hist.Count, quantity(p.Hist.Sum/float64(p.Hist.Count), p.Series.Unit))
	}
	return quantity(p.Value, p.Series.Unit)
}

// quantity writes a number in the unit that a person would use.
func quantity(v float64, unit catalog.Unit) string {
	switch unit {
	case catalog.Timestamp:
		return time.Unix(int64(v), 0).UTC().Format("2006-01-02 15:04:05 UTC")
	case catalog.Seconds:
		if v != 0 && math.Abs(v) < 0.001 {
			return short(v*1e6) + " µs"
		}
		return short(v) + " s"
	case catalog.Bytes:
		const unitStep = 1024
		names := []string{"B", "KiB", "MiB", "GiB", "TiB"}
		i := 0
		for v >= unitStep && i < len(names)-1 {
			v, i = v/unitStep, i+1
		}
		return short(v) + " " + names[i]
	}
	return short(v)
}

// short writes a number with three digits that count, or without a fraction.
func short(v float64) string {
	if digits := 100.0; (v == math.Trunc(v) || math.Abs(v) >= digits) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// labels are those that tell a point from the others of the page.
func labels(p *catalog.Point, model string) string {
	var out []string
	for i, name := range p.Series.Labels {
		v := p.Labels[i]
		switch name {
		case catalog.LabelBackend, catalog.LabelEngine, catalog.LabelRouter:
			continue
		case catalog.LabelModel:
			if v == model && p.Series.Kind != catalog.Info {
				continue
			}
		}
		if v != "" {
			out = append(out, fmt.Sprintf("%s=%q", name, v))
		}
	}
	return strings.Join(out, " ")
}

// onlyModel is the model of all points, "" where they have several.
func onlyModel(points []catalog.Point) string {
	only := ""
	for i := range points {
		m := points[i].Label(catalog.LabelModel)
		if m != "" && only != "" && m != only {
			return ""
		}
		only = max(only, m)
	}
	return only
}
