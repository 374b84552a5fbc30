package host

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"syscall"
)

// KernelLog opens the kernel's log. Each Read of it returns one record in the form of
// /dev/kmsg, and io.EOF while there is none; later there may be more.
type KernelLog func() (io.ReadCloser, error)

const (
	kernelLogFile = "/dev/kmsg"
	// longestRecord is what the kernel makes of one message at most, marks of escaped bytes included.
	longestRecord = 16 << 10
	// mostRecords bounds a round, if something writes faster than it is read.
	mostRecords = 20_000
)

// openKernelLog opens the machine's log for reading alone, at the first record after it was
// last cleared (dmesg --clear). Nobody else misses what is read here, and nothing waits.
func openKernelLog() (io.ReadCloser, error) { return openLog(kernelLogFile) }

func openLog(name string) (io.ReadCloser, error) {
	fd, err := retry(func() (int, error) {
		return syscall.Open(name, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	const afterCleared = 3                   // SEEK_DATA
	_, _ = syscall.Seek(fd, 0, afterCleared) // where that cannot be, from the beginning
	return &kmsg{fd}, nil
}

// kmsg is the open log. The run time's poller is no use to it: nobody waits for a record.
type kmsg struct{ fd int }

// Read returns the next record. Records that were overwritten before they were read are skipped.
func (k *kmsg) Read(b []byte) (int, error) {
	for range mostRecords {
		n, err := syscall.Read(k.fd, b)
		switch {
		case err == syscall.EINTR, err == syscall.EPIPE:
			continue
		case err == syscall.EAGAIN, err == nil && n <= 0:
			return 0, io.EOF
		case err != nil:
			return 0, fmt.Errorf("%s: %w", kernelLogFile, err)
		}
		return n, nil
	}
	return 0, io.EOF
}

// Close closes the log.
func (k *kmsg) Close() error { return syscall.Close(k.fd) }

// logFollower reads a log on from where it left off.
type logFollower struct {
	open   KernelLog
	log    io.ReadCloser // nil: not open
	next   uint64        // the number of the first record that was not seen
	buffer []byte
}

// follow calls f with the text of each new message of the kernel's own. What programs wrote
// into its log is not among them. An error says that nothing is known of what came since.
func (l *logFollower) follow(f func(message []byte)) error {
	if l.log == nil {
		log, err := l.open()
		if err != nil {
			return err
		}
		l.log = log
		if l.buffer == nil {
			l.buffer = make([]byte, longestRecord)
		}
	}
	for range mostRecords {
		n, err := l.log.Read(l.buffer)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			l.close() // to be opened anew; what was seen is known by its number
			return err
		}
		if sequence, message, ok := parseRecord(l.buffer[:n]); ok && sequence >= l.next {
			l.next = sequence + 1
			f(message)
		}
	}
	return nil
}

func (l *logFollower) close() {
	if l.log != nil {
		l.log.Close() // nothing was written
		l.log = nil
	}
}

// parseRecord reads "6,339,5140900,-;a message" and further lines about it. The first number
// is the level and above it who wrote: 0 is the kernel.
func parseRecord(b []byte) (sequence uint64, message []byte, ok bool) {
	head, rest, ok := bytes.Cut(b, []byte(";"))
	if !ok {
		return 0, nil, false
	}
	from, head, _ := bytes.Cut(head, []byte(","))
	number, _, _ := bytes.Cut(head, []byte(","))
	priority, ok := parseUint(from)
	sequence, ok2 := parseUint(number)
	message, _, _ = bytes.Cut(rest, []byte("\n"))
	return sequence, message, ok && ok2 && priority>>3 == 0
}
