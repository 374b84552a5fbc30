package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

const (
	// toolDeadline is how long one run of the tool may take. A healthy one takes half a
	// second, more on a machine with many cards and without the persistence daemon.
	toolDeadline = 10 * time.Second
	// toolEvery is how often it is run: each run costs the driver a little.
	toolEvery = 15 * time.Second
	// toolFresh is how old its numbers may be. Older ones disappear.
	toolFresh = 2*toolEvery + toolDeadline
	// toolPatience is how long a scrape waits for the first run: later ones find numbers.
	toolPatience = 2 * time.Second
	// toolOutput is the longest answer that is kept, toolFlood the longest that is listened to.
	toolOutput = 1 << 20
	toolFlood  = 16 << 20
)

// Runner runs a program and returns what it printed. An error with output is a program that
// ended with a failure; context.DeadlineExceeded is one that did not end in time.
type Runner func(ctx context.Context, name string, args ...string) ([]byte, error)

// Exec runs programs of the machine, each in a process group of its own: what it started
// dies with it. A program that cannot be killed, because a driver holds it, keeps Exec waiting.
func Exec(ctx context.Context, name string, args ...string) ([]byte, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	cmd := exec.Command(path, args...)
	out := &limitedBuffer{most: toolOutput}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Env = append(cmd.Environ(), "LC_ALL=C") // no decimal commas
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = time.Second // for a grandchild that keeps the pipe open
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	group := cmd.Process.Pid
	stop := context.AfterFunc(ctx, func() { syscall.Kill(-group, syscall.SIGKILL) })
	err = cmd.Wait()
	syscall.Kill(-group, syscall.SIGKILL) // what a wrapper of the tool may have left behind
	if !stop() {
		return nil, ctx.Err()
	}
	if err != nil {
		return out.buf.Bytes(), fmt.Errorf("%s: %w", name, err)
	}
	return out.buf.Bytes(), nil
}

// limitedBuffer keeps the beginning of what is written.
type limitedBuffer struct {
	buf     bytes.Buffer
	most    int
	written int
}

var errFlood = errors.New("its output does not end")

// Write lets a program say more than is kept, but not for ever: after an error its pipe is closed.
func (b *limitedBuffer) Write(p []byte) (int, error) {
	b.buf.Write(p[:min(len(p), b.most-b.buf.Len())])
	if b.written += len(p); b.written > toolFlood {
		return 0, errFlood
	}
	return len(p), nil
}

// tool runs nvidia-smi beside the scrapes: one at a time, and none as long as the last has
// not ended, for a wedged driver holds its callers for ever.
type tool struct {
	run    Runner
	now    func() time.Time
	health *health

	mu      sync.Mutex // guards all below
	fields  []string
	started time.Time
	running chan struct{} // closed when the run in flight ends; nil: none
	cancel  context.CancelFunc
	last    *toolAnswer
}

// toolAnswer is what a run found. It does not change.
type toolAnswer struct {
	at     time.Time
	gpus   []*nvidiaGPU
	apps   []nvidiaApp
	lost   []string           // addresses that the tool calls lost
	reason catalog.HostReason // "": well
}

func newTool(run Runner, now func() time.Time, h *health) *tool {
	return &tool{run: run, now: now, health: h, fields: slices.Clone(nvidiaFields)}
}

// poll starts a run if one is due.
func (t *tool) poll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if age := now.Sub(t.started); t.running != nil || !t.started.IsZero() && age >= 0 && age < toolEvery {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), toolDeadline)
	ended := make(chan struct{})
	t.started, t.running, t.cancel = now, ended, cancel
	go func() {
		defer cancel()
		a := t.ask(ctx)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.last, t.running = a, nil
		close(ended)
	}()
}

