package exposition

import (
	"math"
	"runtime/metrics"
	"testing"
	"unsafe"
)

// offset is where part begins within the page; -1 if it does not lie within it.
func offset(page, part []byte) int {
	from, at := uintptr(unsafe.Pointer(unsafe.SliceData(page))), uintptr(unsafe.Pointer(unsafe.SliceData(part)))
	if at < from || at+uintptr(len(part)) > from+uintptr(len(page)) {
		return -1
	}
	return int(at - from)
}

func FuzzReader(f *testing.F) {
	for _, body := range bodies(f) {
		f.Add(body[:min(len(body), 2000)])
	}
	for _, seed := range []string{
		"", "x", "x 1", "x{a=\"b\\\\\"} -nan", "{\"q\",a=\"b\"} 1 # {} 2", "\"# TYPE x gauge\\nx 1\"", "# TYPE \"\" counter\n# TYPE",
		"x{a=\"", "x{a=\"\\", "x{,}1", "<html>\nx 1", "\ufeff\"\"", "# TYPE x counter\r\nx_total 1 2 # {a=\"b\"} 3 4\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		page := Unwrap(body)
		before := allocated()
		first, again := checkPage(t, page), checkPage(t, page)
		if got := allocated() - before; got > uint64(1<<20+100*len(page)) {
			t.Errorf("%d bytes made it allocate %d", len(page), got)
		}
		if first != again {
			t.Errorf("first reading %+v, second %+v", first, again)
		}
		if !first.IsMetrics() && Describe(body) == "" {
			t.Error("no description of a body that is not metrics")
		}
	})
}

func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// checkPage reads a page and asserts what holds for every sample of every page.
func checkPage(t *testing.T, page []byte) Stats {
	copied := len(Unwrap(page)) != len(page) // a string within a string: its samples are slices of a copy
	return Read(page, func(s *Sample) {
		switch at := offset(page, s.Name); {
		case math.IsNaN(s.Value) || math.IsInf(s.Value, 0):
			t.Errorf("%s: value %v is not finite", s.Name, s.Value)
		case s.Family == nil && s.Type != Untyped:
			t.Errorf("%s: type %d without a family", s.Name, s.Type)
		case copied:
		case at < 0 || offset(page, s.Labels) < 0 && len(s.Labels) > 0 || offset(page, s.Family) < 0 && len(s.Family) > 0:
			t.Errorf("%s: does not lie within the page", s.Name)
		case !validName(s.Name) && (at == 0 || page[at-1] != '"'):
			t.Errorf("%q is not a name", s.Name)
		}
		for name, _, rest, ok := s.Labels.Next(); ok; name, _, rest, ok = rest.Next() {
			if len(name) == 0 || len(rest) >= len(s.Labels) {
				t.Errorf("%s: labels %q do not come to an end", s.Name, s.Labels)
				return
			}
		}
	})
}

func validName(name []byte) bool {
	_, rest, ok := cutChars(name, nameStart, nameRest)
	return ok && len(rest) == 0
}
