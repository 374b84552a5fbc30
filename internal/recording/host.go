package recording

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/llmfleet/llmfleet/internal/hosttree"
)

// hostFile is the machine that the servers run on.
const hostFile = "tree.txt"

const (
	// hostInterval and hostLength are the pace of a machine whose folder says none: a change is
	// followed by so much time that every alert that it could raise fires.
	hostInterval = 15 * time.Second
	hostLength   = 10 * time.Minute
)

// Borrowed is a server of another recording that plays a server of this one.
type Borrowed struct {
	Recording string        `yaml:"recording"`
	Server    string        `yaml:"server"`
	Until     time.Duration `yaml:"until,omitempty"` // later answers are left out; 0: none is
}

// loadHost reads the machine, if the folder has one.
func (r *Recording) loadHost(fsys fs.FS) error {
	text, err := fs.ReadFile(fsys, hostFile)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	r.Host, err = hosttree.Parse(r.Name, string(text))
	return err
}

// paceHost gives a machine without a pace the usual one.
func (r *Recording) paceHost() {
	if r.Host == nil {
		return
	}
	if r.Meta.Interval == 0 {
		r.Meta.Interval = hostInterval
	}
	if r.Meta.Length == 0 {
		times := r.Host.Times()
		r.Meta.Length = times[len(times)-1] + hostLength
	}
}

// Borrow adds the servers that recording.yml takes from other recordings; from finds those by
// their name.
func (r *Recording) Borrow(from func(name string) (*Recording, error)) error {
	for _, host := range slices.Sorted(maps.Keys(r.Meta.Servers)) {
		if err := r.borrow(host, r.Meta.Servers[host], from); err != nil {
			return err
		}
	}
	return nil
}

// Recast lets a server of another recording of the checkout play a host of this one, in place of
// the server that did.
func (r *Recording) Recast(host string, b Borrowed) error {
	r.Servers = slices.DeleteFunc(r.Servers, func(s *Server) bool { return s.Name == host })
	delete(r.Meta.Headers, host)
	return r.borrow(host, b, loadBeside)
}

func (r *Recording) borrow(host string, b Borrowed, from func(name string) (*Recording, error)) error {
	other, err := from(b.Recording)
	if err != nil {
		return fmt.Errorf("recording %s: %s: servers: %q: %w", r.Name, metaFile, host, err)
	}
	s := other.Server(b.Server)
	if s == nil {
		return fmt.Errorf("recording %s: %s: servers: %q: recording %s has no server %q", r.Name, metaFile, host, b.Recording, b.Server)
	}
	s = s.Clone()
	s.Name = host
	if b.Until > 0 {
		s.Answers = slices.DeleteFunc(s.Answers, func(a Answer) bool { return a.At > b.Until })
	}
	r.Servers = append(r.Servers, s)
	if h := other.Meta.Headers[b.Server]; h != nil {
		if r.Meta.Headers == nil {
			r.Meta.Headers = map[string]map[string]string{}
		}
		r.Meta.Headers[host] = h
	}
	return nil
}

// loadBeside finds a recording of the checkout.
func loadBeside(name string) (*Recording, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	return LoadFS(os.DirFS(root), name)
}

// HostsRoot finds testdata/hosts of the checkout.
func HostsRoot() (string, error) {
	root, err := Root()
	return filepath.Join(filepath.Dir(root), "hosts"), err
}
