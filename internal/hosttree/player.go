package hosttree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"
)

// Player is a machine at the time that a clock says. It has the methods of host.FS, Run is
// a host.Runner and KernelLog a host.KernelLog.
type Player struct {
	tree *Tree
	now  func() time.Duration
}

// Play shows a tree at the time that now returns.
func (t *Tree) Play(now func() time.Duration) *Player { return &Player{t, now} }

func (p *Player) step() *step { return p.tree.at(p.now()) }

func (p *Player) open(name string) (*node, error) {
	n, err := p.step().find(name, true)
	if err != nil {
		return nil, err
	}
	return n, p.tree.touch(n, name)
}

// Read appends what a file holds to buf.
func (p *Player) Read(name string, buf []byte, most int) ([]byte, error) {
	n, err := p.open(name)
	if err != nil {
		return buf, err
	}
	if n.children != nil {
		return buf, &fs.PathError{Op: "read", Path: name, Err: errors.New("is a directory")}
	}
	return append(buf, n.content[:min(most, len(n.content))]...), nil
}

// ReadLink returns the target of a symbolic link.
func (p *Player) ReadLink(name string) (string, error) {
	n, err := p.step().find(name, false)
	if err != nil {
		return "", err
	}
	if n.link == "" {
		if n.err != nil {
			return "", n.err
		}
		return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	return n.link, nil
}

// ReadDir lists a folder.
func (p *Player) ReadDir(name string) ([]string, error) {
	n, err := p.open(name)
	if err != nil {
		return nil, err
	}
	if n.children == nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	var names []string
	for child := range n.children {
		names = append(names, child)
	}
	return names, nil
}

// KernelLog opens the machine's log, run/kernel-log of the tree: each line is a record in the
// form of /dev/kmsg, and each is read once. A machine without that file has an empty log.
func (p *Player) KernelLog() (io.ReadCloser, error) {
	if n := p.step().tools[kernelLog]; n != nil && n.err != nil {
		return nil, n.err
	}
	return &log{player: p}, nil
}

const kernelLog = "kernel-log"

// log is the open log: what was read of it is not read again.
type log struct {
	player *Player
	read   int
}

// Read returns the next line.
func (l *log) Read(b []byte) (int, error) {
	n := l.player.step().tools[kernelLog]
	switch {
	case n == nil || n.err == nil && len(n.content) <= l.read:
		return 0, io.EOF
	case n.err != nil:
		return 0, n.err
	}
	line, _, _ := bytes.Cut(n.content[l.read:], []byte("\n"))
	l.read += len(line) + 1
	return copy(b, line), nil
}

// Close does nothing.
func (l *log) Close() error { return nil }

// exitError is a program that ended with a failure.
type exitError string

// Error says how it ended.
func (e exitError) Error() string { return "exit status " + string(e) }

// Run answers as the machine's nvidia-smi: run/nvidia-smi/<question> of the tree, where the
// question is the first argument without its dashes and values. run/nvidia-smi/exit is its
// exit code. A tool that hangs does so for its whole deadline at once.
func (p *Player) Run(ctx context.Context, name string, args ...string) ([]byte, error) {
	question := ""
	if len(args) > 0 {
		question, _, _ = strings.Cut(strings.TrimLeft(args[0], "-"), "=")
	}
	tools := p.step().tools
	n := tools[path.Join(name, question)]
	if all := tools[name]; all != nil {
		n = all
	}
	switch {
	case n == nil:
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	case n.special == hangs:
		return nil, context.DeadlineExceeded
	case n.special == forbidden:
		return nil, p.tree.touch(n, "run/"+name)
	case n.err != nil:
		return nil, fmt.Errorf("%s: %w", name, n.err)
	}
	if exit := tools[path.Join(name, "exit")]; exit != nil && strings.TrimSpace(string(exit.content)) != "0" {
		return n.content, exitError(strings.TrimSpace(string(exit.content)))
	}
	return n.content, ctx.Err()
}
