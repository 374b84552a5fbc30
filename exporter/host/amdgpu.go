package host

import (
	"errors"
	"syscall"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// amdgpu is what AMD's graphics driver says about a card, in files of the card's PCI folder.
type amdgpu struct {
	files *amdgpuFiles

	vramSize, vramUsed       value
	visibleSize, visibleUsed value
	gttSize, gttUsed         value
	busy, memoryBusy         value
}

// amdgpuFiles are the names, made once.
type amdgpuFiles struct {
	vramSize, vramUsed, visibleSize, visibleUsed, gttSize, gttUsed, busy, memoryBusy string
}

func newAMDGPU(dir string) amdgpu {
	return amdgpu{files: &amdgpuFiles{
		dir + "/mem_info_vram_total", dir + "/mem_info_vram_used",
		dir + "/mem_info_vis_vram_total", dir + "/mem_info_vis_vram_used",
		dir + "/mem_info_gtt_total", dir + "/mem_info_gtt_used",
		dir + "/gpu_busy_percent", dir + "/mem_busy_percent",
	}}
}

// read reads the sizes, which the driver keeps at hand, and of a card that is awake also
// what asks its controller. pcie_bw and gpu_metrics are not read: the first takes a second
// where it exists, the second is absent or stale on a sleeping card.
func (a *amdgpu) read(r *reader, awake bool) {
	f := a.files
	*a = amdgpu{files: f}
	a.vramSize, a.vramUsed = when(r.number(f.vramSize)), when(r.number(f.vramUsed))
	a.visibleSize, a.visibleUsed = when(r.number(f.visibleSize)), when(r.number(f.visibleUsed))
	a.gttSize, a.gttUsed = when(r.number(f.gttSize)), when(r.number(f.gttUsed))
	if awake {
		a.busy, a.memoryBusy = r.percent(f.busy), r.percent(f.memoryBusy)
	}
}

// sensor reads a number that a controller on the card must be asked for. The driver answers
// EPERM or EBUSY while the card falls asleep or is reset: that is no lack of rights.
func (r *reader) sensor(name string) (float64, bool) {
	b, err := r.bytes(name, 64)
	switch {
	case errors.Is(err, syscall.EPERM), errors.Is(err, syscall.EBUSY):
		r.failAs(name, catalog.HostAsleep, err)
		return 0, false
	case errors.Is(err, syscall.EOPNOTSUPP), errors.Is(err, syscall.ENODATA):
		return 0, false // the card has no such sensor
	case err != nil:
		r.fail(name, err)
		return 0, false
	}
	b = trim(b)
	negative := len(b) > 1 && b[0] == '-' // temperatures
	if negative {
		b = b[1:]
	}
	v, ok := parseUint(b)
	if !ok {
		r.failAs(name, catalog.HostMalformed, errMalformed)
	}
	if negative {
		return -float64(v), ok
	}
	return float64(v), ok
}

// percent reads a share of time as a ratio. What is above 100 is a blank of the driver's.
func (r *reader) percent(name string) value {
	v, ok := r.sensor(name)
	if ok && (v < 0 || v > 100) {
		r.failAs(name, catalog.HostMalformed, errMalformed)
		return value{}
	}
	return when(v/100, ok)
}
