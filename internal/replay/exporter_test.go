package replay

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/internal/hosttree"
	"github.com/llmfleet/llmfleet/internal/recording"
)

func TestLinksAreLookedAtWhereTheMachineChanges(t *testing.T) {
	s := time.Second
	changes := []time.Duration{0, 65 * s, 68 * s}
	for name, tt := range map[string]struct {
		stretch     float64
		from, until time.Duration
		want        []time.Duration
	}{
		"nothing changes": {1, 30 * s, 45 * s, nil},
		"a drop between":  {1, 60 * s, 75 * s, []time.Duration{62 * s, 64 * s, 66 * s, 68 * s, 70 * s, 72 * s, 74 * s}},
		"played slower":   {2, 120 * s, 126 * s, nil},
		"and later":       {2, 126 * s, 132 * s, []time.Duration{128 * s, 130 * s}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Samples(changes, tt.stretch, tt.from, tt.until); !slices.Equal(got, tt.want) {
				t.Errorf("Samples = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestAnEditOfMachinesWantsAMachine(t *testing.T) {
	e := Edit{Name: "e", Host: "proc/meminfo = 1\n"}
	rec := &recording.Recording{Name: "servers"}
	if _, err := e.apply(rec); err == nil || !strings.Contains(err.Error(), `recording "servers": edit "e" is one of machines`) {
		t.Errorf("apply = %v", err)
	}
	var err error
	if rec.Host, err = hosttree.Parse("m", "proc/meminfo = 0\n"); err != nil {
		t.Fatal(err)
	}
	edited, err := e.apply(rec)
	if err != nil {
		t.Fatal(err)
	}
	for tree, want := range map[*hosttree.Tree]string{rec.Host: "0\n", edited.Host: "1\n"} {
		got, err := tree.Play(func() time.Duration { return 0 }).Read("proc/meminfo", nil, 100)
		if err != nil || string(got) != want {
			t.Errorf("meminfo = %q, %v, want %q", got, err, want)
		}
	}
	e.Host = "nonsense\n"
	if _, err := e.apply(rec); err == nil || !strings.Contains(err.Error(), `edit "e"`) {
		t.Errorf("apply = %v, want the edit that cannot be read", err)
	}
}
