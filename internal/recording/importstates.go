package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// states reads a folder of one-off answers. Three forms of index.tsv are known; files that no
// index names are taken where their name says state and path (asleep.v1_models.body).
func (in *importer) states(dir string) ([]State, error) {
	rows, err := in.oneOffs(dir)
	if err != nil {
		return nil, err
	}
	set := stateSet{}
	for _, o := range rows {
		a, why, err := in.oneOff(dir, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", dir, o.stem, err)
		}
		if why != "" {
			in.report.leave(why)
			continue
		}
		if !set.add(o, a) {
			in.report.leave("one-off answers to a question that the state has already")
		}
	}
	return append(in.rec.States, set.states...), nil
}

func (in *importer) oneOffs(dir string) ([]oneOff, error) {
	index := filepath.Join(dir, "index.tsv")
	text, err := os.ReadFile(index)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var rows []oneOff
	known := map[string]bool{}
	var columns []string
	for n, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		f := strings.Split(line, "\t")
		if line == "" || n == 0 && f[0] == "name" {
			columns = f
			continue
		}
		o, why, err := parseOneOff(columns, f)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", index, n+1, err)
		}
		known[o.stem] = true
		if why != "" {
			in.report.leave(why)
			continue
		}
		rows = append(rows, o)
	}
	more, err := in.unlisted(dir, known)
	return append(rows, more...), err
}

// paths are what the last word of an unlisted file's name stands for.
var paths = map[string]string{
	"health": "/health", "metrics": "/metrics", "props": "/props", "slots": "/slots", "models": "/models",
	"v1_models": "/v1/models", "v1_health": "/v1/health", "version": "/version",
}

func (in *importer) unlisted(dir string, known map[string]bool) ([]oneOff, error) {
	bodies, err := filepath.Glob(filepath.Join(dir, "*.body*"))
	if err != nil {
		return nil, err
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.metrics.txt"))
	if err != nil {
		return nil, err
	}
	var rows []oneOff
	for _, file := range append(bodies, pages...) {
		stem := stemOf(file)
		dot := strings.LastIndexByte(stem, '.')
		path := paths[stem[dot+1:]]
		if known[stem] || dot > 0 && known[stem[:dot]] {
			continue
		}
		if dot < 0 || path == "" || strings.HasSuffix(stem[:dot], ".q") {
			in.report.leave("one-off answers whose path is not known")
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, stem+".headers.txt")); err != nil {
			in.report.note("%s has no headers: status 200 and the content type %q are assumed", stem, assumedType(path))
		}
		rows = append(rows, oneOff{state: stem[:dot], stem: stem, path: path, contentType: assumedType(path)})
	}
	return rows, nil
}

func stemOf(file string) string {
	stem := strings.TrimSuffix(filepath.Base(file), ".gz")
	return strings.TrimSuffix(strings.TrimSuffix(stem, ".body"), ".txt")
}

// assumedType is what the servers we know send for a path.
func assumedType(path string) string {
	if IsNumbers(path) {
		return "text/plain; version=0.0.4"
	}
	return "application/json"
}

// oneOffBody reads STEM.body, or STEM.metrics.txt and STEM.txt of a page that a collector wrote.
func oneOffBody(dir, stem string) (body []byte, err error) {
	for _, ext := range []string{".body", ".body.gz", ".metrics.txt", ".txt"} {
		body, err = readBody(filepath.Join(dir, stem+ext), "")
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return body, err
}

// oneOff reads the files of one answer.
func (in *importer) oneOff(dir string, o oneOff) (a Answer, why string, err error) {
	if private(o.path) {
		return a, isPrivate, nil
	}
	a = Answer{Path: o.path, ContentType: o.contentType}
	if o.status == "" {
		o.status = "200"
	}
	if a.Failure, a.Status, err = parseOutcome(o.status); err != nil || a.Failure != Answered {
		a.ContentType = ""
		return a, "", err
	}
	length, err := in.headers(filepath.Join(dir, o.stem+".headers.txt"), &a)
	if err != nil {
		return a, "", err
	}
	a.Body, err = oneOffBody(dir, o.stem)
	if errors.Is(err, fs.ErrNotExist) { // an empty body has no file
		if length == "0" {
			return a, "", nil
		}
		return a, "one-off answers whose body was not kept", nil
	}
	return a, "", err
}

// headers reads a file of headers into the answer: status, content type, Server. Other headers
// are of no use to a scrape.
func (in *importer) headers(file string, a *Answer) (length string, err error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	lines := strings.Split(string(bytes.ReplaceAll(text, []byte("\r"), nil)), "\n")
	if f := strings.Fields(lines[0]); len(f) > 1 {
		if a.Status, err = strconv.Atoi(f[1]); err != nil {
			return "", fmt.Errorf("%s: status line %.60q", file, lines[0])
		}
	}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch strings.ToLower(name) {
		case "content-type":
			a.ContentType = value
		case "content-length":
			length = value
		case "server":
			a.Header = map[string]string{"Server": value}
		case "date":
			in.report.date = first(in.report.date, isoDate(value))
		}
	}
	return length, nil
}

// stateSet groups answers by state. A second answer to the same path gets a state of its own.
type stateSet struct {
	states []State
}

func (s *stateSet) add(o oneOff, a Answer) bool {
	name := strings.ReplaceAll(o.state, " ", "-")
	if before := s.find(name, a.Path); before != nil {
		if before.Status == a.Status && bytes.Equal(before.Body, a.Body) {
			return false
		}
		name = o.stem
	}
	if s.find(name, a.Path) != nil {
		return false
	}
	for i := range s.states {
		if s.states[i].Name == name {
			s.states[i].Answers = append(s.states[i].Answers, a)
			return true
		}
	}
	s.states = append(s.states, State{Name: name, Answers: []Answer{a}})
	return true
}

func (s *stateSet) find(state, path string) *Answer {
	for _, st := range s.states {
		for i := range st.Answers {
			if st.Name == state && st.Answers[i].Path == path {
				return &st.Answers[i]
			}
		}
	}
	return nil
}

func isoDate(header string) string {
	t, err := http.ParseTime(header)
	if err != nil {
		return ""
	}
	return t.Format(time.DateOnly)
}
