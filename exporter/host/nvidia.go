package host

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
	"unicode"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// nvidiaFields are asked for. A driver that does not know one refuses the whole question, so
// those it names are left out from then on.
var nvidiaFields = []string{
	"pci.bus_id", "uuid", "name",
	"memory.total", "memory.used", "memory.reserved",
	"utilization.gpu", "utilization.memory",
	"temperature.gpu", "temperature.memory",
	"power.draw", "power.limit",
	"clocks.current.graphics", "clocks.current.memory",
	"clocks_event_reasons.sw_power_cap", "clocks_event_reasons.hw_power_brake_slowdown",
	"clocks_event_reasons.sw_thermal_slowdown", "clocks_event_reasons.hw_thermal_slowdown",
	"clocks_event_reasons.hw_slowdown",
}

// nvidiaGPU is one row of the tool's answer. What the driver does not say is unknown.
type nvidiaGPU struct {
	address, uuid, name                     string
	memoryTotal, memoryUsed, memoryReserved value // reserved is no part of used
	busy, memoryBusy                        value
	temperature, memoryTemperature          value
	power, powerLimit                       value
	graphicsClock, memoryClock              value
	slowed                                  [len(slowdowns)]value
	needsReset                              bool
}

// slowdowns are the reasons for a slower clock, and the tool's fields that mean them.
var slowdowns = [...]struct {
	reason string
	fields []string
}{
	{"power", []string{"sw_power_cap", "hw_power_brake_slowdown"}},
	{"heat", []string{"sw_thermal_slowdown", "hw_thermal_slowdown"}},
	{"hardware", []string{"hw_slowdown"}},
}

// unified tells whether the GPU has no memory of its own: the driver of such machines (GB10)
// has no answer for it, and their PCI Express figures mean nothing.
func (n *nvidiaGPU) unified() bool {
	return !n.memoryTotal.known && strings.Contains(n.name, "GB10")
}

// nvidiaApp is a program that holds memory of a card.
type nvidiaApp struct {
	uuid, process string
	pid           uint64
	memory        value
}

// table is an answer of the tool: rows by the names of its head, without units.
type table struct {
	columns map[string]int
	rows    [][]string
}

func parseTable(b []byte) (table, bool) {
	r := csv.NewReader(bytes.NewReader(b))
	r.FieldsPerRecord, r.TrimLeadingSpace, r.LazyQuotes = -1, true, true
	all, err := r.ReadAll()
	if err != nil || len(all) == 0 || len(all) > 10_000 {
		return table{}, false
	}
	t := table{columns: map[string]int{}, rows: all[1:]}
	for i, head := range all[0] {
		name, _, _ := strings.Cut(head, "[") // the unit
		t.columns[strings.TrimSpace(name)] = i
	}
	return t, true
}

// cell returns a field of a row; "" where there is none or the driver has no answer, such as
// [N/A], [Not Supported] or [Unknown Error].
func (t *table) cell(row []string, column string) string {
	i, ok := t.columns[column]
	if !ok || i >= len(row) {
		return ""
	}
	s := strings.TrimSpace(row[i])
	if strings.HasPrefix(s, "[") || s == "N/A" {
		return ""
	}
	return s
}

// number returns a field as a number within bounds; what is outside is a blank of the driver's.
func (t *table) number(row []string, column string, scale, most float64) value {
	s, _, _ := strings.Cut(t.cell(row, column), " ") // some answers have their unit behind them
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0 && v <= most) {
		return value{}
	}
	return known(v * scale)
}

// ratio returns a field in percent as a ratio.
func (t *table) ratio(row []string, column string) value {
	v := t.number(row, column, 1, 100)
	v.v /= 100
	return v
}

// Bounds beyond which a number is a blank, as in 2^32-1 percent.
const (
	mostMiB   = 1 << 30
	mostWatts = 1e5
	mostMHz   = 1e5
)

