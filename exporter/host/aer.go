package host

import (
	"bytes"
	"slices"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// aerSeverities are the kernel's files, aer_dev_<severity>.
var aerSeverities = [...]string{"correctable", "nonfatal", "fatal"}

// aerCounters are the errors that a device reported. The kernel counts them in software, so
// reading does not touch the device.
type aerCounters struct {
	has    bool
	errors [len(aerSeverities)][]aerCount
	total  [len(aerSeverities)]value
	labels [len(aerSeverities)][]string
}

// aerCount is one line of a file. Its labels are made once.
type aerCount struct {
	name   string
	n      float64
	labels []string
}

// mostErrors bounds the names of one file; the registers have 32 bits.
const mostErrors = 64

func (d *device) readAER(r *reader) {
	d.aer.has = false
	for i := range aerSeverities {
		d.aer.total[i] = value{}
		if b, err := r.bytes(d.files.aer[i], page); err == nil {
			d.aer.has = true
			d.aer.parse(i, b, d.address)
		} else {
			d.aer.errors[i] = nil
			r.fail(d.files.aer[i], err)
		}
	}
}

// parse reads lines of a name and a count. The last line counts messages, each of which may
// name several errors. Names come and go with kernels: what is there is taken.
func (a *aerCounters) parse(severity int, b []byte, address string) {
	at := 0
	eachLine(b, func(line []byte) {
		name, rest := field(line)
		n, ok := parseUint(trim(rest))
		if !ok || !printable(name) {
			return
		}
		if bytes.HasPrefix(name, []byte("TOTAL_")) {
			a.total[severity] = known(float64(n))
			return
		}
		if n > 0 && at < mostErrors && a.set(severity, at, name, float64(n), address) {
			at++
		}
	})
	a.errors[severity] = a.errors[severity][:at]
}

// set stores a count in the place that it had in the last round, if it is still the same
// error. It is false for an error that the file named before.
func (a *aerCounters) set(severity, at int, name []byte, n float64, address string) bool {
	list := a.errors[severity]
	for j := range list[:at] {
		if list[j].name == string(name) {
			return false
		}
	}
	if at < len(list) && list[at].name == string(name) {
		list[at].n = n
		return true
	}
	c := aerCount{name: string(name), n: n, labels: []string{address, aerSeverities[severity], string(name)}}
	a.errors[severity] = append(slices.Clip(list[:at]), c)
	return true
}

// printable keeps control characters out of labels.
func printable(b []byte) bool {
	return len(b) > 0 && len(b) <= 64 && bytes.IndexFunc(b, func(c rune) bool { return c < ' ' || c > '~' }) < 0
}

func (a *aerCounters) points(p *points, d *device) {
	for i, severity := range aerSeverities {
		for _, c := range a.errors[i] {
			p.add(catalog.PCIErrors, c.n, c.labels...)
		}
		if a.total[i].known {
			if a.labels[i] == nil {
				a.labels[i] = []string{d.address, severity}
			}
			p.add(catalog.PCIErrorMessages, a.total[i].v, a.labels[i]...)
		}
	}
}
