package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/internal/hosttree"
)

const oneCard = "pci.bus_id, uuid, name, memory.total [MiB]\n00000000:01:00.0, GPU-1, NVIDIA A, 1024\n"

const oneCardTree = `[sys/devices/pci0000:00/0000:01:00.0]
vendor = 0x10de
device = 0x2684
class = 0x030000
driver -> ../../../bus/pci/drivers/nvidia
proc/meminfo = MemTotal: 1024 kB
`

// fakeTool answers at once; what it answers can change, and it can hang.
type fakeTool struct {
	mu      sync.Mutex // guards answer and err
	answer  string
	err     error
	hang    atomic.Bool
	started atomic.Int32 // runs for cards
	release chan struct{}
}

func (f *fakeTool) say(answer string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answer, f.err = answer, err
}

func (f *fakeTool) run(_ context.Context, _ string, args ...string) ([]byte, error) {
	if strings.HasPrefix(args[0], "--query-compute-apps") {
		return nil, nil
	}
	f.started.Add(1)
	if f.hang.Load() {
		<-f.release // held by the driver: no signal ends it
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return []byte(f.answer), f.err
}

func toolHost(t *testing.T, f *fakeTool, o Options) *Host {
	tree, err := hosttree.Parse("tool", oneCardTree)
	if err != nil {
		t.Fatal(err)
	}
	o.FS, o.Run = tree.Play(func() time.Duration { return 0 }), f.run
	return New(o)
}

func TestToolRunsBesideTheScrapes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeTool{answer: oneCard}
		h := toolHost(t, f, Options{Background: true})
		defer h.Close()
		size := `llm_gpu_memory_vram_size_bytes{gpu="0000:01:00.0"} 1.073741824e+09`
		wants(t, text(h.Collect(t.Context())), size)
		for range 8 { // two minutes of scrapes
			time.Sleep(15 * time.Second)
			wants(t, text(h.Collect(t.Context())), size)
		}
		if n := f.started.Load(); n < 8 || n > 10 {
			t.Errorf("%d runs in two minutes, want one each %s", n, toolEvery)
		}
		time.Sleep(time.Hour) // nobody scrapes
		if n := f.started.Load(); n > 40 {
			t.Errorf("%d runs although nobody scraped for an hour", n)
		}
	})
}

func TestToolThatHangsIsNotStartedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeTool{answer: oneCard, release: make(chan struct{})}
		h := toolHost(t, f, Options{Background: true})
		defer h.Close()
		h.Collect(t.Context())
		f.hang.Store(true)
		time.Sleep(toolEvery + time.Second)
		before := f.started.Load()
		began := time.Now()
		for range 20 {
			time.Sleep(15 * time.Second)
			h.Collect(t.Context())
		}
		if f.started.Load() != before {
			t.Errorf("%d runs beside one that hangs", f.started.Load()-before)
		}
		if took := time.Since(began); took > 20*15*time.Second+toolPatience {
			t.Errorf("scrapes waited for the tool: %s", took)
		}
		page := text(h.Collect(t.Context()))
		wants(t, page, `llm_host_source_failed{source="nvidia",reason="timeout"} 1`, `llm_gpu_up{gpu="0000:01:00.0"} 1`)
		if strings.Contains(page, "llm_gpu_memory_vram_size_bytes") {
			t.Error("numbers of five minutes ago are shown as current")
		}
		f.hang.Store(false)
		close(f.release)
		time.Sleep(2 * toolEvery)
		wants(t, text(h.Collect(t.Context())), `llm_host_source_up{source="nvidia"} 1`, `llm_gpu_memory_vram_size_bytes{gpu="0000:01:00.0"} 1.073741824e+09`)
	})
}

func TestFailedRunShowsNoOldNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeTool{answer: oneCard}
		h := toolHost(t, f, Options{Background: true})
		defer h.Close()
		h.Collect(t.Context())
		f.say("Failed to initialize NVML: Unknown Error\n", errors.New("exit status 255"))
		time.Sleep(2*toolEvery + time.Second)
		page := text(h.Collect(t.Context()))
		wants(t, page, `llm_host_source_failed{source="nvidia",reason="nvml_init"} 1`, `llm_gpu_up{gpu="0000:01:00.0"} 1`)
		if strings.Contains(page, "llm_gpu_memory_vram_size_bytes") {
			t.Error("numbers of an earlier run are shown as current")
		}
		if !strings.Contains(page, `name="NVIDIA A"`) {
			t.Error("the card's name is forgotten")
		}
	})
}

