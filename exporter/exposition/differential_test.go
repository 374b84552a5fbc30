package exposition

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
)

// bodies are answers of real servers, by file name.
func bodies(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/bodies/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("testdata/bodies: %d files, %v", len(files), err)
	}
	out := make(map[string][]byte)
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(file)] = body
	}
	return out
}

// reference reads a page with Prometheus' own parser. Values that are not finite are left
// out, as ours are.
func reference(page []byte) (lines []string, err error) {
	kind := "text/plain"
	if bytes.HasSuffix(bytes.TrimSpace(page), []byte("# EOF")) {
		kind = "application/openmetrics-text"
	}
	p, err := textparse.New(page, kind, labels.NewSymbolTable(), textparse.ParserOptions{})
	if err != nil {
		return nil, err
	}
	for {
		switch entry, err := p.Next(); {
		case errors.Is(err, io.EOF):
			return lines, nil
		case err != nil:
			return nil, err
		case entry == textparse.EntrySeries:
			var set labels.Labels
			p.Labels(&set)
			_, _, v := p.Series()
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				m := set.Map()
				lines = append(lines, canonical(m, v))
			}
		}
	}
}

// ours reads a page with this package, in the same form.
func ours(page []byte) (lines []string) {
	Read(page, func(s *Sample) {
		m := map[string]string{"__name__": string(s.Name)}
		for name, value, rest, ok := s.Labels.Next(); ok; name, value, rest, ok = rest.Next() {
			if len(value) > 0 { // to Prometheus an empty label is none
				m[string(name)] = string(value)
			}
		}
		lines = append(lines, canonical(m, s.Value))
	})
	return lines
}

func canonical(set map[string]string, v float64) string {
	var pairs []string
	for name, value := range set {
		if f, err := strconv.ParseFloat(value, 64); err == nil && (name == "le" || name == "quantile") {
			value = fmt.Sprint(f) // Prometheus rewrites 1 as 1.0
		}
		pairs = append(pairs, fmt.Sprintf("%s=%q", name, value))
	}
	sort.Strings(pairs)
	return fmt.Sprintf("%s %v", strings.Join(pairs, ","), v)
}

func TestRealBodiesAreReadAsPrometheusReadsThem(t *testing.T) {
	for name, body := range bodies(t) {
		t.Run(name, func(t *testing.T) {
			want, err := reference(body)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, ours(body)); diff != "" || len(want) == 0 {
				t.Errorf("%d samples (-prometheus +ours):\n%s", len(want), diff)
			}
		})
	}
}

// Whatever one line Prometheus accepts, we read as the same sample: cutting and flipping
// bytes of real lines makes lines that nobody thought of.
func TestDamagedLinesAreReadAsPrometheusReadsThemOrDropped(t *testing.T) {
	accepted := 0
	for _, body := range bodies(t) {
		for _, line := range bytes.Split(body, []byte("\n")) {
			if len(line) == 0 || line[0] == '#' || len(line) > 200 {
				continue
			}
			for i := range line {
				damaged := bytes.Clone(line)
				damaged[i] = "0\"{}=,\\ a#"[i%10] // never a blank at the start: Prometheus takes that into the name
				want, err := reference(append(damaged, '\n'))
				if err != nil {
					continue
				}
				accepted++
				if diff := cmp.Diff(want, ours(damaged)); diff != "" {
					t.Fatalf("%q (-prometheus +ours):\n%s", damaged, diff)
				}
			}
			break // the first line of each body is enough
		}
	}
	if accepted < 20 {
		t.Errorf("Prometheus accepted %d damaged lines, want enough to compare", accepted)
	}
}
