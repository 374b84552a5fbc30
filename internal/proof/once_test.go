package proof

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestAValueIsMadeOnceWhoeverAsks(t *testing.T) {
	var m onceMap[string, int]
	var made atomic.Int64
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			for key, want := range map[string]int{"a": 1, "b": 2} {
				if got := m.of(key, func() int { made.Add(1); return want }); got != want {
					t.Errorf("%s is %d, want %d", key, got, want)
				}
			}
		})
	}
	all.Wait()
	if made.Load() != 2 {
		t.Errorf("%d values were made of 2 keys", made.Load())
	}
}
