package gen

import (
	"slices"
	"testing"

	"github.com/llmfleet/llmfleet/exporter/engine"
)

func TestSightingsAreReadOffGoldenPages(t *testing.T) {
	seen := map[string][]sighting{}
	note(seen, "x-1", recorded, []byte(`==== second 0
llm_backend_info{backend="b",engine="x",url="http://b"} 1
llm_series_supported{backend="b",engine="x",series="llm_preemptions_total"} 1
llm_time_to_first_token_seconds_count{backend="b",engine="x",model="m"} 3
llm_router_requests_total{backend="r",router="y"} 3
llm_up{backend="b"} 1
`))
	note(seen, "x-2", collector, []byte("llm_requests_running{backend=\"b\",engine=\"x\"} 0\n"))
	x, y := seen["x"], seen["y"]
	if len(x) != 2 || len(x[0].series) != 1 || !x[0].series["llm_time_to_first_token_seconds"] || x[1].how != collector || !x[1].series["llm_requests_running"] {
		t.Errorf("seen of x: %+v", x)
	}
	if len(y) != 1 || !y[0].series["llm_router_requests_total"] {
		t.Errorf("seen of y: %+v", y)
	}
	if got := standsOn(x); got != "collector code, recorded" {
		t.Errorf("x stands on %q", got)
	}
	if got := standsOn(nil); got != "source only" {
		t.Errorf("nothing stands on %q", got)
	}
}

// The page says how each program's answers came about; a program that nobody has seen must
// be one that has nothing to show.
func TestEveryProgramHasBeenSeen(t *testing.T) {
	seen, err := sightings()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range engine.BuiltIn() {
		if len(seen[e.Name]) == 0 {
			t.Errorf("no golden page shows a series of %s: record it, or write a page from its source in testdata/written", e.Title)
		}
	}
	how := func(name, folder string) string {
		i := slices.IndexFunc(seen[name], func(s sighting) bool { return s.folder == folder })
		if i < 0 {
			return ""
		}
		return seen[name][i].how
	}
	for _, tt := range []struct{ engine, folder, want string }{
		{"vllm", "vllm-0.32.0", recorded}, {"vllm", "vllm-0.33.0", collector}, {"sglang", "sglang-0.5.23", collector},
		{"tgi", "written/tgi-3.3.6", written}, {"ollama", "ollama-0.17.4", recorded},
	} {
		if got := how(tt.engine, tt.folder); got != tt.want {
			t.Errorf("%s in %s is %q, want %q", tt.engine, tt.folder, got, tt.want)
		}
	}
}
