package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/exporter/engine"
	"github.com/llmfleet/llmfleet/exporter/scrape"
)

func TestDeadlineIsTheScrapersTimeoutLessTheOffset(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"":      9500 * time.Millisecond,
		"10":    9500 * time.Millisecond,
		"2.5":   2 * time.Second,
		"0.6":   300 * time.Millisecond, // the offset would leave 0.1 s
		"0.001": 500 * time.Microsecond,
		"-1":    9500 * time.Millisecond,
		"0":     9500 * time.Millisecond,
		"soon":  9500 * time.Millisecond,
		"NaN":   9500 * time.Millisecond,
		"+Inf":  longestTimeout - 500*time.Millisecond,
		"1e300": longestTimeout - 500*time.Millisecond,
	} {
		h := http.Header{}
		if header != "" {
			h.Set("X-Prometheus-Scrape-Timeout-Seconds", header)
		}
		if got := deadline(h, 500*time.Millisecond); got != want {
			t.Errorf("deadline for %q = %s, want %s", header, got, want)
		}
	}
	if got := deadline(http.Header{}, 0); got != 10*time.Second {
		t.Errorf("without an offset: %s", got)
	}
}

func TestLargePageIsBegunEarlier(t *testing.T) {
	s := &site{Options: Options{Offset: 500 * time.Millisecond}}
	left := func(targets int) time.Duration {
		r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		began := time.Now()
		ctx, cancel := s.withDeadline(r, targets)
		defer cancel()
		end, _ := ctx.Deadline()
		return 10*time.Second - end.Sub(began).Round(10*time.Millisecond)
	}
	if one, many := left(1), left(2000); one != 500*time.Millisecond || many != time.Second {
		t.Errorf("left for writing: %s for one target, %s for two thousand; want 0.5s and 1s", one, many)
	}
}

func TestGzipIsUsedWhereItIsWanted(t *testing.T) {
	for accept, want := range map[string]bool{
		"":                    false,
		"gzip":                true,
		"GZIP":                true,
		"deflate, gzip;q=0.5": true,
		"gzip;q=0":            false,
		"gzip; q=0.0":         false,
		"gzip;q=1.0, br":      true,
		"br, identity":        false,
		"xgzip":               false,
	} {
		if got := wantsGzip([]string{accept}); got != want {
			t.Errorf("wantsGzip(%q) = %v", accept, got)
		}
	}
}

func TestMetricsPathMustLeaveOtherPagesAlone(t *testing.T) {
	for path, good := range map[string]bool{
		"/metrics": true, "/m": true, "/a/b-c_d.e": true,
		"": false, "/": false, "metrics": false, "/probe": false, "/-/reload": false, "/config": false,
		"//m": false, "/a/../b": false, "/.": false, "/a//b": false, "/m/": false, "/api/": false,
		"/a b": false, "/{x}": false, "/a?b": false, "/ä": false, "/a%20b": false,
	} {
		if err := CheckMetricsPath(path); (err == nil) != good {
			t.Errorf("CheckMetricsPath(%q) = %v", path, err)
		} else if err != nil && !strings.Contains(err.Error(), "metrics path") {
			t.Errorf("CheckMetricsPath(%q) = %v, which does not say what is wrong", path, err)
		}
	}
}

func TestStateIsOneWord(t *testing.T) {
	asked := time.Unix(1700000000, 0)
	for name, tt := range map[string]struct {
		state scrape.State
		want  string
		tone  string
	}{
		"unscraped":            {scrape.State{Unscraped: "no need"}, "not watched", "quiet"},
		"before the first":     {scrape.State{}, "not asked yet", "quiet"},
		"all is well":          {scrape.State{At: asked, Up: engine.Yes, Healthy: engine.Yes}, "up", "good"},
		"health unknown":       {scrape.State{At: asked, Up: engine.Yes}, "up", "good"},
		"another model":        {scrape.State{At: asked, Up: engine.Yes, Healthy: engine.Yes, NotServed: []string{"m"}}, "another model", "warn"},
		"numbers of the dying": {scrape.State{At: asked, Up: engine.Yes, Healthy: engine.No}, "not serving", "warn"},
		"no numbers at all":    {scrape.State{At: asked, Healthy: engine.Yes}, "up, no numbers", "good"},
		"numbers missing":      {scrape.State{At: asked, Up: engine.No, Healthy: engine.Yes}, "numbers missing", "warn"},
		"some other page":      {scrape.State{At: asked, Up: engine.No}, "no numbers", "bad"},
		"down":                 {scrape.State{At: asked, Up: engine.No, Healthy: engine.No}, "down", "bad"},
		"down, no numbers":     {scrape.State{At: asked, Healthy: engine.No}, "down", "bad"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Judge(&tt.state); got.Word != tt.want || got.Tone != tt.tone {
				t.Errorf("Judge = %+v, want %s, %s", got, tt.want, tt.tone)
			}
		})
	}
}

func TestAgeIsSaidInTheUnitOfAPerson(t *testing.T) {
	now := time.Unix(1700000000, 0)
	for d, want := range map[time.Duration]string{
		0: "now", 14 * time.Second: "14 s ago", 119 * time.Second: "119 s ago", 2 * time.Minute: "2 min ago",
		3 * time.Hour: "3 h ago", 72 * time.Hour: "3 days ago",
	} {
		if got := age(now.Add(-d), now); got != want {
			t.Errorf("age of %s = %q, want %q", d, got, want)
		}
	}
	if got := age(time.Time{}, now); got != "" {
		t.Errorf("age of never = %q", got)
	}
}
