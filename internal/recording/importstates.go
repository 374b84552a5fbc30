package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// oneOff is one answer that was asked for by hand: files STEM.body and STEM.headers.txt.
type oneOff struct {
	state, stem, path string
	status            string // of the index, "" when only the headers say it
	contentType       string
}

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
	text, err := os.ReadFile(filepath.Join(dir, "index.tsv"))
	if err != nil {
		return nil, err
	}
	var rows []oneOff
	known := map[string]bool{}
	for n, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		f := strings.Split(line, "\t")
		if n == 0 && f[0] == "name" {
			continue
		}
		o, why, err := parseOneOff(f)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", filepath.Join(dir, "index.tsv"), n+1, err)
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

// parseOneOff reads a line of an index: `STATE GET /path HTTP/1.1 200 OK`, or
// `NAME [GET] /path [curl arguments] STATUS TYPE BYTES [EXIT]`.
func parseOneOff(f []string) (o oneOff, why string, err error) {
	if len(f) < 3 {
		return o, "", errors.New("want at least name, request and status")
	}
	request := strings.Fields(f[1])
	if len(request) > 0 && request[0] == "GET" {
		request = request[1:]
	}
	if len(request) == 0 || !strings.HasPrefix(request[0], "/") {
		return o, "", fmt.Errorf("request %.60q: want a path", f[1])
	}
	o.path = request[0]
	if len(f) == 3 {
		o.state, o.status = f[0], strings.TrimPrefix(f[2], "HTTP/1.1 ")[:3]
		o.stem = f[0] + "." + mangled(o.path)
		return o, "", nil
	}
	o.stem, o.status, o.contentType = f[0], f[2], f[3]
	o.state = stateName(f[0], o.path)
	for _, arg := range request[1:] {
		if slices.Contains([]string{"-X", "-d", "--data", "-I"}, arg) {
			return o, notGet, nil
		}
	}
	if exit := f[len(f)-1]; len(f) == 6 && exit != "0" {
		o.status = map[string]string{"7": string(Refused), "28": string(TimedOut), "52": string(Reset), "56": string(Reset)}[exit]
	}
	return o, "", nil
}

// mangled is a path as it stands in a file name.
func mangled(path string) string {
	name := strings.ReplaceAll(strings.TrimPrefix(path, "/"), "/", "_")
	i := strings.IndexAny(name, "?&")
	if i < 0 {
		return name
	}
	base, query := name[:i], ""
	if name[i] == '?' {
		query, _, _ = strings.Cut(name[i+1:], "&")
		query = "_" + strings.ReplaceAll(query, "=", "_")
	}
	return "q." + base + query
}

var endsInNumber = regexp.MustCompile(`^(.*?)(-\d+)?$`)

// stateName takes the name of the endpoint off the name of an answer: "asleep-metrics" is what
// /metrics said when the server was asleep.
func stateName(name, path string) string {
	base, _, _ := strings.Cut(path, "?")
	last := strings.ReplaceAll(base[strings.LastIndexByte(base, '/')+1:], "_", "-")
	m := endsInNumber.FindStringSubmatch(name)
	number := m[2]
	if len(number) == 4 { // a status: models-401
		number = ""
	}
	switch rest, found := strings.CutSuffix(strings.ReplaceAll(m[1], "_", "-"), last); {
	case found && rest == "":
		return "plain" + number
	case found && strings.HasSuffix(rest, "-"):
		return strings.TrimSuffix(rest, "-") + number
	}
	return name
}

// paths are what the last word of an unlisted file's name stands for.
var paths = map[string]string{
	"health": "/health", "metrics": "/metrics", "props": "/props", "slots": "/slots", "models": "/models",
	"v1_models": "/v1/models", "v1_health": "/v1/health", "version": "/version",
}

func (in *importer) unlisted(dir string, known map[string]bool) ([]oneOff, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.body"))
	if err != nil {
		return nil, err
	}
	var rows []oneOff
	for _, file := range files {
		stem := strings.TrimSuffix(filepath.Base(file), ".body")
		if known[stem] {
			continue
		}
		dot := strings.LastIndexByte(stem, '.')
		path := paths[stem[dot+1:]]
		if dot < 0 || path == "" || strings.HasSuffix(stem[:dot], ".q") {
			in.report.leave("one-off answers whose path is not known")
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, stem+".headers.txt")); err != nil {
			in.report.note("%s has no headers: status 200 is assumed", stem)
		}
		rows = append(rows, oneOff{state: stem[:dot], stem: stem, path: path})
	}
	return rows, nil
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
	a.Body, err = readBody(filepath.Join(dir, o.stem+".body"), "")
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
