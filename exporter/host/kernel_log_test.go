package host

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

func TestXIDsAreReadAsEveryDriverWritesThem(t *testing.T) {
	for in, want := range map[string]string{
		"NVRM: Xid (PCI:0000:01:00): 31, pid=4711, name=python, channel 0x8":  "0000:01:00.0 31 application",
		"NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.":         "0000:01:00.0 79 hardware",
		"NVRM: Xid (PCI:0000:3d:00 GPU-I:05): 45, pid=1, name=a, Ch 00000012": "0000:3d:00.0 45 application",
		"NVRM: Xid (0000:03:00): 6, PE0001":                                   "0000:03:00.0 6 other",
		"NVRM: Xid (PCI:000F:01:00): 62":                                      "000f:01:00.0 62 other",
		"NVRM: Xid (PCI:0000:01:00): , no number":                             "",
		"NVRM: Xid (PCI:0000:01:00): 99999999999999999999":                    "",
		"NVRM: Xid (PCI:somewhere): 31":                                       "",
		"NVRM: Xid (PCI:0000:01:00":                                           "",
		"NVRM: GPU at PCI:0000:01:00: GPU-1":                                  "",
		"audit: someone wrote NVRM: Xid (PCI:0000:01:00): 79":                 "",
		"": "",
	} {
		got := ""
		if e, ok := parseXID([]byte(in)); ok {
			got = fmt.Sprintf("%s %d %s", e.address, e.number, kindOf(e.number))
		}
		if got != want {
			t.Errorf("parseXID(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestNumbersOfXIDsAreSorted(t *testing.T) {
	for number := uint64(0); number < 200; number++ {
		want := catalog.XIDOther
		switch number {
		case 13, 31, 43, 45:
			want = catalog.XIDApplication
		case 48, 63, 64, 74, 79, 92, 94, 95, 119, 120:
			want = catalog.XIDHardware
		}
		if got := kindOf(number); got != want {
			t.Errorf("%d is %q, want %q", number, got, want)
		}
	}
}

func TestRecordsOfProgramsAreNoneOfTheKernels(t *testing.T) {
	for in, want := range map[string]string{
		"4,339,5140900,-;NVRM: a\n SUBSYSTEM=pci\n DEVICE=+pci:0000:01:00.0\n": "339 NVRM: a",
		"4,340,5140900,c,caller=T1;b":                                          "340 b",
		"12,341,5140900,-;a program":                                           "", // facility 1: a program
		"4,x,1,-;no number":                                                    "",
		"no head":                                                              "",
		"":                                                                     "",
	} {
		got := ""
		if n, message, ok := parseRecord([]byte(in)); ok {
			got = fmt.Sprintf("%d %s", n, message)
		}
		if got != want {
			t.Errorf("parseRecord(%q) = %q, want %q", in, got, want)
		}
	}
}

// lines is a log that gives one line after the other, or an error.
type lines struct{ left []string }

func (l *lines) Read(b []byte) (int, error) {
	if len(l.left) == 0 {
		return 0, io.EOF
	}
	line := l.left[0]
	if l.left = l.left[1:]; line == "broken" {
		return 0, syscall.EIO
	}
	return copy(b, line), nil
}

func (l *lines) Close() error { return nil }

func TestLogThatIsOpenedAnewIsNotCountedTwice(t *testing.T) {
	opened := 0
	x := xids{}
	x.log.open = func() (io.ReadCloser, error) {
		opened++
		all := []string{"4,1,1,-;NVRM: Xid (PCI:0000:01:00): 31", "4,2,1,-;NVRM: Xid (PCI:0000:01:00): 31", "broken"}
		if opened > 1 {
			all = append(all[:2], "4,3,1,-;NVRM: Xid (PCI:0000:01:00): 31")
		}
		return &lines{all}, nil
	}
	if err := x.read(); !errors.Is(err, syscall.EIO) || x.known {
		t.Errorf("error %v, known %v", err, x.known)
	}
	for range 2 {
		if err := x.read(); err != nil || !x.known {
			t.Errorf("error %v, known %v", err, x.known)
		}
	}
	if n := x.count[xid{"0000:01:00.0", 31}]; n != 3 || opened != 2 {
		t.Errorf("%v errors from %d openings, want 3 from 2", n, opened)
	}
}

func TestLogNeverMakesAReaderWait(t *testing.T) {
	dir := t.TempDir()
	pipe, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "file")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("4,1,1,-;NVRM: Xid (PCI:0000:01:00): 79\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{pipe: 0, file: 1, "/dev/null": 0} {
		x := xids{}
		x.log.open = func() (io.ReadCloser, error) { return openLog(name) }
		began := time.Now()
		if err := x.read(); err != nil || len(x.count) != want {
			t.Errorf("%s: %d errors, %v, want %d", name, len(x.count), err, want)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("%s: it took %s", name, took)
		}
		x.log.close()
	}
	endless := xids{}
	endless.log.open = func() (io.ReadCloser, error) { return openLog("/dev/zero") }
	if err := endless.read(); err != nil || len(endless.count) != 0 {
		t.Errorf("an endless log: %d errors, %v", len(endless.count), err)
	}
	endless.log.close()
}

// The machine's own log is read, or it is said why not.
func TestThisMachinesLogIsReadOrRefused(t *testing.T) {
	seen := 0
	l := logFollower{open: openKernelLog}
	defer l.close()
	err := l.follow(func([]byte) { seen++ })
	if reason := reasonOf(err); err != nil && reason != catalog.HostDenied && !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%d messages, error %v", seen, err)
	}
	t.Logf("%d messages of the kernel, error %v", seen, err)
}

func TestMachineWithoutNVIDIAsCardsDoesNotOpenTheLog(t *testing.T) {
	h := newHost(t, Options{FS: onDisk(t, twoCards), KernelLog: func() (io.ReadCloser, error) {
		t.Error("the log was opened")
		return nil, os.ErrPermission
	}})
	lacks(t, text(h.Collect(t.Context())), "kernel_log")
}

func TestErrorsOfACardStayWhenTheCardIsGone(t *testing.T) {
	const gone = "run/kernel-log = 4,7,1,-;NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.\nrun/nvidia-smi/query-gpu =\n  pci.bus_id, uuid, name, memory.total [MiB]\n  00000000:01:00.0, GPU-1, NVIDIA A, 1024\n" +
		"=== t=60s\nsys/devices/pci0000:00/0000:01:00.0 = !ENOENT\n=== t=24h\nproc/meminfo = MemTotal: 2048 kB\n"
	s := tell(t, oneCardTree+gone, Options{})
	for _, at := range []time.Duration{0, time.Minute, 24 * time.Hour} {
		wants(t, s.page(t, at), `llm_gpu_xid_log_entries{gpu="0000:01:00.0",kind="hardware",xid="79"} 1`, `llm_gpu_xid_messages_total{gpu="0000:01:00.0",kind="hardware"} 1`,
			`llm_gpu_xid_messages_total{gpu="0000:01:00.0",kind="application"} 0`)
	}
}

func TestEachProcessIsShownOnlyWhereItIsAskedFor(t *testing.T) {
	var b strings.Builder
	b.WriteString(twoCards + "sys/devices/pci0000:00/0000:00:01.1/0000:03:00.0/drm/renderD128 = !FOLDER\n")
	for pid := 100; pid < 400; pid++ {
		fmt.Fprintf(&b, "[proc/%d]\nstat = %[1]d (worker) S 1\nfd/5 -> /dev/dri/renderD128\nfdinfo/5 =\n  drm-pdev: 0000:03:00.0\n  drm-client-id: %[1]d\n  drm-memory-vram: 1024 KiB\n", pid)
	}
	s := tell(t, b.String(), Options{})
	all := `llm_gpu_process_memory_bytes{gpu="0000:03:00.0",process="worker",pool="vram"} 3.145728e+08`
	page := s.page(t, 0)
	wants(t, page, all)
	lacks(t, page, "llm_gpu_process_id_memory_bytes")
	s.Load(Config{ProcessIDs: true})
	page = s.page(t, 15*time.Second)
	wants(t, page, all, `llm_gpu_process_id_memory_bytes{gpu="0000:03:00.0",pid="100",process="worker",pool="vram"} 1.048576e+06`)
	if n := strings.Count(page, "llm_gpu_process_id_memory_bytes{"); n != mostHoldings {
		t.Errorf("%d processes, want at most %d", n, mostHoldings)
	}
}

func TestPowerStateOfEachHopIsRead(t *testing.T) {
	const states = `[sys/devices/pci0000:00/0000:00:01.1]
power_state = D0
[sys/devices/pci0000:00/0000:00:01.1/0000:03:00.0]
power_state = D3hot
[sys/devices/pci0000:00/0000:00:02.1]
power_state = unknown
[sys/devices/pci0000:00/0000:00:02.1/0000:07:00.0]
power_state = D7
`
	page := tell(t, twoCards+states, Options{}).page(t, 0)
	wants(t, page, `llm_pci_power_state_info{device="0000:00:01.1",state="D0"} 1`, `llm_pci_power_state_info{device="0000:03:00.0",state="D3hot"} 1`)
	lacks(t, page, `state="unknown"`, `state="D7"`)
}
