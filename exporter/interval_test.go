package exporter_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/exporter"
)

func TestNumbersAreUsedAgainWithinTheirInterval(t *testing.T) {
	var now atomic.Int64
	now.Store(1700000000)
	s := serve(t, llamacpp(t))
	e := start(t, "backends:\n  - name: a\n    url: "+s.URL+"\n    metrics_interval: 1m\n",
		exporter.Options{Now: func() time.Time { return time.Unix(now.Load(), 0) }})
	count := func() (metrics int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, q := range s.asked {
			if strings.HasPrefix(q, "GET /metrics") {
				metrics++
			}
		}
		return metrics
	}
	for _, step := range []struct {
		seconds int64
		asked   int
		success string
	}{
		{0, 1, "1.7e+09"},
		{15, 1, "1.7e+09"}, // the numbers are those of before, and say so
		{30, 1, "1.7e+09"},
		{60, 2, "1.70000006e+09"},
		{75, 2, "1.70000006e+09"},
	} {
		now.Store(1700000000 + step.seconds)
		page := request(t, e, "GET", "/metrics").Body.String()
		wantLines(t, page, `llm_up{backend="a"} 1`, `llm_requests_running{backend="a",engine="llamacpp",model="small"} 1`,
			`llm_scrape_last_success_timestamp_seconds{backend="a"} `+step.success)
		if got := count(); got != step.asked {
			t.Errorf("after %d s the numbers were asked %d times, want %d", step.seconds, got, step.asked)
		}
	}
}
