package host

import (
	"bytes"
	"strconv"
)

// lane is one speed of PCI Express and what it carries per lane in one direction, line code
// taken off: 8b/10b up to 5 GT/s, 128b/130b up to 32, none from 64 on, as the kernel counts.
type lane struct {
	transfers, bytes float64 // per second
}

var lanes = []lane{
	{2.5e9, 2.5e9 * 8 / 10 / 8},
	{5e9, 5e9 * 8 / 10 / 8},
	{8e9, 8e9 * 128 / 130 / 8},
	{16e9, 16e9 * 128 / 130 / 8},
	{32e9, 32e9 * 128 / 130 / 8},
	{64e9, 64e9 / 8},
}

// parseSpeed reads a link speed as every kernel prints it: "16.0 GT/s PCIe", before 5.7
// "16 GT/s". Whatever else stands there ("Unknown", "(null)", "66 MHz PCI") is no speed.
func parseSpeed(b []byte) (transfers float64, ok bool) {
	number, rest := field(b)
	unit, _ := field(rest)
	if string(unit) != "GT/s" {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(number), 64)
	if err != nil {
		return 0, false
	}
	return validSpeed(v * 1e9)
}

func validSpeed(transfers float64) (float64, bool) {
	for _, l := range lanes {
		if l.transfers == transfers {
			return transfers, true
		}
	}
	return 0, false
}

// widthAllOnes is what the register of the width gives when nobody answers.
const widthAllOnes = 63

// parseWidth reads a number of lanes. 0 is no link, and what no link can have is no width.
func parseWidth(b []byte) (width float64, ok bool) {
	v, ok := parseUint(bytes.TrimPrefix(b, []byte("x")))
	if !ok {
		return 0, false
	}
	switch v {
	case 1, 2, 4, 8, 12, 16, 32:
		return float64(v), true
	}
	return 0, false
}

// end is what one end of a link says: how it is, or how it could be.
type end struct {
	speed, width value
}

func (e end) known() bool { return e.speed.known && e.width.known }

// is tells whether the end says exactly this.
func (e end) is(speed, width float64) bool {
	return e.known() && e.speed.v == speed && e.width.v == width
}

// bandwidth is what it carries in one direction, in bytes per second.
func (e end) bandwidth() value {
	if !e.known() {
		return value{}
	}
	for _, l := range lanes {
		if l.transfers == e.speed.v {
			return known(l.bytes * e.width.v)
		}
	}
	return value{}
}

// both is what two ends have in common: the smaller of each where both are known.
func both(a, b end) end {
	return end{smaller(a.speed, b.speed), smaller(a.width, b.width)}
}

func smaller(a, b value) value {
	switch {
	case !a.known:
		return b
	case !b.known || a.v <= b.v:
		return a
	}
	return b
}
