// Package ids is what of the dashboards must never move, because links and bookmarks hold it:
// the file of a page, the ids of its panels, the names of its variables.
package ids

import (
	"bufio"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

//go:embed ids.lock
var builtIn string

// Lock is ids.lock, read.
type Lock struct {
	pages map[string]page
	home  map[string]string // key of a panel: the uid of its page
}

// page is what is frozen of one dashboard.
type page struct {
	path      string
	panels    map[string]uint32 // by key
	keys      map[uint32]string // of ids that are taken, by panels that are gone too
	variables []Variable
}

// Variable is a choice at the top of a page, as links fill it.
type Variable struct {
	Name  string // var-<name> in a link
	Label string // the label whose values it chooses among
}

// Load reads the lock that is built in.
func Load() (Lock, error) { return Read(builtIn) }

// Read reads the lines "dashboard UID PATH", "variable UID NAME LABEL", "panel UID ID KEY" and
// "retired UID ID KEY": a panel that is gone from its page, whose id nobody gets.
func Read(text string) (Lock, error) {
	l := Lock{pages: map[string]page{}, home: map[string]string{}}
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := l.add(line); err != nil {
			return Lock{}, fmt.Errorf("ids.lock:%d: %w", n, err)
		}
	}
	return l, nil
}

func (l Lock) add(line string) error {
	kind, rest, _ := strings.Cut(line, " ")
	uid, rest, ok := strings.Cut(rest, " ")
	if !ok {
		return fmt.Errorf("line %q is too short", line)
	}
	if kind == "dashboard" {
		l.pages[uid] = page{path: rest, panels: map[string]uint32{}, keys: map[uint32]string{}}
		return nil
	}
	p, ok := l.pages[uid]
	if !ok {
		return fmt.Errorf("line %q: no line above it names the dashboard %s", line, uid)
	}
	switch kind {
	case "variable":
		name, label, _ := strings.Cut(rest, " ")
		p.variables = append(p.variables, Variable{name, label})
		l.pages[uid] = p
		return nil
	case "panel", "retired":
		return l.addPanel(p, uid, rest, kind == "retired")
	}
	return fmt.Errorf("line %q begins with neither dashboard, variable, panel nor retired", line)
}

func (l Lock) addPanel(p page, uid, rest string, retired bool) error {
	number, key, _ := strings.Cut(rest, " ")
	n, err := strconv.ParseUint(number, 10, 32)
	if err != nil {
		return fmt.Errorf("id %q: %w", number, err)
	}
	id := uint32(n)
	if other, ok := p.keys[id]; ok {
		return fmt.Errorf("id %d belongs to %s; an id is never given twice", id, other)
	}
	p.keys[id] = key
	if retired {
		return nil
	}
	if other, ok := l.home[key]; ok && !isRow(key) {
		return fmt.Errorf("panel %s is on %s already; one that has moved is retired there", key, other)
	}
	l.home[key], p.panels[key] = uid, id
	return nil
}

// isRow says whether a key is that of a heading; pages may share those.
func isRow(key string) bool { return strings.HasPrefix(key, "row/") }

// Path is the file of a dashboard below the folder of dashboards. Grafana does not save a file
// that keeps its path and gets another uid.
func (l Lock) Path(uid string) (string, bool) {
	p, ok := l.pages[uid]
	return p.path, ok
}

// Variables are the choices of a page, in its order.
func (l Lock) Variables(uid string) []Variable { return l.pages[uid].variables }

// Panel is the id of a panel or row of a page.
func (l Lock) Panel(uid, key string) (uint32, error) {
	id, ok := l.pages[uid].panels[key]
	if !ok {
		return 0, fmt.Errorf("panel %s: has no id; run go test ./dashboards -update", key)
	}
	return id, nil
}

// Find is the page that a panel is on, and its id there.
func (l Lock) Find(key string) (uid string, id uint32, ok bool) {
	uid, ok = l.home[key]
	return uid, l.pages[uid].panels[key], ok
}

// Keys are the panels and rows of a page, in order.
func (l Lock) Keys(uid string) []string { return slices.Sorted(maps.Keys(l.pages[uid].panels)) }

// Next is the first id of a page that nobody has or had.
func (l Lock) Next(uid string) uint32 {
	next := uint32(1)
	for id := range l.pages[uid].keys {
		next = max(next, id+1)
	}
	return next
}
