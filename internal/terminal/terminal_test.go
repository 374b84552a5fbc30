package terminal

import (
	"strings"
	"testing"
)

func TestALongTextIsBrokenAtSpaces(t *testing.T) {
	text := strings.TrimSpace(strings.Repeat("twelve_chars ", 20))
	lines := strings.Split(Wrap(text, "    "), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines, want 3: seven words of 12 in 100 columns\n%s", len(lines), strings.Join(lines, "\n"))
	}
	for i, l := range lines {
		if len(l) > Width || i > 0 && !strings.HasPrefix(l, "    t") {
			t.Errorf("line %d is %q", i, l)
		}
	}
	if got := Wrap(strings.Repeat("x", 200), "  "); len(got) != 200 {
		t.Errorf("a word that is too long is broken: %q", got)
	}
}

func TestAListNamesAFewAndCountsTheRest(t *testing.T) {
	texts := []string{"a", "b", "c"}
	if all, few := List(texts, 3), List(texts, 1); all != "a, b, c" || few != "a and 2 more" {
		t.Errorf("%q, %q", all, few)
	}
}

func TestWhatSteersATerminalIsReplaced(t *testing.T) {
	if got := Printable("a\x1b[2Jb\nc\r\u0085"); got != "a\uFFFD[2Jb\nc\uFFFD\uFFFD" {
		t.Errorf("%q", got)
	}
}
