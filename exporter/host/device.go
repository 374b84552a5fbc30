package host

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

const devicesDir = "sys/bus/pci/devices"

// device is one PCI device: a GPU, or a hop of a GPU's chain. Chains share devices.
type device struct {
	address string
	labels  []string // the address alone, as series of the device have it
	dir     string
	files   deviceFiles

	class, vendor, id uint64
	virtual           bool // a virtual function: another view of a GPU that is there already
	removable         bool // behind a port that leads out of the machine
	described         bool // vendor and id are known
	idText            string

	max        end // static; kept while the device sleeps
	asleep     bool
	power      []string // labels of the power state; nil: not known
	now        end
	hasLink    bool // has the files of a PCI Express link
	lost       bool // does not answer: all ones, or marked as disconnected
	config     configSpace
	aer        aerCounters
	changes    linkChanges
	seen, read uint64 // rounds
	sampled    uint64 // the last sample that read it
}

// deviceFiles are names that every round needs, made once.
type deviceFiles struct {
	speed, width, maxSpeed, maxWidth, runtimeStatus, powerState, config string
	aer                                                                 [3]string
}

func newDevice(address string) *device {
	dir := devicesDir + "/" + address
	d := &device{address: address, labels: []string{address}, dir: dir, hasLink: true}
	d.files = deviceFiles{
		speed: dir + "/current_link_speed", width: dir + "/current_link_width",
		maxSpeed: dir + "/max_link_speed", maxWidth: dir + "/max_link_width",
		runtimeStatus: dir + "/power/runtime_status", powerState: dir + "/power_state", config: dir + "/config",
	}
	for i, s := range aerSeverities {
		d.files.aer[i] = dir + "/aer_dev_" + s
	}
	return d
}

// classify reads what a device is. It is false as long as that cannot be read.
func (d *device) classify(r *reader) bool {
	b, ok := r.text(d.dir + "/class")
	if ok {
		d.class, ok = parseHex(b)
	}
	return ok
}

// describe reads who made the device; none of it touches the hardware.
func (d *device) describe(r *reader) {
	if d.described {
		return
	}
	vendor, ok := r.text(d.dir + "/vendor")
	if ok {
		d.vendor, ok = parseHex(vendor)
	}
	id, idOK := r.text(d.dir + "/device")
	if idOK {
		d.id, idOK = parseHex(id)
	}
	removable, _ := r.text(d.dir + "/removable")
	d.removable = string(removable) == "removable"
	_, err := r.link(d.dir + "/physfn")
	d.virtual = err == nil
	d.described = ok && idOK
	d.idText = fmt.Sprintf("%04x:%04x", d.vendor, d.id)
}

// isBridge tells whether other devices are behind it.
func (d *device) isBridge() bool { return d.class>>8 == 0x0604 }

// watchSleep reads whether the device sleeps; neither file touches the hardware.
func (d *device) watchSleep(r *reader) {
	status, _ := r.text(d.files.runtimeStatus)
	d.asleep = bytes.HasPrefix(status, []byte("suspend")) // suspended, suspending
	if !d.asleep && string(status) != "active" {          // a kernel without this, or a device that it does not manage
		state, _ := r.text(d.files.powerState)
		d.asleep = string(state) == "D3cold"
	}
	if d.asleep {
		d.now, d.lost = end{}, false
	}
}

// powerStates are the kernel's names of those that say something.
var powerStates = []string{"D0", "D1", "D2", "D3hot", "D3cold"}

// readPower reads the power state as the kernel last set it; that does not touch the hardware.
func (d *device) readPower(r *reader) {
	state, _ := r.text(d.files.powerState)
	i := slices.IndexFunc(powerStates, func(s string) bool { return s == string(state) })
	switch {
	case i < 0:
		d.power = nil
	case d.power == nil || d.power[1] != powerStates[i]:
		d.power = []string{d.address, powerStates[i]}
	}
}

// readLink reads the link as it is, and once how it could be. It wakes the device.
func (d *device) readLink(r *reader) {
	d.now, d.lost = end{}, false
	speed, err := r.bytes(d.files.speed, 64)
	switch {
	case err == nil:
		d.now.speed = when(parseSpeed(trim(speed)))
	case disconnected(err):
		d.lost = true
		return
	default:
		d.hasLink = reasonOf(err) != "" || err == errSkipped // a device of the old bus has no such file
		r.fail(d.files.speed, err)
		return
	}
	d.hasLink = true
	if width, ok := r.text(d.files.width); ok {
		d.now.width = when(parseWidth(width))
		if v, ok := parseUint(width); ok && v == widthAllOnes {
			d.lost, d.now = true, end{}
			return
		}
	}
	if d.max.known() {
		return
	}
	if speed, ok := r.text(d.files.maxSpeed); ok {
		d.max.speed = when(parseSpeed(speed))
	}
	if width, ok := r.text(d.files.maxWidth); ok {
		d.max.width = when(parseWidth(width))
	}
}

// disconnected tells whether the kernel gave the device up.
func disconnected(err error) bool {
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENODEV) || errors.Is(err, syscall.EIO)
}

// points are the series of the device, once for all cards behind it.
func (d *device) points(p *points) {
	if d.power != nil {
		p.add(catalog.PCIPowerState, 1, d.power...)
	}
	p.opt(catalog.PCILinkMaxSpeed, d.max.speed, d.labels...)
	p.opt(catalog.PCILinkMaxWidth, d.max.width, d.labels...)
	p.opt(catalog.PCILinkSpeed, d.now.speed, d.labels...)
	p.opt(catalog.PCILinkWidth, d.now.width, d.labels...)
	p.opt(catalog.PCILinkBandwidth, d.now.bandwidth(), d.labels...)
	d.changes.points(p, d)
	d.aer.points(p, d)
	d.config.points(p, d)
}

// base returns the last part of a path.
func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
