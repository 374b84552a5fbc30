package gen

import (
	"context"
	"os"

	"github.com/llmfleet/llmfleet/internal/proof"
	"github.com/llmfleet/llmfleet/internal/recording"
	"github.com/llmfleet/llmfleet/rules"
)

// promtoolTests are tests of the rules for promtool, by their path below the bundle. They are
// made from the recordings of a checkout; a program that runs elsewhere has none to make.
func promtoolTests(s rules.Settings) (map[string][]byte, error) {
	root, err := recording.Root()
	if err != nil {
		return nil, nil
	}
	hosts, err := recording.HostsRoot()
	if err != nil {
		return nil, nil
	}
	files, err := proof.PromtoolTests(context.Background(), proof.Options{
		Groups: rules.Groups(), Settings: s, Recordings: os.DirFS(root), Hosts: os.DirFS(hosts),
	})
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, f := range files {
		out["prometheus/tests/"+f.Name] = f.Data
	}
	return out, nil
}
