package gen

import (
	"context"
	"fmt"
	"os"

	"github.com/llmfleet/llmfleet/internal/recording"
	"github.com/llmfleet/llmfleet/internal/ruletest"
	"github.com/llmfleet/llmfleet/rules"
)

// LeftOut says what is not generated because the program does not run in a checkout, which has
// the recordings; empty when it does.
func LeftOut() string {
	_, err := recording.Root()
	if err == nil {
		_, err = recording.HostsRoot()
	}
	if err == nil {
		return ""
	}
	return fmt.Sprintf("left out, because they are made from recordings (%v): gen/bundle/prometheus/tests, and in docs/engines.md what was seen of each engine; run it in a checkout of llmfleet to have them", err)
}

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
	files, err := ruletest.Files(context.Background(), rules.Groups(), s, os.DirFS(root), os.DirFS(hosts))
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, f := range files {
		out["prometheus/tests/"+f.Name] = f.Data
	}
	return out, nil
}
