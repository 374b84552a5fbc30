package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

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
// address of its service. States are those of one server, called service.
func exporterFor(r *Recording) []byte {
	servers := r.Servers
	if len(servers) == 0 {
		servers = []*Server{{Name: "service"}}
	}
	var b bytes.Buffer
	b.WriteString("backends:\n")
	for _, s := range servers {
		service, isMetrics := strings.CutSuffix(s.Name, "metrics")
		service = first(strings.TrimSuffix(service, "-"), "service")
		if isMetrics && r.Server(service) != nil {
			continue
		}
		name := s.Name
		if name == "service" && len(r.Servers) > 0 {
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