func TestFieldsThatAnOldDriverDoesNotKnowAreLeftOut(t *testing.T) {
	asked := 0
	run := func(_ context.Context, _ string, args ...string) ([]byte, error) {
		if strings.Contains(args[0], "compute-apps") {
			return nil, nil
		}
		asked++
		for _, unknown := range []string{"memory.reserved", "clocks_event_reasons.hw_slowdown"} {
			if strings.Contains(args[0], unknown) {
				return []byte("Field \"" + unknown + "\" is not a valid field to query.\n"), errors.New("exit status 2")
			}
		}
		return []byte(oneCard), nil
	}
	tool := newTool(run, time.Now, newHealth(discard))
	for range 2 {
		if a := tool.ask(t.Context()); a.reason != "" || len(a.gpus) != 1 {
			t.Fatalf("answer = %+v", a)
		}
	}
	if asked != 4 { // three times to find out, and once more
		t.Errorf("asked %d times, want 4", asked)
	}
}

func TestReasonsOfAFailedToolAreToldApart(t *testing.T) {
	for name, tt := range map[string]struct {
		out    string
		err    error
		reason catalog.HostReason
		lost   string
	}{
		"NVML":            {"Failed to initialize NVML: Unknown Error", errors.New("exit status 255"), catalog.HostNVMLInit, ""},
		"version":         {"Failed to initialize NVML: Driver/library version mismatch", errors.New("exit status 18"), catalog.HostNVMLInit, ""},
		"no driver":       {"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", errors.New("exit status 9"), catalog.HostNVMLInit, ""},
		"not there":       {"", os.ErrNotExist, catalog.HostMissing, ""},
		"no right":        {"", os.ErrPermission, catalog.HostDenied, ""},
		"too late":        {"", context.DeadlineExceeded, catalog.HostTimeout, ""},
		"something else":  {"segmentation fault", errors.New("signal: segmentation fault"), catalog.HostTool, ""},
		"no table":        {"hello\n", nil, catalog.HostMalformed, ""},
		"no cards at all": {"No devices were found\n", errors.New("exit status 6"), "", ""},
		"one is lost": {"Unable to determine the device handle for GPU0000:0B:00.0: GPU is lost.  Reboot the system to recover this GPU\n",
			errors.New("exit status 15"), catalog.HostTool, "0000:0b:00.0"},
		"one is lost, the others listed": {oneCard + "Unable to determine the device handle for GPU 0000:0B:00.0: Unknown Error\n", errors.New("exit status 255"), "", "0000:0b:00.0"},
	} {
		t.Run(name, func(t *testing.T) {
			tool := newTool(func(context.Context, string, ...string) ([]byte, error) { return []byte(tt.out), tt.err }, time.Now, newHealth(discard))
			a := tool.ask(t.Context())
			if a.reason != tt.reason || strings.Join(a.lost, " ") != tt.lost {
				t.Errorf("reason %q, lost %q, want %q, %q", a.reason, a.lost, tt.reason, tt.lost)
			}
		})
	}
}

// script writes a program and puts its folder first in the path.
func script(t *testing.T, body string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "nvidia-smi"), []byte("#!/bin/sh\n"+body), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

func TestProgramThatHangsDiesWithWhatItStarted(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	script(t, "sleep 600 &\necho $$ $! > "+pids+"\nwait\n")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := Exec(ctx, "nvidia-smi"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error = %v, want the deadline", err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	b, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range strings.Fields(string(b)) {
		n, _ := parseUint([]byte(pid))
		for range 100 { // until init has buried it
			if syscall.Kill(int(n), 0) != nil {
				break
			}
			if stat, err := os.ReadFile("/proc/" + pid + "/stat"); err != nil || strings.Contains(string(stat), ") Z ") {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if stat, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil && !strings.Contains(string(stat), ") Z ") {
			t.Errorf("process %s lives on: %s", pid, stat)
		}
	}
}

func TestProgramsOutputAndExitCodeAreKept(t *testing.T) {
	script(t, "echo 'Failed to initialize NVML: Unknown Error'\nexit 255\n")
	out, err := Exec(t.Context(), "nvidia-smi")
	if err == nil || toolReason(out, err) != catalog.HostNVMLInit {
		t.Errorf("output %q, error %v", out, err)
	}
	if _, err := Exec(t.Context(), "no-such-program-at-all"); toolReason(nil, err) != catalog.HostMissing {
		t.Errorf("error = %v, want that it is missing", err)
	}
	script(t, "yes | head -c 3000000\n")
	if out, err := Exec(t.Context(), "nvidia-smi"); err != nil || len(out) != toolOutput {
		t.Errorf("%d bytes are kept, want %d; %v", len(out), toolOutput, err)
	}
}
