package hosttree

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// errnos are the errors that a file may have.
var errnos = map[string]error{
	"EBUSY": syscall.EBUSY, "EACCES": syscall.EACCES, "EPERM": syscall.EPERM, "EINVAL": syscall.EINVAL,
	"ENODEV": syscall.ENODEV, "EIO": syscall.EIO, "EOPNOTSUPP": syscall.EOPNOTSUPP,
}

// parser reads a tree file line by line.
type parser struct {
	tree   *Tree
	step   *step
	folder string
	file   *node // that indented lines go on
}

// Parse reads the text of a tree file.
func Parse(name, text string) (*Tree, error) {
	p := &parser{tree: &Tree{Name: name, text: text}}
	p.begin(0)
	for i, line := range strings.Split(text, "\n") {
		if err := p.line(line); err != nil {
			return nil, fmt.Errorf("host %s: line %d: %w", name, i+1, err)
		}
	}
	for i := range p.tree.steps {
		if err := p.tree.steps[i].linkDevices(); err != nil {
			return nil, fmt.Errorf("host %s: %w", name, err)
		}
	}
	return p.tree, nil
}

// begin starts the machine's next state, which is the one before with changes.
func (p *parser) begin(at time.Duration) {
	next := step{at: at, root: &node{children: map[string]*node{}}, tools: map[string]*node{}}
	if n := len(p.tree.steps); n > 0 {
		next.root, next.tools = p.tree.steps[n-1].root.clone(), maps.Clone(p.tree.steps[n-1].tools)
	}
	p.tree.steps = append(p.tree.steps, next)
	p.step, p.folder, p.file = &p.tree.steps[len(p.tree.steps)-1], "", nil
}

func (p *parser) line(line string) error {
	switch {
	case strings.HasPrefix(line, "  "):
		if p.file == nil {
			return fmt.Errorf("indented, and no file before it")
		}
		p.file.content = append(p.file.content, line[2:]+"\n"...)
		return nil
	case strings.TrimSpace(line) == "":
		return nil
	case strings.HasPrefix(line, "#"):
		if len(p.step.root.children) == 0 && len(p.tree.steps) == 1 {
			p.tree.About = append(p.tree.About, strings.TrimSpace(line[1:]))
		}
		return nil
	case strings.HasPrefix(line, "=== t="):
		return p.time(strings.TrimPrefix(line, "=== t="))
	case strings.HasPrefix(line, "["):
		p.folder, p.file = strings.Trim(line, "[]"), nil
		return nil
	}
	if name, target, ok := strings.Cut(line, " -> "); ok {
		return p.put(name, &node{link: strings.TrimSpace(target)})
	}
	name, value, ok := strings.Cut(line, "=")
	if !ok {
		return fmt.Errorf("%q is neither a file, nor a link, nor a folder", line)
	}
	return p.value(strings.TrimSpace(name), strings.TrimSpace(value))
}

func (p *parser) time(s string) error {
	at, err := time.ParseDuration(s)
	if err != nil {
		return err
	}
	last := p.step.at
	if at <= last && !(at == 0 && len(p.tree.steps) == 1) {
		return fmt.Errorf("t=%s is not after t=%s", at, last)
	}
	if at > 0 {
		p.begin(at)
	}
	return nil
}

// value makes the file that a line describes.
func (p *parser) value(name, value string) error {
	p.file = nil
	word, found := strings.CutPrefix(value, "!")
	if !found {
		n := &node{}
		if value != "" {
			n.content = []byte(value + "\n")
		}
		p.file = n
		return p.put(name, n)
	}
	kind, rest, _ := strings.Cut(word, " ")
	switch kind {
	case "ENOENT":
		return p.put(name, nil)
	case "EMPTY":
		return p.put(name, &node{content: []byte{}})
	case "FOLDER":
		return p.put(name, &node{children: map[string]*node{}})
	case "HANG":
		return p.put(name, &node{special: hangs})
	case "MUST-NOT-BE-READ":
		return p.put(name, &node{special: forbidden})
	case "CONFIG":
		b, err := config(strings.Fields(rest))
		if err != nil {
			return err
		}
		return p.put(name, &node{content: b})
	}
	if err := errnos[kind]; err != nil {
		return p.put(name, &node{err: err})
	}
	return fmt.Errorf("%q is not known; known are %q, ENOENT, EMPTY, FOLDER, HANG, MUST-NOT-BE-READ, CONFIG", kind, slices.Sorted(maps.Keys(errnos)))
}

func (p *parser) put(name string, n *node) error {
	full := strings.TrimSpace(name)
	if !whole.MatchString(full) {
		full = path.Join(p.folder, full)
	}
	if tool, ok := strings.CutPrefix(full, "run/"); ok {
		if n == nil {
			n = &node{err: syscall.ENOENT}
		}
		p.step.tools[tool] = n
		return nil
	}
	return p.step.root.put(full, n)
}

// whole are names that no folder goes before.
var whole = regexp.MustCompile(`^(sys|proc|run)/`)

var address = regexp.MustCompile(`^[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$`)

// linkDevices lists every device of sys/devices in sys/bus/pci/devices, as the kernel does.
func (s *step) linkDevices() error {
	bus := "sys/bus/pci/devices"
	if n, err := s.find(bus, true); err == nil {
		if n.children == nil { // the list itself cannot be read
			return nil
		}
		for name, child := range n.children { // those of the state before that are gone now
			if child.link != "" {
				if _, err := s.find(path.Join(bus, name), true); err != nil {
					delete(n.children, name)
				}
			}
		}
	}
	devices, err := s.find("sys/devices", true)
	if err != nil {
		return nil
	}
	return devices.each("sys/devices", func(name string) error {
		if !address.MatchString(path.Base(name)) {
			return nil
		}
		return s.root.put(path.Join(bus, path.Base(name)), &node{link: "../../../" + strings.TrimPrefix(name, "sys/")})
	})
}

// each calls f with every folder below.
func (n *node) each(name string, f func(string) error) error {
	for _, child := range slices.Sorted(maps.Keys(n.children)) {
		c := n.children[child]
		if c.children == nil {
			continue
		}
		full := path.Join(name, child)
		if err := f(full); err != nil {
			return err
		}
		if err := c.each(full, f); err != nil {
			return err
		}
	}
	return nil
}
