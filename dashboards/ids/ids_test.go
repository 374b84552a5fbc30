package ids

import "testing"

const small = `# a comment
dashboard d LLM fleet/d.json
variable d backend backend
variable d router backend
panel d 1 row/a
retired d 2 a/one
panel d 3 a/two
dashboard e LLM fleet/e.json
panel e 1 row/a
panel e 4 a/one
`

func TestAPanelThatMovedIsFoundOnItsNewPage(t *testing.T) {
	l, err := Read(small)
	if err != nil {
		t.Fatal(err)
	}
	if uid, id, ok := l.Find("a/one"); uid != "e" || id != 4 || !ok {
		t.Errorf("Find = %s, %d, %v, want e, 4", uid, id, ok)
	}
	if _, _, ok := l.Find("a/three"); ok {
		t.Error("a panel that is nowhere was found")
	}
	if id, err := l.Panel("d", "a/one"); err == nil {
		t.Errorf("a panel that has moved is on its old page, as %d", id)
	}
	if got := l.Next("d"); got != 4 {
		t.Errorf("Next = %d, want 4: the id of a panel that is gone is nobody's", got)
	}
	if got := l.Next("e"); got != 5 {
		t.Errorf("Next = %d, want 5", got)
	}
}

func TestVariablesAreListedInTheOrderOfThePage(t *testing.T) {
	l, err := Read(small)
	if err != nil {
		t.Fatal(err)
	}
	got := l.Variables("d")
	if len(got) != 2 || got[0] != (Variable{"backend", "backend"}) || got[1] != (Variable{"router", "backend"}) {
		t.Errorf("Variables = %v", got)
	}
	if path, ok := l.Path("d"); path != "LLM fleet/d.json" || !ok {
		t.Errorf("Path = %q, %v", path, ok)
	}
}

func TestLockRefusesWhatWouldMove(t *testing.T) {
	const d = "dashboard d d.json\n"
	for name, tt := range map[string]struct{ text, want string }{
		"id given twice":     {d + "panel d 1 a\npanel d 1 b", `ids.lock:3: id 1 belongs to a; an id is never given twice`},
		"id of the retired":  {d + "retired d 1 a\npanel d 1 b", `ids.lock:3: id 1 belongs to a; an id is never given twice`},
		"panel on two pages": {d + "dashboard e e.json\npanel d 1 a\npanel e 1 a", `ids.lock:4: panel a is on d already; one that has moved is retired there`},
		"id not a number":    {d + "panel d one a", `ids.lock:2: id "one": strconv.ParseUint: parsing "one": invalid syntax`},
		"unknown kind":       {d + "row d 1 a", `ids.lock:2: line "row d 1 a" begins with neither dashboard, variable, panel nor retired`},
		"unknown dashboard":  {"panel d 1 a", `ids.lock:1: line "panel d 1 a": no line above it names the dashboard d`},
		"line cut in half":   {"panel d", `ids.lock:1: line "panel d" is too short`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Read(tt.text); err == nil || err.Error() != tt.want {
				t.Errorf("Read(%q) = %v, want %s", tt.text, err, tt.want)
			}
		})
	}
}

func TestLockThatIsBuiltInCanBeRead(t *testing.T) {
	if _, err := Load(); err != nil {
		t.Error(err)
	}
}
