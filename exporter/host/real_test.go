package host

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/internal/hosttree"
)

// onDisk writes a tree as real files.
func onDisk(t testing.TB, text string) Dir {
	t.Helper()
	tree, err := hosttree.Parse("disk", text)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := tree.WriteTo(dir); err != nil {
		t.Fatal(err)
	}
	return Dir{Sysfs: filepath.Join(dir, "sys"), Procfs: filepath.Join(dir, "proc")}
}

// noTool is a machine without nvidia-smi.
func noTool(context.Context, string, ...string) ([]byte, error) { return nil, os.ErrNotExist }

func newHost(t testing.TB, o Options) *Host {
	t.Helper()
	if o.Run == nil {
		o.Run = noTool
	}
	h := New(o)
	t.Cleanup(h.Close)
	return h
}

// text writes points one a line, as a page would.
func text(points []catalog.Point) string {
	var lines []string
	for i := range points {
		p := &points[i]
		var labels []string
		for j, name := range p.Series.Labels {
			if p.Labels[j] != "" {
				labels = append(labels, fmt.Sprintf("%s=%q", name, p.Labels[j]))
			}
		}
		lines = append(lines, fmt.Sprintf("%s{%s} %v", p.Series.Name, strings.Join(labels, ","), p.Value))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

func wants(t *testing.T, page string, lines ...string) {
	t.Helper()
	for _, l := range lines {
		if !strings.Contains(page, l+"\n") {
			t.Errorf("lacks %q; has\n%s", l, page)
		}
	}
}

func TestThisMachineIsReadWithoutError(t *testing.T) {
	h := newHost(t, Options{Run: Exec})
	for range 2 {
		page := text(h.Collect(t.Context()))
		wants(t, page, `llm_host_source_up{source="memory"} 1`)
		if !strings.Contains(page, "llm_host_memory_size_bytes{} ") || !strings.Contains(page, "llm_host_gpus{} ") {
			t.Errorf("page = %s", page)
		}
		if strings.Contains(page, `llm_host_source_up{source="pci"} 0`) {
			t.Errorf("the machine's devices cannot be read:\n%s", page)
		}
	}
}

// twoCards is a machine with a card of AMD's in a slot of its own each.
var twoCards = amdCard("0000:00:01.1", "0000:03:00.0") + amdCard("0000:00:02.1", "0000:07:00.0") +
	"proc/meminfo = MemTotal: 1024 kB\n"

// amdCard is a card right below a root port.
func amdCard(root, gpu string) string {
	return fmt.Sprintf(`[sys/devices/pci0000:00/%[1]s]
vendor = 0x1022
device = 0x14db
class = 0x060400
current_link_speed = 16.0 GT/s PCIe
current_link_width = 16
max_link_speed = 16.0 GT/s PCIe
max_link_width = 16
power/runtime_status = active
[sys/devices/pci0000:00/%[1]s/%[2]s]
vendor = 0x1002
device = 0x67df
class = 0x030000
driver -> ../../../bus/pci/drivers/amdgpu
current_link_speed = 16.0 GT/s PCIe
current_link_width = 16
max_link_speed = 16.0 GT/s PCIe
max_link_width = 16
power/runtime_status = active
mem_info_vram_total = 8589934592
mem_info_vram_used = 1073741824
gpu_busy_percent = 50
`, root, gpu)
}

// hangingFile puts a pipe that nobody writes to in the place of a file.
func hangingFile(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(name, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // lets the reader that hangs go
		if f, err := os.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			f.Close()
		}
	})
}

// hanging is real files, one of which never answers: within a bubble, where time passes only when nothing
// else is left to read.
type hanging struct {
	FS
	name    string
	release chan struct{}
}

func hangingIn(t *testing.T, fs FS, name string) hanging {
	h := hanging{fs, name, make(chan struct{})}
	t.Cleanup(func() { close(h.release) })
	return h
}

// Read blocks for the one file.
func (h hanging) Read(name string, buf []byte, most int) ([]byte, error) {
	if name == h.name {
		<-h.release
	}
	return h.FS.Read(name, buf, most)
}

func TestFileThatNeverAnswersCostsOnlyItsOwnSeries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, Options{FS: hangingIn(t, onDisk(t, twoCards), "sys/bus/pci/devices/0000:03:00.0/gpu_busy_percent")})
		collect := func(want time.Duration) {
			t.Helper()
			began := time.Now()
			page := text(h.Collect(t.Context()))
			if took := time.Since(began); took != want {
				t.Errorf("the round took %s, want %s", took, want)
			}
			wants(t, page, `llm_gpu_busy_ratio{gpu="0000:07:00.0"} 0.5`,
				`llm_gpu_memory_vram_used_bytes{gpu="0000:03:00.0"} 1.073741824e+09`,
				`llm_gpu_link_bandwidth_bytes_per_second{gpu="0000:03:00.0"} 3.1507692307692307e+10`,
				`llm_host_source_failed{source="amdgpu",reason="timeout"} 1`,
				`llm_host_source_timeouts_total{source="amdgpu"} 1`)
			if strings.Contains(page, `llm_gpu_busy_ratio{gpu="0000:03:00.0"}`) {
				t.Error("there is a value of the file that does not answer")
			}
		}
		collect(fileDeadline)
		collect(0) // it is not asked again, and still counted once
	})
}

func TestHangingLinkFileHidesNoOtherLink(t *testing.T) {
	dir := onDisk(t, twoCards)
	hangingFile(t, filepath.Join(dir.Sysfs, "bus/pci/devices/0000:03:00.0/current_link_speed"))
	h := newHost(t, Options{FS: dir})
	page := text(h.Collect(t.Context()))
	wants(t, page, `llm_gpu_link_bandwidth_bytes_per_second{gpu="0000:07:00.0"} 3.1507692307692307e+10`,
		`llm_gpu_up{gpu="0000:03:00.0"} 1`, `llm_host_source_failed{source="pci",reason="timeout"} 1`)
}

func TestScrapersDeadlineEndsTheRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, Options{FS: hangingIn(t, onDisk(t, twoCards), "sys/bus/pci/devices/0000:03:00.0/mem_info_vram_total")})
		const deadline = 50 * time.Millisecond
		ctx, cancel := context.WithTimeout(t.Context(), deadline)
		defer cancel()
		began := time.Now()
		page := text(h.Collect(ctx))
		if took := time.Since(began); took != deadline {
			t.Errorf("the round took %s, want %s", took, deadline)
		}
		wants(t, page, `llm_gpu_memory_vram_size_bytes{gpu="0000:07:00.0"} 8.589934592e+09`)
	})
}

func TestFoldersOfSysfsAndProcfsAreValues(t *testing.T) {
	h := newHost(t, Options{FS: onDisk(t, "proc/meminfo = MemTotal: 1024 kB\n")})
	wants(t, text(h.Collect(t.Context())), "llm_host_memory_size_bytes{} 1.048576e+06", "llm_host_gpus{} 0")
}
