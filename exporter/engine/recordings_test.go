package engine

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/internal/recording"
)

// fact is a number that was read off the bodies of a recording by hand.
type fact struct {
	second int
	series *catalog.Series // nil: the reading itself
	label  string          // name=value; points with another value do not count
	want   float64         // sum of the points; absent: there is none
	up     Tri             // of a reading
	reason catalog.Reason
}

const absent = -1

func upAt(second int) fact { return fact{second: second, up: Yes} }
func downAt(second int, why catalog.Reason) fact {
	return fact{second: second, up: No, reason: why}
}

var facts = map[string][]fact{
	"llamacpp-0.7.0-b11669/overload-long service": {
		upAt(0), {second: 180, series: catalog.GenerationTokens, want: 110}, {second: 600, series: catalog.GenerationTokens, want: 149969},
		{second: 600, series: catalog.RequestsRunning, want: 4}, {second: 1155, series: catalog.RequestsRunning, want: 3}, {second: 1155, series: catalog.RequestsWaiting, want: 0},
		{second: 1170, series: catalog.GenerationTokens, want: 316888}, {second: 1170, series: catalog.RequestsRunning, want: 0},
		{second: 1485, series: catalog.PromptComputedTokens, want: 120096}, {second: 1485, series: catalog.PromptCachedTokens, want: 128355},
		{second: 1485, series: catalog.PromptTokens, want: 248451}, {second: 1485, series: catalog.KVCacheUsage, want: absent},
	},
	"llamacpp-0.7.0-b11669/router service": {
		upAt(0), {second: 0, series: catalog.RequestsRunning, want: absent}, {second: 0, series: catalog.RouterTargetHealthy, want: absent},
		upAt(5), {second: 5, series: catalog.RouterTargetHealthy, want: 2}, {second: 5, series: catalog.RequestsRunning, label: "model=tiny-random-llama", want: 0},
		// The model that goes is still "loaded" and its numbers fail: nothing else is lost.
		upAt(15), {second: 15, series: catalog.RequestsWaiting, label: "model=tiny-random-llama", want: absent},
		upAt(31), {second: 31, series: catalog.ModelStateSet, label: "state=failed", want: 1},
		{second: 31, series: catalog.RouterTargets, label: "state=unhealthy", want: 1},
	},
	"llamacpp-b5036/inprocess service": {
		{second: 15, series: catalog.KVCacheUsage, want: 0.0524902}, {second: 25, series: catalog.KVCacheUsage, want: 0.0671387},
		{second: 25, series: catalog.KVCacheUsed, want: 550}, {second: 25, series: catalog.RequestsRunning, want: 0}, {second: 20, series: catalog.GenerationTokens, want: 3629},
		{second: 25, series: catalog.PromptTokens, want: absent},
	},
	"llamacpp-b5671/inprocess service": {
		{second: 25, series: catalog.GenerationTokens, want: 3299}, {second: 25, series: catalog.KVCacheUsage, want: absent},
	},
	"llamacpp-b7079/inprocess service": {{second: 15, series: catalog.GenerationTokens, want: 2369}},
	"llamacpp-b9294/basic service": {
		{second: 15, series: catalog.GenerationTokens, want: 4057}, {second: 15, series: catalog.RequestsWaiting, want: 1},
		{second: 34, series: catalog.GenerationTokens, want: 10075}, {second: 34, series: catalog.SpecDecodeDraftTokens, want: absent},
	},
	"vllm-0.32.0/basic service": {
		{second: 0, series: catalog.PromptTokens, want: 10}, {second: 0, series: catalog.GenerationTokens, want: 200},
		{second: 20, series: catalog.RequestsRunning, want: 6}, {second: 84, series: catalog.RequestsRunning, want: 0},
		{second: 98, series: catalog.PromptTokens, want: 18379}, {second: 98, series: catalog.PrefixCacheHits, want: 4096}, {second: 98, series: catalog.PrefixCacheQueries, want: 18379},
		{second: 98, series: catalog.RequestsFinished, label: "reason=length", want: 86}, {second: 98, series: catalog.RequestsFinished, label: "reason=stop", want: 5},
	},
	"vllm-0.32.0/kv-full-queueing service": {
		{second: 38, series: catalog.RequestsWaiting, want: 9}, {second: 16, series: catalog.KVCacheUsage, want: 1},
		{second: 14, series: catalog.Preemptions, want: 1}, {second: 182, series: catalog.Preemptions, want: 124},
	},
	"vllm-0.32.0/kv-full-long service": {
		{second: 135, series: catalog.Preemptions, want: 2}, {second: 1080, series: catalog.Preemptions, want: 932}, {second: 1095, series: catalog.RequestsWaiting, want: 0},
	},
	"vllm-0.32.0/queue-limit service": {
		{second: 10, series: catalog.RequestsRejected, want: 332}, {second: 40, series: catalog.RequestsRejected, want: 696},
		{second: 10, series: catalog.RequestsWaiting, want: 0}, {second: 40, series: catalog.RequestsWaiting, want: 0},
	},
	"vllm-0.32.0/spec-ngram service": {
		{second: 95, series: catalog.SpecDecodeDrafts, want: 1298}, {second: 95, series: catalog.SpecDecodeDraftTokens, want: 4046}, {second: 95, series: catalog.SpecDecodeAcceptedTokens, want: 3062},
		{second: 95, series: catalog.SpecDecodeAcceptedPerPosition, label: "position=3", want: 480},
	},
	"vllm-0.32.0/dp2 service": {
		upAt(0), {second: 0, series: catalog.RequestsRunning, want: absent}, {second: 5, series: catalog.KVCacheUsage, want: absent},
		{second: 10, series: catalog.RequestsRunning, want: 8}, {second: 10, series: catalog.RequestsRunning, label: "rank=1", want: 4},
		{second: 80, series: catalog.GenerationTokens, label: "rank=0", want: 7109}, {second: 80, series: catalog.GenerationTokens, label: "rank=1", want: 6853},
	},
	"vllm-0.32.0/rust-frontend service": {
		{second: 68, series: catalog.GenerationTokens, want: 13226}, {second: 68, series: catalog.RequestsFinished, label: "reason=abort", want: 7},
		{second: 68, series: catalog.PrefixCacheHits, want: 6400}, {second: 68, series: catalog.KVCacheCapacity, want: absent},
	},
	"vllm-0.32.0/restart service": {
		{second: 40, series: catalog.PromptTokens, want: 65583}, downAt(60, catalog.ReasonRefused), upAt(175), {second: 175, series: catalog.PromptTokens, want: 0},
	},
	"vllm-0.32.0/engine-dead service": {upAt(4), downAt(14, catalog.ReasonRefused)},
	"vllm-0.16.0/engine-dead service": {upAt(6), downAt(8, catalog.ReasonRefused)},
	"vllm-router-0.1.17/failover service": {
		upAt(0), {second: 0, series: catalog.RouterTargets, label: "state=healthy", want: 2}, {second: 0, series: catalog.RouterCircuitState, want: absent},
		{second: 31, series: catalog.RouterCircuitState, label: "target=http://127.0.0.1:18182", want: 1}, {second: 31, series: catalog.RouterTargets, label: "state=unhealthy", want: 0},
		{second: 37, series: catalog.RouterTargetHealthy, label: "target=http://127.0.0.1:18182", want: 0}, {second: 54, series: catalog.RouterTargetHealthy, want: 1},
		{second: 55, series: catalog.RouterTargetHealthy, want: 2}, {second: 89, series: catalog.RouterRequests, want: 597}, {second: 89, series: catalog.RouterRetries, want: 3},
	},
	"vllm-router-0.1.17/outage service": {
		{second: 30, series: catalog.RouterTargetHealthy, want: 2}, {second: 30, series: catalog.RouterCircuitState, want: 2},
		{second: 59, series: catalog.RouterRequests, want: 35}, {second: 59, series: catalog.RouterErrors, want: 458}, {second: 59, series: catalog.RouterRetriesExhausted, want: 95},
	},
	"fleet-incidents medium-b": {upAt(465), downAt(480, catalog.ReasonRefused), downAt(1230, catalog.ReasonRefused), upAt(1245)},
	"fleet-incidents router": {
		{second: 480, series: catalog.RouterCircuitState, label: "target=http://127.0.0.1:19302", want: 1},
		{second: 495, series: catalog.RouterTargetHealthy, label: "target=http://127.0.0.1:19302", want: 1},
		{second: 510, series: catalog.RouterTargetHealthy, label: "target=http://127.0.0.1:19302", want: 0},
		{second: 1260, series: catalog.RouterTargetHealthy, label: "target=http://127.0.0.1:19302", want: 1}, upAt(600),
	},
	"fleet-incidents small": {
		{second: 600, series: catalog.SpecDecodeDraftTokens, want: 115635}, {second: 645, series: catalog.SpecDecodeDraftTokens, want: 0},
		{second: 645, series: catalog.GenerationTokens, want: 233}, {second: 1350, series: catalog.GenerationTokens, want: 146940}, {second: 1350, series: catalog.SpecDecodeDraftTokens, want: 0},
	},
}

