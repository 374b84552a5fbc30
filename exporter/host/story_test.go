package host

import (
	"bytes"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/internal/hosttree"
)

var discard = slog.New(slog.DiscardHandler)

// story is a machine of text whose time the test sets.
type story struct {
	*Host
	tree *hosttree.Tree
	at   atomic.Int64 // a file that hangs may look later
}

func tell(t *testing.T, text string, o Options) *story {
	t.Helper()
	tree, err := hosttree.Parse("story", text)
	if err != nil {
		t.Fatal(err)
	}
	s := &story{tree: tree}
	player := tree.Play(func() time.Duration { return time.Duration(s.at.Load()) })
	o.FS, o.Run, o.KernelLog = player, player.Run, player.KernelLog
	o.Now = func() time.Time { return time.Unix(1_800_000_000, 0).Add(time.Duration(s.at.Load())) }
	s.Host = newHost(t, o)
	return s
}

func (s *story) page(t *testing.T, at time.Duration) string {
	t.Helper()
	s.at.Store(int64(at))
	points := s.Collect(t.Context())
	sound(t, points)
	if touched := s.tree.Violations(); len(touched) > 0 {
		t.Errorf("was read and must not be: %q", touched)
	}
	return text(points)
}

func lacks(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, s := range texts {
		if strings.Contains(page, s) {
			t.Errorf("has %q", s)
		}
	}
}

const asleepAfterAMinute = `
=== t=60s
[sys/devices/pci0000:00/0000:00:01.1/0000:03:00.0]
power/runtime_status = suspended
current_link_speed = !MUST-NOT-BE-READ
current_link_width = !MUST-NOT-BE-READ
max_link_speed = !MUST-NOT-BE-READ
max_link_width = !MUST-NOT-BE-READ
config = !MUST-NOT-BE-READ
gpu_busy_percent = !MUST-NOT-BE-READ
hwmon/hwmon1/power1_average = !MUST-NOT-BE-READ
=== t=120s
[sys/devices/pci0000:00/0000:00:01.1/0000:03:00.0]
power/runtime_status = active
current_link_speed = 2.5 GT/s PCIe
current_link_width = 16
gpu_busy_percent = 0
config = !ENOENT
hwmon = !ENOENT
`

func TestCardThatFallsAsleepIsLeftAlone(t *testing.T) {
	s := tell(t, twoCards+asleepAfterAMinute, Options{})
	speed := `llm_pci_link_current_transfers_per_second{device="0000:03:00.0"}`
	wants(t, s.page(t, 0), speed+" 1.6e+10", `llm_gpu_suspended{gpu="0000:03:00.0"} 0`)

	asleep := s.page(t, time.Minute)
	wants(t, asleep, `llm_gpu_suspended{gpu="0000:03:00.0"} 1`, `llm_gpu_up{gpu="0000:03:00.0"} 1`, `llm_gpu_memory_vram_used_bytes{gpu="0000:03:00.0"} 1.073741824e+09`,
		`llm_gpu_link_capable_bandwidth_bytes_per_second{gpu="0000:03:00.0"} 3.1507692307692307e+10`, // what it can do does not sleep
		`llm_gpu_busy_ratio{gpu="0000:07:00.0"} 0.5`)
	lacks(t, asleep, speed, `llm_gpu_busy_ratio{gpu="0000:03:00.0"}`, `llm_gpu_link_bandwidth_bytes_per_second{gpu="0000:03:00.0"}`)
	s.Sample(t.Context())
	if touched := s.tree.Violations(); len(touched) > 0 {
		t.Errorf("a sample read %q", touched)
	}

	// It wakes with another speed. That is no change of a link that trains badly.
	wants(t, s.page(t, 2*time.Minute), speed+" 2.5e+09", `llm_pci_link_changes_total{device="0000:03:00.0"} 0`)
}

func TestNamedCardIsMissedFromTheStart(t *testing.T) {
	s := tell(t, twoCards, Options{})
	s.Load(Config{Names: map[string]string{"0000:0b:00.0": "card 1", "0000:03:00.0": "card 0"}})
	wants(t, s.page(t, 0), `llm_gpu_up{gpu="0000:0b:00.0"} 0`, `llm_gpu_failed{gpu="0000:0b:00.0",reason="gone"} 1`,
		`llm_gpu_info{gpu="0000:0b:00.0",name="card 1"} 1`, `llm_gpu_up{gpu="0000:03:00.0"} 1`, `llm_host_gpus{} 2`)
}

func TestReloadForgetsCardsThatWereTakenOut(t *testing.T) {
	s := tell(t, twoCards+"=== t=60s\nsys/devices/pci0000:00/0000:00:01.1/0000:03:00.0 = !ENOENT\n", Options{})
	s.page(t, 0)
	wants(t, s.page(t, time.Minute), `llm_gpu_up{gpu="0000:03:00.0"} 0`, `llm_host_expected_gpus{} 2`)
	s.Load(Config{})
	page := s.page(t, time.Minute)
	lacks(t, page, "0000:03:00.0")
	wants(t, page, `llm_host_expected_gpus{} 1`)
}

