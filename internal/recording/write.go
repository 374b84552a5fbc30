package recording

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Write writes a recording to a folder, in the form that Load reads. Servers and states that
// the folder held before and the recording does not are removed; other files stay.
func Write(r *Recording, dir string) error {
	files, err := r.files()
	if err != nil {
		return fmt.Errorf("recording %s: %w", dir, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return err
	}
	for _, path := range old {
		if _, kept := files[filepath.Base(path)]; !kept {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// files are the files of a recording by name.
func (r *Recording) files() (map[string][]byte, error) {
	files := map[string][]byte{}
	meta, err := r.Meta.encode()
	if err != nil {
		return nil, err
	}
	files[metaFile] = meta
	if r.Exporter != nil {
		files[exporterFile] = r.Exporter
	}
	for _, s := range r.Servers {
		if !serverName.MatchString(s.Name) || s.Name+".txt" == statesFile {
			return nil, fmt.Errorf("%q is no server name; use a-z, 0-9 and -, and not \"states\"", s.Name)
		}
		var entries []entry
		for _, a := range s.Answers {
			entries = append(entries, entry{seconds(a.At), a})
		}
		if files[s.Name+".txt"], err = encodeChecked(s.Name+".txt", entries); err != nil {
			return nil, err
		}
	}
	if len(r.States) > 0 {
		var entries []entry
		for _, s := range r.States {
			for _, a := range s.Answers {
				entries = append(entries, entry{s.Name, a})
			}
		}
		if files[statesFile], err = encodeChecked(statesFile, entries); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// encodeChecked encodes and reads back: what cannot be given back byte for byte is not written.
func encodeChecked(file string, entries []entry) ([]byte, error) {
	text := encode(entries)
	back, err := decode(file, text)
	if err != nil {
		return nil, err
	}
	if len(back) != len(entries) {
		return nil, fmt.Errorf("%s: %d answers written, %d read back", file, len(entries), len(back))
	}
	for i, e := range entries {
		got, want := back[i].answer, e.answer
		if back[i].mark != e.mark || got.Path != want.Path || got.Failure != want.Failure || got.Status != want.Status ||
			got.ContentType != want.ContentType || got.Latency != want.Latency ||
			!maps.Equal(got.Header, want.Header) || !bytes.Equal(got.Body, want.Body) {
			return nil, fmt.Errorf("%s: %s %s: the text does not give the answer back", file, e.mark, want.Path)
		}
	}
	return text, nil
}

// encode writes recording.yml with times in seconds, as the .txt files have them.
func (m Meta) encode() ([]byte, error) {
	type event struct {
		At   string `yaml:"at"`
		What string `yaml:"what"`
	}
	out := struct {
		Program   string                       `yaml:"program"`
		Version   string                       `yaml:"version"`
		Recorded  string                       `yaml:"recorded"`
		Story     string                       `yaml:"story"`
		Interval  string                       `yaml:"interval"`
		Length    string                       `yaml:"length"`
		Collector bool                         `yaml:"collector,omitempty"`
		Headers   map[string]map[string]string `yaml:"headers,omitempty"`
		Alike     map[string]string            `yaml:"alike,omitempty"`
		StandIn   map[string]string            `yaml:"stand_in,omitempty"`
		Events    []event                      `yaml:"events,omitempty"`
	}{
		m.Program, m.Version, m.Recorded, strings.TrimSpace(m.Story), yamlSeconds(m.Interval), yamlSeconds(m.Length),
		m.Collector, m.Headers, m.Alike, m.StandIn, nil,
	}
	for _, e := range m.Events {
		out.Events = append(out.Events, event{yamlSeconds(e.At), e.What})
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	err := enc.Encode(out)
	return b.Bytes(), err
}

func yamlSeconds(d time.Duration) string { return seconds(d) + "s" }
