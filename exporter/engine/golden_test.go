package engine

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/internal/diff"
	"github.com/llmfleet/llmfleet/internal/golden"
)

// realServers are servers whose answers were kept, by the name of their golden file. What
// the answers mean was read off the bodies by hand before a golden file was accepted.
var realServers = map[string]struct {
	program string
	service map[string]string // path to a file of testdata/bodies
	metrics map[string]string
}{
	"llamacpp-b5036":  {"llama.cpp", map[string]string{"/metrics": "llamacpp-b5036.metrics.txt"}, nil},
	"llamacpp-b5671":  {"llama.cpp", map[string]string{"/metrics": "llamacpp-b5671.metrics.txt"}, nil},
	"llamacpp-b7079":  {"llama.cpp", map[string]string{"/metrics": "llamacpp-b7079.metrics.txt"}, nil},
	"llamacpp-b7551":  {"llama.cpp", llamacppFiles("llamacpp-b7551"), nil},
	"llamacpp-b9294":  {"llama.cpp", llamacppFiles("llamacpp-b9294"), nil},
	"llamacpp-b10434": {"llama.cpp", llamacppFiles("llamacpp-b10434"), nil},
	"llamacpp-0.7.0":  {"llama.cpp", llamacppFiles("llamacpp-0.7.0"), nil},
	"llamacpp-0.7.0-asleep": {"llama.cpp", map[string]string{
		"/health": "", "/v1/models": "llamacpp-0.7.0.models.json", "/props": "llamacpp-0.7.0-asleep.props.json", "/metrics": "llamacpp-0.7.0-asleep.metrics.txt",
	}, nil},
	"llamacpp-router": {"llama.cpp router", map[string]string{
		"/health": "", "/v1/models": "llamacpp-router.models.json", "/props": "llamacpp-router.props.json",
		"/metrics?model=small-random-llama&autoload=false": "llamacpp-router.metrics.txt",
	}, nil},
	"llamacpp-router-sleeping": {"llama.cpp router", map[string]string{
		"/health": "", "/v1/models": "llamacpp-router-sleeping.models.json", "/props": "llamacpp-router.props.json",
		"/metrics?model=tiny-random-llama&autoload=false": "llamacpp-router-sleeping.metrics.txt",
	}, nil},
	"vllm-0.9.2":         {"vLLM", vllmFiles("vllm-0.9.2", "vllm-0.9.2"), nil},
	"vllm-0.10.2":        {"vLLM", vllmFiles("vllm-0.10.2", "vllm-0.10.2"), nil},
	"vllm-0.16.0":        {"vLLM", vllmFiles("vllm-0.16.0", "vllm-0.16.0"), nil},
	"vllm-0.32.0":        {"vLLM", vllmFiles("vllm-0.32.0", "vllm-0.32.0"), nil},
	"vllm-0.32.0-asleep": {"vLLM", vllmFiles("vllm-0.32.0", "vllm-0.32.0-asleep"), nil},
	"vllm-0.32.0-spec":   {"vLLM", vllmFiles("vllm-0.32.0", "vllm-0.32.0-spec"), nil},
	"vllm-0.32.0-ranks":  {"vLLM", vllmFiles("vllm-0.32.0", "vllm-0.32.0-dp2"), nil},
	"vllm-rust":          {"vLLM", vllmFiles("vllm-rust", "vllm-rust"), nil},
	"vllm-rust-fresh":    {"vLLM", vllmFiles("vllm-rust", "vllm-rust-fresh"), nil},
	"vllm-router":        {"vllm-router", map[string]string{"/readiness": "vllm-router.readiness.json"}, map[string]string{"/metrics": "vllm-router.metrics.txt"}},
	"vllm-router-fresh":  {"vllm-router", map[string]string{"/readiness": "vllm-router.readiness.json"}, map[string]string{"/metrics": "vllm-router-fresh.metrics.txt"}},
	"vllm-router-outage": {"vllm-router", map[string]string{"/readiness": "vllm-router.readiness.json"}, map[string]string{"/metrics": "vllm-router-outage.metrics.txt"}},
}

