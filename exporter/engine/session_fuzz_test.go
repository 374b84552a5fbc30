package engine

import (
	"context"
	"slices"
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// FuzzReadingOfAnyAnswers lets one server answer anything at all, twice, and holds the
// reading to what everybody relies on.
func FuzzReadingOfAnyAnswers(f *testing.F) {
	for _, name := range []string{"llamacpp-0.7.0", "vllm-rust-fresh", "vllm-router-fresh", "llamacpp-b5036"} {
		f.Add(uint16(200), body(f, name+".metrics.txt"), body(f, "llamacpp-router.models.json"), body(f, "llamacpp-router.props.json"))
	}
	f.Add(uint16(503), loadingBody, loadingBody, loadingBody)
	f.Add(uint16(200), `"llamacpp:x 1\n"`, `{"data":[{"id":"","status":{"value":"loaded"}}]}`, `[]`)
	f.Add(uint16(0), "", `{"data":{"a":1}}`, "null")
	f.Fuzz(func(t *testing.T, status uint16, page, models, settings string) {
		bodies := map[string]string{"/metrics": page, "/v1/models": models, "/props": settings, "/version": settings, "/readiness": settings}
		fetch := func(_ context.Context, _ Port, path string) (*Answer, error) {
			b, known := bodies[path]
			if !known {
				b = page
			}
			return &Answer{Status: int(status), Body: []byte(b)}, nil
		}
		for _, e := range append(BuiltIn(), nil) {
			s := NewSession(Options{Backend: "b", Engine: e, MaxSeries: 500, MaxLabelValues: 20})
			s.Read(t.Context(), fetch)
			holdsTogether(t, s.Read(t.Context(), fetch))
		}
	})
}

func holdsTogether(t *testing.T, r *Reading) {
	t.Helper()
	if (r.Reason != "") != (r.Up == No || r.Engine != nil && r.Engine.NoNumbers && r.Reason != "") {
		t.Errorf("up %v with reason %q", r.Up, r.Reason)
	}
	if r.Reason != "" && (r.Problem == "" || !slices.Contains(catalog.Reasons(), r.Reason)) {
		t.Errorf("reason %q with problem %q", r.Reason, r.Problem)
	}
	if len(r.Points) > 1000 {
		t.Errorf("%d points of a page that may add 500", len(r.Points))
	}
	for i := range r.Points {
		p := &r.Points[i]
		if len(p.Labels) != len(p.Series.Labels) || p.Label(catalog.LabelBackend) != "b" {
			t.Errorf("%s has labels %q for %q", p.Series.Name, p.Labels, p.Series.Labels)
		}
		if !(p.Value >= 0) || (p.Hist != nil) != (p.Series.Kind == catalog.Histogram) {
			t.Errorf("%s has the value %v", p.Series.Name, p.Value)
		}
	}
}
