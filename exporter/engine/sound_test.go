package engine

import (
	"bytes"
	"fmt"
	"math"
	gometrics "runtime/metrics"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/family"
)

// sound fails a test for points that no page may have, whatever a server sent: the page that
// they make must pass the linter too.
func sound(t *testing.T, points []catalog.Point) {
	t.Helper()
	there := map[string]bool{}
	for i := range points {
		p := &points[i]
		id := p.Series.Name + fmt.Sprintf("%q", p.Labels)
		if there[id] {
			t.Errorf("%s is there twice", id)
		}
		there[id] = true
		if len(p.Labels) != len(p.Series.Labels) || !utf8.ValidString(strings.Join(p.Labels, "")) {
			t.Errorf("%s: labels do not fit the series", id)
		}
		if math.IsNaN(p.Value) || math.IsInf(p.Value, 0) || p.Value < 0 || (p.Hist != nil) != (p.Series.Kind == catalog.Histogram) {
			t.Errorf("%s: value %v, histogram %v", id, p.Value, p.Hist)
		}
		if p.Hist != nil {
			soundBuckets(t, id, p.Hist)
		}
	}
	lints(t, points)
}

func soundBuckets(t *testing.T, id string, h *catalog.Buckets) {
	t.Helper()
	for i, bound := range h.Bounds {
		if math.IsNaN(bound) || i > 0 && (bound <= h.Bounds[i-1] || h.Counts[i] < h.Counts[i-1]) || h.Counts[i] > h.Count {
			t.Errorf("%s: buckets %+v are no histogram", id, h)
		}
	}
}

var pageBuilder = family.NewBuilder() // one: describing the catalog takes longer than a page

// lints writes points as the exporter does and runs the linter over the page.
func lints(t *testing.T, points []catalog.Point) {
	t.Helper()
	points = slices.Clone(points)
	slices.SortStableFunc(points, func(a, b catalog.Point) int { return strings.Compare(a.Series.Name, b.Series.Name) })
	var page bytes.Buffer
	enc := expfmt.NewEncoder(&page, expfmt.NewFormat(expfmt.TypeTextPlain))
	if err := pageBuilder.Each([]family.Source{{Points: points}}, enc.Encode); err != nil {
		t.Fatal(err)
	}
	problems, err := promlint.New(&page).Lint()
	if err != nil {
		t.Errorf("the page cannot be read: %v", err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// frugal fails a test that allocates more than what it reads can justify. A decoded JSON value
// takes up to a hundred times its bytes.
func frugal(t *testing.T, read func() int, do func()) {
	t.Helper()
	const fixed, perByte = 16 << 20, 400
	before := allocated()
	do()
	if got := allocated() - before; got > uint64(fixed+perByte*read()) {
		t.Errorf("%d bytes of answers made it allocate %d bytes", read(), got)
	}
}

func allocated() uint64 {
	s := []gometrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	gometrics.Read(s)
	return s[0].Value.Uint64()
}
