package family

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

var textFormat = expfmt.NewFormat(expfmt.TypeTextPlain)

// pageOf is what an exporter with these sources would answer.
func pageOf(t *testing.T, sources []Source, format expfmt.Format) string {
	t.Helper()
	var out bytes.Buffer
	enc := expfmt.NewEncoder(&out, format)
	if err := NewBuilder().Each(sources, enc.Encode); err != nil {
		t.Fatal(err)
	}
	if c, ok := enc.(expfmt.Closer); ok {
		c.Close()
	}
	return out.String()
}

// sources are two backends with one series of each kind.
func sources() []Source {
	point := func(backend string, s *catalog.Series, v float64, labels ...string) catalog.Point {
		return catalog.Point{Series: s, Labels: append([]string{backend}, labels...), Value: v}
	}
	return []Source{
		{
			Labels: map[string]string{"zone": "z1", "az": "a1", "model": "not this one", "empty": ""},
			Points: []catalog.Point{
				point("a", catalog.PromptTokens, 12, "vllm", "m", ""),
				point("a", catalog.RequestsRunning, 3, "vllm", "m", "0"),
				{Series: catalog.TimeToFirstToken, Labels: []string{"a", "vllm", "m", ""}, Hist: &catalog.Buckets{
					Bounds: []float64{0.5, 1}, Counts: []uint64{1, 2}, Count: 4, Sum: 7.5,
				}},
			},
		},
		{Points: []catalog.Point{
			point("b", &catalog.Series{Name: "llm_foreign"}, 1),
			point("b", catalog.RequestsRunning, 0, "llamacpp", "quoted \"m\"\n", ""),
		}},
	}
}

const wantText = `# HELP llm_prompt_tokens_total Prompt tokens of all requests, those taken from the prefix cache included.
# TYPE llm_prompt_tokens_total counter
llm_prompt_tokens_total{az="a1",backend="a",engine="vllm",model="m",zone="z1"} 12
# HELP llm_requests_running Requests that the engine is working on.
# TYPE llm_requests_running gauge
llm_requests_running{az="a1",backend="a",engine="vllm",model="m",rank="0",zone="z1"} 3
llm_requests_running{backend="b",engine="llamacpp",model="quoted \"m\"\n"} 0
# HELP llm_time_to_first_token_seconds Time from a request's arrival to its first token.
# TYPE llm_time_to_first_token_seconds histogram
llm_time_to_first_token_seconds_bucket{az="a1",backend="a",engine="vllm",model="m",zone="z1",le="0.5"} 1
llm_time_to_first_token_seconds_bucket{az="a1",backend="a",engine="vllm",model="m",zone="z1",le="1"} 2
llm_time_to_first_token_seconds_bucket{az="a1",backend="a",engine="vllm",model="m",zone="z1",le="+Inf"} 4
llm_time_to_first_token_seconds_sum{az="a1",backend="a",engine="vllm",model="m",zone="z1"} 7.5
llm_time_to_first_token_seconds_count{az="a1",backend="a",engine="vllm",model="m",zone="z1"} 4
`

func TestPointsBecomeOneFamilyPerSeries(t *testing.T) {
	if got := pageOf(t, sources(), textFormat); got != wantText {
		t.Errorf("text:\n%s\nwant:\n%s", got, wantText)
	}
	om := pageOf(t, sources(), expfmt.NewFormat(expfmt.TypeOpenMetrics))
	for _, line := range []string{"# TYPE llm_prompt_tokens counter\n", "llm_requests_running{", "# EOF\n"} {
		if !strings.Contains(om, line) {
			t.Errorf("OpenMetrics lacks %q:\n%s", line, om)
		}
	}
}

func TestMemoryIsUsedAgainWithoutMixingPages(t *testing.T) {
	b := NewBuilder()
	noise := []Source{{Points: []catalog.Point{{Series: catalog.RequestsRunning, Labels: []string{"x", "y", "z", "9"}, Value: 9}}}}
	for range 3 {
		var got strings.Builder
		enc := expfmt.NewEncoder(&got, textFormat)
		err := b.Each(sources(), func(f *dto.MetricFamily) error {
			if err := enc.Encode(f); err != nil {
				return err
			}
			return b.Each(noise, func(*dto.MetricFamily) error { return nil })
		})
		if err != nil || got.String() != wantText {
			t.Fatalf("text:\n%s\nwant:\n%s\n%v", got.String(), wantText, err)
		}
	}
}

func TestErrorEndsThePage(t *testing.T) {
	hungUp, calls := errors.New("hung up"), 0
	err := NewBuilder().Each(sources(), func(*dto.MetricFamily) error { calls++; return hungUp })
	if !errors.Is(err, hungUp) || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

// everything is one point of every series of the catalog, with its states and reasons.
func everything() Source {
	var s Source
	all := catalog.All()
	slices.SortFunc(all, func(a, b *catalog.Series) int { return strings.Compare(a.Name, b.Name) })
	for _, series := range all {
		p := catalog.Point{Series: series, Value: 1}
		for i := range series.Labels {
			p.Labels = append(p.Labels, fmt.Sprintf("v%d", i))
		}
		if series.Kind == catalog.Histogram {
			p.Hist = &catalog.Buckets{Bounds: []float64{1}, Counts: []uint64{1}, Count: 1, Sum: 1}
		}
		s.Points = append(s.Points, p)
	}
	return s
}

func TestWholeCatalogPassesTheLinter(t *testing.T) {
	page := pageOf(t, []Source{everything()}, textFormat)
	if n := strings.Count(page, "# TYPE "); n != len(catalog.All()) {
		t.Errorf("%d families of %d series", n, len(catalog.All()))
	}
	problems, err := promlint.New(strings.NewReader(page)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestPointsThatAreNotWholeDoNotCrash(t *testing.T) {
	got := pageOf(t, []Source{{Points: []catalog.Point{
		{Series: catalog.RequestsRunning},
		{Series: catalog.TimeToFirstToken, Labels: []string{"a"}},
	}}}, textFormat)
	if !strings.Contains(got, "llm_requests_running 0\n") {
		t.Errorf("text = %s", got)
	}
}
