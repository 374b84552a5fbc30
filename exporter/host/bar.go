package host

// bars are the sizes of a device's memory windows, in the order of its registers. The
// kernel keeps them, so reading touches nothing.
type bars [6]float64

// readBARs reads the file resource: one line for each window, "start end flags" in hex.
func readBARs(r *reader, dir string) (b bars) {
	text, ok := r.text(dir + "/resource")
	if !ok {
		return b
	}
	line := 0
	eachLine(text, func(l []byte) {
		if line < len(b) {
			b[line] = windowSize(l)
		}
		line++
	})
	return b
}

func windowSize(line []byte) float64 {
	first, rest := field(line)
	second, _ := field(rest)
	start, ok := parseHex(first)
	end, ok2 := parseHex(second)
	if !ok || !ok2 || end <= start { // unused: all zero
		return 0
	}
	return float64(end-start) + 1
}

// window is the one through which the processor sees the card's memory: vendors put it in
// different places. 0: not known.
func (b *bars) window(vendor uint64) float64 {
	switch vendor {
	case vendorAMD:
		return b[0]
	case vendorNVIDIA: // the first is the registers
		return b[1]
	case vendorIntel:
		return b[2]
	}
	largest := 0.0
	for _, size := range b {
		largest = max(largest, size)
	}
	return largest
}

// smallWindow is the size that cards have when nothing was resized.
const smallWindow = 256 << 20

// rebar tells whether the processor sees all of the card's memory at once. Sizes decide:
// what the firmware's setting says is not always what came of it.
func (g *gpu) rebar() value {
	if !g.integrated().isNot() {
		return value{}
	}
	window := g.bars.window(g.device.vendor)
	switch g.device.vendor {
	case vendorAMD:
		if g.amd.visibleSize.known && g.amd.vramSize.known {
			return truth(g.amd.visibleSize.v >= g.amd.vramSize.v)
		}
	case vendorNVIDIA:
		if size := g.vram(); size.known && window > 0 {
			return truth(window >= size.v)
		}
		if window > 0 && window < 1<<30 { // no card that computes is that small
			return known(0)
		}
		return value{}
	case vendorIntel:
		if window > 0 {
			return truth(window > smallWindow)
		}
	}
	return value{}
}