// answer returns what the last run found, or that it is too old. If none has ended yet it
// waits a little; nil: that was not enough.
func (t *tool) answer(ctx context.Context, patience time.Duration) *toolAnswer {
	t.mu.Lock()
	running, last := t.running, t.last
	t.mu.Unlock()
	if running != nil && (last == nil || patience > toolPatience) {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case <-running:
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch now := t.now(); {
	case t.last != nil && now.Sub(t.last.at) <= toolFresh:
		return t.last
	case t.last != nil, t.running != nil && now.Sub(t.started) > toolDeadline:
		return &toolAnswer{at: now, reason: catalog.HostTimeout} // it cannot even be killed
	}
	return nil // the first run goes on
}

// close ends the run in flight. One that cannot be killed is left behind.
func (t *tool) close() {
	t.mu.Lock()
	running, cancel := t.running, t.cancel
	t.mu.Unlock()
	if running == nil {
		return
	}
	cancel()
	select {
	case <-running:
	case <-time.After(2 * time.Second):
	}
}

// ask runs the tool for the cards and for the programs on them.
func (t *tool) ask(ctx context.Context) *toolAnswer {
	a := &toolAnswer{at: t.now()}
	out, err := t.askCards(ctx)
	gpus, ok := parseNVIDIA(out)
	a.gpus, a.lost = gpus, lostGPUs(out)
	switch {
	case len(gpus) > 0 && !isTimeout(err): // a lost card makes it fail, after the rows of the others
		err = nil
	case bytes.Contains(out, []byte("No devices were found")):
		err = nil
	case err == nil && !ok:
		err = errMalformed
	}
	if err != nil {
		a.reason = toolReason(out, err)
		t.health.fileFailed(catalog.SourceNVIDIA, "nvidia-smi", a.reason, fmt.Errorf("%w: %s", err, firstLine(out)))
		return a
	}
	if out, err = t.run(ctx, "nvidia-smi", "--query-compute-apps=gpu_uuid,pid,process_name,used_gpu_memory", "--format=csv,nounits"); err == nil {
		a.apps = parseNVIDIAApps(out)
	}
	return a
}

var refusedField = regexp.MustCompile(`Field "([a-z_.]+)" is not a valid field`)

// askCards asks for all fields, and again without those that an older driver does not know.
func (t *tool) askCards(ctx context.Context) ([]byte, error) {
	for {
		t.mu.Lock()
		fields := slices.Clone(t.fields)
		t.mu.Unlock()
		out, err := t.run(ctx, "nvidia-smi", "--query-gpu="+strings.Join(fields, ","), "--format=csv,nounits")
		refused := refusedField.FindSubmatch(out)
		if refused == nil {
			return out, err
		}
		at := slices.Index(fields, string(refused[1]))
		if at <= 0 { // not one of ours, or the address, without which nothing can be told apart
			return out, err
		}
		t.mu.Lock()
		t.fields = slices.Delete(fields, at, at+1)
		t.mu.Unlock()
	}
}

func isTimeout(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

var lostGPU = regexp.MustCompile(`GPU ?([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7]): [^\n]*(?:is lost|Unknown Error|requires reset)`)

// lostGPUs are the addresses in sentences such as "Unable to determine the device handle for
// GPU 0000:0B:00.0: GPU is lost. Reboot the system to recover this GPU".
func lostGPUs(out []byte) (addresses []string) {
	for _, m := range lostGPU.FindAllSubmatch(out, 64) {
		if a, ok := ParseAddress(string(m[1])); ok {
			addresses = append(addresses, a)
		}
	}
	return addresses
}

// toolReason sorts a failed run into the closed set.
func toolReason(out []byte, err error) catalog.HostReason {
	switch {
	case isTimeout(err):
		return catalog.HostTimeout
	case errors.Is(err, fs.ErrNotExist):
		return catalog.HostMissing
	case errors.Is(err, fs.ErrPermission):
		return catalog.HostDenied
	case bytes.Contains(out, []byte("NVML")), bytes.Contains(out, []byte("communicate with the NVIDIA driver")):
		return catalog.HostNVMLInit
	case errors.Is(err, errMalformed):
		return catalog.HostMalformed
	}
	return catalog.HostTool
}

// firstLine is the beginning of what a program said, for the log.
func firstLine(out []byte) string {
	line, _, _ := bytes.Cut(trim(out), []byte("\n"))
	return label(string(line))
}
