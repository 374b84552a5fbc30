package dashboards

import (
	"bufio"
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

// idsLock holds what must never move: a dashboard's file (a file that keeps its path and gets a
// new uid is not saved by Grafana) and a panel's id (links open it by number).
//
//go:embed ids.lock
var idsLock string

// ids is ids.lock, read.
type ids struct {
	paths  map[string]string // uid: file below the folder of dashboards
	panels map[string]uint32 // uid and key: id
}

// readIDs reads the lines "dashboard UID PATH" and "panel UID ID KEY".
func readIDs(text string) (ids, error) {
	out := ids{paths: map[string]string{}, panels: map[string]uint32{}}
	lines := bufio.NewScanner(strings.NewReader(text))
	taken := map[string]string{}
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := out.add(line, taken); err != nil {
			return ids{}, fmt.Errorf("ids.lock:%d: %w", n, err)
		}
	}
	return out, nil
}

func (i ids) add(line string, taken map[string]string) error {
	kind, rest, _ := strings.Cut(line, " ")
	uid, rest, ok := strings.Cut(rest, " ")
	if !ok {
		return fmt.Errorf("line %q is too short", line)
	}
	switch kind {
	case "dashboard":
		i.paths[uid] = rest
		return nil
	case "panel":
		number, key, _ := strings.Cut(rest, " ")
		id, err := strconv.ParseUint(number, 10, 32)
		if err != nil {
			return fmt.Errorf("id %q: %w", number, err)
		}
		if other, ok := taken[uid+number]; ok {
			return fmt.Errorf("id %s belongs to %s; an id is never given twice", number, other)
		}
		taken[uid+number] = key
		i.panels[uid+" "+key] = uint32(id)
		return nil
	}
	return fmt.Errorf("line %q begins with neither dashboard nor panel", line)
}

// panel is the frozen id of a panel or row.
func (i ids) panel(uid, key string) (uint32, error) {
	id, ok := i.panels[uid+" "+key]
	if !ok {
		return 0, fmt.Errorf("panel %s: has no id; run go test ./dashboards -update", key)
	}
	return id, nil
}
