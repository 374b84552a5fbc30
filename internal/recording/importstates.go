package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
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

// withoutNames are the columns of an index without a first line that names them, by their number.
var withoutNames = map[int][]string{
	3: {"state", "request", "line"},
	5: {"name", "request", "status", "content_type", "bytes"},
}

// curlExits are the exit codes with which curl says that there was no answer.
var curlExits = map[string]Failure{"7": Refused, "28": TimedOut, "52": Reset, "56": Reset}

// parseOneOff reads a line of an index: state, request and status line, or name, request
// (a path with the arguments of curl) and status.
func parseOneOff(columns, f []string) (o oneOff, why string, err error) {
	if columns == nil {
		columns = withoutNames[len(f)]
	}
	if len(columns) != len(f) {
		return o, "", fmt.Errorf("%d fields, want name, request, status, content type and bytes", len(f))
	}
	get := func(column string) string {
		if i := slices.Index(columns, column); i >= 0 {
			return f[i]
		}
		return ""
	}
	request := strings.Fields(first(get("request"), get("path")))
	o.stem, o.contentType = get("name"), get("content_type")
	if o.path = pathOf(request); o.path == "" {
		return o, "", fmt.Errorf("request %.60q: want a path", get("request"))
	}
	if !isGet(request) {
		return o, notGet, nil
	}
	if o.state = get("state"); o.state != "" {
		o.stem = o.state + "." + mangled(o.path)
		o.status, _, _ = strings.Cut(strings.TrimPrefix(get("line"), "HTTP/1.1 "), " ")
		return o, "", nil
	}
	o.state, o.status = stateName(o.stem, o.path), get("status")
	if exit := get("curl_exit"); exit != "" && exit != "0" {
		o.status = string(curlExits[exit])
	}
	return o, "", nil
}

func pathOf(request []string) string {
	for _, word := range request {
		if u, err := url.Parse(word); err == nil && strings.HasPrefix(u.Path, "/") {
			return u.RequestURI()
		}
	}
	return ""
}

// isGet says that the words of a request, a method or the arguments of curl, make it a GET.
func isGet(request []string) bool {
	for _, word := range request {
		if slices.Contains([]string{"-X", "-d", "--data", "-I", "POST", "PUT", "DELETE", "HEAD"}, word) {
			return false
		}
	}
	return true
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
	case found && strings.ContainsAny(rest[len(rest)-1:], "-."):
		return rest[:len(rest)-1] + number
	}
	return name
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
	if isNumbers(path) {
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
