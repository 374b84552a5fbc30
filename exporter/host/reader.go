package host

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"sync"
	"syscall"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

const (
	// fileDeadline is how long one file may take. The slowest healthy ones ask a
	// controller on the card and take a few milliseconds.
	fileDeadline = 500 * time.Millisecond
	// filesPerRound bounds what the hung files of one reader cost a round together.
	filesPerRound = 2
	// retryAfter is how long a file that did not answer is left alone.
	retryAfter = time.Minute
	// mostHung is how many files may hang at once before a reader asks for nothing more: each
	// holds a thread, and a process may have so many.
	mostHung = 64
	// fileLimit is the largest file that is read: a page of sysfs, or a long table of procfs.
	fileLimit = 1 << 20
)

var (
	// errHung is a file that did not answer in time.
	errHung = errors.New("no answer before the deadline")
	// errSkipped is a file that was not asked: it hangs since earlier, or there is no time left.
	errSkipped = errors.New("not asked: an earlier question has no answer yet, or time is up")
)

// reader reads files one after the other so that one that never answers costs only itself.
// A hung read cannot be ended: its goroutine is left behind, one for each such file, and the
// file is not asked again before it has returned. A reader serves one goroutine at a time.
type reader struct {
	fs      FS
	source  catalog.HostSource
	health  *health
	worker  *worker
	timer   *time.Timer
	most    time.Duration   // that one file may take
	left    time.Duration   // of this round, for files that hang
	ctx     context.Context // of this round
	failure catalog.HostReason

	mu   sync.Mutex // guards hung
	hung map[string]time.Time
}

// worker is the goroutine in which files are touched.
type worker struct {
	ask  chan question
	done chan struct{}
	answer
}

type question struct {
	op   byte // 'r' read, 'l' link, 'd' folder
	name string
	most int
}

type answer struct {
	buf   []byte
	link  string
	names []string
	err   error
}

func newReader(o *Options, source catalog.HostSource, health *health) *reader {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return &reader{fs: o.FS, source: source, health: health, timer: t, most: cmp.Or(o.FileDeadline, fileDeadline), hung: map[string]time.Time{}}
}

// begin starts a round. Files that hung and are free again are forgotten.
func (r *reader) begin(ctx context.Context) {
	r.ctx, r.left, r.failure = ctx, filesPerRound*r.most, ""
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(r.hung, func(_ string, until time.Time) bool { return !until.IsZero() && now.After(until) })
}

// close ends the reader's goroutine, if no file holds it.
func (r *reader) close() {
	if r.worker != nil {
		close(r.worker.ask)
		r.worker = nil
	}
}

// run is the life of a worker; it ends when nobody will ask it again.
func (w *worker) run(fsys FS) {
	for q := range w.ask {
		switch q.op {
		case 'r':
			w.buf, w.err = fsys.Read(q.name, w.buf[:0], q.most)
		case 'l':
			w.link, w.err = fsys.ReadLink(q.name)
		case 'd':
			w.names, w.err = fsys.ReadDir(q.name)
		}
		w.done <- struct{}{}
	}
}

// do has a question answered within the deadline. What it returns is valid until the next one.
func (r *reader) do(q question) (*answer, error) {
	if r.isHung(q.name) || r.left <= 0 || r.ctx.Err() != nil {
		return nil, errSkipped
	}
	if r.worker == nil {
		r.worker = &worker{ask: make(chan question), done: make(chan struct{}, 1)}
		r.worker.buf = make([]byte, 0, 4096)
		go r.worker.run(r.fs)
	}
	w := r.worker
	r.timer.Reset(min(r.most, r.left))
	w.ask <- q
	select {
	case <-w.done:
		r.timer.Stop()
		return &w.answer, w.err
	case <-r.ctx.Done(): // the scraper has no more time, whoever used it up
		r.timer.Stop()
		r.leave(q.name, 0)
		return nil, errSkipped
	case <-r.timer.C:
		r.left -= r.most
		r.leave(q.name, retryAfter)
		return nil, errHung
	}
}

// isHung tells whether a file must be left alone: it hangs, or too many others do.
func (r *reader) isHung(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, hung := r.hung[name]
	return hung || len(r.hung) >= mostHung
}

// leave gives up a worker that hangs on a file, which is asked again some time after it returned.
func (r *reader) leave(name string, pause time.Duration) {
	w := r.worker
	r.worker = nil
	close(w.ask)
	r.mu.Lock()
	r.hung[name] = time.Time{} // until it returns
	r.mu.Unlock()
	go func() {
		<-w.done
		r.mu.Lock()
		defer r.mu.Unlock()
		r.hung[name] = time.Now().Add(pause)
	}()
}

// reasonOf sorts an error into the closed set; "" for what is simply not there.
func reasonOf(err error) catalog.HostReason {
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ESRCH):
		return ""
	case errors.Is(err, errHung):
		return catalog.HostTimeout
	case errors.Is(err, fs.ErrPermission): // EPERM and EACCES
		return catalog.HostDenied
	}
	return catalog.HostIO
}

// fail notes that a file gave nothing, and returns err.
func (r *reader) fail(name string, err error) error {
	if err == errSkipped {
		r.failure = cmp.Or(r.failure, catalog.HostTimeout) // was counted and logged when it hung
		return err
	}
	if reason := reasonOf(err); reason != "" {
		r.failAs(name, reason, err)
	}
	return err
}

// failAs notes a failure under a reason of the caller's choice. Sleep is no failure of the source.
func (r *reader) failAs(name string, reason catalog.HostReason, err error) {
	if r.failure == "" && reason != catalog.HostAsleep {
		r.failure = reason
	}
	r.health.fileFailed(r.source, name, reason, err)
}

// bytes reads a file without noting a failure. The result is valid until the next read.
func (r *reader) bytes(name string, most int) ([]byte, error) {
	a, err := r.do(question{'r', name, most})
	if err != nil {
		return nil, err
	}
	return a.buf, nil
}

// text reads a small file without its white space around; ok is false where it is not there
// or cannot be read.
func (r *reader) text(name string) (text []byte, ok bool) {
	b, err := r.bytes(name, page)
	if err != nil {
		r.fail(name, err)
		return nil, false
	}
	return trim(b), true
}

// all reads a file of any length.
func (r *reader) all(name string) ([]byte, bool) {
	b, err := r.bytes(name, fileLimit)
	if err != nil {
		r.fail(name, err)
		return nil, false
	}
	return b, true
}

// number reads a file that holds one whole number that is not negative. An empty file or
// another text is noted and gives nothing: it is not 0.
func (r *reader) number(name string) (float64, bool) {
	b, ok := r.text(name)
	if !ok {
		return 0, false
	}
	v, ok := parseUint(b)
	if !ok {
		r.failAs(name, catalog.HostMalformed, errMalformed)
	}
	return float64(v), ok
}

var errMalformed = errors.New("is not what the kernel writes there")

// link reads a symbolic link.
func (r *reader) link(name string) (string, error) {
	a, err := r.do(question{'l', name, 0})
	if err != nil {
		return "", err
	}
	return a.link, nil
}

// dir lists a folder.
func (r *reader) dir(name string) ([]string, error) {
	a, err := r.do(question{'d', name, 0})
	if err != nil {
		return nil, err
	}
	return a.names, nil
}
