package check

import (
	"slices"
	"testing"

	"github.com/llmfleet/llmfleet/rules/lint"
)

// TestARecordedNameIsSeenThrough asks for the series below a record, and for its rule.
func TestARecordedNameIsSeenThrough(t *testing.T) {
	b, err := newBundle(options().Settings)
	if err != nil {
		t.Fatal(err)
	}
	got := b.seenThrough(lint.Need{Name: "backend:llm_kv_cache_usage:max"}, 0)
	var names []string
	for _, part := range got.All {
		names = append(names, part.Name)
	}
	if want := []string{"backend:llm_kv_cache_usage:max", "llm_kv_cache_usage_ratio"}; !slices.Equal(names, want) {
		t.Errorf("seen through it needs all of %q, want %q", names, want)
	}
}

func TestOneServerIsToldFromAnother(t *testing.T) {
	for name, tt := range map[string]struct {
		a, b backend
		same bool
	}{
		"by its name":                     {backend{url: "http://big:8000", instance: "x:1"}, backend{url: "http://big:8000", instance: "y:1"}, true},
		"by its port":                     {backend{url: "http://big:8000", instance: "x:1"}, backend{url: "http://big:8001", instance: "y:1"}, false},
		"each on its own machine":         {backend{url: "http://127.0.0.1:80", instance: "x:1"}, backend{url: "http://127.0.0.1:80", instance: "y:1"}, false},
		"on one machine, two exporters":   {backend{url: "http://127.0.0.1:80", instance: "x:1"}, backend{url: "http://localhost:80", instance: "x:2"}, true},
		"exporters that have plain names": {backend{url: "http://[::1]:80", instance: "x"}, backend{url: "http://127.0.0.1:80", instance: "y"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.a.whereabouts() == tt.b.whereabouts(); got != tt.same {
				t.Errorf("%q and %q", tt.a.whereabouts(), tt.b.whereabouts())
			}
		})
	}
}
