package host

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// FS is the files of a machine: names begin with sys/ or proc/. Any of its calls may hang:
// the kernel asks devices that may be dead. Errors are those of package os or of the kernel.
type FS interface {
	// Read appends what a file holds to buf, at most so many bytes.
	Read(name string, buf []byte, most int) ([]byte, error)
	// ReadLink returns the target of a symbolic link, as it is written.
	ReadLink(name string) (string, error)
	// ReadDir returns the names in a folder, in any order.
	ReadDir(name string) ([]string, error)
}

// Dir is a machine whose sysfs and procfs are mounted somewhere.
type Dir struct {
	Sysfs, Procfs string // "" for /sys and /proc
}

func (d Dir) path(name string) (string, error) {
	if rest, ok := strings.CutPrefix(name, "sys/"); ok {
		if d.Sysfs == "" {
			return "/sys/" + rest, nil
		}
		return filepath.Join(d.Sysfs, rest), nil
	}
	if rest, ok := strings.CutPrefix(name, "proc/"); ok {
		if d.Procfs == "" {
			return "/proc/" + rest, nil
		}
		return filepath.Join(d.Procfs, rest), nil
	}
	return "", &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// page is the longest file of sysfs. The kernel hands these out in one piece.
const page = 4096

// Read opens, reads and closes without the run time's poller: files of sysfs are no use to
// it, and this is most of what a scrape costs.
func (d Dir) Read(name string, buf []byte, most int) ([]byte, error) {
	path, err := d.path(name)
	if err != nil {
		return buf, err
	}
	fd, err := retry(func() (int, error) { return syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0) })
	if err != nil {
		return buf, err
	}
	defer syscall.Close(fd)
	for start := len(buf); len(buf)-start < most; {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		end := min(cap(buf), start+most)
		n, err := retry(func() (int, error) { return syscall.Read(fd, buf[len(buf):end]) })
		if err != nil {
			return buf, err
		}
		if n <= 0 {
			return buf, nil
		}
		whole := most <= page && n < end-len(buf) // such a file comes in one piece, if it ends here
		if buf = buf[:len(buf)+n]; whole {
			return buf, nil
		}
	}
	return buf, nil
}

// retry repeats what a signal interrupted.
func retry(f func() (int, error)) (int, error) {
	for {
		n, err := f()
		if err != syscall.EINTR {
			return n, err
		}
	}
}

// ReadLink reads a symbolic link.
func (d Dir) ReadLink(name string) (string, error) {
	path, err := d.path(name)
	if err != nil {
		return "", err
	}
	return os.Readlink(path)
}

// ReadDir lists a folder.
func (d Dir) ReadDir(name string) ([]string, error) {
	path, err := d.path(name)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return names, err
}