func TestRecordingsSayWhatTheirBodiesSay(t *testing.T) {
	root, err := recording.Root()
	if err != nil {
		t.Fatal(err)
	}
	for name, list := range facts {
		t.Run(name, func(t *testing.T) {
			dir, server, _ := strings.Cut(name, " ")
			rec, err := recording.Load(filepath.Join(root, filepath.FromSlash(dir)))
			if err != nil {
				t.Fatal(err)
			}
			readings := replay(t, rec, server)
			for _, f := range list {
				f.check(t, readings)
			}
		})
	}
}

func (f *fact) check(t *testing.T, readings map[int]*Reading) {
	t.Helper()
	r := readings[f.second]
	if r == nil {
		t.Errorf("second %d is none of the recording's", f.second)
		return
	}
	if f.series == nil {
		if r.Up != f.up || r.Reason != f.reason {
			t.Errorf("second %d: up %v, reason %q (%s), want %v, %q", f.second, r.Up, r.Reason, r.Problem, f.up, f.reason)
		}
		return
	}
	got := float64(absent)
	for i := range r.Points {
		p := &r.Points[i]
		if p.Series == f.series && hasLabel(p, f.label) {
			got = max(got, 0) + p.Value
		}
	}
	if got != f.want {
		t.Errorf("second %d: %s{%s} = %v, want %v", f.second, f.series.Name, f.label, got, f.want)
	}
}

