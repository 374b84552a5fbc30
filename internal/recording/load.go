package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

const (
	metaFile     = "recording.yml"
	exporterFile = "exporter.yml"
	statesFile   = "states.txt"
)

// serverName is what a server may be called: it is a host in a URL and a file name.
var serverName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

// Root finds testdata/recordings of the checkout, from the working directory upwards.
func Root() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		root := filepath.Join(dir, "testdata", "recordings")
		if _, err := os.Stat(filepath.Join(root, "README.md")); err == nil {
			return root, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("testdata/recordings: not found in %s or above", start)
		}
	}
}

// List returns the names of the recordings in a file system, in order: folders that hold a
// recording.yml or a machine, one or two levels down.
func List(fsys fs.FS) ([]string, error) {
	var names []string
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := path.Dir(p); !d.IsDir() && (path.Base(p) == metaFile || path.Base(p) == hostFile) && !slices.Contains(names, name) {
			names = append(names, name)
		}
		if d.IsDir() && strings.Count(p, "/") > 1 {
			return fs.SkipDir
		}
		return nil
	})
	return names, err
}

// Load reads one recording from a folder. Its name is the folder's path below "recordings", or
// else its last element.
func Load(dir string) (*Recording, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	r, err := LoadFS(os.DirFS(dir), ".")
	if err != nil {
		return nil, fmt.Errorf("recording %s: %w", dir, err)
	}
	r.Dir = dir
	if _, name, found := strings.Cut(filepath.ToSlash(abs), "/recordings/"); found {
		r.Name = name
	} else {
		r.Name = filepath.Base(abs)
	}
	return r, r.Borrow(loadBeside)
}

// LoadFS reads the recording of that name from a file system, which may be embedded.
func LoadFS(fsys fs.FS, name string) (*Recording, error) {
	sub, err := fs.Sub(fsys, name)
	if err != nil {
		return nil, err
	}
	r := &Recording{Name: name}
	if err := r.loadHost(sub); err != nil {
		return nil, err
	}
	if r.Meta, err = loadMeta(sub); err != nil && !(r.Host != nil && errors.Is(err, fs.ErrNotExist)) {
		return nil, err
	}
	r.paceHost()
	if r.Exporter, err = fs.ReadFile(sub, exporterFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	files, err := fs.Glob(sub, "*.txt")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if file == hostFile {
			continue
		}
		if err := r.loadFile(sub, file); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(r.Servers, func(a, b *Server) int { return strings.Compare(a.Name, b.Name) })
	if len(r.Servers) == 0 && len(r.States) == 0 && r.Host == nil {
		return nil, fmt.Errorf("%s: no server and no state; want at least one .txt file", name)
	}
	return r, r.link()
}

// link gives the servers what recording.yml says about paths nobody asked.
func (r *Recording) link() error {
	for _, s := range r.Servers {
		s.alike = r.Meta.Alike
	}
	for server, state := range r.Meta.StandIn {
		s, st := r.Server(server), r.State(state)
		if s == nil || st == nil {
			return fmt.Errorf("%s: stand_in: %s: %s: there is no such server or no such state in %s", metaFile, server, state, statesFile)
		}
		s.standIn = st.Answers
	}
	return nil
}

// ReadMeta reads what a folder's recording.yml says, and none of its answers.
func ReadMeta(fsys fs.FS) (Meta, error) { return loadMeta(fsys) }

func loadMeta(fsys fs.FS) (m Meta, err error) {
	data, err := fs.ReadFile(fsys, metaFile)
	if err != nil {
		return m, err
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(&m); err != nil {
		return m, fmt.Errorf("%s: %w", metaFile, err)
	}
	return m, nil
}

func (r *Recording) loadFile(fsys fs.FS, file string) error {
	text, err := fs.ReadFile(fsys, file)
	if err != nil {
		return err
	}
	entries, err := decode(file, text)
	if err != nil {
		return err
	}
	if file == statesFile {
		r.States = statesOf(entries)
		return nil
	}
	name := strings.TrimSuffix(file, ".txt")
	if !serverName.MatchString(name) {
		return fmt.Errorf("%s: %q is no server name; use a-z, 0-9 and -", file, name)
	}
	s := &Server{Name: name}
	var last time.Duration
	for _, e := range entries {
		at, err := parseSeconds(e.mark)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", file, e.answer.Path, err)
		}
		if at < last {
			return fmt.Errorf("%s: second %s comes after second %s", file, e.mark, seconds(last))
		}
		e.answer.At, last = at, at
		s.Answers = append(s.Answers, e.answer)
	}
	r.Servers = append(r.Servers, s)
	return nil
}

// statesOf groups entries by their mark, in the order of their first entry.
func statesOf(entries []entry) []State {
	var states []State
	at := map[string]int{}
	for _, e := range entries {
		i, ok := at[e.mark]
		if !ok {
			i = len(states)
			at[e.mark] = i
			states = append(states, State{Name: e.mark})
		}
		states[i].Answers = append(states[i].Answers, e.answer)
	}
	return states
}
