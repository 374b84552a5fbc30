package diff

import (
	"fmt"
	"strings"
	"testing"
)

func TestUnifiedDiffShowsOnlyWhatChanged(t *testing.T) {
	long := func(changed int) []byte {
		var b strings.Builder
		for i := 1; i <= 20; i++ {
			if i == changed {
				b.WriteString("changed\n")
				continue
			}
			fmt.Fprintf(&b, "line %d\n", i)
		}
		return []byte(b.String())
	}
	for name, tt := range map[string]struct {
		before, after []byte
		want          string
	}{
		"equal":    {long(0), long(0), ""},
		"one line": {long(0), long(10), "--- a\n+++ b\n@@ -7,7 +7,7 @@\n line 7\n line 8\n line 9\n-line 10\n+changed\n line 11\n line 12\n line 13\n"},
		"far apart": {long(1), long(20), "--- a\n+++ b\n@@ -1,4 +1,4 @@\n-changed\n+line 1\n line 2\n line 3\n line 4\n" +
			"@@ -17,4 +17,4 @@\n line 17\n line 18\n line 19\n-line 20\n+changed\n"},
		"line end": {[]byte("x\ny\n"), []byte("x\ny"), "--- a\n+++ b\n@@ -1,2 +1,2 @@\n x\n-y\n+y\n\\ No newline at end of file\n"},
		"emptied": {[]byte("x\n"), nil, "--- a\n+++ b\n@@ -1,1 +0,0 @@\n-x\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Unified("a", "b", tt.before, tt.after); got != tt.want {
				t.Errorf("Unified =\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