func TestListThatCannotBeReadMeansBlindNotLost(t *testing.T) {
	s := tell(t, twoCards+"=== t=60s\nsys/bus/pci/devices = !EACCES\n", Options{})
	s.page(t, 0)
	page := s.page(t, time.Minute)
	wants(t, page, `llm_host_source_up{source="pci"} 0`, `llm_host_source_failed{source="pci",reason="denied"} 1`, `llm_gpu_up{gpu="0000:03:00.0"} 1`, `llm_host_gpus{} 2`)
}

func TestDeniedFileIsLoggedOnce(t *testing.T) {
	var log bytes.Buffer
	text := strings.Replace(twoCards, "mem_info_vram_used = 1073741824", "mem_info_vram_used = !EACCES", 1)
	s := tell(t, text, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	for i := range 5 {
		s.page(t, time.Duration(i)*15*time.Second)
	}
	if n := strings.Count(log.String(), "mem_info_vram_used"); n != 1 {
		t.Errorf("%d lines in five rounds:\n%s", n, log.String())
	}
	wants(t, s.page(t, 2*time.Minute), `llm_host_read_errors_total{source="amdgpu",reason="denied"} 6`)
}

func TestSourcesThatAreOffAreNotRead(t *testing.T) {
	text := twoCards + `proc/meminfo = !MUST-NOT-BE-READ
[sys/devices/pci0000:00/0000:00:01.1/0000:03:00.0]
current_link_speed = !MUST-NOT-BE-READ
mem_info_vram_total = !MUST-NOT-BE-READ
config = !MUST-NOT-BE-READ
aer_dev_fatal = !MUST-NOT-BE-READ
sys/class/kfd/kfd/topology/generation_id = !MUST-NOT-BE-READ
`
	s := tell(t, text, Options{Off: catalog.HostSources()})
	page := s.page(t, 0)
	s.Sample(t.Context())
	lacks(t, page, "llm_pci_", "bandwidth", "memory")
	wants(t, page, `llm_gpu_up{gpu="0000:03:00.0"} 1`) // that the cards are there is always looked at
	if touched := s.tree.Violations(); len(touched) > 0 {
		t.Errorf("was read: %q", touched)
	}
}

func TestVirtualFunctionsAreNoCards(t *testing.T) {
	text := twoCards + "[sys/devices/pci0000:00/0000:00:01.1/0000:03:00.1]\nvendor = 0x1002\ndevice = 0x67df\nclass = 0x030000\nphysfn -> ../0000:03:00.0\n"
	page := tell(t, text, Options{}).page(t, 0)
	wants(t, page, "llm_host_gpus{} 2")
	lacks(t, page, "0000:03:00.1")
}

func TestProcessesComeAndGo(t *testing.T) {
	const holds = `[sys/devices/pci0000:00/0000:00:01.1/0000:03:00.0]
drm/renderD128 = !FOLDER
proc/2/stat = 2 (kthreadd) S 0
proc/2/fd = !EACCES
proc/70/stat = 70 (server) S 1
proc/70/fd = !FOLDER
=== t=30s
proc/70/fd/5 -> /dev/dri/renderD128
proc/70/fdinfo/5 =
  drm-pdev: 0000:03:00.0
  drm-client-id: 1
  drm-memory-vram: 1024 KiB
proc/71/stat = 71 (new one) S 1
proc/71/fd/9 -> /dev/dri/renderD128
proc/71/fdinfo/9 =
  drm-pdev: 0000:03:00.0
  drm-client-id: 2
  drm-memory-vram: 2048 KiB
=== t=90s
proc/71 = !ENOENT
`
	s := tell(t, twoCards+holds, Options{})
	wants(t, s.page(t, 0), `llm_gpu_processes{gpu="0000:03:00.0"} 0`)
	// A new process is looked at once; one that was looked at, a minute later.
	page := s.page(t, 30*time.Second)
	wants(t, page, `llm_gpu_process_memory_bytes{gpu="0000:03:00.0",process="new one",pool="vram"} 2.097152e+06`, `llm_gpu_processes{gpu="0000:03:00.0"} 1`)
	page = s.page(t, 90*time.Second)
	wants(t, page, `llm_gpu_process_memory_bytes{gpu="0000:03:00.0",process="server",pool="vram"} 1.048576e+06`)
	lacks(t, page, "new one")
}

func TestArcInAGuestIsReadByItsUpstreamPort(t *testing.T) {
	const guest = `[sys/devices/pci0000:00/0000:00:05.0]
vendor = 0x8086
device = 0x4fa0
class = 0x060400
current_link_speed = 16.0 GT/s PCIe
current_link_width = 8
[sys/devices/pci0000:00/0000:00:05.0/0000:01:01.0]
vendor = 0x8086
device = 0x4fa4
class = 0x060400
current_link_speed = 2.5 GT/s PCIe
current_link_width = 1
[sys/devices/pci0000:00/0000:00:05.0/0000:01:01.0/0000:02:00.0]
vendor = 0x8086
device = 0x56a0
class = 0x030000
current_link_speed = 2.5 GT/s PCIe
current_link_width = 1
`
	wants(t, tell(t, guest, Options{}).page(t, 0), `llm_gpu_link_bandwidth_bytes_per_second{gpu="0000:02:00.0"} 1.5753846153846153e+10`)
}
