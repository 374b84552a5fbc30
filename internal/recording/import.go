package recording

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
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

// describe fills recording.yml and, where there is none, exporter.yml.
func (in *importer) describe(src, dst string) error {
	m := &in.rec.Meta
	old, err := Load(dst)
	if errors.Is(err, fs.ErrNotExist) {
		old, err = &Recording{}, nil
	}
	if err != nil {
		return err
	}
	before := old.Meta
	program, version := nameParts(src)
	m.Program = first(m.Program, before.Program, program)
	m.Version = first(m.Version, before.Version, version)
	m.Recorded = first(m.Recorded, before.Recorded, in.report.date)
	m.Story = first(m.Story, before.Story, "Imported; say here what happens.")
	m.Headers, m.Alike, m.StandIn = before.Headers, before.Alike, before.StandIn
	for _, name := range m.StandIn {
		if state := old.State(name); state != nil && in.rec.State(name) == nil {
			in.rec.States = append(in.rec.States, *state)
		}
	}
	if len(m.Events) == 0 {
		m.Events = before.Events
	}
	m.Interval, m.Length = pace(in.rec.Servers)
	in.rec.Exporter, err = os.ReadFile(filepath.Join(dst, exporterFile))
	if errors.Is(err, fs.ErrNotExist) {
		in.rec.Exporter, err = exporterFor(in.rec), nil
	}
	return err
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// programName is a folder's name as program and version: the version begins with a digit, or
// with a letter and a digit (llamacpp-b7551).
var programName = regexp.MustCompile(`^(.+?)-([a-z]?[0-9].*)$`)

// nameParts takes program and version from ".../vllm-0.32.0/basic", or from the folder itself.
func nameParts(src string) (program, version string) {
	abs, err := filepath.Abs(src)
	if err != nil {
		return "", ""
	}
	for _, name := range []string{filepath.Base(filepath.Dir(abs)), filepath.Base(abs)} {
		if m := programName.FindStringSubmatch(name); m != nil {
			return m[1], m[2]
		}
	}
	return filepath.Base(abs), ""
}

// pace is the commonest time between two questions for the numbers, and the time of the last
// answer of all.
func pace(servers []*Server) (interval, length time.Duration) {
	gaps := map[time.Duration]int{}
	for _, s := range servers {
		last := map[string]time.Duration{}
		for _, a := range s.Answers {
			length = max(length, a.At)
			if before, ok := last[a.Path]; ok && isNumbers(a.Path) && a.At > before {
				gaps[a.At-before]++
			}
			last[a.Path] = a.At
		}
	}
	for gap, n := range gaps {
		if n > gaps[interval] || n == gaps[interval] && gap < interval {
			interval = gap
		}
	}
	return interval, length
}

// exporterFor makes a first exporter.yml: one backend per server, a metrics port as the second
// address of its service. States alone have none: nobody scrapes them over time.
func exporterFor(r *Recording) []byte {
	if len(r.Servers) == 0 {
		return nil
	}
	var b bytes.Buffer
	b.WriteString("backends:\n")
	for _, s := range r.Servers {
		service, isMetrics := strings.CutSuffix(s.Name, "metrics")
		service = first(strings.TrimSuffix(service, "-"), "service")
		if isMetrics && r.Server(service) != nil {
			continue
		}
		name := s.Name
		if name == "service" {
			name = r.Meta.Program
			if strings.HasSuffix(name, "router") {
				name = "router"
			}
		}
		fmt.Fprintf(&b, "  - name: %s\n    url: http://%s\n", name, s.Name)
		for _, metrics := range []string{s.Name + "-metrics", "metrics"} {
			if (metrics != "metrics" || s.Name == "service") && r.Server(metrics) != nil {
				fmt.Fprintf(&b, "    metrics_url: http://%s\n", metrics)
			}
		}
	}
	return b.Bytes()
}
