package nearest

import (
	"strings"
	"testing"
)

func TestTheNearestWordIsTheOneThatWasMeant(t *testing.T) {
	words := []string{"name", "url", "metrics_url", "engine", "labels", "timeout", "kv_capacity_tokens", "unscraped", "ik_llamacpp", "llamacpp_router", "llamacpp"}
	for got, want := range map[string]string{
		"lables": "labels", "tiemout": "timeout", "Name": "name", "uri": "url", "kv_capacity": "kv_capacity_tokens",
		"metric_url": "metrics_url", "engines": "engine", "unscrapped": "unscraped", "lama": "llamacpp",
		"xyz": "", "job": "", "": "",
	} {
		if near := Word(got, words); near != want {
			t.Errorf("Word(%q) = %q, want %q", got, near, want)
		}
	}
}

func TestDistanceCountsSlips(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "acb", 1}, {"abc", "ab", 1}, {"kitten", "sitting", 3},
	} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestTheHintOfManyWordsNamesTheLikest(t *testing.T) {
	var known []string
	for c := 'a'; c <= 'z'; c++ {
		known = append(known, strings.Repeat(string(c), 12))
	}
	known = append(known, "queue_waiting_requests", "gpu_window_seconds")
	want := `; 28 are known, most like it are ["gpu_window_seconds" "pppppppppppp" "gggggggggggg" "uuuuuuuuuuuu" "aaaaaaaaaaaa"]`
	if got := Hint("gpu_p", known); got != want {
		t.Errorf("Hint = %s, want %s", got, want)
	}
}

func TestTheHintNamesOneWordOrAll(t *testing.T) {
	known := []string{"queue_waiting", "queue_window"}
	for unknown, want := range map[string]string{
		"queue_wating": `; did you mean "queue_waiting"?`,
		"p95":          `; known are ["queue_waiting" "queue_window"]`,
	} {
		if got := Hint(unknown, known); got != want {
			t.Errorf("Hint(%q) = %s, want %s", unknown, got, want)
		}
	}
}
