package host

import (
	"slices"
	"strconv"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// hwmon is the sensors that a card's driver shows in the kernel's common form. Every read
// asks the card, so a sleeping one is left alone.
type hwmon struct {
	dir   string // "": the driver has no sensors, or was not asked yet
	temps []thermometer

	power, powerLimit      value
	graphics, memory       value // clocks
	graphicsFile, memoryIn string
	powerFile, limitFile   string
}

// thermometer is one sensor; what never changes is read once.
type thermometer struct {
	file     string
	labels   []string // address and name of the sensor
	critical value
	now      value
}

// mostSensors is how many sensors of a kind are looked for; cards have three or four.
const mostSensors = 8

// forget drops the readings of the round before.
func (h *hwmon) forget() {
	h.power, h.powerLimit, h.graphics, h.memory = value{}, value{}, value{}, value{}
	for i := range h.temps {
		h.temps[i].now = value{}
	}
}

// read reads the sensors of a device that is awake.
func (h *hwmon) read(r *reader, d *device) {
	h.forget()
	if !h.find(r, d) {
		return
	}
	for i := range h.temps {
		t := &h.temps[i]
		milli, ok := r.sensor(t.file)
		t.now = when(milli/1000, ok && milli > -100_000 && milli < 200_000)
	}
	h.power, h.powerLimit = r.scaled(h.powerFile, 1e-6), r.scaled(h.limitFile, 1e-6)
	h.graphics, h.memory = r.scaled(h.graphicsFile, 1), r.scaled(h.memoryIn, 1)
}

// scaled reads a sensor in another unit; no file, no value.
func (r *reader) scaled(file string, factor float64) value {
	if file == "" {
		return value{}
	}
	v, ok := r.sensor(file)
	return when(v*factor, ok)
}

// find looks for the card's folder. Its number is any, and has nothing to do with the card's.
func (h *hwmon) find(r *reader, d *device) bool {
	names, err := r.dir(d.dir + "/hwmon")
	if err != nil {
		r.fail(d.dir+"/hwmon", err)
		return false
	}
	slices.Sort(names)
	for _, name := range names {
		if !strings.HasPrefix(name, "hwmon") {
			continue
		}
		if dir := d.dir + "/hwmon/" + name; dir != h.dir {
			h.describe(r, dir, d.address)
		}
		return true
	}
	return false
}

// describe notes which sensors there are.
func (h *hwmon) describe(r *reader, dir, address string) {
	*h = hwmon{dir: dir}
	names, err := r.dir(dir)
	if r.fail(dir, err) != nil {
		return
	}
	file := func(name string) string {
		if slices.Contains(names, name) {
			return dir + "/" + name
		}
		return ""
	}
	if h.powerFile = file("power1_average"); h.powerFile == "" {
		h.powerFile = file("power1_input")
	}
	h.limitFile = file("power1_cap")
	for i := 1; i <= mostSensors; i++ {
		n := strconv.Itoa(i)
		if in := file("temp" + n + "_input"); in != "" {
			h.temps = append(h.temps, h.thermometer(r, file, in, n, address))
		}
		if in := file("freq" + n + "_input"); in != "" {
			switch label, _ := r.text(dir + "/freq" + n + "_label"); string(label) {
			case "sclk":
				h.graphicsFile = in
			case "mclk":
				h.memoryIn = in
			}
		}
	}
}

func (h *hwmon) thermometer(r *reader, file func(string) string, in, n, address string) thermometer {
	name := "temp" + n
	if label := file("temp" + n + "_label"); label != "" {
		if b, ok := r.text(label); ok && printable(b) {
			name = string(b)
		}
	}
	for slices.ContainsFunc(h.temps, func(t thermometer) bool { return t.labels[1] == name }) {
		name += n // two sensors of one name would be one series twice
	}
	t := thermometer{file: in, labels: []string{address, name}}
	if crit := file("temp" + n + "_crit"); crit != "" {
		t.critical = r.scaled(crit, 1e-3)
	}
	return t
}

func (h *hwmon) points(p *points, g *gpu) {
	for i := range h.temps {
		p.opt(catalog.GPUTemperature, h.temps[i].now, h.temps[i].labels...)
		p.opt(catalog.GPUTemperatureCritical, h.temps[i].critical, h.temps[i].labels...)
	}
	p.opt(catalog.GPUPower, h.power, g.labels...)
	p.opt(catalog.GPUPowerLimit, h.powerLimit, g.labels...)
	p.opt(catalog.GPUClock, h.graphics, g.address, "graphics")
	p.opt(catalog.GPUClock, h.memory, g.address, "memory")
}
