package engine

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/internal/recording"
)

// stateOf reads a server in a state of a recording, or of a written program: it must not be
// asked what does harm there, and what it says must be mapped.
func stateOf(t *testing.T, program, dir, state string) *Reading {
	t.Helper()
	r := newStateTarget(t, program, dir, state).read()
	if len(r.Missing) > 0 || len(r.Unmapped) > 0 {
		t.Errorf("%s %s: missing %q, unmapped %q", dir, state, r.Missing, r.Unmapped)
	}
	return r
}

// recordedState loads a state of a recording, or of a written program: testdata/written is
// beside testdata/recordings.
func recordedState(t testing.TB, dir, state string) *recording.State {
	t.Helper()
	root, err := recording.Root()
	if err != nil {
		t.Fatal(err)
	}
	if rest, written := strings.CutPrefix(dir, "written/"); written {
		root, dir = filepath.Join(filepath.Dir(root), "written"), rest
	}
	rec, err := recording.Load(filepath.Join(root, filepath.FromSlash(dir)))
	if err != nil {
		t.Fatal(err)
	}
	st := rec.State(state)
	if st == nil {
		t.Fatalf("%s has no state %s", dir, state)
	}
	return st
}

// newStateTarget is a fake that answers what the state holds.
func newStateTarget(t *testing.T, program, dir, state string) *fakeTarget {
	t.Helper()
	st := recordedState(t, dir, state)
	f := &fakeTarget{t: t, program: program, service: map[string]said{}}
	for _, a := range st.Answers {
		f.service[a.Path] = said{status: a.Status, kind: a.ContentType, server: a.Header["Server"], body: string(a.Body), fail: catalog.Reason(a.Failure)}
	}
	return f
}

// read reads the target once, as a new session does.
func (f *fakeTarget) read() *Reading {
	return NewSession(newClock().options()).Read(f.t.Context(), f.fetch)
}

// amount adds up the points of a series that have a label, absent if there is none. Of a
// histogram it is the count.
func amount(r *Reading, s *catalog.Series, label string) float64 {
	got := float64(absent)
	for i := range r.Points {
		p := &r.Points[i]
		if p.Series != s || !hasLabel(p, label) {
			continue
		}
		v := p.Value
		if p.Hist != nil {
			v = float64(p.Hist.Count)
		}
		got = max(got, 0) + v
	}
	return got
}

// wanted is what one series must say.
type wanted struct {
	series *catalog.Series
	label  string
	want   float64
}

// wantAmounts compares a reading with numbers that were read off the bodies by hand.
func wantAmounts(t *testing.T, r *Reading, list ...wanted) {
	t.Helper()
	for _, w := range list {
		if got := amount(r, w.series, w.label); !(got-w.want < 1e-9 && w.want-got < 1e-9) {
			t.Errorf("%s{%s} = %v, want %v", w.series.Name, w.label, got, w.want)
		}
	}
}

// wantEngine fails unless the reading is a good one of an engine.
func wantEngine(t *testing.T, r *Reading, title string) {
	t.Helper()
	if r.Engine == nil || r.Engine.Title != title || r.Up != Yes {
		t.Fatalf("engine %+v, up %v (%s), want %s, up", r.Engine, r.Up, r.Problem, title)
	}
}

// page is a target that has nothing but a page of numbers.
func page(t *testing.T, program, body string) *fakeTarget {
	return &fakeTarget{t: t, program: program, service: map[string]said{"/metrics": metrics(body)}}
}

var noContent = said{status: http.StatusOK}
