package gen

import (
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/rules"
)

func TestNothingIsWrittenThatIsBlindByItsSettings(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*rules.Settings)
		want   []string
	}{
		"scrapes too far apart": {
			func(s *rules.Settings) { s.ScrapeInterval = 20 * time.Minute },
			[]string{
				"backend:llm_objective_burn:rate_5m: llm_objective_missed_events_total", "LlmKVCacheSaturated: ",
				"range 5m is shorter than four scrapes (1h20m)", "watching/", // a panel
			},
		},
		"a window of one scrape": {
			func(s *rules.Settings) { s.Thresholds = map[string]float64{"kv_window": 15} },
			[]string{"LlmKVCacheSaturated: llm_kv_cache_usage_ratio[15s]: range 15s is shorter than four scrapes (1m)"},
		},
		"no budget": {
			func(s *rules.Settings) { s.Thresholds = map[string]float64{"success_target": 1} },
			[]string{"thresholds.success_target 1 leaves no budget"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := rules.DefaultSettings()
			tt.change(&s)
			files, err := Bundle(s)
			if err == nil || len(files) > 0 {
				t.Fatalf("%d files and no error", len(files))
			}
			for _, w := range tt.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error lacks %q:\n%.3000s", w, err)
				}
			}
		})
	}
}
