package replay

import (
	"fmt"
	"os"
	"slices"
	"strings"
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

func TestCountersAreChangedFromASecondOn(t *testing.T) {
	counted := []recording.Answer{page(0, "a_total{x=\"1\"} 4\nb 9\n"), page(15, "a_total{x=\"1\"} 6\nb 9\n"), page(30, "a_total{x=\"1\"} 9\nb 9\n")}
	for name, tt := range map[string]struct {
		edit func(*recording.Recording)
		want string // of the three pages, in turn
	}{
		"half the gain":        {scaleFrom(15*time.Second, "a_total", 0.5), "4 5 6.5"},
		"begun anew":           {restartAt(15*time.Second, "a_total"), "4 2 5"},
		"at zero":              {zeroFrom(15*time.Second, "a_total"), "4 0 0"},
		"half until a restart": {scaleUntil(30*time.Second, "a_total", 0.5), "2 3 9"},
		"half":                 {scale("a_total", 0.5), "2 3 4.5"},
		"set for a moment":     {setValueWhen(func(at time.Duration) bool { return at == 15*time.Second }, "a_total", "7"), "4 7 9"},
		"one after the other":  {inTurn(scale("a_total", 2), restartAt(30*time.Second, "a_total")), "8 12 6"},
	} {
		t.Run(name, func(t *testing.T) {
			for i, a := range edited(tt.edit, slices.Clone(counted)...) {
				if want := fmt.Sprintf("a_total{x=\"1\"} %s\nb 9\n", strings.Fields(tt.want)[i]); string(a.Body) != want {
					t.Errorf("page %d = %q, want %q", i, a.Body, want)
				}
			}
		})
	}
}

func TestOneLabelIsSetAndOthersStay(t *testing.T) {
	got := edited(setLabel("info", "size", "8"), page(0, "info{max_size=\"1\",size=\"2\",x=\"3\"} 1\nother{size=\"2\"} 1\n"))
	if want := "info{max_size=\"1\",size=\"8\",x=\"3\"} 1\nother{size=\"2\"} 1\n"; string(got[0].Body) != want {
		t.Errorf("page = %q, want %q", got[0].Body, want)
	}
}

func TestLinesAreLostByTheirBegin(t *testing.T) {
	got := edited(loseLines(`a\{[^\n]*2`), page(0, "a{x=\"1\"} 5\na{x=\"2\"} 6\nba{x=\"2\"} 7\n"))
	if string(got[0].Body) != "a{x=\"1\"} 5\nba{x=\"2\"} 7\n" {
		t.Errorf("page = %q", got[0].Body)
	}
}

func TestFurtherExportersReadTheSameServers(t *testing.T) {
	root, err := recording.Root()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Load(os.DirFS(root), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Replay("vllm-0.32.0/queue-limit", 0, "second-exporter")
	if err != nil {
		t.Fatal(err)
	}
	targets, done, err := r.Targets("llmfleet", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	var pages []string
	for _, target := range targets {
		p, err := target.Scraper.Scrape(t.Context(), 15*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, target.Instance+" "+string(p.Body))
	}
	if len(pages) != 2 || !strings.HasPrefix(pages[1], "llmfleet-2 ") || strings.Count(pages[1], "\n") != strings.Count(pages[0], "\n") {
		t.Errorf("%d pages, %.60q", len(pages), pages)
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