func hasLabel(p *catalog.Point, label string) bool {
	for i, name := range p.Series.Labels {
		if label == "" || name+"="+p.Labels[i] == label {
			return true
		}
	}
	return false
}

// replay reads a server of a recording at the recording's own pace. Whatever is recorded of
// a known program must be mapped: nothing missing, nothing unmapped, nothing dropped.
func replay(t *testing.T, rec *recording.Recording, name string) map[int]*Reading {
	t.Helper()
	server, metrics := rec.Server(name), rec.Server(map[string]string{"router": "router-metrics", "service": "metrics"}[name])
	if server == nil {
		t.Fatalf("%s has no server %q", rec.Name, name)
	}
	var now time.Duration
	fetch := func(_ context.Context, port Port, path string) (*Answer, error) {
		from := server
		if port == MetricsPort {
			from = metrics
		}
		a, ok := from.At(now, path)
		switch {
		case !ok:
			return &Answer{Status: http.StatusNotFound}, nil
		case a.Failure == recording.TimedOut:
			return nil, &FetchError{Reason: catalog.ReasonTimeout, Err: errors.New("timeout")}
		case a.Failure != recording.Answered:
			return nil, &FetchError{Reason: catalog.ReasonRefused, Err: errors.New("refused")}
		}
		h := http.Header{}
		h.Set("Content-Type", a.ContentType)
		for key, value := range rec.Meta.Headers[name] {
			h.Set(key, value)
		}
		for key, value := range a.Header {
			h.Set(key, value)
		}
		return &Answer{Status: a.Status, Header: h, Body: a.Body}, nil
	}
	began := newClock().now
	s := NewSession(Options{Backend: "b", HasMetricsPort: metrics != nil, Now: func() time.Time { return began.Add(now) }})
	readings := map[int]*Reading{}
	for now = 0; now <= rec.Meta.Length; now += max(rec.Meta.Interval, time.Second) {
		r := s.Read(t.Context(), fetch)
		if len(r.Missing) > 0 || len(r.Unmapped) > 0 || r.Dropped > 0 {
			t.Errorf("second %v: missing %q, unmapped %q, %d dropped", now.Seconds(), r.Missing, r.Unmapped, r.Dropped)
		}
		readings[int(now.Seconds())] = kept(r)
	}
	return readings
}

// kept copies what a session's next Read takes back.
func kept(r *Reading) *Reading {
	c := *r
	c.Points = make([]catalog.Point, len(r.Points))
	for i, p := range r.Points {
		p.Labels = append([]string(nil), p.Labels...)
		c.Points[i] = p
	}
	return &c
}