func llamacppFiles(name string) map[string]string {
	return map[string]string{"/health": "", "/v1/models": name + ".models.json", "/props": name + ".props.json", "/metrics": name + ".metrics.txt"}
}

func vllmFiles(settings, page string) map[string]string {
	return map[string]string{"/health": "", "/v1/models": settings + ".models.json", "/version": settings + ".version.json", "/metrics": page + ".metrics.txt"}
}

// TestRealServersGiveTheirGoldenReadings asks twice: what a session remembers must not
// change what it reads.
func TestRealServersGiveTheirGoldenReadings(t *testing.T) {
	for name, server := range realServers {
		t.Run(name, func(t *testing.T) {
			f := &fakeTarget{t: t, program: server.program, service: saidBy(t, server.service), metrics: saidBy(t, server.metrics)}
			o := newClock().options()
			o.HasMetricsPort = server.metrics != nil
			s := NewSession(o)
			first := printed(s.Read(t.Context(), f.fetch))
			second := printed(s.Read(t.Context(), f.fetch))
			if d := diff.Unified("first", "second", []byte(first), []byte(second)); d != "" {
				t.Errorf("the second reading differs:\n%s", d)
			}
			golden.Compare(t, goldenReading(name), []byte(first))
		})
	}
}

func TestNoGoldenReadingIsLeftOver(t *testing.T) {
	var wanted []string
	for name := range realServers {
		wanted = append(wanted, goldenReading(name))
	}
	golden.NoneLeftOver(t, goldenDir, wanted)
}

const goldenDir = "testdata/golden"

func goldenReading(name string) string { return filepath.Join(goldenDir, name+".txt") }

func saidBy(t *testing.T, files map[string]string) map[string]said {
	if files == nil {
		return nil
	}
	answers := map[string]said{}
	for path, file := range files {
		switch {
		case file == "":
			answers[path] = said{status: 200}
		case strings.HasSuffix(file, ".json"):
			answers[path] = jsonOf(body(t, file))
		case strings.HasPrefix(file, "vllm-rust"):
			answers[path] = ok("application/openmetrics-text; version=1.0.0; charset=utf-8", body(t, file))
		default:
			answers[path] = metrics(body(t, file))
		}
	}
	return answers
}

// printed is a reading as a person reviews it: state, what is missing, then the points.
func printed(r *Reading) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# %s, version %q, models %q", r.Engine.Title, r.Version, r.Models)
	line("# healthy %s, up %s, reason %q, problem %q", r.Healthy, r.Up, r.Reason, r.Problem)
	line("# %d samples, %d bytes, %d dropped, %d folded", r.Samples, r.BodyBytes, r.Dropped, r.Folded)
	for _, name := range r.Missing {
		line("# missing %s", name)
	}
	for _, name := range r.Unmapped {
		line("# unmapped %s", name)
	}
	for _, s := range catalog.All() {
		if can, listed := r.Supported[s]; listed && !can {
			line("# cannot give %s", s.Name)
		}
	}
	var points []string
	for i := range r.Points {
		points = append(points, printedPoint(&r.Points[i]))
	}
	slices.Sort(points)
	for _, p := range points {
		line("%s", p)
	}
	return b.String()
}

func printedPoint(p *catalog.Point) string {
	var labels []string
	for i, name := range p.Series.Labels {
		if p.Labels[i] != "" {
			labels = append(labels, fmt.Sprintf("%s=%q", name, p.Labels[i]))
		}
	}
	head := p.Series.Name + "{" + strings.Join(labels, ",") + "} "
	if p.Hist == nil {
		return head + strconv.FormatFloat(p.Value, 'g', -1, 64)
	}
	var buckets []string
	for i, bound := range p.Hist.Bounds {
		buckets = append(buckets, fmt.Sprintf("%g:%d", bound, p.Hist.Counts[i]))
	}
	return fmt.Sprintf("%scount %d sum %g buckets %s", head, p.Hist.Count, p.Hist.Sum, strings.Join(buckets, " "))
}
