package hosttree

import (
	"os"
	"path/filepath"
)

// WriteTo writes the machine's first state as real files below a folder, for tests of what
// only a real file system does. Files with errors and forbidden ones are left out.
func (t *Tree) WriteTo(dir string) error {
	return t.steps[0].root.writeTo(dir)
}

func (n *node) writeTo(name string) error {
	switch {
	case n.children != nil:
		if err := os.MkdirAll(name, 0o755); err != nil {
			return err
		}
		for child, c := range n.children {
			if err := c.writeTo(filepath.Join(name, child)); err != nil {
				return err
			}
		}
		return nil
	case n.link != "":
		return os.Symlink(n.link, name)
	case n.err != nil || n.special != ordinary:
		return nil
	}
	return os.WriteFile(name, n.content, 0o644)
}
