package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/internal/hosttree"
)

// vanishing is a machine of which one device is gone after so many questions about it.
type vanishing struct {
	FS
	below string
	left  int
}

func (v *vanishing) gone(name string) bool {
	if !strings.HasPrefix(name, v.below) {
		return false
	}
	v.left--
	return v.left < 0
}

func (v *vanishing) Read(name string, buf []byte, most int) ([]byte, error) {
	if v.gone(name) {
		return buf, fs.ErrNotExist
	}
	return v.FS.Read(name, buf, most)
}

func (v *vanishing) ReadLink(name string) (string, error) {
	if v.gone(name) {
		return "", fs.ErrNotExist
	}
	return v.FS.ReadLink(name)
}

func TestDeviceThatVanishesWhileItIsReadHidesNothing(t *testing.T) {
	tree, err := hosttree.Parse("vanishing", twoCards)
	if err != nil {
		t.Fatal(err)
	}
	player := tree.Play(func() time.Duration { return 0 })
	good := newHost(t, Options{FS: player})
	want := linesOf(text(good.Collect(t.Context())), "0000:07:00.0")
	for after := range 40 {
		// One source after the other, so that the questions come in the same order each time.
		v := &vanishing{player, devicesDir + "/0000:03:00.0", after}
		h := newHost(t, Options{FS: v, Off: []catalog.HostSource{catalog.SourceAER, catalog.SourceAtomics, catalog.SourceAMDGPU}})
		points := h.Collect(t.Context())
		sound(t, points)
		got := linesOf(text(points), "0000:07:00.0")
		for _, line := range got {
			if !slices.Contains(want, line) && !strings.Contains(line, "0000:03:00.0") {
				t.Errorf("after %d questions the other card says %q", after, line)
			}
		}
		if !slices.Contains(got, `llm_gpu_link_bandwidth_bytes_per_second{gpu="0000:07:00.0"} 3.1507692307692307e+10`) {
			t.Errorf("after %d questions the other card's link is missing", after)
		}
	}
}

func TestFilesOfAnotherKindThanTheKernelsHideNothing(t *testing.T) {
	disk := onDisk(t, twoCards)
	devices := filepath.Join(disk.Sysfs, "bus", "pci", "devices")
	card := filepath.Join(devices, "0000:03:00.0")
	huge := []byte(strings.Repeat("0x030000 ", 1<<17)) // a megabyte
	for _, do := range []error{
		os.Symlink("0000:0c:00.0", filepath.Join(devices, "0000:0c:00.0")), // itself
		os.Symlink("0000:0e:00.0", filepath.Join(devices, "0000:0d:00.0")), // each other
		os.Symlink("0000:0d:00.0", filepath.Join(devices, "0000:0e:00.0")),
		os.Symlink("/", filepath.Join(devices, "0000:0f:00.0")),
		os.Mkdir(filepath.Join(devices, "0000:10:00.0\nllm_gpu_up 1"), 0o755),
		os.MkdirAll(filepath.Join(card, "drm", "card1\n\"}"), 0o755),
		os.MkdirAll(filepath.Join(card, "hwmon", "hwmon\n1"), 0o755),
		os.WriteFile(filepath.Join(card, "mem_info_vram_used"), huge, 0o644),
		os.WriteFile(filepath.Join(card, "aer_dev_correctable"), huge, 0o644),
		os.WriteFile(filepath.Join(card, "resource"), huge, 0o644),
		os.Remove(filepath.Join(card, "gpu_busy_percent")),
		os.Mkdir(filepath.Join(card, "gpu_busy_percent"), 0o755), // a folder where a file should be
	} {
		if do != nil {
			t.Fatal(do)
		}
	}
	h := newHost(t, Options{FS: disk})
	for range 2 {
		points := h.Collect(t.Context())
		sound(t, points)
		page := text(points)
		wants(t, page, "llm_host_gpus{} 2", `llm_gpu_up{gpu="0000:03:00.0"} 1`, `llm_gpu_busy_ratio{gpu="0000:07:00.0"} 0.5`)
		lacks(t, page, `llm_gpu_memory_vram_used_bytes{gpu="0000:03:00.0"}`, `llm_gpu_busy_ratio{gpu="0000:03:00.0"}`)
	}
}

