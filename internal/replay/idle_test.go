package replay

import (
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/rules"
)

func TestOnlyGroupsThatCanHaveResultsAreEvaluated(t *testing.T) {
	group := func(name, rule string) rules.File {
		return rules.File{Name: "llm-" + name + ".yml", Data: []byte("groups:\n  - name: " + name + "\n    rules:\n" + rule)}
	}
	p, err := NewPrometheus(
		[]Target{{"llmfleet", "here:1", scripted(func(second int) string {
			if second < 30 {
				return "llm_up{backend=\"a\"} 1\n"
			}
			return "llm_up{backend=\"a\"} 1\nllm_late 1\n"
		})}},
		[]rules.File{
			group("known", "      - alert: Known\n        expr: llm_up == 1\n"),
			group("never", "      - alert: Never\n        expr: llm_gpu_up == 0\n"),
			group("own", "      - alert: Own\n        expr: absent(llm_gpu_up)\n"),
			group("late", "      - record: a:llm_late:sum\n        expr: sum(llm_late)\n"),
			group("reads", "      - alert: Reads\n        expr: a:llm_late:sum > 0\n"),
		})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	busy := func() map[string]bool {
		out := map[string]bool{}
		for g := range p.idle.busy {
			out[g.Name()] = true
		}
		return out
	}
	playTest(t, p, 15)
	if got := busy(); len(got) != 2 || !got["known"] || !got["own"] {
		t.Errorf("evaluated up to 15: %v, want known and own", got)
	}
	if _, err := p.Step(t.Context(), 30*time.Second); err != nil {
		t.Fatal(err)
	}
	if got := busy(); len(got) != 4 || got["never"] {
		t.Errorf("evaluated up to 30: %v, want all but never", got)
	}
	fired := map[string]bool{}
	for _, s := range p.Spans() {
		fired[s.Alert] = true
	}
	if !fired["Known"] || !fired["Own"] || !fired["Reads"] || fired["Never"] {
		t.Errorf("alerts %v, want Known, Own and Reads", fired)
	}
}
