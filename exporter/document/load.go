package document

import (
	"fmt"
	"os"
)

// MaxBytes is far above any file that a person writes.
const MaxBytes = 8 << 20

// Load returns what a file holds. The kind of the file, such as "configuration", is for messages.
func Load(kind, file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("%s file %q cannot be read: %w", kind, file, Reason(err))
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s file %q is a directory; name the file in it", kind, file)
	}
	if !info.Mode().IsRegular() { // a pipe that nobody writes and a device that never ends would hang here
		return nil, fmt.Errorf("%s file %q is not a regular file; name one that can be read again", kind, file)
	}
	if info.Size() > MaxBytes {
		return nil, fmt.Errorf("%s file %q has %d bytes, more than the %d that are read", kind, file, info.Size(), MaxBytes)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s file %q cannot be read: %w", kind, file, Reason(err))
	}
	return data, nil
}

// Reason drops the operation and the name from a file error: the sentence has them.
func Reason(err error) error {
	if p, ok := err.(*os.PathError); ok {
		return p.Err
	}
	return err
}
