package proof

import (
	"os"
	"testing"

	"github.com/llmfleet/llmfleet/internal/recording"
	"github.com/llmfleet/llmfleet/rules"
)

func TestTheBundleIsProven(t *testing.T) {
	root, err := recording.Root()
	if err != nil {
		t.Fatal(err)
	}
	expressions, err := Dashboards(rules.Groups(), rules.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	report, err := Run(t.Context(), Options{
		Groups: rules.Groups(), Settings: rules.DefaultSettings(),
		Recordings: os.DirFS(root), Expressions: expressions,
	})
	if err != nil {
		t.Fatal(err)
	}
	if !report.OK() {
		t.Errorf("not proven:\n%s", report)
	}
	t.Log(report.Summary())
}
