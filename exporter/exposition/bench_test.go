package exposition

import (
	"bytes"
	"io"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
)

// BenchmarkReading compares this package with the two usual parsers on a real body.
func BenchmarkReading(b *testing.B) {
	body := bodies(b)["sglang-0.5.23.txt"]
	want := Read(body, func(*Sample) {}).Samples
	for name, read := range map[string]func() int{
		"ours": func() int {
			return Read(body, func(*Sample) {}).Samples
		},
		"textparse": func() (n int) {
			p := textparse.NewPromParser(body, labels.NewSymbolTable(), false)
			for entry, err := p.Next(); err == nil; entry, err = p.Next() {
				if entry == textparse.EntrySeries {
					n++
				}
			}
			return n
		},
		"expfmt": func() int {
			p := expfmt.NewTextParser(model.UTF8Validation)
			if _, err := p.TextToMetricFamilies(io.Reader(bytes.NewReader(body))); err != nil {
				b.Fatal(err)
			}
			return want
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if got := read(); got != want {
					b.Fatalf("read %d samples, want %d", got, want)
				}
			}
		})
	}
}

func TestReadingAllocatesNothing(t *testing.T) {
	body := bodies(t)["sglang-0.5.23.txt"]
	var r Reader
	n := 0
	if allocs := testing.AllocsPerRun(10, func() {
		r.Reset(body)
		for line := r.Next(); line != End; line = r.Next() {
			if _, ok := r.Sample.Labels.Get("model_name"); ok && line == SampleLine {
				n++
			}
		}
	}); allocs > 0 || n == 0 {
		t.Errorf("%v allocations for %d labels, want none", allocs, n)
	}
}
