package scrape

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/config"
)

// told writes what a backend's objectives say of what was read, one line for each point.
func told(objectives config.Objectives, read ...catalog.Point) []string {
	p := points{backend: "a"}
	p.judged(config.Backend{Name: "a", Objectives: objectives}, read)
	var out []string
	for _, q := range p.out {
		out = append(out, fmt.Sprintf("%s %v %v", q.Series.Name, q.Labels, q.Value))
	}
	return out
}

func histogram(s *catalog.Series, labels []string, count uint64, counts ...uint64) catalog.Point {
	return catalog.Point{Series: s, Labels: labels, Hist: &catalog.Buckets{Bounds: []float64{0.5, 2.5, 5}, Counts: counts, Count: count}}
}

func TestSlowRequestsAreCountedRankByRankAtTheBackendsOwnObjective(t *testing.T) {
	got := told(config.Objectives{2 * time.Second},
		histogram(catalog.TimeToFirstToken, []string{"a", "vllm", "chat", "0"}, 10, 4, 7, 9),
		histogram(catalog.TimeToFirstToken, []string{"a", "vllm", "chat", "1"}, 6, 6, 6, 6),
		histogram(catalog.RequestDuration, []string{"a", "vllm", "chat", "0"}, 10, 0, 0, 0), // has no objective
	)
	want := []string{
		"llm_objective_seconds [a vllm chat time_to_first_token] 2.5",
		"llm_objective_events_total [a vllm chat 0 time_to_first_token] 10",
		"llm_objective_missed_events_total [a vllm chat 0 time_to_first_token 2.5] 3",
		"llm_objective_events_total [a vllm chat 1 time_to_first_token] 6",
		"llm_objective_missed_events_total [a vllm chat 1 time_to_first_token 2.5] 0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

func TestARoutersTimesAreJudgedLikeAnEngines(t *testing.T) {
	got := told(config.Objectives{0, 0, time.Second}, histogram(catalog.RouterRequestDuration, []string{"a", "smg"}, 3, 1, 2, 2))
	want := []string{
		"llm_objective_seconds [a smg  request_duration] 2.5",
		"llm_objective_events_total [a smg   request_duration] 3",
		"llm_objective_missed_events_total [a smg   request_duration 2.5] 1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

func TestFailedAndRefusedRequestsMissTheObjectiveOfSuccess(t *testing.T) {
	ended := func(reason string, n float64) catalog.Point {
		return catalog.Point{Series: catalog.RequestsFinished, Labels: []string{"a", "vllm", "chat", "", reason}, Value: n}
	}
	got := told(config.Objectives{}, ended("stop", 90), ended("length", 3), ended("abort", 50), ended("error", 4),
		catalog.Point{Series: catalog.RequestsRejected, Labels: []string{"a", "vllm", "chat", "", "queue_full"}, Value: 3})
	want := []string{
		"llm_objective_events_total [a vllm chat  success] 100",
		"llm_objective_missed_events_total [a vllm chat  success ] 7",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	if got := told(config.Objectives{}, ended("stop", 90), ended("abort", 50)); got != nil {
		t.Errorf("an engine that does not tell failures has no objective of success, got %q", got)
	}
}
