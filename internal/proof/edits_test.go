package proof

import (
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/internal/recording"
	"github.com/llmfleet/llmfleet/rules"
)

func page(at int, body string) recording.Answer {
	return recording.Answer{At: time.Duration(at) * time.Second, Path: "/metrics", Status: 200, Body: []byte(body)}
}

func edited(edit func(*recording.Recording), answers ...recording.Answer) []recording.Answer {
	r := &recording.Recording{Servers: []*recording.Server{{Name: "service", Answers: answers}}}
	edit(r)
	return r.Servers[0].Answers
}

func TestADroppedNameTakesItsCommentsAndNothingElse(t *testing.T) {
	got := edited(dropName("vllm:x"), page(0, "# HELP vllm:x X.\n# TYPE vllm:x gauge\nvllm:x{a=\"1\"} 2\nvllm:x_bucket{le=\"1\"} 3\nvllm:xy 4\n"))
	if string(got[0].Body) != "vllm:xy 4\n" {
		t.Errorf("page = %q", got[0].Body)
	}
}

func TestASetValueKeepsNamesAndLabels(t *testing.T) {
	got := edited(setValue("a_total", "0"), page(0, "a_total{x=\"}\"} 5\na_total 6\na_totals 7\n"))
	if string(got[0].Body) != "a_total{x=\"}\"} 0\na_total 0\na_totals 7\n" {
		t.Errorf("page = %q", got[0].Body)
	}
}

func TestFrozenPagesRepeatTheLastOneBefore(t *testing.T) {
	got := edited(freezeFrom(30*time.Second), page(0, "a 1\n"), page(15, "a 2\n"), page(30, "a 3\n"), page(45, "a 4\n"))
	for i, want := range []string{"a 1\n", "a 2\n", "a 2\n", "a 2\n"} {
		if string(got[i].Body) != want {
			t.Errorf("page %d = %q, want %q", i, got[i].Body, want)
		}
	}
}

func TestEditsLeaveOtherAnswersAlone(t *testing.T) {
	health := recording.Answer{Path: "/health", Status: 200, Body: []byte("ok")}
	refused := recording.Answer{Path: "/metrics", Failure: recording.Refused}
	got := edited(answerInstead("text/html", "<html>"), health, refused, page(0, "a 1\n"))
	if string(got[0].Body) != "ok" || got[1].Body != nil || string(got[2].Body) != "<html>" {
		t.Errorf("answers = %q, %q, %q", got[0].Body, got[1].Body, got[2].Body)
	}
}

func TestEveryEditIsDescribedAndNamedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range allEdits() {
		if e.About == "" || e.Recording == nil && e.Scrape == nil && e.Host == "" && e.Beside == nil {
			t.Errorf("%s: does nothing, or does not say what", e.Name)
		}
		if seen[e.Name] {
			t.Errorf("%s: there are two", e.Name)
		}
		seen[e.Name] = true
	}
}

func TestEveryEditIsUsedByACase(t *testing.T) {
	used := map[string]bool{}
	for _, g := range rules.Groups() {
		for _, a := range g.Alerts {
			for _, c := range a.Cases {
				used[c.Edit] = true
			}
		}
	}
	for _, e := range allEdits() {
		if !used[e.Name] {
			t.Errorf("%s: no case uses it", e.Name)
		}
	}
}
