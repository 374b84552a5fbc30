package dashboards

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/internal/golden"
)

// keys lists the keys that need an id: rows and panels, in order.
func keys(d Dashboard) []string {
	var out []string
	for _, r := range d.Rows {
		out = append(out, "row/"+r.Key)
		for _, p := range r.Panels {
			out = append(out, p.Key)
		}
	}
	return out
}

func TestEveryPanelHasAFrozenID(t *testing.T) {
	if golden.Update() {
		giveIDs(t)
	}
	lock, err := readIDs(idsLock)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range All() {
		if lock.paths[d.UID] == "" {
			t.Errorf("dashboard %s has no path in ids.lock", d.UID)
		}
		seen := map[string]bool{}
		for _, key := range keys(d) {
			if seen[key] {
				t.Errorf("dashboard %s: key %s is used twice", d.UID, key)
			}
			seen[key] = true
			if _, err := lock.panel(d.UID, key); err != nil {
				t.Error(err)
			}
		}
	}
}

// giveIDs appends the next free ids. Lines of panels that are gone stay, so that no id is
// given twice.
func giveIDs(t *testing.T) {
	lock, err := readIDs(idsLock)
	if err != nil {
		t.Fatal(err)
	}
	text := idsLock
	for _, d := range All() {
		next := uint32(1)
		for key, id := range lock.panels {
			if strings.HasPrefix(key, d.UID+" ") {
				next = max(next, id+1)
			}
		}
		for _, key := range keys(d) {
			if _, err := lock.panel(d.UID, key); err != nil {
				text += fmt.Sprintf("panel %s %d %s\n", d.UID, next, key)
				next++
			}
		}
	}
	if err := os.WriteFile("ids.lock", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	idsLock = text
}

func TestLockFileRefusesWhatWouldMove(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"id given twice":   {"panel d 1 a\npanel d 1 b", `ids.lock:2: id 1 belongs to a; an id is never given twice`},
		"id not a number":  {"panel d one a", `ids.lock:1: id "one": strconv.ParseUint: parsing "one": invalid syntax`},
		"unknown kind":     {"row d 1 a", `ids.lock:1: line "row d 1 a" begins with neither dashboard nor panel`},
		"line cut in half": {"panel d", `ids.lock:1: line "panel d" is too short`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := readIDs(tt.text); err == nil || err.Error() != tt.want {
				t.Errorf("readIDs(%q) = %v, want %s", tt.text, err, tt.want)
			}
		})
	}
}
