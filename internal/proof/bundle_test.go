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
	hosts, err := recording.HostsRoot()
	if err != nil {
		t.Fatal(err)
	}
	o, err := Bundle(rules.DefaultSettings(), os.DirFS(root), os.DirFS(hosts))
	if err != nil {
		t.Fatal(err)
	}
	report, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if !report.OK() {
		t.Errorf("not proven:\n%s", report)
	}
	t.Log(report.Summary())
}
