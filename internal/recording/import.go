package recording

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Options say about an imported folder what its files do not. What is empty is taken from the
// recording.yml that the destination already has, or else from the name of the source.
type Options struct {
	Program, Version, Recorded, Story string
}

// Import reads a folder of raw answers (index.tsv with one file per body, as the recorder of
// testdata/recordings/README.md writes it) and writes it as a recording. An exporter.yml that
// is already there stays.
func Import(src, dst string, o Options) (*Report, error) {
	r := &Recording{Meta: Meta{Program: o.Program, Version: o.Version, Recorded: o.Recorded, Story: o.Story}}
	report := newReport()
	in := importer{rec: r, report: report}
	if err := in.read(src); err != nil {
		return nil, fmt.Errorf("import %s: %w", src, err)
	}
	if err := in.describe(src, dst); err != nil {
		return nil, fmt.Errorf("import %s: %w", src, err)
	}
	if err := checkPrivate(r); err != nil {
		return nil, fmt.Errorf("import %s: %w", src, err)
	}
	if err := Write(r, dst); err != nil {
		return nil, err
	}
	report.count(r)
	return report, nil
}

// importer collects what a folder of raw answers holds.
type importer struct {
	rec    *Recording
	report *Report
}

// read takes the folder itself and its sub-folders, one per port.
func (in *importer) read(src string) error {
	subs, err := ports(src)
	if err != nil {
		return err
	}
	if err := severalScenarios(src, subs); err != nil {
		return err
	}
	if err := in.folder(src, "service"); err != nil {
		return err
	}
	for _, sub := range subs {
		if err := in.folder(filepath.Join(src, sub), portName(sub)); err != nil {
			return err
		}
	}
	if len(in.rec.Servers) == 0 && len(in.rec.States) == 0 {
		return errors.New("no index.tsv, no NNNN.metrics.txt and no *.body: nothing to import")
	}
	slices.SortFunc(in.rec.Servers, func(a, b *Server) int { return strings.Compare(a.Name, b.Name) })
	return in.events(filepath.Join(src, "events.tsv"))
}

// ports are the sub-folders that hold answers.
func ports(src string) ([]string, error) {
	entries, err := os.ReadDir(src)
	if err != nil {
		return nil, err
	}
	var subs []string
	for _, e := range entries {
		if e.IsDir() && kindOf(filepath.Join(src, e.Name())) != empty {
			subs = append(subs, e.Name())
		}
	}
	return subs, nil
}

// portName is what the server of a sub-folder is called.
func portName(sub string) string {
	if sub == "series" { // the time series of a folder of states
		return "service"
	}
	return strings.TrimSuffix(sub, "-port")
}

// severalScenarios refuses a folder that holds one scenario per sub-folder: its sub-folders are
// not ports of one moment.
func severalScenarios(src string, subs []string) error {
	_, err := os.Stat(filepath.Join(src, "names.tsv"))
	several := err == nil
	for _, sub := range subs {
		deeper, err := ports(filepath.Join(src, sub))
		if err != nil {
			return err
		}
		several = several || len(deeper) > 0 || kindOf(filepath.Join(src, sub)) == states
	}
	if !several {
		return nil
	}
	if len(subs) == 0 {
		return errors.New("holds a program's names.tsv and no answers; import the folder of a scenario, one with an index.tsv")
	}
	return fmt.Errorf("holds several scenarios (%s); import each by itself", strings.Join(subs, ", "))
}

// kind is how a folder holds its answers.
type kind int

const (
	empty     kind = iota
	series         // index.tsv with a column "second"
	inProcess      // NNNN.metrics.txt and no index.tsv
	states         // *.body, index.tsv without a time
)

func kindOf(dir string) kind {
	f, err := os.Open(filepath.Join(dir, "index.tsv"))
	if err != nil {
		switch {
		case holds(dir, "[0-9][0-9][0-9][0-9].metrics.txt*"):
			return inProcess
		case holds(dir, "*.metrics.txt") || holds(dir, "*.body*"):
			return states
		}
		return empty
	}
	defer f.Close()
	line, _ := bufio.NewReader(f).ReadString('\n')
	if strings.HasPrefix(line, "second\t") {
		return series
	}
	return states
}

func holds(dir, pattern string) bool {
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	return err == nil && len(found) > 0
}

func (in *importer) folder(dir, server string) (err error) {
	var answers []Answer
	switch kindOf(dir) {
	case empty:
		return nil
	case states:
		in.rec.States, err = in.states(dir)
		return err
	case series:
		answers, err = in.series(dir)
	case inProcess:
		answers, err = in.inProcess(dir)
	}
	if err != nil {
		return err
	}
	slices.SortStableFunc(answers, func(a, b Answer) int { return int(a.At - b.At) })
	in.rec.Servers = append(in.rec.Servers, &Server{Name: server, Answers: answers})
	return nil
}

// events reads events.tsv: second and what was done.
func (in *importer) events(path string) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for n, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		second, what, found := strings.Cut(line, "\t")
		at, err := parseSeconds(second)
		if n == 0 && err != nil {
			continue // column names
		}
		if !found || err != nil {
			return fmt.Errorf("%s:%d: %.60q: want SECOND, a tab and what happened", path, n+1, line)
		}
		in.rec.Meta.Events = append(in.rec.Meta.Events, Event{at, what})
	}
	return nil
}