func TestFiveHundredCardsAreReadInTime(t *testing.T) {
	var b strings.Builder
	b.WriteString("sys/class/kfd/kfd/topology/generation_id = 2\nsys/class/kfd/kfd/topology/nodes/0/properties = simd_count 0\n")
	for i := range 500 {
		bus, slot := i/32+1, i%32
		fmt.Fprintf(&b, "[sys/devices/pci0000:00/0000:%02x:%02x.0]\nvendor = 0x1002\ndevice = 0x7551\nclass = 0x030000\ndriver -> ../../../bus/pci/drivers/amdgpu\n", bus, slot)
		b.WriteString("current_link_speed = 16.0 GT/s PCIe\ncurrent_link_width = 16\nmax_link_speed = 16.0 GT/s PCIe\nmax_link_width = 16\n" + someErrors + someSensors)
		fmt.Fprintf(&b, "[sys/class/kfd/kfd/topology/nodes/%d]\nproperties =\n  simd_count 64\n  location_id %d\n  gfx_target_version 120001\ngpu_id = %d\n", i+1, bus<<8|slot<<3, i+1)
	}
	tree, err := hosttree.Parse("many", b.String())
	if err != nil {
		t.Fatal(err)
	}
	h := newHost(t, Options{FS: tree.Play(func() time.Duration { return 0 })})
	began := time.Now()
	points := h.Collect(t.Context())
	t.Logf("%d series in %s", len(points), time.Since(began))
	if took := time.Since(began); took > 30*time.Second { // a second, without the race detector
		t.Errorf("it took %s", took)
	}
	sound(t, points)
	wants(t, text(points), "llm_host_gpus{} 500", `llm_gpu_kfd_node_present{gpu="0000:10:13.0"} 1`)
	if len(points) > 50_000 {
		t.Errorf("%d series for 500 cards", len(points))
	}
}

func TestSensorsOfOneNameStaySeparate(t *testing.T) {
	const sensors = `[sys/devices/pci0000:00/0000:00:01.1/0000:03:00.0]
hwmon/hwmon1/temp1_input = 41000
hwmon/hwmon1/temp1_label = x3
hwmon/hwmon1/temp2_input = 42000
hwmon/hwmon1/temp2_label = x
hwmon/hwmon1/temp3_input = 43000
hwmon/hwmon1/temp3_label = x
`
	page := tell(t, twoCards+sensors, Options{}).page(t, 0) // page fails for a series that is there twice
	wants(t, page, `sensor="x3"} 41`, `sensor="x"} 42`, `sensor="x33"} 43`)
}

// A process that cannot be looked at may hold the card: none is not said then, or memory
// would seem to be kept by nobody.
func TestProcessThatHangsLeavesNoZero(t *testing.T) {
	const processes = `proc/2/stat = 2 (kthreadd) S 0
proc/70/stat = 70 (server) D 1
proc/70/fd = !HANG
[sys/devices/pci0000:00/0000:00:01.1/0000:03:00.0]
drm/renderD128 = !FOLDER
`
	s := tell(t, twoCards+processes, Options{})
	for i := range 2 {
		lacks(t, s.page(t, time.Duration(i)*15*time.Second), "llm_gpu_processes")
	}
	wants(t, s.page(t, time.Minute), `llm_gpu_memory_vram_used_bytes{gpu="0000:03:00.0"} 1.073741824e+09`)
}

// stuck never answers.
type stuck struct{ release chan struct{} }

func (s stuck) Read(string, []byte, int) ([]byte, error) {
	<-s.release
	return nil, errors.New("released")
}
func (s stuck) ReadLink(string) (string, error)  { <-s.release; return "", errors.New("released") }
func (s stuck) ReadDir(string) ([]string, error) { <-s.release; return nil, errors.New("released") }

func TestFilesThatHangHoldFewThreads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stuck{make(chan struct{})}
		r := newReader(&Options{FS: s}, catalog.SourceProcesses, newHealth(discard))
		before := runtime.NumGoroutine()
		for i := range 500 { // a process hangs with each of its files, round after round
			r.begin(t.Context())
			for j := range 4 {
				if _, ok := r.text(fmt.Sprintf("proc/7/fdinfo/%d", 4*i+j)); ok {
					t.Fatal("a stuck file has a text")
				}
			}
		}
		if n := runtime.NumGoroutine() - before; n > 2*mostHung+2 { // the file's, and who waits for it
			t.Errorf("%d goroutines are left behind, want at most %d", n, 2*mostHung+2)
		}
		close(s.release)
		synctest.Wait()
		time.Sleep(retryAfter + time.Second)
		r.begin(t.Context())
		if n := len(r.hung); n != 0 {
			t.Errorf("%d files that are free again are remembered", n)
		}
		r.close()
	})
}

