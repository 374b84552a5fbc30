package dashboards

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/dashboards/ids"
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

// addresses are the variables of a page that links can fill.
func addresses(d Dashboard) []ids.Variable {
	var out []ids.Variable
	for _, v := range d.Variables {
		if v.Query != "" {
			out = append(out, ids.Variable{Name: v.Name, Label: v.Label})
		}
	}
	return out
}

// With -update the lock is renewed first. The ids that are built into this program are then those
// from before, so the tests wait for the next run.
func TestMain(m *testing.M) {
	flag.Parse()
	if golden.Update() {
		switch changed, err := updateLock(); {
		case err != nil:
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		case changed:
			fmt.Println(lockFile + " is renewed; run the tests again")
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

func TestLockHoldsExactlyWhatIsOnThePages(t *testing.T) {
	lock, err := ids.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range All() {
		if _, ok := lock.Path(d.UID); !ok {
			t.Errorf("dashboard %s has no path in ids.lock", d.UID)
		}
		if got, want := inOrder(lock.Variables(d.UID)), inOrder(addresses(d)); !slices.Equal(got, want) {
			t.Errorf("dashboard %s has the variables %v, and ids.lock says %v: links and bookmarks fill them by name", d.UID, want, got)
		}
		seen := map[string]bool{}
		for _, key := range keys(d) {
			if seen[key] {
				t.Errorf("dashboard %s: key %s is used twice", d.UID, key)
			}
			seen[key] = true
			if _, err := lock.Panel(d.UID, key); err != nil {
				t.Error(err)
			}
		}
		for _, key := range lock.Keys(d.UID) {
			if !seen[key] {
				t.Errorf("panel %s is gone from %s and not retired; run go test ./dashboards -update", key, d.UID)
			}
		}
	}
}

func inOrder(all []ids.Variable) []ids.Variable {
	return slices.SortedFunc(slices.Values(all), func(a, b ids.Variable) int { return strings.Compare(a.Name, b.Name) })
}

const lockFile = "ids/ids.lock"

// updateLock writes what is missing into the lock and says whether something was.
func updateLock() (changed bool, err error) {
	before, err := os.ReadFile(lockFile)
	if err != nil {
		return false, err
	}
	text, err := renewed(string(before))
	if err != nil || text == string(before) {
		return false, err
	}
	return true, os.WriteFile(lockFile, []byte(text), 0o644)
}

// renewed retires what is gone, so that no id is given twice, brings back what has come back,
// and appends the next free ids for the rest.
func renewed(text string) (string, error) {
	for _, d := range All() {
		text = retired(text, d)
	}
	lock, err := ids.Read(text)
	if err != nil {
		return "", err
	}
	for _, d := range All() {
		if _, ok := lock.Path(d.UID); !ok {
			text += fmt.Sprintf("dashboard %s LLM fleet/%s.json\n", d.UID, d.UID)
		}
		for _, v := range addresses(d) {
			if !slices.Contains(lock.Variables(d.UID), v) {
				text += fmt.Sprintf("variable %s %s %s\n", d.UID, v.Name, v.Label)
			}
		}
		next := lock.Next(d.UID)
		for _, key := range keys(d) {
			if _, err := lock.Panel(d.UID, key); err != nil {
				text += fmt.Sprintf("panel %s %d %s\n", d.UID, next, key)
				next++
			}
		}
	}
	_, err = ids.Read(text)
	return text, err
}

// retired is the lock in which exactly the panels that are on a page are its panels.
func retired(text string, d Dashboard) string {
	there := keys(d)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		f := strings.Fields(line)
		if len(f) != 4 || f[1] != d.UID || f[0] != "panel" && f[0] != "retired" {
			continue
		}
		f[0] = "retired"
		if slices.Contains(there, f[3]) {
			f[0] = "panel"
		}
		lines[i] = strings.Join(f, " ")
	}
	return strings.Join(lines, "\n")
}
