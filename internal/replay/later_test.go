package replay

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/internal/recording"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
)

func TestGroupsEvaluatedAtTheEndLeaveWhatStepsWouldHaveLeft(t *testing.T) {
	root, err := recording.Root()
	if err != nil {
		t.Fatal(err)
	}
	hosts, err := recording.HostsRoot()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Load(os.DirFS(root), os.DirFS(hosts))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, g := range rules.Groups() {
		all[rules.GroupPrefix+g.Name] = true
	}
	for _, name := range []string{"fleet-incidents", "hosts/a1"} {
		t.Run(name, func(t *testing.T) {
			steps, stepSpans := everything(t, c, name, all)
			end, endSpans := everything(t, c, name, nil)
			if !slices.Equal(stepSpans, endSpans) || len(endSpans) == 0 {
				t.Errorf("spans in steps %q, at the end %q", stepSpans, endSpans)
			}
			for _, s := range slices.Sorted(maps.Keys(steps)) {
				if steps[s] != end[s] {
					t.Errorf("%s\nin steps   %s\nat the end %s", s, steps[s], end[s])
				}
				delete(end, s)
			}
			for s := range end {
				t.Errorf("%s is there only when evaluated at the end", s)
			}
		})
	}
}

// everything plays a recording and returns all its series, samples as text, and its spans.
func everything(t *testing.T, c *Corpus, name string, stepped map[string]bool) (map[string]string, []string) {
	t.Helper()
	rep, err := c.Replay(name, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	files, err := rules.Files(rules.Groups(), rules.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	p, problems, err := rep.Play(t.Context(), rules.DefaultSettings().Job, c.Companion(), files, stepped)
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	defer p.Close()
	q, err := p.Querier(Millis(0), Millis(rep.Length))
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	out := map[string]string{}
	set := q.Select(t.Context(), true, nil, labels.MustNewMatcher(labels.MatchRegexp, model.MetricNameLabel, ".+"))
	for set.Next() {
		out[set.At().Labels().String()] = samplesAsText(set.At())
	}
	if err := set.Err(); err != nil {
		t.Fatal(err)
	}
	return out, lines(p.Spans())
}

// samplesAsText writes what anybody can tell apart: a second marker after a first says nothing.
func samplesAsText(s storage.Series) string {
	var b strings.Builder
	stale := true
	for it := s.Iterator(nil); it.Next() == chunkenc.ValFloat; {
		at, v := it.At()
		if value.IsStaleNaN(v) {
			if !stale {
				fmt.Fprintf(&b, "%d gone ", int(TimeOf(at).Seconds()))
			}
			stale = true
			continue
		}
		stale = false
		fmt.Fprintf(&b, "%d %.9g ", int(TimeOf(at).Seconds()), math.Round(v*1e9)/1e9)
	}
	return b.String()
}
