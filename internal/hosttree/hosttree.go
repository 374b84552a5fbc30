// Package hosttree reads the machines of testdata/hosts: one text file holds what sysfs,
// procfs and nvidia-smi say there, and how that changes over time.
//
// A Tree gives the exporter's host reader its files and its tool at any time of the story. A
// file may be a value, an error of the kernel, a symbolic link, a file that never answers, or
// one that must not be read: then the reader has harmed a card, and Violations says so.
package hosttree

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// Tree is a machine over time.
type Tree struct {
	Name  string
	About []string // comments before the first file
	text  string   // of the file
	steps []step

	mu         sync.Mutex // guards violations
	violations []string
}

// step is the machine from one moment on.
type step struct {
	at    time.Duration
	root  *node
	tools map[string]*node // answers of programs, by "nvidia-smi/query-gpu"
}

// node is a file, a link or a folder.
type node struct {
	children map[string]*node // of a folder
	content  []byte
	link     string
	err      error
	special  special
}

type special uint8

const (
	ordinary special = iota
	forbidden
	hangs
)

// Load reads a tree file.
func Load(file string) (*Tree, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Parse(path.Base(path.Dir(file)), string(b))
}

// Names lists the boards in a folder.
func Names(fsys fs.FS) ([]string, error) {
	files, err := fs.Glob(fsys, "*/tree.txt")
	var names []string
	for _, f := range files {
		names = append(names, path.Dir(f))
	}
	return names, err
}

// Times are the moments at which something changes; the first is 0.
func (t *Tree) Times() []time.Duration {
	var all []time.Duration
	for _, s := range t.steps {
		all = append(all, s.at)
	}
	return all
}

// Violations lists the forbidden files that were touched.
func (t *Tree) Violations() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.violations)
}

// at returns the machine at a time.
func (t *Tree) at(now time.Duration) *step {
	s := &t.steps[0]
	for i := range t.steps {
		if t.steps[i].at <= now {
			s = &t.steps[i]
		}
	}
	return s
}

// touch returns what a node says to whoever reads it.
func (t *Tree) touch(n *node, name string) error {
	switch n.special {
	case forbidden:
		t.mu.Lock()
		t.violations = append(t.violations, name)
		t.mu.Unlock()
		return fs.ErrPermission
	case hangs:
		select {} // as a file of a dead card: only the end of the process ends it
	}
	return n.err
}

// find walks to a file, through links as the kernel does.
func (s *step) find(name string, follow bool) (*node, error) {
	return s.walk(name, follow, 0)
}

func (s *step) walk(name string, follow bool, depth int) (*node, error) {
	notThere := &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	if depth > 16 {
		return nil, notThere
	}
	n, at := s.root, ""
	parts := strings.Split(path.Clean(name), "/")
	for i, part := range parts {
		child := n.children[part]
		if child == nil {
			return nil, notThere
		}
		last := i == len(parts)-1
		if child.link != "" && (!last || follow) {
			target := child.link
			if !path.IsAbs(target) {
				target = path.Join(at, target)
			}
			return s.walk(path.Join(strings.TrimPrefix(target, "/"), path.Join(parts[i+1:]...)), follow, depth+1)
		}
		if child.children == nil && !last {
			if child.err != nil {
				return nil, child.err
			}
			return nil, notThere
		}
		n, at = child, path.Join(at, part)
	}
	return n, nil
}

// clone copies a folder, so that the next step can change it.
func (n *node) clone() *node {
	c := *n
	if n.children != nil {
		c.children = make(map[string]*node, len(n.children))
		for name, child := range n.children {
			c.children[name] = child.clone()
		}
	}
	return &c
}

// put stores a node at a path and makes the folders above it.
func (n *node) put(name string, leaf *node) error {
	parts := strings.Split(path.Clean(name), "/")
	for _, part := range parts[:len(parts)-1] {
		child := n.children[part]
		if child == nil {
			child = &node{children: map[string]*node{}}
			n.children[part] = child
		}
		if child.children == nil {
			return fmt.Errorf("%q is no folder", part)
		}
		n = child
	}
	last := parts[len(parts)-1]
	if leaf == nil {
		delete(n.children, last)
	} else {
		n.children[last] = leaf
	}
	return nil
}