// parseNVIDIA reads the answer to --query-gpu. It is false when that is no table of cards.
func parseNVIDIA(b []byte) ([]*nvidiaGPU, bool) {
	t, ok := parseTable(b)
	if _, has := t.columns["pci.bus_id"]; !ok || !has {
		return nil, false
	}
	gpus := []*nvidiaGPU{}
	for _, row := range t.rows {
		address, ok := ParseAddress(t.cell(row, "pci.bus_id"))
		if !ok {
			continue // a line of another kind: a warning
		}
		n := &nvidiaGPU{
			address: address, uuid: label(t.cell(row, "uuid")), name: label(t.cell(row, "name")),
			memoryTotal:       t.number(row, "memory.total", 1<<20, mostMiB),
			memoryUsed:        t.number(row, "memory.used", 1<<20, mostMiB),
			memoryReserved:    t.number(row, "memory.reserved", 1<<20, mostMiB),
			busy:              t.ratio(row, "utilization.gpu"),
			memoryBusy:        t.ratio(row, "utilization.memory"),
			temperature:       t.number(row, "temperature.gpu", 1, 200),
			memoryTemperature: t.number(row, "temperature.memory", 1, 200),
			power:             t.number(row, "power.draw", 1, mostWatts),
			powerLimit:        t.number(row, "power.limit", 1, mostWatts),
			graphicsClock:     t.number(row, "clocks.current.graphics", 1e6, mostMHz),
			memoryClock:       t.number(row, "clocks.current.memory", 1e6, mostMHz),
		}
		for i, s := range slowdowns {
			n.slowed[i] = t.slowed(row, s.fields)
		}
		for _, c := range row {
			n.needsReset = n.needsReset || strings.Contains(c, "requires reset")
		}
		gpus = append(gpus, n)
	}
	return gpus, true
}

// slowed is yes if one of the reasons holds, no if all are known not to.
func (t *table) slowed(row []string, fields []string) value {
	var v value
	for _, f := range fields {
		switch t.cell(row, "clocks_event_reasons."+f) {
		case "Active":
			return known(1)
		case "Not Active":
			v = known(0)
		}
	}
	return v
}

// parseNVIDIAApps reads the answer to --query-compute-apps. The tool names programs by their
// path; only the last part becomes a label, never a command line.
func parseNVIDIAApps(b []byte) []nvidiaApp {
	t, ok := parseTable(b)
	if !ok {
		return nil
	}
	var apps []nvidiaApp
	for _, row := range t.rows {
		pid, ok := parseUint([]byte(t.cell(row, "pid")))
		memory := t.number(row, "used_gpu_memory", 1<<20, mostMiB)
		if !memory.known {
			memory = t.number(row, "used_memory", 1<<20, mostMiB)
		}
		if !ok || !memory.known {
			continue
		}
		name, _, _ := strings.Cut(t.cell(row, "process_name"), " ")
		apps = append(apps, nvidiaApp{uuid: t.cell(row, "gpu_uuid"), pid: pid, process: label(base(name)), memory: memory})
	}
	return apps
}

// label makes a text of the outside fit to be a label.
func label(s string) string {
	const most = 100
	s = strings.ToValidUTF8(s, "")
	s = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return -1
		}
		return c
	}, s)
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return s
}

func (n *nvidiaGPU) points(p *points, g *gpu) {
	p.opt(catalog.GPUBusy, n.busy, g.labels...)
	p.opt(catalog.GPUMemoryBusy, n.memoryBusy, g.labels...)
	p.opt(catalog.GPUTemperature, n.temperature, g.address, "gpu")
	p.opt(catalog.GPUTemperature, n.memoryTemperature, g.address, "mem")
	p.opt(catalog.GPUPower, n.power, g.labels...)
	p.opt(catalog.GPUPowerLimit, n.powerLimit, g.labels...)
	p.opt(catalog.GPUClock, n.graphicsClock, g.address, "graphics")
	p.opt(catalog.GPUClock, n.memoryClock, g.address, "memory")
	for i, s := range slowdowns {
		p.opt(catalog.GPUThrottled, n.slowed[i], g.address, s.reason)
	}
}
