package recording

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// failures are the names that the recorder's language gives to requests without an answer.
var failures = map[string]Failure{
	"ConnectionRefusedError": Refused,
	"ConnectionResetError":   Reset,
	"ConnectionAbortedError": Reset,
	"RemoteDisconnected":     Reset,
	"BrokenPipeError":        Reset,
	"IncompleteRead":         Reset,
	"BadStatusLine":          Reset,
	"TimeoutError":           TimedOut,
	"timeout":                TimedOut,
}

// neverKept are paths whose answers hold what is private: prompts, or the machine's environment.
// The exporter never asks them.
var neverKept = []string{"/slots", "/server_info"}

func private(path string) bool {
	path, _, _ = strings.Cut(path, "?")
	return slices.Contains(neverKept, path)
}

// table is a .tsv file whose first line names its columns.
type table struct {
	file    string
	columns []string
	rows    [][]string
}

func readTable(file string) (table, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return table{}, err
	}
	t := table{file: file}
	for n, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		fields := strings.Split(line, "\t")
		if n == 0 {
			t.columns = fields
			continue
		}
		if len(fields) != len(t.columns) {
			return t, fmt.Errorf("%s:%d: %d fields, want the %d of the first line", file, n+1, len(fields), len(t.columns))
		}
		t.rows = append(t.rows, fields)
	}
	return t, nil
}

// get returns a field by the name of its column, "" when there is no such column.
func (t table) get(row int, column string) string {
	if i := slices.Index(t.columns, column); i >= 0 {
		return t.rows[row][i]
	}
	return ""
}

// series reads the answers of one port from index.tsv and the files it names.
func (in *importer) series(dir string) ([]Answer, error) {
	t, err := readTable(filepath.Join(dir, "index.tsv"))
	if err != nil {
		return nil, err
	}
	in.report.load(dir)
	var answers []Answer
	for i := range t.rows {
		a, why, err := in.row(dir, t, i)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", t.file, i+2, err)
		}
		if why == asked {
			in.aside(a)
		}
		if why != "" {
			in.report.leave(why)
			continue
		}
		answers = append(answers, a)
	}
	return answers, nil
}

const (
	asked     = "single questions by hand (kept as states, by their second)"
	notGet    = "requests that are not GET"
	isPrivate = "answers of /slots and /server_info: they hold prompts or the machine's environment"
)

// row reads one line of index.tsv. why is set when it is no answer to a scrape.
func (in *importer) row(dir string, t table, i int) (a Answer, why string, err error) {
	method, path, found := strings.Cut(t.get(i, "path"), " ")
	if !found || !strings.HasPrefix(path, "/") || strings.ContainsAny(path, " \r") {
		return a, "", fmt.Errorf("path %.60q: want METHOD /PATH", t.get(i, "path"))
	}
	switch {
	case method != "GET":
		return a, notGet, nil
	case private(path):
		return a, isPrivate, nil
	}
	a.Path = path
	if a.At, err = parseSeconds(t.get(i, "second")); err != nil {
		return a, "", err
	}
	if a.Latency, err = parseLatency(t.get(i, "latency_ms") + "ms"); err != nil {
		return a, "", err
	}
	status := t.get(i, "status")
	if a.Failure = failures[status]; a.Failure == Answered {
		if a.Failure, a.Status, err = parseOutcome(status); err != nil {
			return a, "", fmt.Errorf("%w; or one of the errors %s", err, knownFailures())
		}
		a.ContentType = t.get(i, "content_type")
		a.Body, err = readBody(filepath.Join(dir, t.get(i, "file")), t.get(i, "bytes"))
	}
	if isAside(t.get(i, "name")) {
		why = asked
	}
	return a, why, err
}

// isAside recognises the recorder's names for requests that were sent once: at0, at1, …
func isAside(name string) bool {
	n, found := strings.CutPrefix(name, "at")
	_, err := strconv.Atoi(n)
	return found && err == nil
}

// aside keeps an answer that is not part of the series as a state of its second.
func (in *importer) aside(a Answer) {
	if a.Failure != Answered {
		return
	}
	name := "second-" + seconds(a.At)
	a.At = 0
	in.rec.States = append(in.rec.States, State{Name: name, Answers: []Answer{a}})
}

func knownFailures() string {
	var names []string
	for name := range failures {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// readBody reads a body, compressed or not, and compares its length with the index.
func readBody(file, length string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	body, err := io.ReadAll(io.LimitReader(r, maxBody+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(body) > maxBody {
		return nil, fmt.Errorf("%s: %w", file, errTooLarge)
	}
	if length != "" && length != strconv.Itoa(len(body)) {
		return nil, fmt.Errorf("%s: %d bytes, the index says %s", file, len(body), length)
	}
	return body, nil
}

// inProcess reads NNNN.metrics.txt files that have no index: the text was taken from the
// program itself, so status and content type are what its HTTP server would send.
func (in *importer) inProcess(dir string) ([]Answer, error) {
	files, err := filepath.Glob(filepath.Join(dir, "[0-9][0-9][0-9][0-9].*"))
	if err != nil {
		return nil, err
	}
	var answers []Answer
	for _, file := range files {
		second, name, _ := strings.Cut(filepath.Base(file), ".")
		if strings.TrimSuffix(name, ".gz") != "metrics.txt" {
			in.report.leave("files without an index whose path is not known")
			continue
		}
		at, err := parseSeconds(second)
		if err != nil {
			return nil, err
		}
		body, err := readBody(file, "")
		if err != nil {
			return nil, err
		}
		answers = append(answers, Answer{At: at, Path: "/metrics", Status: 200, ContentType: assumedType("/metrics"), Body: body})
	}
	if len(answers) == 0 {
		return nil, errors.New(dir + ": no NNNN.metrics.txt")
	}
	in.report.note("no index.tsv in %s: path /metrics, status 200 and content type %q are assumed, latency is not known", filepath.Base(dir), assumedType("/metrics"))
	return answers, nil
}