func TestReloadEndsTheReaderOfACardThatIsGone(t *testing.T) {
	s := tell(t, twoCards+"=== t=60s\nsys/devices/pci0000:00/0000:00:01.1/0000:03:00.0 = !ENOENT\n", Options{})
	s.page(t, 0)
	s.page(t, time.Minute)
	before := runtime.NumGoroutine()
	s.Load(Config{})
	for range 100 {
		if runtime.NumGoroutine() < before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, as before", before)
}

func TestToolThatNeverStopsTalkingIsEnded(t *testing.T) {
	script(t, "yes 'pci.bus_id, uuid'\n")
	began := time.Now()
	out, err := Exec(t.Context(), "nvidia-smi")
	if err == nil || toolReason(out, err) != catalog.HostTool || len(out) > toolOutput {
		t.Errorf("%d bytes, error %v, want a failed tool and at most %d bytes", len(out), err, toolOutput)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}

func TestWhatAToolLeavesBehindIsEnded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	script(t, "sleep 600 >/dev/null 2>&1 &\necho $! > "+file+"\necho LC_ALL=$LC_ALL\n")
	out, err := Exec(t.Context(), "nvidia-smi")
	if err != nil || string(out) != "LC_ALL=C\n" {
		t.Errorf("output %q, error %v", out, err)
	}
	pid, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("process %s lives on", pid)
}

func TestWhateverTheToolPrintsThePageIsSound(t *testing.T) {
	const head = "pci.bus_id, uuid, name, memory.total [MiB], memory.used [MiB], utilization.gpu [%]\n"
	for name, out := range map[string]string{
		"garbage":           "\x00\xff\xfe\x01ELF\n\n\n,,,,\n",
		"an open quote":     head + "\"00000000:01:00.0, GPU-1, \"\"A, 1, 1, 1\n",
		"decimal commas":    head + "00000000:01:00.0, GPU-1, A, 1024,5, 10,5, 7,5\n",
		"a card twice":      head + "00000000:01:00.0, GPU-1, A, 1024, 10, 7\n00000000:01:00.0, GPU-2, B, 2048, 20, 8\n",
		"another language":  "Kein Gerät gefunden: der Treiber antwortet nicht.\n",
		"numbers beyond":    head + "00000000:01:00.0, GPU-1, A, 1e308, -5, 4294967295\n",
		"not numbers":       head + "00000000:01:00.0, GPU-1, A, NaN, Inf, 0x10\n",
		"names of lines":    head + "00000000:01:00.0, \"GPU\n1\", \"A\r\nB\", 1024, 10, 7\n",
		"many columns":      head + strings.Repeat("00000000:01:00.0,", 60_000) + "\n",
		"many rows":         head + strings.Repeat("00000000:01:00.0, GPU-1, A, 1024, 10, 7\n", 25_000),
		"a refused field":   "Field \"pci.bus_id\" is not a valid field to query.\n",
		"a warning first":   "WARNING: infoROM is corrupted at gpu 0000:01:00.0\n" + head + "00000000:01:00.0, GPU-1, A, 1024, 10, 7\n",
		"a head and no row": head,
	} {
		for _, exit := range []error{nil, errors.New("exit status 1")} {
			t.Run(fmt.Sprintf("%s, %v", name, exit), func(t *testing.T) {
				tree, err := hosttree.Parse("tool", oneCardTree)
				if err != nil {
					t.Fatal(err)
				}
				player := tree.Play(func() time.Duration { return 0 })
				h := newHost(t, Options{FS: player, KernelLog: player.KernelLog, Run: func(context.Context, string, ...string) ([]byte, error) { return []byte(out), exit }})
				points := h.Collect(t.Context())
				sound(t, points)
				wants(t, text(points), "llm_host_gpus{} 1", "llm_host_memory_size_bytes{} 1.048576e+06")
			})
		}
	}
}
