package host

import (
	"fmt"
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/internal/cputime"
)

// largeMachine has eight cards with a switch of their own, two each behind a switch of the
// board: forty devices on their chains.
func largeMachine() string {
	var b strings.Builder
	port := func(path, ids string) {
		vendor, device, _ := strings.Cut(ids, ":")
		fmt.Fprintf(&b, "[sys/devices/%s]\nvendor = 0x%s\ndevice = 0x%s\nclass = 0x060400\n", path, vendor, device)
		b.WriteString("current_link_speed = 16.0 GT/s PCIe\ncurrent_link_width = 16\nmax_link_speed = 32.0 GT/s PCIe\nmax_link_width = 16\n")
		b.WriteString("power/runtime_status = active\npower_state = D0\nconfig = !CONFIG downstream routing\n" + someErrors)
	}
	for i := range 4 {
		root := fmt.Sprintf("pci0000:%d0/0000:%d0:01.1", i, i)
		port(root, "1022:14db")
		up := fmt.Sprintf("%s/0000:%d1:00.0", root, i)
		port(up, "1022:43f4")
		for j := range 2 {
			slot := fmt.Sprintf("%s/0000:%d2:0%d.0", up, i, j)
			port(slot, "1022:43f5")
			port(fmt.Sprintf("%s/0000:%d%d:00.0", slot, i, 3+3*j), "1002:1478")
			inner := fmt.Sprintf("%s/0000:%d%d:00.0/0000:%d%d:00.0", slot, i, 3+3*j, i, 4+3*j)
			port(inner, "1002:1479")
			gpu := fmt.Sprintf("%s/0000:%d%d:00.0", inner, i, 5+3*j)
			port(gpu, "1002:7551")
			fmt.Fprintf(&b, "class = 0x030000\ndriver -> ../../../bus/pci/drivers/amdgpu\ndrm/card%d = !FOLDER\ndrm/renderD%d = !FOLDER\n", 2*i+j, 128+2*i+j)
			b.WriteString(someSensors)
		}
	}
	b.WriteString("proc/meminfo = MemTotal: 1024 kB\nproc/1/stat = 1 (init) S 0\nproc/1/fd = !FOLDER\n")
	return b.String()
}

const someErrors = `aer_dev_correctable =
  RxErr 5
  BadTLP 0
  TOTAL_ERR_COR 5
aer_dev_nonfatal =
  DLP 0
  TOTAL_ERR_NONFATAL 0
aer_dev_fatal =
  DLP 0
  TOTAL_ERR_FATAL 0
`

const someSensors = `mem_info_vram_total = 34208743424
mem_info_vram_used = 3420874342
mem_info_vis_vram_total = 34208743424
mem_info_vis_vram_used = 3420874342
mem_info_gtt_total = 34208743424
mem_info_gtt_used = 3420874
gpu_busy_percent = 50
mem_busy_percent = 20
hwmon/hwmon3/name = amdgpu
hwmon/hwmon3/temp1_input = 61000
hwmon/hwmon3/temp1_label = edge
hwmon/hwmon3/temp2_input = 61000
hwmon/hwmon3/temp2_label = junction
hwmon/hwmon3/temp3_input = 61000
hwmon/hwmon3/temp3_label = mem
hwmon/hwmon3/power1_average = 200000000
hwmon/hwmon3/power1_cap = 300000000
hwmon/hwmon3/freq1_input = 2000000000
hwmon/hwmon3/freq1_label = sclk
hwmon/hwmon3/freq2_input = 1000000000
hwmon/hwmon3/freq2_label = mclk
`

// BenchmarkLargeMachine reads eight cards and forty devices from real files. Marks: 5 ms of
// processor and 2,000 allocations a round.
func BenchmarkLargeMachine(b *testing.B) {
	h := newHost(b, Options{FS: onDisk(b, largeMachine())})
	page := text(h.Collect(b.Context()))
	if n := strings.Count(page, "llm_pci_link_bandwidth_bytes_per_second"); n != 40 {
		b.Fatalf("%d devices, want 40:\n%s", n, page)
	}
	b.ReportAllocs()
	began := cputime.Used()
	for b.Loop() {
		if len(h.Collect(b.Context())) < 500 {
			b.Fatal("series are missing")
		}
	}
	b.ReportMetric(float64((cputime.Used()-began).Microseconds())/1000/float64(b.N), "cpu-ms/op")
}

// BenchmarkSample looks at the links of the same machine between two scrapes.
func BenchmarkSample(b *testing.B) {
	h := newHost(b, Options{FS: onDisk(b, largeMachine())})
	h.Collect(b.Context())
	b.ReportAllocs()
	for b.Loop() {
		h.Sample(b.Context())
	}
}

func TestLargeMachineStaysWithinItsAllocations(t *testing.T) {
	h := newHost(t, Options{FS: onDisk(t, largeMachine())})
	h.Collect(t.Context())
	if n := testing.AllocsPerRun(5, func() { h.Collect(t.Context()) }); n > 2000 {
		t.Errorf("a round makes %v allocations, want at most 2000", n)
	}
}
