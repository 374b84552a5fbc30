package host

import (
	"bytes"
	"strconv"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// memory is the machine's memory.
type memory struct {
	size, free, available, cached value
	unevictable, hugePages        value
	swapSize, swapFree            value
	contiguous, stalled           value
}

func readMemory(r *reader) memory {
	var m memory
	if b, ok := r.all("proc/meminfo"); ok {
		m.meminfo(b)
		if !m.size.known {
			r.failAs("proc/meminfo", catalog.HostMalformed, errMalformed)
		}
	} else if r.failure == "" {
		r.failure = catalog.HostMissing
	}
	if b, ok := r.all("proc/buddyinfo"); ok {
		m.contiguous = contiguous(b)
	}
	if b, ok := r.text("proc/pressure/memory"); ok {
		m.stalled = stalled(b)
	}
	return m
}

// meminfo takes lines like "MemTotal: 127600748 kB".
func (m *memory) meminfo(b []byte) {
	eachLine(b, func(line []byte) {
		key, rest, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			return
		}
		number, _ := field(rest)
		n, ok := parseUint(number)
		if !ok {
			return
		}
		v := known(float64(n) * 1024)
		switch string(key) {
		case "MemTotal":
			m.size = v
		case "MemFree":
			m.free = v
		case "MemAvailable":
			m.available = v
		case "Cached":
			m.cached = v
		case "Unevictable":
			m.unevictable = v
		case "Hugetlb":
			m.hugePages = v
		case "SwapTotal":
			m.swapSize = v
		case "SwapFree":
			m.swapFree = v
		}
	})
}

// contiguous adds up the free blocks of 2 MiB and more: in a line like
// "Node 0, zone Normal 12 5 … 310 1" the counts are of blocks of 4 KiB, 8 KiB and so on.
func contiguous(b []byte) value {
	const first = 9
	var total float64
	found := false
	eachLine(b, func(line []byte) {
		_, rest, ok := bytes.Cut(line, []byte("zone"))
		if !ok {
			return
		}
		_, rest = field(rest) // the zone's name
		for order := 0; order < 20; order++ {
			var word []byte
			if word, rest = field(rest); len(word) == 0 {
				break
			}
			n, ok := parseUint(trim(word))
			if !ok {
				return
			}
			if order >= first {
				found = true
				total += float64(n) * float64(int(page)<<order)
			}
		}
	})
	return when(total, found)
}

// stalled takes the total of the line "full avg10=0.00 … total=12345", in microseconds.
func stalled(b []byte) value {
	var v value
	eachLine(b, func(line []byte) {
		if !bytes.HasPrefix(line, []byte("full ")) {
			return
		}
		if _, total, ok := bytes.Cut(line, []byte("total=")); ok {
			if n, err := strconv.ParseUint(string(trim(total)), 10, 64); err == nil {
				v = known(float64(n) / 1e6)
			}
		}
	})
	return v
}

func (m *memory) points(p *points) {
	p.opt(catalog.HostMemorySize, m.size)
	p.opt(catalog.HostMemoryFree, m.free)
	p.opt(catalog.HostMemoryAvailable, m.available)
	p.opt(catalog.HostMemoryCached, m.cached)
	p.opt(catalog.HostMemoryUnevictable, m.unevictable)
	p.opt(catalog.HostMemoryReserved, m.hugePages)
	p.opt(catalog.HostMemoryContiguous, m.contiguous)
	p.opt(catalog.HostMemoryStalled, m.stalled)
	p.opt(catalog.HostSwapSize, m.swapSize)
	p.opt(catalog.HostSwapFree, m.swapFree)
}
