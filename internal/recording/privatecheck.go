package recording

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Finding is something private in a recording.
type Finding struct {
	File string
	Line int
	What string
}

// String is file:line and what.
func (f Finding) String() string {
	return fmt.Sprintf("%s:%d: holds what looks like %s", f.File, f.Line, f.What)
}

// CheckPrivate looks through all files of a recording for what must not be shared: each finding
// is named where it stands first.
func CheckPrivate(dir string) ([]Finding, error) {
	if _, err := Load(dir); err != nil {
		return nil, err
	}
	var all []Finding
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found, err := checkFile(path, text)
		all = append(all, found...)
		return err
	})
	return all, err
}

// checkFile looks through one file: answers body by body, anything else as it is.
func checkFile(path string, text []byte) (all []Finding, err error) {
	seen := map[Finding]bool{}
	add := func(line int, what string) {
		f := Finding{path, line, what}
		if !seen[f] {
			seen[f] = true
			all = append(all, f)
		}
	}
	if !bytes.HasPrefix(text, []byte(form)) {
		newRemover(false, func(line int, what, _ string) { add(line, what) }).body(text)
		return all, nil
	}
	entries, err := decode(filepath.Base(path), text)
	if err != nil {
		return nil, err
	}
	place := placesOf(text)
	var at *entryPlace
	var body page
	r := newRemover(false, func(line int, what, _ string) { add(at.of(body, line), what) })
	checked := map[string]bool{}
	for i, e := range entries {
		at, body = place[i], pageOf(e.answer.Body)
		r.line = 0
		r.path(e.answer.Path)
		for _, v := range e.answer.Header {
			r.text("", v)
		}
		if whole := string(e.answer.Body); !checked[whole] {
			checked[whole] = true
			r.body(e.answer.Body)
		}
	}
	return all, nil
}

// entryPlace is where an entry stands in its file: the line of its head, and those of the lines
// of the body that it writes out.
type entryPlace struct {
	head  int
	lines map[string]int
	older *entryPlace // entry before it
}

// of is the file's line on which a line of the body is written out, in this entry or in an older
// one that it repeats.
func (p *entryPlace) of(body page, line int) int {
	if line < 1 || line > len(body.lines) {
		return p.head
	}
	for at := p; at != nil; at = at.older {
		if n, ok := at.lines[body.lines[line-1]]; ok {
			return n
		}
	}
	return p.head
}

func placesOf(text []byte) []*entryPlace {
	var all []*entryPlace
	for i, l := range strings.Split(string(text), "\n") {
		switch {
		case strings.HasPrefix(l, "@ "):
			p := &entryPlace{head: i + 1, lines: map[string]int{}}
			if len(all) > 0 {
				p.older = all[len(all)-1]
			}
			all = append(all, p)
		case len(all) == 0 || l == "":
		case l[0] == '|':
			all[len(all)-1].lines[l[1:]] = i + 1
		case l[0] == '"':
			if plain, err := strconv.Unquote(l); err == nil {
				all[len(all)-1].lines[plain] = i + 1
			}
		}
	}
	return all
}

// checkPrivate refuses a recording whose bodies hold what looks like a secret or a path of
// somebody's home.
func checkPrivate(r *Recording) error {
	seen := map[string]bool{}
	for _, s := range r.Servers {
		for _, a := range s.Answers {
			if err := checkBody(a, seen); err != nil {
				return fmt.Errorf("%s: second %s: %w", s.Name, seconds(a.At), err)
			}
		}
	}
	for _, s := range r.States {
		for _, a := range s.Answers {
			if err := checkBody(a, seen); err != nil {
				return fmt.Errorf("state %s: %w", s.Name, err)
			}
		}
	}
	return nil
}

// checkBody looks at the lines that were not seen before: from scrape to scrape few change.
func checkBody(a Answer, seen map[string]bool) error {
	for n, line := range pageOf(a.Body).lines {
		if seen[line] {
			continue
		}
		seen[line] = true
		var what string
		r := newRemover(false, func(_ int, w, _ string) { what = w })
		for i := range rules {
			if rules[i].refused && what == "" {
				r.apply(&rules[i], line)
			}
		}
		if what != "" {
			return fmt.Errorf("%s, line %d of the body holds what looks like %s; change it in the source and import again", a.Path, n+1, what)
		}
	}
	return nil
}
